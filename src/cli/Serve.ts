import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import * as NodeDns from "@effect/platform-node/NodeDns"
import { Console, Context, Effect, Layer, Redacted } from "effect"
import { Dns } from "effect/net"
import folio from "../../package.json" with { type: "json" }
import { ServiceInfo } from "../api/ServiceInfo.ts"
import * as App from "../App.ts"
import { applicationResponse } from "../documents/parcel/ApplicationResponse.ts"
import type { SandboxCertificate } from "../documents/signature/Certificate.ts"
import { ContingencyAfter } from "../issuing/CircuitBreaker.ts"
import { Busyness } from "../issuing/Backpressure.ts"
import { readSignedDocument } from "../documents/signature/SignedDocument.ts"
import { RegisteredSoftware } from "../documents/ubl/Software.ts"
import { NoticeSecret } from "../http/routes/EmailNotices.ts"
import { RateLimits } from "../http/limits/RateLimit.ts"
import type { Authority } from "../outbound/authority/Authority.ts"
import * as AuthorityLive from "../outbound/authority/AuthorityLive.ts"
import * as AuthoritySandbox from "../outbound/authority/AuthoritySandbox.ts"
import { EgressGuard } from "../outbound/webhooks/EgressGuard.ts"
import { Mailer, mailer } from "../outbound/mail/Mailer.ts"
import { sendOverSmtp } from "../outbound/mail/MailerSmtp.ts"
import { WebhookSender } from "../outbound/webhooks/WebhookSender.ts"
import * as Cluster from "../platform/cluster/Cluster.ts"
import { ConnectionLimits } from "../platform/server/Connections.ts"
import { discardTestKey, sandboxCertificateLayer, testKey } from "../platform/files/DataFiles.ts"
import { makeBusyness } from "../platform/server/EventLoop.ts"
import * as Postgres from "../platform/postgres/Postgres.ts"
import { secretKeyLayer } from "../platform/files/SealingKey.ts"
import * as Server from "../platform/server/Server.ts"
import { ServiceLock } from "../platform/postgres/ServiceLock.ts"
import { fromSettings, Settings, SettingsError } from "../platform/Settings.ts"
import * as Telemetry from "../platform/Telemetry.ts"
import { welcome } from "../platform/Welcome.ts"
import { Accounts } from "../store/accounts/Accounts.ts"
import { hasLiveKeys } from "../store/accounts/LiveMode.ts"
import { RetentionDays } from "../store/sql/Retention.ts"
import { SandboxAuthorities } from "../store/sandbox/SandboxAuthorities.ts"
import { createSandboxAccount } from "../store/sandbox/SandboxAccount.ts"
import { WebhookAllowance, Workers } from "../store/sql/Workers.ts"

// The resolver's default first try lasts 5 s; shorter tries let a query be repeated within the egress guard's limit of 2 s.
const dns = Layer.effect(Dns.Dns, Effect.orDie(NodeDns.make({ timeout: "700 millis", tries: 3 })))

const authorities = Layer.unwrap(
  Effect.gen(function* () {
    const { authority, sandboxLatencyMs } = yield* Settings
    const { modeOf } = yield* SandboxAuthorities
    return AuthorityLive.layerByMode({
      test: AuthoritySandbox.layer({
        read: readSignedDocument,
        respond: applicationResponse,
        latency: sandboxLatencyMs,
        modeOf
      }),
      live:
        authority &&
        AuthorityLive.layer({ ...authority, readCufe: (signed) => readSignedDocument(signed)?.cufe ?? null })
    })
  })
)

const software = Layer.effect(
  RegisteredSoftware,
  Effect.gen(function* () {
    const { authority } = yield* Settings
    const { test } = yield* RegisteredSoftware
    return { test, live: authority && { ...authority.software, pin: Redacted.value(authority.software.pin) } }
  })
)

const outbound = Layer.unwrap(
  Effect.map(Settings, (settings) =>
    Layer.mergeAll(
      Layer.succeed(ServiceInfo, { version: folio.version, baseUrl: settings.baseUrl }),
      WebhookSender.layer().pipe(
        Layer.provideMerge(
          EgressGuard.layer({ allow: settings.webhookAllow, ownHosts: [new URL(settings.baseUrl).hostname] })
        )
      )
    )
  )
).pipe(Layer.provide(dns))

const mail = Layer.mergeAll(
  Layer.effect(
    Mailer,
    Effect.gen(function* () {
      const settings = yield* Settings
      if (settings.mail !== undefined) return mailer(sendOverSmtp(settings.mail))
      yield* Effect.logInfo("SMTP_URL is not set: live documents are not e-mailed")
      return mailer()
    })
  ),
  fromSettings(NoticeSecret, ({ mailNoticeSecret }) => mailNoticeSecret)
)

/** The test key of the sandbox account; undefined unless this start of the service made the account. */
class NewTestKey extends Context.Service<NewTestKey, { readonly key: string | undefined }>()("folio/cli/NewTestKey") {}

// With CLUSTER=single this process holds the service lock alone, so the leases of its predecessors need not expire first.
const takeOver = Layer.effectDiscard(
  Effect.gen(function* () {
    const { runner } = yield* Settings
    if (runner === undefined) yield* (yield* Workers).succeed
  })
)

// Runs after this process's row in `workers` is written: with `WEBHOOK_ALLOW` that row prevents the creation of live keys.
const noLiveKeys = Layer.effectDiscard(
  Effect.gen(function* () {
    const { webhookAllow } = yield* Settings
    if (webhookAllow.length === 0 || !(yield* hasLiveKeys)) return
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
    if (yield* createSandboxAccount(content)) return { key: content }
    if (made) yield* discardTestKey
    return { key: undefined }
  })
)

const untilStopped = Effect.gen(function* () {
  const settings = yield* Settings
  const { key } = yield* NewTestKey
  yield* Console.log(welcome(settings, key))
  return yield* (yield* ServiceLock).lost
})

const limits = Layer.mergeAll(
  Layer.sync(Busyness, makeBusyness),
  fromSettings(WebhookAllowance, ({ webhookAllow }) => webhookAllow.length > 0),
  fromSettings(RetentionDays, ({ retentionDays }) => retentionDays),
  fromSettings(ContingencyAfter, ({ contingencyAfter }) => contingencyAfter),
  fromSettings(RateLimits, ({ rateLimits }) => rateLimits),
  fromSettings(ConnectionLimits, ({ connections }) => connections),
  software
)

/**
 * Runs the service with this authority until the process is asked to stop. `certificate` replaces the sandbox's own certificate.
 * `guard` checks first whether the settings may serve the database.
 * Fails with an error whose message is one line that says what to do.
 */
export const serveWith = <E>(
  authority: Layer.Layer<Authority, E, Settings | SandboxAuthorities>,
  certificate: typeof sandboxCertificateLayer | Layer.Layer<SandboxCertificate> = sandboxCertificateLayer,
  guard: typeof noLiveKeys | typeof Layer.empty = noLiveKeys
) =>
  untilStopped.pipe(
    Effect.provide(
      App.layer.pipe(
        Layer.provideMerge(Layer.mergeAll(Server.layer, Cluster.layer, outbound, mail, authority, certificate)),
        Layer.provideMerge(Layer.provideMerge(Layer.merge(firstStart, takeOver), guard)),
        Layer.provideMerge(App.storeLayer),
        Layer.provideMerge(secretKeyLayer),
        Layer.provideMerge(Postgres.serviceLayer),
        Layer.provideMerge(NodeCrypto.layer),
        Layer.provideMerge(limits),
        Layer.provideMerge(Telemetry.layer(folio.version)),
        Layer.provideMerge(Settings.layer)
      )
    )
  )

/** Runs the service with the simulated authority for test documents, and the authority of the settings for live documents. */
export const serve = serveWith(authorities)
