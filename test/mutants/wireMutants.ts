import { guards, type Mutant } from "./Mutant.ts"

/** Guards of what is common to all routes. */
export const wireMutants: ReadonlyArray<Mutant> = [
  ...guards("src/domain/requests/TokenBuckets.ts", "test/domain/requests/TokenBuckets.test.ts", {
    "wire: a clock that was set back locks keys out": {
      "Math.min(Math.max(known, nowMs), nowMs + capacityMs)": "Math.max(known, nowMs)"
    },
    "wire: buckets are forgotten before they are full": {
      "young.get(key) ?? old.get(key) ?? nowMs": "young.get(key) ?? nowMs"
    },
    "wire: any number of buckets is kept": { " || young.size >= keysMax": "" }
  }),
  ...guards("src/http/request/Authentication.ts", "test/http/limits/RateLimit.test.ts", {
    "wire: a key may ask as fast as it likes": {
      "yield* Effect.result(limit.ofKey(found.value))": "yield* Effect.result(Effect.void)"
    },
    "wire: a flood without a key is answered with 401 for ever": {
      "Effect.andThen(limit.ofAddress, Effect.fail(error))": "Effect.fail(error)"
    }
  }),
  ...guards("src/http/limits/RateLimit.ts", "test/http/limits/RateLimit.test.ts", {
    "wire: every address of a network has a bucket of its own": { "groups.slice(0, 4)": "groups.slice(0, 8)" }
  }),
  ...guards("src/http/request/Accept.ts", "test/http/request/Accept.test.ts", {
    "wire: who names a problem gets one, though he likes JSON more": {
      "problem > 0 && problem >= json": "problem > 0 && json >= 0"
    }
  }),
  ...guards("schemas/errorCodes.json", "test/http/request/BadInput.test.ts", {
    "wire: a code without a case": {
      '  "malformed_json": {':
        '  "strange": { "status": 400, "type": "invalid_request_error", "help": "It is strange. Stop.", "example": { "request": "GET /v1/strange", "message": "It is strange." } },\n  "malformed_json": {'
    }
  }),
  ...guards("src/http/request/Pipeline.ts", "test/http/request/BadInput.test.ts", {
    "wire: U+0000 reaches the database": { 'if (!url.includes("%00"))': 'if (url !== "")' }
  }),
  ...guards("src/http/request/Pipeline.ts", "test/http/request/BadInput.test.ts", {
    "wire: a body in gzip is read as JSON": {
      "if (!/^(identity)?$/i.test(coding))": "if (/^(gone)$/i.test(coding))"
    }
  }),
  ...guards("src/http/request/Envelope.ts", "test/http/limits/RawServer.test.ts", {
    "wire: a request may name two hosts": { "if (times < 2) continue": "if (times < 9) continue" },
    "wire: a request need not name its host": {
      'request.source.httpVersion === "1.1"': 'request.source.httpVersion === "9"'
    }
  }),
  ...guards("src/http/Http.ts", "test/http/service/OwnRoutes.test.ts", {
    "wire: a path is unknown with another method": {
      "for (const { method, path } of routes) note(method, full(path))": ""
    }
  }),
  ...guards("src/http/Http.ts", "test/http/service/OwnRoutes.test.ts", {
    "wire: who waits for events holds up the end of the service": { "stopping.told.open": "Effect.void" }
  }),
  ...guards("src/platform/server/Server.ts", "test/http/limits/RawServer.test.ts", {
    "wire: a request becomes another protocol": {
      "shouldUpgradeCallback: () => false": "shouldUpgradeCallback: () => true"
    }
  }),
  ...guards("src/store/accounts/Idempotency.ts", "test/http/request/Idempotency.test.ts", {
    "wire: a duplicate waits less than it should": { "Duration.millis(250)": "Duration.millis(249)" }
  }),
  ...guards("src/http/request/Ask.ts", "test/postgres/process/LostAnswers.pg.test.ts", {
    "wire: a replay does not say where the object is": {
      "answered.location === null ?": 'answered.location === null || answered.kind === "replayed" ?'
    }
  }),
  ...guards("src/http/request/Pipeline.ts", "test/http/request/EveryRoute.pg.test.ts", {
    "wire: a wrong media type is found out by JSON alone": {
      "if (fault !== null)": "if (fault === undefined)"
    }
  })
]
