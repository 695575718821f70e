import { guards, type Mutant } from "./Mutant.ts"

/** Guards of all routes. */
export const wireMutants: ReadonlyArray<Mutant> = [
  ...guards("src/runtime/json/TokenBuckets.ts", "test/runtime/json/TokenBuckets.test.ts", {
    "wire: a clock that was set back locks keys out": {
      "Math.min(Math.max(known, nowMs), nowMs + capacityMs)": "Math.max(known, nowMs)"
    },
    "wire: buckets are forgotten before they are full": {
      "young.get(key) ?? old.get(key) ?? nowMs": "young.get(key) ?? nowMs"
    },
    "wire: the number of buckets has no limit": { " || young.size >= keysMax": "" }
  }),
  ...guards("src/http/request/Authentication.ts", "test/http/limits/RateLimit.test.ts", {
    "wire: a key has no rate limit": {
      "yield* Effect.result(limit.ofKey(acted))": "yield* Effect.result(Effect.void)"
    },
    "wire: a flood without a key gets 401 for ever": {
      "Effect.andThen(limit.ofAddress, Effect.fail(error))": "Effect.fail(error)"
    }
  }),
  ...guards("src/runtime/Networks.ts", "test/runtime/Networks.test.ts", {
    "wire: every address of a network has a bucket of its own": { "groups.slice(0, 4)": "groups.slice(0, 8)" }
  }),
  ...guards("src/http/request/Accept.ts", "test/http/request/Accept.test.ts", {
    "wire: a client that accepts problem details gets them although it prefers JSON": {
      "problem > 0 && problem >= json": "problem > 0 && json >= 0"
    }
  }),
  ...guards("schemas/errorCodes.json", "test/http/request/BadInput.pg.test.ts", {
    "wire: an error code has no case": {
      '  "malformed_json": {':
        '  "strange": { "status": 400, "type": "invalid_request_error", "help": "It is strange. Stop.", "example": { "request": "GET /v1/strange", "message": "It is strange." } },\n  "malformed_json": {'
    }
  }),
  ...guards("src/http/request/Pipeline.ts", "test/http/request/BadInput.pg.test.ts", {
    "wire: U+0000 reaches the database": { 'if (!url.includes("%00"))': 'if (url !== "")' }
  }),
  ...guards("src/http/request/Pipeline.ts", "test/http/request/BadInput.pg.test.ts", {
    "wire: a gzip body is parsed as JSON": {
      "if (!/^(identity)?$/i.test(coding))": "if (/^(gone)$/i.test(coding))"
    }
  }),
  ...guards("src/http/request/Envelope.ts", "test/http/limits/RawServer.test.ts", {
    "wire: a request with two hosts is accepted": { "if (times < 2) continue": "if (times < 9) continue" },
    "wire: a request without a host is accepted": {
      'request.source.httpVersion === "1.1"': 'request.source.httpVersion === "9"'
    }
  }),
  ...guards("src/http/Http.ts", "test/http/service/OwnRoutes.test.ts", {
    "wire: a known path with another method is unknown": {
      "for (const { method, path } of routes) note(method, full(path))": ""
    }
  }),
  ...guards("src/http/Http.ts", "test/http/service/OwnRoutes.test.ts", {
    "wire: a client that waits for events delays the end of the service": { "stopping.drained.open": "Effect.void" }
  }),
  ...guards("src/runtime/server/Server.ts", "test/http/limits/RawServer.test.ts", {
    "wire: a request upgrades to another protocol": {
      "shouldUpgradeCallback: () => false": "shouldUpgradeCallback: () => true"
    }
  }),
  ...guards("src/accounts/store/Idempotency.ts", "test/http/request/Idempotency.test.ts", {
    "wire: a duplicate waits too short a time": { "Duration.millis(250)": "Duration.millis(249)" }
  }),
  ...guards("src/http/request/Ask.ts", "test/postgres/process/LostAnswers.pg.test.ts", {
    "wire: a replay has no Location of the object": {
      "answered.location === null ?": 'answered.location === null || answered.kind === "replayed" ?'
    }
  }),
  ...guards("src/http/request/Pipeline.ts", "test/http/request/EveryRoute.pg.test.ts", {
    "wire: only the JSON parser detects a wrong media type": {
      "if (fault !== null)": "if (fault === undefined)"
    }
  })
]
