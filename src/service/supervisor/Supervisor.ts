import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { Clock, Deferred, type Duration, Effect, Layer, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import * as Os from "node:os"
import { version } from "../../runtime/Version.ts"
import * as ClusterTables from "../../runtime/cluster/ClusterTables.ts"
import { layerSecretKey } from "../DatabaseKey.ts"
import * as Postgres from "../../runtime/postgres/Postgres.ts"
import { urlOf } from "../../runtime/postgres/PostgresAddress.ts"
import { ConnectionsMax } from "../../runtime/postgres/PostgresServer.ts"
import * as ServiceLock from "../../runtime/postgres/ServiceLock.ts"
import { freePort } from "../../runtime/server/Listeners.ts"
import { portToUse } from "../../runtime/server/OpenPort.ts"
import * as AllSettings from "../AllSettings.ts"
import { Settings } from "../../runtime/process/Settings.ts"
import { supervisedBy } from "../../runtime/process/Supervised.ts"
import * as Telemetry from "../../runtime/telemetry/Telemetry.ts"
import { SecretKey } from "../../database/Secrets.ts"
import { Workers } from "../../database/Workers.ts"
import { ReportedFailure } from "../Run.ts"
import { child, type Child, type End, isSettled, waitAfter } from "./Child.ts"

// The connections of the embedded PostgreSQL: for each process, and for the commands next to the service.
const connectionsOfProcess = 15
const connectionsOfOthers = 20

// Longer than the drain and the stop of a process: a process that still runs then hangs.
const stopWithin: Duration.Input = "12 minutes"

/**
 * Prepares the database once for all processes: lock, roles, tables and key. Returns the database settings of the
 * processes. The lock and an embedded PostgreSQL last until the scope closes.
 */
const prepared = Effect.gen(function* () {
  const address = yield* Postgres.address
  const url = urlOf(address)
  const isAlone = (yield* Settings).runner === undefined
  const { lost } = yield* ServiceLock.take(address, isAlone)
  const database = Layer.provide(Postgres.layer, Settings.layerChanged({ databaseUrl: url }))
  const takeOver = Effect.andThen(
    ClusterTables.forgetAll,
    Effect.flatMap(Workers, ({ succeed }) => succeed)
  )
  const key = yield* Effect.gen(function* () {
    // No other process serves the database, so this one needn't wait until the leases of earlier processes expire.
    if (isAlone) yield* Effect.provide(takeOver, Workers.layer)
    return yield* SecretKey
  }).pipe(Effect.provide(layerSecretKey.pipe(Layer.provideMerge(database))))
  const environment = {
    DATABASE_URL: Redacted.value(url),
    FOLIO_KEY: Buffer.from(Redacted.value(key)).toString("base64")
  }
  return { environment, lost }
})

/** The settings of the process with this index, from 0, without the settings of the database. */
const environmentOf = Effect.fnUntraced(function* (index: number, port: number) {
  const { CLUSTER, DRAIN_SECONDS, METRICS_PORT, RUNNER_PORT, SERVICE_INSTANCE } = process.env
  // Without a setting, any free port. A restarted process keeps it, so that the others find it again.
  const runnerPort = RUNNER_PORT === undefined ? yield* freePort("127.0.0.1", 0) : Number(RUNNER_PORT) + index
  return {
    PORT: String(port),
    CLUSTER: "socket",
    RUNNER_PORT: String(runnerPort),
    SERVICE_INSTANCE: `${SERVICE_INSTANCE ?? Os.hostname()}-${index + 1}`,
    ...(METRICS_PORT === undefined ? {} : { METRICS_PORT: String(Number(METRICS_PORT) + index) }),
    // All processes of one machine stop together, so a load balancer has no other process to choose.
    DRAIN_SECONDS: DRAIN_SECONDS ?? (CLUSTER === "socket" ? undefined : "0")
  }
})

const toldOf = ({ code, signal }: End) => (signal === null ? `ended with ${code}` : `was ended by ${signal}`)

/**
 * Keeps one process running; never returns. If a process fails before it is ready for the first time, the service ends:
 * the process has already printed why.
 */
const keepRunning = Effect.fnUntraced(function* (
  index: number,
  envOf: (isFirst: boolean) => NodeJS.ProcessEnv,
  ready: Deferred.Deferred<void>
): Effect.fn.Return<never, ReportedFailure> {
  let deaths = 0
  let hasBeenReady = false
  while (true) {
    const since = yield* Clock.currentTimeMillis
    const live = Effect.gen(function* () {
      const one: Child = yield* child(envOf(index === 0 && !hasBeenReady), stopWithin)
      yield* Effect.forkScoped(Effect.andThen(one.ready, Deferred.succeed(ready, undefined)))
      const end = yield* one.ended
      return { end, pid: one.pid, wasReady: one.wasReady() }
    })
    const { end, pid, wasReady } = yield* Effect.scoped(live)
    hasBeenReady ||= wasReady
    const name = `Process ${index + 1} (pid ${pid})`
    if (!hasBeenReady && end.code !== null && end.code !== 0) {
      return yield* new ReportedFailure({ message: `${name} did not start`, exitCode: 1 })
    }
    if (isSettled((yield* Clock.currentTimeMillis) - since)) deaths = 0
    const wait = waitAfter(++deaths)
    const when = wait === 0 ? "now" : `in ${wait / 1000} s`
    yield* Effect.logWarning(`${name} ${toldOf(end)}; Folio starts it again ${when}`)
    yield* Effect.sleep(wait)
  }
})

const untilStopped = Effect.fnUntraced(function* (count: number) {
  const { environment, lost } = yield* prepared
  const port = yield* portToUse
  const start = Effect.fnUntraced(function* (index: number) {
    const own = yield* environmentOf(index, port)
    const ready = yield* Deferred.make<void>()
    const envOf = (isFirst: boolean) => ({ ...process.env, ...environment, ...own, ...supervisedBy(isFirst) })
    return { ready: Deferred.await(ready), kept: keepRunning(index, envOf, ready) }
  })
  const processes = yield* Effect.forEach(Array.from({ length: count }).keys(), start)
  const [first, ...others] = processes
  if (first === undefined) return
  // At a first start, the first process creates the account, and the others find it.
  const rest = Effect.andThen(
    first.ready,
    Effect.forEach(others, ({ kept }) => kept, { concurrency: "unbounded", discard: true })
  )
  const announced = Effect.andThen(
    Effect.forEach(processes, ({ ready }) => ready),
    Effect.logInfo(`${count} processes serve port ${port}`)
  )
  yield* Effect.forkScoped(announced)
  const kept = Effect.all([first.kept, rest], { concurrency: "unbounded", discard: true })
  return yield* Effect.raceFirst(kept, lost)
}, Effect.scoped)

/**
 * Runs the service as several processes of this program on one port, until this process gets a stop signal. Restarts a
 * process that dies. Fails with an error whose message is one line that says what to do.
 */
export const supervise = (count: number) =>
  untilStopped(count).pipe(
    Effect.provideService(ConnectionsMax, Math.max(50, connectionsOfOthers + count * connectionsOfProcess)),
    Effect.provide(
      Layer.mergeAll(NodeCrypto.layer, Reactivity.layer, Telemetry.logs(version)).pipe(
        Layer.provideMerge(AllSettings.layer(version))
      )
    )
  )
