import { Config, Context, Effect, Layer, Redacted } from "effect"
import type { LogLevel } from "effect"
import * as Os from "node:os"
import { isDecodable, read, refuse } from "../Setting.ts"
import { canShare } from "../server/Listeners.ts"
import { resourceAttributes, type TraceTarget, traceTarget } from "../telemetry/TraceTarget.ts"

/** The settings of this process and of its environment. */
export interface SettingValues {
  /**
   * `DATABASE_URL`, the URL of an external PostgreSQL. If undefined, the service runs the embedded PostgreSQL in
   * `DataDir`.
   */
  readonly databaseUrl: Redacted.Redacted<string> | undefined
  /** `FOLIO_KEY`, the 32 bytes that encrypt secrets in the database. If undefined, the key is a file in `DataDir`. */
  readonly folioKey: Redacted.Redacted<Uint8Array> | undefined
  /** `FOLIO_KEY_PREVIOUS`, a second key that opens secrets and never encrypts them, during a change of the key. */
  readonly folioKeyPrevious: Redacted.Redacted<Uint8Array> | undefined
  /**
   * The name of this process among the service's processes: `service.instance.id` of its log lines and spans. From
   * `SERVICE_INSTANCE`, or from `service.instance.id` in `OTEL_RESOURCE_ATTRIBUTES`.
   */
  readonly instance: string
  /**
   * `HOST`, `PORT` and `METRICS_PORT`: the listening address of the HTTP server. Port 0 is any free port. With a
   * `metricsPort`, `/metrics` is only there and not at `port`, and `/health/…` is at both.
   */
  readonly listen: { readonly host: string; readonly port: number; readonly metricsPort?: number | undefined }
  /** `LOG_LEVEL`, the lowest level to write, and `LOG_FORMAT`: a line of JSON per entry, or text for a terminal. */
  readonly log: { readonly level: LogLevel.LogLevel; readonly format: "json" | "pretty" }
  /**
   * `PROCESSES`: the number of processes that serve the port on this machine. With more than one, a supervisor starts
   * them.
   */
  readonly processes: number
  /**
   * `CLUSTER`, `RUNNER_HOST` and `RUNNER_PORT`: the address at which other processes reach this process's actors. If
   * undefined, this is the only process.
   */
  readonly runner: { readonly host: string; readonly port: number } | undefined
  /** The OpenTelemetry collector for spans. If undefined, there are no spans. */
  readonly traces: TraceTarget | undefined
}

// The parameters that the driver reads. It ignores all others, so a misspelled sslmode would disable TLS.
const known = [
  "sslmode",
  "host",
  "port",
  "user",
  "password",
  "dbname",
  "connect_timeout",
  "application_name",
  "options"
]

/** The message about unknown parameters of a URL; undefined if there are none. */
const strangeIn = (url: string): string | undefined => {
  const strange = [...new Set(new URL(url).searchParams.keys())].filter((name) => !known.includes(name))
  if (strange.length === 0) return undefined
  return `DATABASE_URL has unknown parameters: ${strange.join(", ")}. Correct or remove them; the known parameters are ${known.join(", ")}.`
}

const isPostgres = (url: string) =>
  URL.canParse(url) && /^postgres(ql)?:/.test(new URL(url).protocol) && isDecodable(new URL(url))

const databaseUrl = Effect.gen(function* () {
  const url = yield* read(Config.Redacted("DATABASE_URL").pipe(Config.withDefault(undefined)))
  if (url === undefined) return undefined
  if (!isPostgres(Redacted.value(url))) {
    return yield* refuse("DATABASE_URL must be of the form postgres://user:password@db.example.com:5432/database")
  }
  const strange = strangeIn(Redacted.value(url))
  return strange === undefined ? url : yield* refuse(strange)
})

const keyIn = Effect.fnUntraced(function* (name: string, config: Config.Config<Redacted.Redacted<string>>) {
  const text = yield* read(config.pipe(Config.withDefault(undefined)))
  if (text === undefined) return undefined
  const key = new Uint8Array(Buffer.from(Redacted.value(text), "base64"))
  if (key.length !== 32) return yield* refuse(`${name} must be 32 random bytes in base64: openssl rand -base64 32`)
  return Redacted.make(key)
})

const instanceConfig = Config.all({
  given: Config.String("SERVICE_INSTANCE").pipe(Config.withDefault("")),
  attributes: resourceAttributes
})

const instance = Effect.map(
  read(instanceConfig),
  ({ attributes, given }) =>
    [given, attributes["service.instance.id"]].find(Boolean) ?? `${Os.hostname()}:${process.pid}`
)

const listenConfig = Config.all({
  host: Config.String("HOST").pipe(Config.withDefault("127.0.0.1")),
  port: Config.Port("PORT").pipe(Config.withDefault(3000)),
  metricsPort: Config.Port("METRICS_PORT").pipe(Config.withDefault(undefined))
})

const listen = Effect.gen(function* () {
  const address = yield* read(listenConfig)
  if (address.metricsPort !== undefined && address.metricsPort === address.port)
    return yield* refuse(
      "METRICS_PORT must be another port than PORT, such as 9464. To have /metrics at PORT, unset it."
    )
  return address
})

const logConfig = Config.all({
  level: Config.LogLevel("LOG_LEVEL").pipe(Config.withDefault("Info" as const)),
  format: Config.Literals(["json", "pretty"], "LOG_FORMAT").pipe(
    Config.withDefault(process.stdout.isTTY ? ("pretty" as const) : ("json" as const))
  )
})

const processesMax = 64

// In bytes: the memory of a process under load, and of PostgreSQL and the system.
const bytesOfProcess = 640 * 1024 ** 2
const bytesOfOthers = 512 * 1024 ** 2

/**
 * The number of processes for the cores and the memory of the machine or its container.
 *
 * @internal
 */
export const processesFor = (cores: number, bytes: number): number =>
  Math.min(processesMax, Math.max(1, Math.min(cores, Math.floor((bytes - bytesOfOthers) / bytesOfProcess))))

/** A container without a limit reports 0, or more than any machine has. */
const memory = () => Math.min(Os.totalmem(), process.constrainedMemory() || Infinity)

const advice = `PROCESSES must be auto, or the number of processes that serve the port: 1 to ${processesMax}`

/** The number of processes that serve the port: `PROCESSES`. Fails with `SettingsError`. */
export const processes = Effect.gen(function* () {
  const text = yield* read(Config.String("PROCESSES").pipe(Config.withDefault("1")))
  if (text === "auto") return canShare ? processesFor(Os.availableParallelism(), memory()) : 1
  const count = Number(text)
  if (!/^[1-9]\d*$/.test(text) || count > processesMax) return yield* refuse(advice)
  if (count > 1 && !canShare)
    return yield* refuse(
      "On this system, processes cannot share a port. Unset PROCESSES, or run each process with CLUSTER=socket and its own PORT, behind a balancer."
    )
  return count
})

const runnerConfig = Config.all({
  cluster: Config.Literals(["single", "socket"], "CLUSTER").pipe(Config.withDefault("single" as const)),
  host: Config.String("RUNNER_HOST").pipe(Config.withDefault("127.0.0.1")),
  port: Config.Port("RUNNER_PORT").pipe(Config.withDefault(34_431)),
  databaseUrl: Config.Redacted("DATABASE_URL").pipe(Config.withDefault(undefined)),
  key: Config.Redacted("FOLIO_KEY").pipe(Config.withDefault(undefined))
})

const runner = Effect.gen(function* () {
  const { cluster, databaseUrl: url, host, key, port } = yield* read(runnerConfig)
  if (cluster === "single") return undefined
  if (url === undefined || key === undefined)
    return yield* refuse(
      "CLUSTER=socket needs the same DATABASE_URL and FOLIO_KEY in every process: processes with different keys cannot work together."
    )
  return { host, port }
})

/**
 * The settings of this process, without its limits and without the settings that parts of the service read themselves.
 */
export class Settings extends Context.Service<Settings, SettingValues>()("@folio-einvoicing/service/Settings") {
  /** The settings of the environment. Fails with `SettingsError`. */
  static readonly layerConfig = Layer.effect(
    Settings,
    Effect.all({
      listen,
      log: read(logConfig),
      instance,
      traces: traceTarget,
      databaseUrl,
      folioKey: keyIn("FOLIO_KEY", Config.Redacted("FOLIO_KEY")),
      folioKeyPrevious: keyIn("FOLIO_KEY_PREVIOUS", Config.Redacted("FOLIO_KEY_PREVIOUS")),
      runner,
      processes
    })
  )

  /** The settings that this layer gets, with this change. */
  static layerChanged(change: Partial<SettingValues>) {
    return Layer.effect(
      Settings,
      Effect.map(Settings, (values) => ({ ...values, ...change }))
    )
  }
}
