import * as NodeClusterSocket from "@effect/platform-node/NodeClusterSocket"
import { assert } from "@effect/vitest"
import { Context, Effect, Layer, Option } from "effect"
import { randomBytes } from "node:crypto"
import { unprovenMax } from "../../../src/runtime/cluster/RunnerConnections.ts"
import { Revision } from "../../../src/runtime/Revision.ts"
import { connectionsWith, type Meddling, onTheWay, say, silentCrowd, takeKey } from "../../support/receiver/Intruder.ts"
import { receiver } from "../../support/receiver/Receiver.ts"
import { freshDatabase } from "../../support/database/Postgres.ts"
import { freePort, type ServiceProcess, serviceProcess } from "../../support/processes/ServiceProcess.ts"
import { until } from "../../support/apps/Until.ts"
import { describeLive, it as test } from "../../support/Tests.ts"

const secret = randomBytes(32)

/** A service process with a reachable port for the other processes. */
class Runner extends Context.Service<
  Runner,
  {
    readonly database: string
    readonly service: ServiceProcess
    readonly target: { readonly port: number; readonly account_id: string; readonly api_key_id: string }
  }
>()("test/Runner") {
  static readonly layer = Layer.effect(
    Runner,
    Effect.gen(function* () {
      const database = yield* freshDatabase
      const port = yield* freePort
      const service = yield* processWith({ database, port, key: secret })
      yield* service.start()
      // Only the holder of a live key can create a live key. This row has a hash that matches no key.
      const [row] = yield* service.rows<{ id: string; account_id: string }>(`
        insert into api_keys (account_id, livemode, id, key_hash, last_four, created_at)
        select account_id, true, left(id, -1) || case right(id, 1) when '0' then '1' else '0' end, 'none', 'none', now()
        from api_keys returning id, account_id`)
      return { database, service, target: { port, account_id: row?.account_id ?? "", api_key_id: row?.id ?? "" } }
    })
  )
}

const processWith = (options: { readonly database: string; readonly port: number; readonly key: Uint8Array }) =>
  serviceProcess({
    webhookAllow: "",
    env: {
      CLUSTER: "socket",
      RUNNER_PORT: String(options.port),
      DATABASE_URL: options.database,
      FOLIO_KEY: Buffer.from(options.key).toString("base64")
    }
  })

const liveKeys = Effect.gen(function* () {
  const { service } = yield* Runner
  const [row] = yield* service.rows<{ count: number }>(
    "select count(*)::int as count from api_keys where livemode and key_hash <> 'none'"
  )
  return row?.count ?? 0
})

/** Number of connections rejected for this reason so far. */
const refused = Effect.fnUntraced(function* (reason: string) {
  const { service } = yield* Runner
  const text = yield* Effect.promise(() => fetch(`${service.url}/metrics`).then((answer) => answer.text()))
  const series = `folio_runner_connections_refused_total{reason="${reason}"} `
  const line = text.split("\n").find((one) => one.startsWith(series))
  return line === undefined ? 0 : Number(line.slice(series.length))
})

const logged = (text: string) =>
  Effect.gen(function* () {
    const { service } = yield* Runner
    return (yield* service.log).split("\n").filter((line) => line.includes(text)).length
  })

describeLive(Runner.layer)("The port for the other processes", (it) => {
  it.effect("creates a key for a process that has FOLIO_KEY, by the command that the other tests use", function* () {
    const { target } = yield* Runner
    const key = yield* takeKey({ ...target, protocol: connectionsWith(secret), within: "30 seconds" })
    assert.match(
      Option.getOrElse(key, () => ""),
      /^sk_live_/
    )
    assert.strictEqual(yield* liveKeys, 1)
  })

  it.effect("closes a connection that only speaks the protocol, counts it, and logs it once", function* () {
    const { target } = yield* Runner
    const before = yield* liveKeys
    const attempt = takeKey({ ...target, protocol: NodeClusterSocket.layerClientProtocol, within: "4 seconds" })
    assert.deepStrictEqual(yield* Effect.all([attempt, attempt], { concurrency: 2 }), [Option.none(), Option.none()])
    assert.strictEqual(yield* liveKeys, before)
    yield* until(refused("no_proof"), (count) => count >= 2)
    assert.strictEqual(yield* logged("it did not prove that it has FOLIO_KEY"), 1)
  })

  it.effect("closes a connection with another key, and a process with another key does not start", function* () {
    const { database, service, target } = yield* Runner
    const before = yield* liveKeys
    const another = randomBytes(32)
    const attempt = takeKey({ ...target, protocol: connectionsWith(another), within: "4 seconds" })
    assert.deepStrictEqual(yield* attempt, Option.none())
    assert.strictEqual(yield* liveKeys, before)
    yield* until(refused("another_key"), (count) => count > 0)

    const port = yield* freePort
    const stranger = yield* processWith({ database, port, key: another })
    const { message } = yield* Effect.flip(stranger.start())
    const lines = message.split("\n").filter((line) => line.startsWith("folio: "))
    assert.deepStrictEqual(lines, [
      "folio: The key in FOLIO_KEY is not the one that encrypted the secrets in the database. Restore that key: the file secret-key of the DATA_DIR that this database was first served with, or the FOLIO_KEY. To change the key, set FOLIO_KEY_PREVIOUS to the former key, and run folio rekey."
    ])
    assert.deepStrictEqual(
      yield* service.rows(`select 1 from cluster_${Revision.defaultValue()}_runners where address like '%${port}%'`),
      [],
      "no actor moves to a process that the others cannot reach"
    )
  })

  it.effect("exposes nothing of a session, and ignores a replayed session", function* () {
    const { target } = yield* Runner
    const before = yield* liveKeys
    const way = yield* onTheWay(target.port, "nothing")
    const key = yield* takeKey({ ...target, port: way.port, protocol: connectionsWith(secret) })
    assert.isTrue(Option.isSome(key), "the recorded session creates a key")
    assert.strictEqual(yield* liveKeys, before + 1)
    assert.notInclude(
      Buffer.concat(way.recorded).toString("latin1"),
      target.account_id,
      "the recorded bytes are unreadable"
    )
    const cut = yield* refused("no_proof")
    yield* say(target.port, Buffer.concat(way.recorded))
    assert.strictEqual(yield* liveKeys, before + 1)
    yield* until(refused("no_proof"), (count) => count > cut)
  })

  it.effect.each<readonly [Meddling, boolean]>([
    ["repeat", true],
    ["reflect", true],
    ["swap", false],
    ["change", false]
  ])("ends a connection if an intermediary tampers with its frames: %s", function* ([meddling, isFirstFrameWhole]) {
    const { target } = yield* Runner
    const before = yield* liveKeys
    const way = yield* onTheWay(target.port, meddling)
    // A second frame comes with the ping of a connection, after five seconds.
    const within = meddling === "swap" ? "8 seconds" : "3 seconds"
    yield* takeKey({ ...target, port: way.port, protocol: connectionsWith(secret), within })
    yield* until(Effect.sync(way.cut), (cut) => cut > 0)
    // The runner repeats a call without a response, over a new connection.
    assert.isAtMost((yield* liveKeys) - before, isFirstFrameWhole ? way.cut() : 0)
  })

  it.effect("rejects a frame that exceeds the size limit", function* () {
    const { service, target } = yield* Runner
    const before = yield* liveKeys
    const idempotencyKey = "x".repeat(5 * 1024 * 1024)
    const refusal = yield* Effect.exit(takeKey({ ...target, protocol: connectionsWith(secret), idempotencyKey }))
    assert.include(String(refusal), "frame within maxFrameSize")
    assert.strictEqual(yield* liveKeys, before)
    assert.strictEqual(yield* service.ready, 200)
  })

  it.effect("ends a handshake that exceeds the size limit", function* () {
    const { target } = yield* Runner
    const record = Buffer.alloc(5 + 16_384)
    // A record of 16 KiB whose greeting declares 16 MiB.
    record.set([22, 3, 1, 0x40, 0, 1, 0xff, 0xff, 0xff])
    assert.isBelow(yield* say(target.port, Buffer.concat([record, record, record])), 100)
  })

  it.effect("accepts a process while a crowd of connections is silent, and closes the crowd", function* () {
    const { target } = yield* Runner
    const before = yield* liveKeys
    const crowd = yield* silentCrowd(target.port, unprovenMax, true)
    const passing = yield* silentCrowd(target.port, 3 * unprovenMax, false)
    yield* until(refused("too_many"), (count) => count >= unprovenMax)
    yield* until(Effect.sync(passing.open), (open) => open === 0)
    yield* until(Effect.sync(crowd.open), (open) => open === unprovenMax)
    const key = yield* takeKey({ ...target, protocol: connectionsWith(secret), within: "30 seconds" })
    assert.isTrue(Option.isSome(key))
    assert.strictEqual(yield* liveKeys, before + 1)
    crowd.giveUp()
    yield* until(Effect.sync(crowd.open), (open) => open === 0)
    // The metric may be a second old.
    yield* until(refused("too_slow"), (count) => count >= unprovenMax / 2)
    assert.isAtMost(yield* logged("RUNNER_PORT refused a connection"), 12)
  })
})

test.live("A process whose runner port is in use reports it in one line, and ends", function* () {
  const env = {
    RUNNER_PORT: String((yield* receiver).port),
    CLUSTER: "socket",
    DATABASE_URL: yield* freshDatabase,
    FOLIO_KEY: randomBytes(32).toString("base64")
  }
  const process = yield* serviceProcess({ webhookAllow: "", env })
  const { message } = yield* Effect.flip(process.start())
  const lines = message.split("\n").filter((line) => line.startsWith("folio: "))
  assert.lengthOf(lines, 1, message)
  assert.match(lines[0] ?? "", /cannot listen for the other processes on 127\.0\.0\.1:\d+ .*EADDRINUSE.*RUNNER_PORT/)
})
