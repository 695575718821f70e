import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { randomBytes } from "node:crypto"
import { dataDirectory, freshDatabase } from "../../support/database/Postgres.ts"
import { answered } from "../../support/database/Refusals.ts"
import { refusalOf } from "../../support/processes/Refusing.ts"
import { freePort, serviceProcess } from "../../support/processes/ServiceProcess.ts"
import { it } from "../../support/Tests.ts"

it.live(
  "A process serves a database alone until it ends, is killed or hangs, and one that wakes up too late ends itself",
  function* () {
    const DATABASE_URL = yield* freshDatabase
    const env = { DATABASE_URL, FOLIO_KEY: randomBytes(32).toString("base64") }
    const service = yield* serviceProcess({ webhookAllow: "", env })
    yield* service.start()
    const DATA_DIR = yield* dataDirectory
    const socket = { CLUSTER: "socket", RUNNER_PORT: String(yield* freePort) }
    const refused = yield* Effect.all([refusalOf({ ...env, DATA_DIR }), refusalOf({ ...env, DATA_DIR, ...socket })], {
      concurrency: 2
    })
    const holder = /^folio: Another process \(folio, pid \d+ on \S+\) serves the database at 127\.0\.0\.1:\d+\. /
    for (const line of refused) assert.match(line, holder)
    assert.match(refused[0], /Stop it, or run every process with CLUSTER=socket and the same FOLIO_KEY\.$/m)
    assert.match(refused[1], /It runs with CLUSTER=single: stop it, or start it with CLUSTER=socket/)
    assert.strictEqual(yield* service.ready, 200)

    yield* service.signal("SIGKILL")
    yield* service.ended
    yield* service.start()

    yield* service.signal("SIGSTOP")
    const successor = yield* serviceProcess({ webhookAllow: "", env })
    yield* answered(successor.start())
    yield* service.signal("SIGCONT")
    assert.deepStrictEqual(yield* service.ended, { code: 1, signal: null })
    assert.match(yield* service.log, /^folio: Another process \(folio, pid \d+ on \S+\) serves the database/m)
    assert.strictEqual(yield* successor.ready, 200)
  }
)
