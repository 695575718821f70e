import { Config, Context, Effect, Layer, type LogLevel, Option, Redacted, Result, Schema } from "effect"
import type { NetAddress } from "effect/net"
import * as Path from "node:path"
import { addressFields } from "../../schemas/Party.ts"
import { parseAllow } from "../outbound/EgressGuard.ts"
import { type AuthoritySettings, authoritySettings } from "./AuthoritySettings.ts"

/** A setting that cannot be used. The message is one line that says what to do. */
export class SettingsError extends Schema.TaggedError<SettingsError>()("SettingsError", { message: Schema.String }) {}

const oneLine = (text: string) => text.replaceAll(/\s+/g, " ")

const isHttp = (url: string) => URL.canParse(url) && /^https?:/.test(url)

/** What `new URL` takes may still have parts that cannot be decoded. */
const isDecodable = ({ hostname, password, pathname, username }: URL) =>
  Result.isSuccess(Result.try(() => [username, password, pathname, hostname].map(decodeURIComponent)))

const isPostgres = (url: string) =>
  URL.canParse(url) && /^postgres(ql)?:/.test(new URL(url).protocol) && isDecodable(new URL(url))

const isSmtp = (url: string) =>
  URL.canParse(url) && /^smtps?:\/\/[^/]/.test(url) && new URL(url).hostname !== "" && isDecodable(new URL(url))

const isAddress = Schema.is(addressFields.email)

const secretMin = 32

/** `name=value,name=value`, as OpenTelemetry writes headers. */
const headersOf = (text: string): Record<string, string> =>
  Object.fromEntries(
    text
      .split(",")
      .filter((pair) => pair.includes("="))
      .map((pair) => [pair.slice(0, pair.indexOf("=")).trim(), decode(pair.slice(pair.indexOf("=") + 1).trim())])
  )

const decode = (text: string) =>
  Result.getOrElse(
    Result.try(() => decodeURIComponent(text)),
    () => text
  )

const isLoopback = (host: string) => /^(127\.|::1$|localhost$)/.test(host)

/** On a loopback address all clients come by way of a proxy of this machine: there, one address may have all connections. */
const connectionsOf = (host: string, max: number, perAddress: number | undefined) => ({
  max,
  perAddress: perAddress ?? (isLoopback(host) ? max : Math.ceil(max / 4))
})

/** What the environment says, checked. */
export class Settings extends Context.Service<
  Settings,
  {
    readonly host: string
    readonly port: number
    /** Without a slash at the end. */
    readonly baseUrl: string
    readonly dataDir: string
    /** An external PostgreSQL; undefined: the embedded one in `dataDir`. */
    readonly databaseUrl: Redacted.Redacted<string> | undefined
    /** Exact ip:port pairs that webhooks may reach although they are not public. */
    readonly webhookAllow: ReadonlyArray<NetAddress.InetAddress>
    /** Log lines below it are not written. */
    readonly logLevel: LogLevel.LogLevel
    /** One line of JSON an entry, or lines for a person. */
    readonly logFormat: "json" | "pretty"
    /** Where spans are sent to; undefined: none are made. */
    readonly otlp: { readonly url: string; readonly headers: Redacted.Redacted<Record<string, string>> } | undefined
    /** Where other processes reach this one's actors; undefined: there is only this process. */
    readonly runner: { readonly host: string; readonly port: number } | undefined
    /** Seals secrets at rest; undefined: a file in `dataDir`. */
    readonly secretKey: Redacted.Redacted<Uint8Array> | undefined
    /** For how many days events and deliveries are kept. */
    readonly retentionDays: number
    /** The simulated authority's answering time. */
    readonly sandboxLatencyMs: number
    /** For how many seconds the authority may be away before documents are issued in contingency. */
    readonly contingencyAfter: number
    /** The server and the address that live e-mails are sent with; undefined: they are not sent. */
    readonly mail: { readonly url: Redacted.Redacted<string>; readonly from: string } | undefined
    /** What the mail provider signs its notices with; undefined: none are taken. */
    readonly mailNoticeSecret: Redacted.Redacted<string> | undefined
    /** The authority of live documents; undefined: none can be issued. */
    readonly authority: AuthoritySettings | undefined
    /** Of one API key, in one process. */
    readonly rateLimits: { readonly perSecond: number; readonly burst: number }
    /** Open ones of this process: in all, and of one address. */
    readonly connections: { readonly max: number; readonly perAddress: number }
  }
>()("folio/platform/Settings") {
  static readonly layer = Layer.effect(
    Settings,
    Effect.gen(function* () {
      const raw = yield* Config.all({
        host: Config.String("HOST").pipe(Config.withDefault("127.0.0.1")),
        port: Config.Port("PORT").pipe(Config.withDefault(3000)),
        baseUrl: Config.String("BASE_URL").pipe(Config.option),
        dataDir: Config.String("DATA_DIR").pipe(Config.withDefault("./data")),
        databaseUrl: Config.Redacted("DATABASE_URL").pipe(Config.option),
        webhookAllow: Config.String("WEBHOOK_ALLOW").pipe(Config.withDefault("")),
        logLevel: Config.LogLevel("LOG_LEVEL").pipe(Config.withDefault("Info" as const)),
        logFormat: Config.Literals(["json", "pretty"], "LOG_FORMAT").pipe(
          Config.withDefault(process.stdout.isTTY ? ("pretty" as const) : ("json" as const))
        ),
        otlpEndpoint: Config.String("OTEL_EXPORTER_OTLP_ENDPOINT").pipe(Config.withDefault("")),
        otlpHeaders: Config.Redacted("OTEL_EXPORTER_OTLP_HEADERS").pipe(Config.withDefault(Redacted.make(""))),
        cluster: Config.Literals(["single", "socket"], "CLUSTER").pipe(Config.withDefault("single" as const)),
        runnerHost: Config.String("RUNNER_HOST").pipe(Config.withDefault("127.0.0.1")),
        runnerPort: Config.Port("RUNNER_PORT").pipe(Config.withDefault(34_431)),
        secretKey: Config.Redacted("FOLIO_KEY").pipe(Config.option),
        nodeEnv: Config.String("NODE_ENV").pipe(Config.withDefault("")),
        retentionDays: Config.Int("RETENTION_DAYS").pipe(Config.withDefault(30)),
        sandboxLatencyMs: Config.Int("SANDBOX_LATENCY_MS").pipe(Config.withDefault(0)),
        contingencyAfter: Config.Int("CONTINGENCY_AFTER").pipe(Config.withDefault(300)),
        authority: Config.all({
          url: Config.String("AUTHORITY_URL").pipe(Config.withDefault("")),
          id: Config.String("SOFTWARE_ID").pipe(Config.withDefault("")),
          pin: Config.Redacted("SOFTWARE_PIN").pipe(Config.withDefault(Redacted.make(""))),
          nit: Config.String("SOFTWARE_NIT").pipe(Config.withDefault(""))
        }),
        rateLimit: Config.Int("RATE_LIMIT").pipe(Config.withDefault(100)),
        rateLimitBurst: Config.Int("RATE_LIMIT_BURST").pipe(Config.withDefault(500)),
        connections: Config.Int("CONNECTIONS").pipe(Config.withDefault(2_000)),
        connectionsPerAddress: Config.Int("CONNECTIONS_PER_ADDRESS").pipe(Config.option),
        smtpUrl: Config.Redacted("SMTP_URL").pipe(Config.option),
        mailFrom: Config.String("MAIL_FROM").pipe(Config.withDefault("")),
        mailNoticeSecret: Config.Redacted("MAIL_NOTICE_SECRET").pipe(Config.option)
      }).pipe(
        Effect.mapError(
          (error) =>
            new SettingsError({
              message: `A setting cannot be used: ${oneLine(error.message).replace(/^SchemaError\((.*)\)$/, "$1")}`
            })
        )
      )
      if (raw.retentionDays < 1) {
        return yield* new SettingsError({ message: "RETENTION_DAYS must be a whole number of days, at least 1." })
      }
      if (raw.contingencyAfter < 1) {
        return yield* new SettingsError({ message: "CONTINGENCY_AFTER must be a whole number of seconds, at least 1." })
      }
      if (raw.rateLimit < 1 || raw.rateLimitBurst < 1) {
        return yield* new SettingsError({
          message: "RATE_LIMIT (requests a second) and RATE_LIMIT_BURST must be whole numbers, at least 1."
        })
      }
      const connections = connectionsOf(raw.host, raw.connections, Option.getOrUndefined(raw.connectionsPerAddress))
      if (connections.max < 1 || connections.perAddress < 1) {
        return yield* new SettingsError({
          message: "CONNECTIONS and CONNECTIONS_PER_ADDRESS must be whole numbers, at least 1."
        })
      }
      const host = raw.host.includes(":") ? `[${raw.host}]` : raw.host
      const baseUrl = raw.baseUrl._tag === "Some" ? raw.baseUrl.value : `http://${host}:${raw.port}`
      if (!isHttp(baseUrl)) {
        return yield* new SettingsError({
          message: `BASE_URL must be an http or https URL such as https://folio.example.com, not ${baseUrl}`
        })
      }
      const webhookAllow = yield* Effect.fromResult(
        Result.mapError(parseAllow(raw.webhookAllow), (why) => new SettingsError({ message: `WEBHOOK_ALLOW: ${why}` }))
      )
      if (webhookAllow.length > 0 && raw.nodeEnv === "production") {
        return yield* new SettingsError({
          message:
            "WEBHOOK_ALLOW is for development: it lets webhooks reach internal addresses. Unset it, or NODE_ENV=production."
        })
      }
      if (raw.otlpEndpoint !== "" && !isHttp(raw.otlpEndpoint)) {
        return yield* new SettingsError({
          message:
            "OTEL_EXPORTER_OTLP_ENDPOINT must be the http or https URL of a collector, such as http://127.0.0.1:4318"
        })
      }
      if (raw.databaseUrl._tag === "Some" && !isPostgres(Redacted.value(raw.databaseUrl.value))) {
        return yield* new SettingsError({
          message: "DATABASE_URL must be of the form postgres://user:password@db.example.com:5432/database"
        })
      }
      const authority = yield* Effect.fromResult(
        Result.mapError(authoritySettings(raw.authority), (message) => new SettingsError({ message }))
      )
      const secretKey =
        raw.secretKey._tag === "None"
          ? undefined
          : new Uint8Array(Buffer.from(Redacted.value(raw.secretKey.value), "base64"))
      if (secretKey !== undefined && secretKey.length !== 32) {
        return yield* new SettingsError({
          message: "FOLIO_KEY must be 32 random bytes in base64: openssl rand -base64 32"
        })
      }
      const mail = raw.smtpUrl._tag === "None" ? undefined : { url: raw.smtpUrl.value, from: raw.mailFrom }
      if (mail !== undefined && !isSmtp(Redacted.value(mail.url))) {
        return yield* new SettingsError({
          message:
            "SMTP_URL must be of the form smtp://user:password@mail.example.com:587 or smtps://…:465, with %25 for % in its parts"
        })
      }
      if (mail !== undefined && !isAddress(mail.from)) {
        return yield* new SettingsError({
          message: "MAIL_FROM must be the e-mail address that documents are sent from, such as facturas@example.com"
        })
      }
      if (raw.mailNoticeSecret._tag === "Some" && Redacted.value(raw.mailNoticeSecret.value).length < secretMin) {
        return yield* new SettingsError({
          message: `MAIL_NOTICE_SECRET must have at least ${secretMin} characters: openssl rand -hex 32`
        })
      }
      if (raw.cluster === "socket" && (raw.databaseUrl._tag === "None" || secretKey === undefined)) {
        return yield* new SettingsError({
          message:
            "CLUSTER=socket needs DATABASE_URL and FOLIO_KEY, the same ones in every process: a key that each makes for itself would not do."
        })
      }
      return Settings.of({
        host: raw.host,
        port: raw.port,
        baseUrl: baseUrl.replace(/\/+$/, ""),
        dataDir: Path.resolve(raw.dataDir),
        databaseUrl: raw.databaseUrl._tag === "Some" ? raw.databaseUrl.value : undefined,
        webhookAllow,
        logLevel: raw.logLevel,
        logFormat: raw.logFormat,
        otlp:
          raw.otlpEndpoint === ""
            ? undefined
            : {
                url: `${raw.otlpEndpoint.replace(/\/+$/, "")}/v1/traces`,
                headers: Redacted.make(headersOf(Redacted.value(raw.otlpHeaders)))
              },
        runner: raw.cluster === "single" ? undefined : { host: raw.runnerHost, port: raw.runnerPort },
        secretKey: secretKey === undefined ? undefined : Redacted.make(secretKey),
        retentionDays: raw.retentionDays,
        authority,
        sandboxLatencyMs: raw.sandboxLatencyMs,
        contingencyAfter: raw.contingencyAfter,
        rateLimits: { perSecond: raw.rateLimit, burst: raw.rateLimitBurst },
        connections,
        mail,
        mailNoticeSecret: raw.mailNoticeSecret._tag === "Some" ? raw.mailNoticeSecret.value : undefined
      })
    })
  )
}
