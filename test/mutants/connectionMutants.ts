import { guards, type Mutant } from "./Mutant.ts"

/** Guards of connections, keys, links and rate limits, and of free disk space. */
export const connectionMutants: ReadonlyArray<Mutant> = [
  ...guards("src/runtime/server/Listeners.ts", "test/runtime/server/Listeners.test.ts", {
    "connections: the server accepts one connection per round of the event loop": {
      "canShare ? sockets - 1 : 0": "canShare ? 0 : 0"
    },
    "connections: a closing server still accepts connections": {
      "for (const other of others) other.close(() => done())": "for (const _ of others) done()"
    }
  }),
  ...guards("src/runtime/server/OpenPort.ts", "test/runtime/server/Listeners.test.ts", {
    "connections: two services share one port": {
      "return yield* Effect.mapError(freePort(address.host, address.port),":
        "return yield* Effect.mapError(freePort(address.host, 0),"
    }
  }),
  ...guards("src/runtime/server/Connections.ts", "test/http/limits/Connections.test.ts", {
    "connections: idle connections keep new ones out": {
      "for (const connection of idle) {": "for (const connection of [] as Array<Connection>) {"
    },
    "connections: connections with unfinished requests keep new ones out": {
      "if (waitsForClient(connection)) slowest = connection": ""
    },
    "connections: a connection with a recent request is closed like an idle one": {
      "if (connection.exchanges.size > 0 || !busy.delete(connection)) return": "return"
    },
    "connections: one address can take all connections": { ">= perAddress && ": ">= max && " },
    "connections: the number of open connections has no limit": {
      "idle.size + busy.size >= max && ": "idle.size < 0 && "
    },
    "connections: the reserve keeps any number of silent connections": {
      "oldest !== undefined && reserve.size >= clientLimits.reserveMax": "oldest !== undefined && reserve.size < 0"
    },
    "connections: a client can take for ever to read a response": {
      "isUnread(first) && now - connection.since >= clientLimits.answerMs": "isUnread(first) && now < 0"
    },
    "connections: the service buffers any amount for clients that do not read": {
      "if (network === undefined) return": "if (network === undefined || unread > 0) return"
    },
    "connections: a client that does not read makes others lose their responses": {
      "other.network !== network || other.unread === 0": "other.unread === 0"
    },
    "connections: one address uses up the limit of all addresses": {
      "clientLimits.unreadMax / 4": "clientLimits.unreadMax"
    },
    "connections: the number of concurrent requests has no limit": {
      "connection.exchanges.size >= clientLimits.pipelinedMax": "connection.exchanges.size < 0"
    },
    "connections: a client that continues after refusals is not paused": {
      "connection.isShared || times <= 0": "connection.isShared || times > 0"
    },
    "connections: all paused connections resume in one turn of the event loop": {
      "if (resuming.size === 1) resumeNext()": "socket.resume()"
    },
    "connections: a client whose body is read after the refusal is not paused": {
      "if (request.complete) pause": "if (true) pause"
    },
    "connections: a few refusals between other responses pause a connection": {
      "connection.limited - limitedLess": "connection.limited"
    },
    "connections: one other response resets the count of refusals": { "connection.limited - limitedLess": "0" },
    "connections: a proxy's connection is paused because of one of its clients": {
      "connection.isShared || times <= 0": "times <= 0"
    },
    "connections: an unfinished request delays the end of the service": {
      "if (isStopping) while (makeRoom());": ""
    }
  }),
  ...guards("src/runtime/server/Server.ts", "test/http/limits/Connections.test.ts", {
    "connections: a full service does not answer its health check": {
      'request.url?.startsWith("/health/") === true': "request.url === undefined"
    },
    "connections: the reserve serves every path": {
      'request.url?.startsWith("/health/") === true': "request.url !== undefined"
    }
  }),
  ...guards("src/http/request/Envelope.ts", "test/http/limits/RateLimit.test.ts", {
    "limits: requests for unknown paths have no limit per address": {
      "Effect.andThen(portInTime(limit.ofAddress), Effect.fail(error))": "Effect.fail(error)"
    }
  }),
  ...guards("src/http/service/HealthRoutes.ts", "test/http/limits/RateLimit.test.ts", {
    "limits: health requests have no limit per address": { "Effect.as(limited, ok)": "Effect.succeed(ok)" }
  }),
  ...guards("src/http/service/MetricsRoutes.ts", "test/http/limits/RateLimit.test.ts", {
    "limits: metrics requests have no limit per address": {
      "Effect.andThen(makeProbeLimit(), asked)": "asked"
    }
  }),
  ...guards("src/http/request/Pipeline.ts", "test/http/limits/Concurrency.test.ts", {
    "limits: the number of large bodies that are read has no limit": {
      "isLarge(request) ? concurrency.large(principal)(answer) : answer": "answer"
    }
  }),
  ...guards("src/http/request/Pipeline.ts", "test/http/limits/Concurrency.test.ts", {
    "limits: the number of bodies of unknown length that are read has no limit": {
      'headers["transfer-encoding"] !== undefined ||': ""
    }
  }),
  ...guards("src/runtime/server/Refusals.ts", "test/http/limits/Connections.test.ts", {
    "connections: refused requests are not counted": { "self.noteRefusal(why)": "" }
  }),
  ...guards("src/accounts/store/ApiKeys.ts", "test/accounts/store/ApiKeys.pg.test.ts", {
    "limits: rolling a key exceeds the maximum number of keys": {
      "return yield* insertWithin({ ...next, name: row.name, ...rights })":
        "return yield* insert({ ...next, name: row.name, ...rights })"
    },
    "keys: a newly created key stays cached as invalid": {
      "Effect.tap(insertRow(key), forget(key.key))": "insertRow(key)"
    }
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
    "limits: each key of an account has its own rate": {
      "Effect.andThen(ofKey.take(api_key_id), ofAccount.take(`${account_id} ${livemode}`))":
        "Effect.andThen(ofKey.take(api_key_id), ofAccount.take(`${account_id} ${livemode} ${api_key_id}`))"
    }
  }),
  ...guards("src/http/request/Authentication.ts", "test/http/limits/RateLimit.test.ts", {
    "limits: a valid link excuses the invalid keys of its address": {
      "Effect.suspend(() => limit.ofLink(account))": "limit.ofAddress"
    },
    "limits: a bad link costs nothing": {
      "Effect.andThen(portInTime(limit.ofAddress), Effect.fail(linkRefusals[fault]))":
        "Effect.fail(linkRefusals[fault])"
    }
  }),
  ...guards("src/http/limits/Concurrency.ts", "test/http/limits/Concurrency.test.ts", {
    "limits: the number of requests that one key keeps waiting has no limit": {
      "if (full !== undefined) return": "if (full !== undefined && max < 0) return"
    },
    "limits: a reserved slot is not released": {
      "for (const { who } of holders) held.add(who, -1)": "for (const { who } of holders) held.add(who, 0)"
    }
  }),
  ...guards("src/accounts/store/ApiKeyLookup.ts", "test/accounts/store/ApiKeys.pg.test.ts", {
    "keys: an invalid key is looked up on each request": {
      "(isGood ? keyCacheMs : badCacheMs)": "(isGood ? keyCacheMs : 0)"
    },
    "keys: each key of a flood has a statement of its own": { "const lookupsMax = 1_000": "const lookupsMax = 1" },
    "keys: a valid key waits behind a flood from its address": { "isSuspect && !proven.has(hash)": "isSuspect" }
  }),
  ...guards("src/http/request/Authentication.ts", "test/http/limits/AllowedIps.pg.test.ts", {
    "keys: a key works from any address": {
      'if (networks !== undefined && !isWithin(networks, exchange.ip ?? ""))': "if (networks === null)"
    }
  }),
  ...guards("src/accounts/rules/KeyRights.ts", "test/http/request/RestrictedKeys.pg.test.ts", {
    "keys: a key gives capabilities that it lacks": {
      "capabilityBeyond(capabilities ?? [], maker.capabilities)": "capabilityBeyond([], maker.capabilities)"
    },
    "keys: a key gives addresses that it lacks": {
      "ipBeyond(allowed_ips ?? [], maker.allowed_ips)": "ipBeyond([], maker.allowed_ips)"
    },
    "keys: a key makes a key that lasts longer": { "held === null || asked <= held": "held === null || asked > now" }
  }),
  ...guards("src/accounts/store/ApiKeys.ts", "test/http/request/RestrictedKeys.pg.test.ts", {
    "keys: a second roll makes a key that ends with the first roll": {
      "{ ...row, expires_at: row.granted_until }": "row"
    },
    "keys: a restricted key replaces the last key": { "isLasting(row) && !isComplete(rights)": "row.id === next.id" }
  }),
  ...guards("src/accounts/store/PortalSessions.ts", "test/http/request/RestrictedKeys.pg.test.ts", {
    "keys: a session outlives its key": {
      "(select expires_at from api_keys where id = ${id})": "('infinity'::timestamptz)"
    }
  }),
  ...guards(
    "src/webhooks/store/Events.ts",
    ["test/webhooks/store/Events.pg.test.ts", "test/postgres/webhooks/LongPoll.pg.test.ts"],
    {
      "keys: a request that waits outlives its key": { "then 'key_ended'": "then null" },
      "a client that waits for events receives one twice": { "BigInt(edge) > BigInt(from.tx)": "true" }
    }
  ),
  ...guards("src/http/pages/Served.ts", "test/http/service/Reference.pg.test.ts", {
    "documentation: a client without gzip support receives a compressed page": {
      'takesGzip(asked["accept-encoding"])': 'takesGzip("gzip")'
    }
  }),
  ...guards("src/http/pages/Markdown.ts", "test/http/service/Reference.pg.test.ts", {
    "documentation: markup in a page is rendered instead of shown as text": {
      "html: ({ text: markup }) => escape(markup)": "html: ({ text: markup }) => markup"
    }
  }),
  ...guards("src/http/service/MetricsRoutes.ts", "test/http/service/Metrics.test.ts", {
    "metrics: each request computes the metrics again": {
      "yield* Effect.cachedWithTTL(written, textInterval)": "written"
    }
  }),
  ...guards("src/http/service/HealthRoutes.ts", "test/http/service/Health.test.ts", {
    "readiness: each request queries the database": {
      "yield* Effect.cachedWithTTL(database.answers, answersInterval)": "database.answers"
    }
  }),
  ...guards("src/database/Database.ts", "test/postgres/process/DiskFull.full.test.ts", {
    "readiness: the clients detect a full disk before the service does": {
      "insert into write_probes values (repeat('x', ${fillerLength}::integer))": "select ${fillerLength}::integer"
    },
    "readiness: a failed write does not change the readiness": { "void (refusedAt = now)": "void now" }
  })
]
