import type { Mutant } from "./mutants.ts"

const connections = "src/platform/Connections.ts"
const server = "src/platform/Server.ts"
const tests = ["test/http/Connections.test.ts"]

/** Guards of who may ask, and for how long: connections, keys, links, and whether there is room to write. */
export const connectionMutants: ReadonlyArray<Mutant> = [
  {
    name: "connections: one is taken in each round of the event loop",
    file: "src/platform/Listeners.ts",
    find: "canShare ? sockets - 1 : 0",
    replace: "canShare ? 0 : 0",
    tests: ["test/platform/Listeners.test.ts"]
  },
  {
    name: "connections: a server that closes goes on taking them",
    file: "src/platform/Listeners.ts",
    find: "for (const other of others) other.close(() => done())",
    replace: "for (const _ of others) done()",
    tests: ["test/platform/Listeners.test.ts"]
  },
  {
    name: "connections: two services share a port",
    file: server,
    find: "if (taken !== undefined) return failure(taken.message)",
    replace: "",
    tests: ["test/platform/Listeners.test.ts"]
  },
  {
    name: "connections: those that idle keep others out",
    file: connections,
    find: "for (const connection of idle) {",
    replace: "for (const connection of [] as Array<Connection>) {",
    tests
  },
  {
    name: "connections: those that keep the service waiting keep others out",
    file: connections,
    find: "if (waitsForClient(connection)) slowest = connection",
    replace: "",
    tests
  },
  {
    name: "connections: who has just asked makes room as if he had idled",
    file: connections,
    find: "if (connection.exchanges.size > 0 || !busy.delete(connection)) return",
    replace: "return",
    tests
  },
  {
    name: "connections: one address may have all",
    file: connections,
    find: ">= perAddress && ",
    replace: ">= max && ",
    tests
  },
  {
    name: "connections: any number is kept",
    file: connections,
    find: "idle.size + busy.size >= max && ",
    replace: "idle.size < 0 && ",
    tests
  },
  {
    name: "connections: the full house has no ear for its health",
    file: server,
    find: 'request.url?.startsWith("/health/") === true',
    replace: "request.url === undefined",
    tests
  },
  {
    name: "connections: the reserve serves everything",
    file: server,
    find: 'request.url?.startsWith("/health/") === true',
    replace: "request.url !== undefined",
    tests
  },
  {
    name: "connections: any number that say nothing are kept in the reserve",
    file: connections,
    find: "oldest !== undefined && reserve.size >= patience.reserveMax",
    replace: "oldest !== undefined && reserve.size < 0",
    tests
  },
  {
    name: "connections: an answer may be read for ever",
    file: connections,
    find: "isUnread(first) && now - connection.since >= patience.answerMs",
    replace: "isUnread(first) && now < 0",
    tests
  },
  {
    name: "connections: any amount is held for those who do not read",
    file: connections,
    find: "if (network === undefined) return",
    replace: "if (network === undefined || unread > 0) return",
    tests
  },
  {
    name: "connections: who does not read costs others their answers",
    file: connections,
    find: "other.network !== network || other.unread === 0",
    replace: "other.unread === 0",
    tests
  },
  {
    name: "connections: one address holds up what all may",
    file: connections,
    find: "patience.unreadMax / 4",
    replace: "patience.unreadMax",
    tests
  },
  {
    name: "connections: any number of requests is taken at once",
    file: connections,
    find: "connection.exchanges.size >= patience.pipelinedMax",
    replace: "connection.exchanges.size < 0",
    tests
  },
  {
    name: "connections: one that never ends its request holds up the end of the service",
    file: connections,
    find: "if (isStopping) while (makeRoom());",
    replace: "",
    tests
  },
  {
    name: "connections: who is refused is not counted",
    file: server,
    find: "self.noteRefusal(why)",
    replace: "",
    tests
  },
  {
    name: "limits: a roll makes one key more than there may be",
    file: "src/store/ApiKeys.ts",
    find: "return yield* insertWithin({ ...next, name: row.name })",
    replace: "return yield* insert({ ...next, name: row.name })",
    tests: ["test/store/ApiKeys.pg.test.ts"]
  },
  {
    name: "limits: an account has as many rates as keys",
    file: "src/http/RateLimit.ts",
    find: "Effect.andThen(ofKey.take(api_key_id), ofAccount.take(`${account_id} ${livemode}`))",
    replace: "Effect.andThen(ofKey.take(api_key_id), ofAccount.take(`${account_id} ${livemode} ${api_key_id}`))",
    tests: ["test/http/RateLimit.test.ts"]
  },
  {
    name: "limits: a good link answers for the bad keys of its address",
    file: "src/http/FileAccess.ts",
    find: "yield* limit.ofLink(of)",
    replace: "yield* limit.ofAddress",
    tests: ["test/http/RateLimit.test.ts"]
  },
  {
    name: "limits: a bad link costs nothing",
    file: "src/http/FileAccess.ts",
    find: "Effect.andThen(limit.ofAddress, Effect.fail(refusals[fault]))",
    replace: "Effect.fail(refusals[fault])",
    tests: ["test/http/RateLimit.test.ts"]
  },
  {
    name: "limits: one key holds up any number of requests",
    file: "src/http/Concurrency.ts",
    find: "if (full !== undefined) return",
    replace: "if (full !== undefined && max < 0) return",
    tests: ["test/http/Concurrency.test.ts"]
  },
  {
    name: "limits: what was held is not given back",
    file: "src/http/Concurrency.ts",
    find: "for (const { who } of holders) add(who, -1)",
    replace: "for (const { who } of holders) add(who, 0)",
    tests: ["test/http/Concurrency.test.ts"]
  },
  {
    name: "keys: a bad one is looked up each time",
    file: "src/store/ApiKeyLookup.ts",
    find: "(isGood ? cacheMs : badCacheMs)",
    replace: "(isGood ? cacheMs : 0)",
    tests: ["test/store/ApiKeys.pg.test.ts"]
  },
  {
    name: "keys: each one of a flood has a statement of its own",
    file: "src/store/ApiKeyLookup.ts",
    find: "const lookupsMax = 1_000",
    replace: "const lookupsMax = 1",
    tests: ["test/store/ApiKeys.pg.test.ts"]
  },
  {
    name: "keys: a flood from its address puts a good one in its line",
    file: "src/store/ApiKeyLookup.ts",
    find: "isSuspect && !proven.has(hash)",
    replace: "isSuspect",
    tests: ["test/store/ApiKeys.pg.test.ts"]
  },
  {
    name: "keys: one that is made stays as bad as it was",
    file: "src/store/ApiKeys.ts",
    find: ", Effect.tap(forget(key))",
    replace: "",
    tests: ["test/store/ApiKeys.pg.test.ts"]
  },
  {
    name: "keys: a request that waits outlives its key",
    file: "src/store/Events.ts",
    find: "then 'key_ended'",
    replace: "then null",
    tests: ["test/store/Events.pg.test.ts", "test/longPoll.pg.test.ts"]
  },
  {
    name: "reference: its script is sent packed to who cannot unpack it",
    file: "src/http/Reference.ts",
    find: 'if (!takesGzip(headers["accept-encoding"])) return notAcceptable',
    replace: "",
    tests: ["test/http/Reference.test.ts"]
  },
  {
    name: "metrics: they are written anew for everybody who asks",
    file: "src/http/Metrics.ts",
    find: "yield* Effect.cachedWithTTL(written, textInterval)",
    replace: "written",
    tests: ["test/http/Metrics.test.ts"]
  },
  {
    name: "readiness: everybody who asks asks the database",
    file: "src/http/Health.ts",
    find: "yield* Effect.cachedWithTTL(database.answers, answersInterval)",
    replace: "database.answers",
    tests: ["test/http/Health.test.ts"]
  },
  {
    name: "readiness: a full disk is found out by the clients",
    file: "src/store/Database.ts",
    find: "insert into write_probes values (repeat('x', ${fillerLength}::integer))",
    replace: "select ${fillerLength}::integer",
    tests: ["test/noRoom.pg.test.ts"]
  },
  {
    name: "readiness: what the clients have found out is forgotten",
    file: "src/store/Database.ts",
    find: "void (refusedAt = now)",
    replace: "void now",
    tests: ["test/noRoom.pg.test.ts"]
  }
]
