import { Config, Context, Effect, Layer, Redacted, Result, Schema } from "effect"
import * as Path from "node:path"
import { addressFields } from "../../schemas/Party.ts"
import { parseAllow } from "../outbound/webhooks/EgressGuard.ts"
import { authoritySettings } from "./AuthoritySettings.ts"

/** A setting that cannot be used. The message is one line that says what to do. */
export class SettingsError extends Schema.TaggedError<SettingsError>()("SettingsError", { message: Schema.String }) {}

const refuse = (message: string) => Effect.fail(new SettingsError({ message }))

const orRefuse = <A>(result: Result.Result<A, string>) =>
  Effect.mapError(Effect.fromResult(result), (message) => new SettingsError({ message }))

const isHttp = (url: string) => URL.canParse(url) && /^https?:/.test(url)

/** Whether all parts of a URL can be percent-decoded: `new URL` also accepts URLs with parts that cannot. */
const isDecodable = ({ hostname, password, pathname, username }: URL) =>
  Result.isSuccess(Result.try(() => [username, password, pathname, hostname].map(decodeURIComponent)))

const isPostgres = (url: string) =>
  URL.canParse(url) && /^postgres(ql)?:/.test(new URL(url).protocol) && isDecodable(new URL(url))

const isSmtp = (url: string) =>
  URL.canParse(url) && /^smtps?:\/\/[^/]/.test(url) && new URL(url).hostname !== "" && isDecodable(new URL(url))

const isAddress = Schema.is(addressFields.email)

const secretMin = 32

const decode = (text: string) =>
  Result.getOrElse(
    Result.try(() => decodeURIComponent(text)),
    () => text
  )

/** Parses `name=value,name=value`, the format in which OpenTelemetry writes headers. */
const headersOf = (text: string): Record<string, string> =>
  Object.fromEntries(
    Array.from(text.matchAll(/([^,=]*)=([^,]*)/g), ([, name = "", value = ""]) => [name.trim(), decode(value.trim())])
  )

const isLoopback = (host: string) => /^(127\.|::1$|localhost$)/.test(host)

/**
 * On a loopback address all clients come through a proxy on this machine, so by default one address may have all connections there.
 * On other addresses the default is a quarter of all connections.
 */
const connectionsOf = (host: string, max: number, perAddress: number | undefined) => ({
  max,
  perAddress: perAddress ?? (isLoopback(host) ? max : Math.ceil(max / 4))
})

const optional = Config.withDefault(undefined)

/** The settings that are used as they are read. */
const plainSettings = Config.all({
  host: Config.String("HOST").pipe(Config.withDefault("127.0.0.1")),
  port: Config.Port("PORT").pipe(Config.withDefault(3000)),
  dataDir: Config.String("DATA_DIR").pipe(
    Config.withDefault("./data"),
    Config.map((path) => Path.resolve(path))
  ),
  /** The URL of an external PostgreSQL; undefined: the service runs the embedded PostgreSQL in `dataDir`. */
  databaseUrl: Config.Redacted("DATABASE_URL").pipe(optional),
  /** The lowest level of log entries that are written. */
  logLevel: Config.LogLevel("LOG_LEVEL").pipe(Config.withDefault("Info" as const)),
  /** `json`: one line of JSON per log entry. `pretty`: text for a person at a terminal. */
  logFormat: Config.Literals(["json", "pretty"], "LOG_FORMAT").pipe(
    Config.withDefault(process.stdout.isTTY ? ("pretty" as const) : ("json" as const))
  ),
  /** The number of days for which events and deliveries are kept. */
  retentionDays: Config.Int("RETENTION_DAYS").pipe(Config.withDefault(30)),
  /** The time in milliseconds that the simulated authority takes to answer. */
  sandboxLatencyMs: Config.Int("SANDBOX_LATENCY_MS").pipe(Config.withDefault(0)),
  /** The number of seconds for which the authority may be unreachable before documents are issued in contingency. */
  contingencyAfter: Config.Int("CONTINGENCY_AFTER").pipe(Config.withDefault(300)),
  /** The rate limit of one API key in one process: requests per second, and the size of a burst in requests. */
  rateLimits: Config.all({
    perSecond: Config.Int("RATE_LIMIT").pipe(Config.withDefault(100)),
    burst: Config.Int("RATE_LIMIT_BURST").pipe(Config.withDefault(500))
  }),
  /** The secret with which the mail provider signs its notices; undefined: notices are not accepted. */
  mailNoticeSecret: Config.Redacted("MAIL_NOTICE_SECRET").pipe(optional)
})

const rawSettings = Config.all({
  baseUrl: Config.String("BASE_URL").pipe(optional),
  webhookAllow: Config.String("WEBHOOK_ALLOW").pipe(Config.withDefault("")),
  otlpEndpoint: Config.String("OTEL_EXPORTER_OTLP_ENDPOINT").pipe(Config.withDefault("")),
  otlpHeaders: Config.Redacted("OTEL_EXPORTER_OTLP_HEADERS").pipe(Config.withDefault(Redacted.make(""))),
  cluster: Config.Literals(["single", "socket"], "CLUSTER").pipe(Config.withDefault("single" as const)),
  runnerHost: Config.String("RUNNER_HOST").pipe(Config.withDefault("127.0.0.1")),
  runnerPort: Config.Port("RUNNER_PORT").pipe(Config.withDefault(34_431)),
  secretKey: Config.Redacted("FOLIO_KEY").pipe(optional),
  nodeEnv: Config.String("NODE_ENV").pipe(Config.withDefault("")),
  authority: Config.all({
    url: Config.String("AUTHORITY_URL").pipe(Config.withDefault("")),
    id: Config.String("SOFTWARE_ID").pipe(Config.withDefault("")),
    pin: Config.Redacted("SOFTWARE_PIN").pipe(Config.withDefault(Redacted.make(""))),
    nit: Config.String("SOFTWARE_NIT").pipe(Config.withDefault(""))
  }),
  connections: Config.Int("CONNECTIONS").pipe(Config.withDefault(2_000)),
  connectionsPerAddress: Config.Int("CONNECTIONS_PER_ADDRESS").pipe(optional),
  smtpUrl: Config.Redacted("SMTP_URL").pipe(optional),
  mailFrom: Config.String("MAIL_FROM").pipe(Config.withDefault(""))
})

const read = Effect.gen(function* () {
  const { plain, raw } = yield* Effect.mapError(
    Config.all({ plain: plainSettings, raw: rawSettings }),
    ({ message }) => {
      const line = message.replaceAll(/\s+/g, " ").replace(/^SchemaError\((.*)\)$/, "$1")
      return new SettingsError({ message: `A setting cannot be used: ${line}` })
    }
  )
  const { databaseUrl, mailNoticeSecret, rateLimits } = plain
  if (plain.retentionDays < 1) return yield* refuse("RETENTION_DAYS must be a whole number of days, at least 1.")
  if (plain.contingencyAfter < 1)
    return yield* refuse("CONTINGENCY_AFTER must be a whole number of seconds, at least 1.")
  if (rateLimits.perSecond < 1 || rateLimits.burst < 1)
    return yield* refuse("RATE_LIMIT (requests a second) and RATE_LIMIT_BURST must be whole numbers, at least 1.")
  const connections = connectionsOf(plain.host, raw.connections, raw.connectionsPerAddress)
  if (connections.max < 1 || connections.perAddress < 1)
    return yield* refuse("CONNECTIONS and CONNECTIONS_PER_ADDRESS must be whole numbers, at least 1.")
  const host = plain.host.includes(":") ? `[${plain.host}]` : plain.host
  const baseUrl = raw.baseUrl ?? `http://${host}:${plain.port}`
  if (!isHttp(baseUrl))
    return yield* refuse(`BASE_URL must be an http or https URL such as https://folio.example.com, not ${baseUrl}`)
  const webhookAllow = yield* orRefuse(Result.mapError(parseAllow(raw.webhookAllow), (why) => `WEBHOOK_ALLOW: ${why}`))
  if (webhookAllow.length > 0 && raw.nodeEnv === "production")
    return yield* refuse(
      "WEBHOOK_ALLOW is for development: it lets webhooks reach internal addresses. Unset it, or NODE_ENV=production."
    )
  const { otlpEndpoint } = raw
  if (otlpEndpoint !== "" && !isHttp(otlpEndpoint))
    return yield* refuse(
      "OTEL_EXPORTER_OTLP_ENDPOINT must be the http or https URL of a collector, such as http://127.0.0.1:4318"
    )
  if (databaseUrl !== undefined && !isPostgres(Redacted.value(databaseUrl)))
    return yield* refuse("DATABASE_URL must be of the form postgres://user:password@db.example.com:5432/database")
  const authority = yield* orRefuse(authoritySettings(raw.authority))
  const secretKey = raw.secretKey && new Uint8Array(Buffer.from(Redacted.value(raw.secretKey), "base64"))
  if (secretKey !== undefined && secretKey.length !== 32)
    return yield* refuse("FOLIO_KEY must be 32 random bytes in base64: openssl rand -base64 32")
  const mail = raw.smtpUrl && { url: raw.smtpUrl, from: raw.mailFrom }
  if (mail !== undefined && !isSmtp(Redacted.value(mail.url)))
    return yield* refuse(
      "SMTP_URL must be of the form smtp://user:password@mail.example.com:587 or smtps://…:465, with %25 for % in its parts"
    )
  if (mail !== undefined && !isAddress(mail.from))
    return yield* refuse(
      "MAIL_FROM must be the e-mail address that documents are sent from, such as facturas@example.com"
    )
  if (mailNoticeSecret !== undefined && Redacted.value(mailNoticeSecret).length < secretMin)
    return yield* refuse(`MAIL_NOTICE_SECRET must have at least ${secretMin} characters: openssl rand -hex 32`)
  if (raw.cluster === "socket" && (databaseUrl === undefined || secretKey === undefined))
    return yield* refuse(
      "CLUSTER=socket needs DATABASE_URL and FOLIO_KEY, the same ones in every process: a key that each makes for itself would not do."
    )
  return {
    ...plain,
    /** The URL at which clients reach the service, without a slash at the end. */
    baseUrl: baseUrl.replace(/\/+$/, ""),
    /** Exact ip:port pairs that webhooks may reach although they are not public. */
    webhookAllow,
    /** The OpenTelemetry endpoint that spans are sent to, and its headers; undefined: no spans are made. */
    otlp:
      otlpEndpoint === ""
        ? undefined
        : {
            url: `${otlpEndpoint.replace(/\/+$/, "")}/v1/traces`,
            headers: Redacted.make(headersOf(Redacted.value(raw.otlpHeaders)))
          },
    /** The address at which other processes reach the actors of this process; undefined: there is only this process. */
    runner: raw.cluster === "single" ? undefined : { host: raw.runnerHost, port: raw.runnerPort },
    /** The key that seals secrets at rest; undefined: the key is a file in `dataDir`. */
    secretKey: secretKey && Redacted.make(secretKey),
    /** The authority and the software of live documents; undefined: live documents cannot be issued. */
    authority,
    /** The maximum number of open connections of this process: in total, and per address. */
    connections,
    /** The SMTP server and the sender address of live e-mails; undefined: live e-mails are not sent. */
    mail
  }
})

/** The settings, read from the environment and validated. */
export class Settings extends Context.Service<Settings, Effect.Success<typeof read>>()("folio/platform/Settings") {
  static readonly layer = Layer.effect(Settings, read)
}

/** Provides `key` with what `of` takes from the settings. */
export const fromSettings = <I, S>(key: Context.Key<I, S>, of: (settings: Settings["Service"]) => S) =>
  Layer.effect(key, Effect.map(Settings, of))
