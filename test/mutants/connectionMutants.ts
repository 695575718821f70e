import { guards, type Mutant } from "./Mutant.ts"

/** Guards of who may ask, and for how long: connections, keys, links, and whether there is room to write. */
export const connectionMutants: ReadonlyArray<Mutant> = [
  ...guards("src/platform/server/Listeners.ts", "test/platform/Listeners.test.ts", {
    "connections: one is taken in each round of the event loop": { "canShare ? sockets - 1 : 0": "canShare ? 0 : 0" },
    "connections: a server that closes goes on taking them": {
      "for (const other of others) other.close(() => done())": "for (const _ of others) done()"
    }
  }),
  ...guards("src/platform/server/OpenPort.ts", "test/platform/Listeners.test.ts", {
    "connections: two services share a port": {
      "return yield* Effect.mapError(freePort(address.host, address.port),":
        "return yield* Effect.mapError(freePort(address.host, 0),"
    }
  }),
  ...guards("src/platform/server/Connections.ts", "test/http/limits/Connections.test.ts", {
    "connections: those that idle keep others out": {
      "for (const connection of idle) {": "for (const connection of [] as Array<Connection>) {"
    },
    "connections: those that keep the service waiting keep others out": {
      "if (waitsForClient(connection)) slowest = connection": ""
    },
    "connections: who has just asked makes room as if he had idled": {
      "if (connection.exchanges.size > 0 || !busy.delete(connection)) return": "return"
    },
    "connections: one address may have all": { ">= perAddress && ": ">= max && " },
    "connections: any number is kept": { "idle.size + busy.size >= max && ": "idle.size < 0 && " },
    "connections: any number that say nothing are kept in the reserve": {
      "oldest !== undefined && reserve.size >= clientLimits.reserveMax": "oldest !== undefined && reserve.size < 0"
    },
    "connections: an answer may be read for ever": {
      "isUnread(first) && now - connection.since >= clientLimits.answerMs": "isUnread(first) && now < 0"
    },
    "connections: any amount is held for those who do not read": {
      "if (network === undefined) return": "if (network === undefined || unread > 0) return"
    },
    "connections: who does not read costs others their answers": {
      "other.network !== network || other.unread === 0": "other.unread === 0"
    },
    "connections: one address holds up what all may": { "clientLimits.unreadMax / 4": "clientLimits.unreadMax" },
    "connections: any number of requests is taken at once": {
      "connection.exchanges.size >= clientLimits.pipelinedMax": "connection.exchanges.size < 0"
    },
    "connections: one that goes on after refusals is read at once": {
      "connection.isShared || times <= 0": "connection.isShared || times > 0"
    },
    "connections: all that were refused are read again in one turn of the event loop": {
      "if (resuming.size === 1) resumeNext()": "socket.resume()"
    },
    "connections: one whose body is read after the refusal is read at once": {
      "if (request.complete) pause": "if (true) pause"
    },
    "connections: few refusals between other answers pause one": {
      "connection.limited - limitedLess": "connection.limited"
    },
    "connections: one other answer forgets all refusals": { "connection.limited - limitedLess": "0" },
    "connections: that of a proxy is paused for one of its clients": {
      "connection.isShared || times <= 0": "times <= 0"
    },
    "connections: one that never ends its request holds up the end of the service": {
      "if (isStopping) while (makeRoom());": ""
    }
  }),
  ...guards("src/platform/server/Server.ts", "test/http/limits/Connections.test.ts", {
    "connections: the full house has no ear for its health": {
      'request.url?.startsWith("/health/") === true': "request.url === undefined"
    },
    "connections: the reserve serves everything": {
      'request.url?.startsWith("/health/") === true': "request.url !== undefined"
    }
  }),
  ...guards("src/http/request/Envelope.ts", "test/http/limits/RateLimit.test.ts", {
    "limits: an address may ask for any number of unknown paths": {
      "Effect.andThen(portInTime(limit.ofAddress), Effect.fail(error))": "Effect.fail(error)"
    }
  }),
  ...guards("src/http/service/Health.ts", "test/http/limits/RateLimit.test.ts", {
    "limits: an address may ask for health without end": { "Effect.as(limited, ok)": "Effect.succeed(ok)" }
  }),
  ...guards("src/http/service/Metrics.ts", "test/http/limits/RateLimit.test.ts", {
    "limits: an address may ask for metrics without end": {
      "Effect.andThen(makeProbeLimit(), asked)": "asked"
    }
  }),
  ...guards("src/http/request/Pipeline.ts", "test/http/limits/Concurrency.test.ts", {
    "limits: any number of large bodies is read": {
      "isLarge(request) ? concurrency.large(principal)(answer) : answer": "answer"
    }
  }),
  ...guards("src/http/request/Pipeline.ts", "test/http/limits/Concurrency.test.ts", {
    "limits: any number of bodies of unknown length is read": { 'headers["transfer-encoding"] !== undefined ||': "" }
  }),
  ...guards("src/platform/server/Refusals.ts", "test/http/limits/Connections.test.ts", {
    "connections: who is refused is not counted": { "self.noteRefusal(why)": "" }
  }),
  ...guards("src/store/accounts/ApiKeys.ts", "test/store/accounts/ApiKeys.pg.test.ts", {
    "limits: a roll makes one key more than there may be": {
      "return yield* insertWithin({ ...next, name: row.name, capabilities })":
        "return yield* insert({ ...next, name: row.name, capabilities })"
    },
    "keys: one that is made stays as bad as it was": { "Effect.tap(insertRow(key), forget(key.key))": "insertRow(key)" }
  }),
  ...guards("src/http/limits/SpentKeys.ts", "test/http/limits/RateLimit.test.ts", {
    "a refused key is looked up again and again": {
      "if (key === undefined || !needsKey(request, methodsOf))": 'if (key !== undefined || name !== "")'
    },
    "a refused key is refused for good": { "if (!isStillSpent) return null": "" },
    "a refused key is refused where no key is needed": { 'path !== "/v1/openapi.json"': 'path !== ""' },
    "a refused key is refused at paths that are unknown": { " && methodsOf(path).includes(method)": "" }
  }),
  ...guards("src/http/limits/SpentKeys.ts", "test/http/limits/RequestTurns.test.ts", {
    "a refused creator is refused for good": {
      "isKnown ? refusalAt(": "at > 0n ? refusalAt("
    }
  }),
  ...guards("src/http/limits/RateLimit.ts", "test/http/limits/RateLimit.test.ts", {
    "limits: an account has as many rates as keys": {
      "Effect.andThen(ofKey.take(api_key_id), ofAccount.take(`${account_id} ${livemode}`))":
        "Effect.andThen(ofKey.take(api_key_id), ofAccount.take(`${account_id} ${livemode} ${api_key_id}`))"
    }
  }),
  ...guards("src/http/request/Authentication.ts", "test/http/limits/RateLimit.test.ts", {
    "limits: a good link answers for the bad keys of its address": {
      "Effect.suspend(() => limit.ofLink(account))": "limit.ofAddress"
    },
    "limits: a bad link costs nothing": {
      "Effect.andThen(portInTime(limit.ofAddress), Effect.fail(linkRefusals[fault]))":
        "Effect.fail(linkRefusals[fault])"
    }
  }),
  ...guards("src/http/limits/Concurrency.ts", "test/http/limits/Concurrency.test.ts", {
    "limits: one key holds up any number of requests": {
      "if (full !== undefined) return": "if (full !== undefined && max < 0) return"
    },
    "limits: what was held is not given back": {
      "for (const { who } of holders) held.add(who, -1)": "for (const { who } of holders) held.add(who, 0)"
    }
  }),
  ...guards("src/store/accounts/ApiKeyLookup.ts", "test/store/accounts/ApiKeys.pg.test.ts", {
    "keys: a bad one is looked up each time": { "(isGood ? cacheMs : badCacheMs)": "(isGood ? cacheMs : 0)" },
    "keys: each one of a flood has a statement of its own": { "const lookupsMax = 1_000": "const lookupsMax = 1" },
    "keys: a flood from its address puts a good one in its line": { "isSuspect && !proven.has(hash)": "isSuspect" }
  }),
  ...guards(
    "src/store/webhooks/Events.ts",
    ["test/store/webhooks/Events.pg.test.ts", "test/postgres/webhooks/LongPoll.pg.test.ts"],
    {
      "keys: a request that waits outlives its key": { "then 'key_ended'": "then null" },
      "a request that waits for events gets an event twice": { "BigInt(edge) > BigInt(from.tx)": "true" }
    }
  ),
  ...guards("src/http/pages/Served.ts", "test/http/service/Reference.pg.test.ts", {
    "documentation: it is sent packed to who cannot unpack it": {
      'takesGzip(asked["accept-encoding"])': 'takesGzip("gzip")'
    }
  }),
  ...guards("src/http/pages/Markdown.ts", "test/http/service/Reference.pg.test.ts", {
    "documentation: markup in a page is not shown but obeyed": {
      "html: ({ text: markup }) => escape(markup)": "html: ({ text: markup }) => markup"
    }
  }),
  ...guards("src/http/service/Metrics.ts", "test/http/service/Metrics.test.ts", {
    "metrics: they are written anew for everybody who asks": {
      "yield* Effect.cachedWithTTL(written, textInterval)": "written"
    }
  }),
  ...guards("src/http/service/Health.ts", "test/http/service/Health.test.ts", {
    "readiness: everybody who asks asks the database": {
      "yield* Effect.cachedWithTTL(database.answers, answersInterval)": "database.answers"
    }
  }),
  ...guards("src/store/sql/Database.ts", "test/postgres/process/DiskFull.full.test.ts", {
    "readiness: a full disk is found out by the clients": {
      "insert into write_probes values (repeat('x', ${fillerLength}::integer))": "select ${fillerLength}::integer"
    },
    "readiness: what the clients have found out is forgotten": { "void (refusedAt = now)": "void now" }
  })
]
