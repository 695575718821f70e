import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import * as NodeDns from "@effect/platform-node/NodeDns"
import { Console, Context, Effect, Layer, Redacted } from "effect"
import { Dns } from "effect/net"
import type { ApiError } from "../../schemas/ApiError.ts"
import { version } from "../runtime/Version.ts"
import { ServiceInfo } from "../runtime/ServiceInfo.ts"
import * as Layers from "./Layers.ts"
import * as ColombianProfile from "../documents/ColombianProfile.ts"
import type { SandboxCertificate } from "../documents/signature/Certificate.ts"
import { SigningKeys } from "../documents/signature/SigningKeys.ts"
import type { Alerts } from "../operations/Alerts.ts"
import type { Authority } from "../invoices/authority/Authority.ts"
import { AuthoritySettings } from "../invoices/authority/AuthoritySettings.ts"
import * as MailerSmtp from "../invoices/mail/MailerSmtp.ts"
import { EgressGuard } from "../webhooks/sender/EgressGuard.ts"
import { WebhookSender } from "../webhooks/sender/WebhookSender.ts"
import type { Mailer } from "../invoices/mail/Mailer.ts"
import type { LocalApi } from "../http/LocalApi.ts"
import { RateLimit } from "../http/limits/RateLimit.ts"
import { Printer } from "../documents/print/Printer.ts"
import type { DocumentFiles } from "../invoices/DocumentFiles.ts"
import { NationalProfile } from "../documents/NationalProfile.ts"
import { Busyness } from "../runtime/turns/Busyness.ts"
import { Notify } from "../accounts/Notify.ts"
import type { HttpRouter } from "effect/http"
import * as Cluster from "../runtime/cluster/Cluster.ts"
import * as EventLoop from "../runtime/telemetry/EventLoop.ts"
import { DataDir } from "../runtime/process/DataFiles.ts"
import { layerSandboxCertificate } from "./SandboxCertificateFile.ts"
import { discardTestKey, testKey } from "./TestKeyFile.ts"
import * as DatabaseKey from "./DatabaseKey.ts"
import * as Postgres from "../runtime/postgres/Postgres.ts"
import { ServiceLock } from "../runtime/postgres/ServiceLock.ts"
import * as Server from "../runtime/server/Server.ts"
import * as AllSettings from "./AllSettings.ts"
import { Settings } from "../runtime/process/Settings.ts"
import { Supervised, tellReady } from "../runtime/process/Supervised.ts"
import * as Telemetry from "../runtime/telemetry/Telemetry.ts"
import * as TerminalLines from "../runtime/process/TerminalLines.ts"
import { readiness, welcome } from "../runtime/process/Welcome.ts"
import { asManyAsSet } from "./supervisor/Several.ts"
import { Limits, type LimitsChange } from "../runtime/Limits.ts"
import { refuse, SettingsError } from "../runtime/Setting.ts"
import { Accounts } from "../accounts/store/Accounts.ts"
import { hasLiveKeys } from "../accounts/store/LiveMode.ts"
import { portalLink } from "../accounts/store/sandbox/PortalLink.ts"
import { createSandboxAccount } from "../accounts/store/sandbox/SandboxAccount.ts"
import * as Store from "./Store.ts"
import type { SecretKey } from "../database/Secrets.ts"
import { Workers } from "../database/Workers.ts"

// The resolver's default first try lasts 5 s. With shorter tries, a query can be repeated within the egress guard's
// limit of 2 s.
const dns = Layer.effect(Dns.Dns, Effect.orDie(NodeDns.make({ timeout: "700 millis", tries: 3 })))

const colombia = Layer.unwrap(
  Effect.map(AuthoritySettings, ({ live }) =>
    ColombianProfile.layer({ live: live?.software && { ...live.software, pin: Redacted.value(live.software.pin) } })
  )
)

/** The test key of the sandbox account; undefined unless this start of the service has created the account. */
class NewTestKey extends Context.Service<NewTestKey, { readonly key: string | undefined }>()("folio/cli/NewTestKey") {}

// With CLUSTER=single only this process holds the service lock, so it needn't wait until the leases of earlier
// processes expire.
const takeOver = Layer.effectDiscard(
  Effect.gen(function* () {
    if ((yield* Settings).runner === undefined) yield* (yield* Workers).succeed
  })
)

// Runs after this process has written its row in `workers`: with `WEBHOOK_ALLOW`, that row prevents the creation of
// live keys.
const noLiveKeys = Layer.effectDiscard(
  Effect.gen(function* () {
    if (!(yield* Limits).webhookAllow || !(yield* hasLiveKeys)) return
    return yield* new SettingsError({
      message:
        "WEBHOOK_ALLOW is for development: it lets webhooks reach internal addresses, and this database has live keys. Unset it, or revoke them: folio keys revoke."
    })
  })
)

// Runs before the service accepts requests, so that the account of the test key exists when the service is ready.
const firstStart = Layer.effect(
  NewTestKey,
  Effect.gen(function* () {
    const accounts = yield* Accounts
    if (yield* accounts.exist) return { key: undefined }
    const { content, made } = yield* testKey
    if (yield* createSandboxAccount(content, (yield* NationalProfile).sandbox)) return { key: content }
    if (made) yield* discardTestKey
    return { key: undefined }
  })
)

const untilStopped = Effect.gen(function* () {
  const { baseUrl } = yield* ServiceInfo
  const { key } = yield* NewTestKey
  const origin = { baseUrl, dataDir: yield* DataDir }
  if ((yield* Settings).log.format === "json") {
    // Log collectors store these lines, so they contain no key and no link.
    yield* Effect.annotateLogs(Effect.logInfo("Folio is ready"), readiness(origin, key !== undefined))
  } else if ((yield* Supervised) !== "more") {
    const { customer } = (yield* NationalProfile).sandbox
    const link = key === undefined ? undefined : yield* portalLink(key)
    yield* Console.log(welcome(origin, key, link, customer))
  }
  yield* tellReady
  return yield* (yield* ServiceLock).lost
})

/** The services below the profile, the stores and the ports. */
const platform = (limits: LimitsChange) =>
  Layer.mergeAll(NodeCrypto.layer, dns).pipe(
    Layer.provideMerge(Layer.merge(Telemetry.layer(version), TerminalLines.layer)),
    Layer.provideMerge(Limits.layerChanged(limits)),
    Layer.provideMerge(AllSettings.layer(version)),
    Layer.provideMerge(Busyness.layer)
  )
const stores = <E>({ limits = {}, profile = colombia, secretKey }: Parts<E>) =>
  Store.layer.pipe(
    Layer.provideMerge(secretKey === undefined ? DatabaseKey.layerSecretKey : DatabaseKey.layerOf(secretKey)),
    Layer.provideMerge(Postgres.layerService),
    Layer.provideMerge(profile),
    Layer.provideMerge(platform(limits))
  )

/** Services that the layer of a national profile can require: settings, limits, crypto, DNS, logs and traces. */
export type Platform = Layer.Success<ReturnType<typeof platform>>

/**
 * Services that the layer of a port can require: `Platform`, the profile, the database and the stores.
 *
 * @example
 * ```ts
 * import type { Beneath } from "@folio-einvoicing/service"
 * import { Mailer } from "@folio-einvoicing/service/ports"
 * import { Effect, Layer } from "effect"
 * import { SqlClient } from "effect/sql"
 *
 * // An outbox: this mailer writes emails to a table of the service's database, and another program sends them.
 * export const outbox: Layer.Layer<Mailer, never, Beneath> = Layer.effect(
 *   Mailer,
 *   Effect.map(SqlClient.SqlClient, (sql) => ({
 *     send: ({ reference, to }) =>
 *       sql`insert into outbox (reference, recipient) values (${reference}, ${to})`.pipe(
 *         Effect.orDie,
 *         Effect.as({ complained: false })
 *       )
 *   }))
 * )
 * ```
 */
export type Beneath =
  | Platform
  | NationalProfile
  | SecretKey
  | Layer.Success<typeof Postgres.layerService>
  | Layer.Success<typeof Store.layer>

type OfRouter = HttpRouter.HttpRouter | HttpRouter.Request<"Error", ApiError>

/**
 * Parts that replace the defaults of the service. An omitted part stays as in `npm start`.
 *
 * @example
 * ```ts
 * import { main, type Parts } from "@folio-einvoicing/service"
 * import { Mailer } from "@folio-einvoicing/service/ports"
 * import { HttpRouter, HttpServerResponse } from "effect/http"
 *
 * const parts: Parts = {
 *   mailer: Mailer.layer,
 *   limits: { rate: { perSecond: 20 } },
 *   routes: HttpRouter.add("GET", "/about", HttpServerResponse.text("The invoices of Café Andino"))
 * }
 *
 * main(parts)
 * ```
 */
export interface Parts<E = never> {
  /** National profile of another country; Colombia by default. It requires a `printer` as well. */
  readonly profile?: Layer.Layer<NationalProfile, E, Platform>
  /** Tax authority. By default the simulated one for test documents, and the one in the settings for live documents. */
  readonly authority?: Layer.Layer<Authority, E, Beneath>
  /** Sender of emails. By default SMTP for live emails, with the server in the settings. */
  readonly mailer?: Layer.Layer<Mailer, E, Beneath>
  /** Sender of webhooks. The layer can require the egress rules. */
  readonly webhookSender?: Layer.Layer<WebhookSender, E, Beneath | EgressGuard>
  /** Egress rules for webhooks. By default they allow public hosts and the addresses in WEBHOOK_ALLOW. */
  readonly egressGuard?: Layer.Layer<EgressGuard, E, Beneath>
  /** Channels for alerts about incidents. By default `ALERT_URL` and `ALERT_EMAIL`. */
  readonly alerts?: Layer.Layer<Alerts, E, Beneath>
  /** Rate limiter of requests. By default it counts in the memory of each process. */
  readonly rateLimit?: Layer.Layer<RateLimit, E, Beneath>
  /** Printer of PDF files and emails. */
  readonly printer?: Layer.Layer<Printer, E, Beneath>
  /** Files and emails of documents. The layer can require the default, which makes them from the rows. */
  readonly documentFiles?: Layer.Layer<DocumentFiles, E, Beneath | DocumentFiles>
  /** Messages that wake actors for work. The layer can require the default. */
  readonly notify?: Layer.Layer<Notify, E, Beneath | Notify>
  /** Private keys of live accounts. By default the uploaded keys. The layer can require the default. */
  readonly signingKeys?: Layer.Layer<SigningKeys, E, Beneath | SigningKeys>
  /** Certificate that signs test documents. By default a file in `DATA_DIR`. */
  readonly certificate?: Layer.Layer<SandboxCertificate, E, Beneath>
  /** Key that encrypts secrets in the database. By default `FOLIO_KEY`, or a file in `DATA_DIR`. */
  readonly secretKey?: Layer.Layer<SecretKey, E, Platform>
  /** Limits that replace the defaults and the environment, such as `{ retentionDays: 3_650 }`. */
  readonly limits?: LimitsChange
  /** Further routes in the same server. A handler can fail with `ApiError`, and call the API with `callAs`. */
  readonly routes?: Layer.Layer<never, E, OfRouter | Beneath | LocalApi | RateLimit>
  /**
   * Lets a service with `WEBHOOK_ALLOW` start although live keys exist; only for tests.
   *
   * @internal
   */
  readonly mayMixLiveKeys?: boolean
}

const whole = <E>({ printer, profile }: Parts<E>) =>
  profile === undefined || printer !== undefined
    ? Effect.void
    : refuse(
        "The profile of another country needs a printer of its own: the default prints Colombian documents. Pass a printer next to the profile. To keep the default, pass printer: Printer.layer."
      )

/** The service with these parts. Each layer gets its requirements from the layers after it. */
const layer = <E>(parts: Parts<E>) =>
  Layers.layerWith(parts.routes ?? Layer.empty).pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        parts.documentFiles ?? Layer.empty,
        parts.notify ?? Layer.empty,
        parts.rateLimit ?? RateLimit.layer
      )
    ),
    Layer.provideMerge(Layer.merge(Layers.layerDocuments, Notify.layer)),
    Layer.provideMerge(parts.printer ?? Printer.layer),
    Layer.provideMerge(Layer.merge(Server.layer, Cluster.layer)),
    // Below the cluster, which stops first: the actors can then finish their running calls.
    Layer.provideMerge(
      Layer.mergeAll(
        parts.webhookSender ?? WebhookSender.layer,
        parts.mailer ?? MailerSmtp.layerConfig,
        parts.authority ?? Layers.layerAuthority,
        parts.certificate ?? layerSandboxCertificate,
        parts.alerts ?? Layer.empty,
        parts.signingKeys ?? Layer.empty
      )
    ),
    // `mergeAll` gives the two layers one type.
    Layer.provideMerge(Layer.mergeAll(parts.egressGuard ?? EgressGuard.layerConfig, SigningKeys.layer)),
    Layer.provideMerge(Layer.merge(firstStart, takeOver)),
    Layer.provideMerge(parts.mayMixLiveKeys === true ? Layer.empty : noLiveKeys),
    Layer.provideMerge(stores(parts))
  )

/**
 * Runs the service with these parts until the process gets a stop signal. Fails with an error whose message is one line
 * that says what to do.
 */
export const serve = <E = never>(parts: Parts<E> = {}) =>
  EventLoop.shared(Effect.andThen(whole(parts), Effect.provide(untilStopped, layer(parts))))

/**
 * Runs a program as this process, until the program ends or the process gets a stop signal. The process then exits with
 * 0. If the program fails, the process prints the message of the failure on one line and exits with 1.
 */
export const runMain = <A, E extends { readonly message: string }>(program: Effect.Effect<A, E>): void => {
  // Loaded here and not with this module, because it changes how the process compiles schemas.
  void import("./Run.ts").then(({ run, start }) => start(run(program)))
}

/**
 * Runs the service with these parts as the program of this process, as `npm start` does, until the process gets a stop
 * signal. After a failure, the process prints one line and exits with 1.
 */
export const main = <E extends { readonly message: string } = never>(parts: Parts<E> = {}): void =>
  runMain(asManyAsSet(serve(parts)))

/**
 * Middleware for routes without an API key: returns 429 after too many requests of an address. Requires `RateLimit`.
 */
export { limitedByAddress } from "../http/HttpRoutes.ts"
export { callAs, LocalApi, type LocalAnswer, type LocalRequest } from "../http/LocalApi.ts"
/** Creates an account, if its issuer keeps the rules of the profile. */
export { createAccount } from "../accounts/store/Operations.ts"
