import type { Mutant } from "./mutants.ts"

const buckets = "src/domain/TokenBuckets.ts"
const conventions = "src/http/Conventions.ts"
const server = "src/platform/Server.ts"

/** Guards of what is common to all routes. */
export const wireMutants: ReadonlyArray<Mutant> = [
  {
    name: "wire: a clock that was set back locks keys out",
    file: buckets,
    find: "Math.min(Math.max(known, nowMs), nowMs + capacityMs)",
    replace: "Math.max(known, nowMs)",
    tests: ["test/domain/TokenBuckets.test.ts"]
  },
  {
    name: "wire: buckets are forgotten before they are full",
    file: buckets,
    find: "young.get(key) ?? old.get(key) ?? nowMs",
    replace: "young.get(key) ?? nowMs",
    tests: ["test/domain/TokenBuckets.test.ts"]
  },
  {
    name: "wire: any number of buckets is kept",
    file: buckets,
    find: " || young.size >= keysMax",
    replace: "",
    tests: ["test/domain/TokenBuckets.test.ts"]
  },
  {
    name: "wire: a key may ask as fast as it likes",
    file: "src/http/Authentication.ts",
    find: "(limit.ofKey(principal) as Effect.Effect<void>)",
    replace: "Effect.void",
    tests: ["test/http/RateLimit.test.ts"]
  },
  {
    name: "wire: a flood without a key is answered with 401 for ever",
    file: "src/http/Authentication.ts",
    find: "Effect.andThen(limit.ofAddress, Effect.fail(invalidKey))",
    replace: "Effect.fail(invalidKey)",
    tests: ["test/http/RateLimit.test.ts"]
  },
  {
    name: "wire: every address of a network has a bucket of its own",
    file: "src/http/RateLimit.ts",
    find: "groups.slice(0, 4)",
    replace: "groups.slice(0, 8)",
    tests: ["test/http/RateLimit.test.ts"]
  },
  {
    name: "wire: who names a problem gets one, though he likes JSON more",
    file: "src/http/Accept.ts",
    find: "problem > 0 && problem >= json",
    replace: "problem > 0 && json >= 0",
    tests: ["test/http/Accept.test.ts"]
  },
  {
    name: "wire: a code without a case",
    file: "schemas/ErrorCode.ts",
    find: "  malformed_json: {",
    replace:
      '  strange: { status: 400, type: "invalid_request_error", help: "It is strange. Stop." },\n  malformed_json: {',
    // Without an example the service would not even start.
    and: {
      file: "src/api/ErrorExamples.ts",
      find: "  malformed_json: {",
      replace: '  strange: { request: "GET /v1/strange", message: "It is strange." },\n  malformed_json: {'
    },
    tests: ["test/http/BadInput.test.ts"]
  },
  {
    name: "wire: U+0000 reaches the database",
    file: conventions,
    find: 'if (!url.includes("%00"))',
    replace: 'if (url !== "")',
    tests: ["test/fuzz/Fuzz.pg.test.ts"]
  },
  {
    name: "wire: a body in gzip is read as JSON",
    file: conventions,
    find: "bytes.length > 0 && !/^(identity)?$/i",
    replace: "bytes.length < 0 && !/^(identity)?$/i",
    tests: ["test/http/BadInput.test.ts"]
  },
  {
    name: "wire: a request need not name its host",
    file: "src/http/Envelope.ts",
    find: 'request.source.httpVersion === "1.1"',
    replace: 'request.source.httpVersion === "9"',
    tests: ["test/http/RawServer.test.ts"]
  },
  {
    name: "wire: a request becomes another protocol",
    file: server,
    find: "shouldUpgradeCallback: () => false",
    replace: "shouldUpgradeCallback: () => true",
    tests: ["test/http/RawServer.test.ts"]
  },
  {
    name: "wire: a duplicate waits less than it should",
    file: "src/entities/Once.ts",
    find: "Duration.millis(250)",
    replace: "Duration.millis(249)",
    tests: ["test/http/Idempotency.test.ts"]
  },
  {
    name: "wire: a replay does not say where the object is",
    file: "src/http/Ask.ts",
    find: "answered.location === null ?",
    replace: 'answered.location === null || answered.kind === "replayed" ?',
    tests: ["test/lostAnswers.pg.test.ts"]
  },
  {
    name: "wire: a wrong media type is found out by JSON alone",
    file: conventions,
    find: "bytes.length > 0 && !isJson(",
    replace: "bytes.length < 0 && !isJson(",
    tests: ["test/http/EveryRoute.test.ts"]
  }
]
