import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import * as NodeDns from "@effect/platform-node/NodeDns"
import { Console, Context, Effect, Layer, Redacted } from "effect"
import { Dns } from "effect/net"
import folio from "../../package.json" with { type: "json" }
import { ServiceInfo } from "../api/ServiceInfo.ts"
import * as App from "../App.ts"
import { applicationResponse } from "../documents/ApplicationResponse.ts"
import type { SandboxCertificate } from "../documents/Certificate.ts"
import { ContingencyAfter } from "../entities/Circuits.ts"
import { Busyness } from "../entities/Workload.ts"
import { readSignedDocument } from "../documents/SignedDocument.ts"
import { RegisteredSoftware } from "../documents/Software.ts"
import { NoticeSecret } from "../http/EmailNotices.ts"
import { RateLimits } from "../http/RateLimit.ts"
import type { Authority } from "../outbound/Authority.ts"
import * as AuthorityLive from "../outbound/AuthorityLive.ts"
import * as AuthoritySandbox from "../outbound/AuthoritySandbox.ts"
import { EgressGuard } from "../outbound/EgressGuard.ts"
import { Mailer, mailer } from "../outbound/Mailer.ts"
import { sendOverSmtp } from "../outbound/MailerSmtp.ts"
import { WebhookSender } from "../outbound/WebhookSender.ts"
import * as Cluster from "../platform/Cluster.ts"
import { ConnectionLimits } from "../platform/Connections.ts"
import { discardTestKey, sandboxCertificateLayer, testKey } from "../platform/DataFiles.ts"
import { makeBusyness } from "../platform/EventLoop.ts"
import * as Postgres from "../platform/Postgres.ts"
import { secretKeyLayer } from "../platform/SealingKey.ts"
import * as Server from "../platform/Server.ts"
import { ServiceLock } from "../platform/ServiceLock.ts"
import { Settings, SettingsError } from "../platform/Settings.ts"
import * as Telemetry from "../platform/Telemetry.ts"
import { welcome } from "../platform/Welcome.ts"
import { Accounts } from "../store/Accounts.ts"
import { hasLiveKeys } from "../store/LiveMode.ts"
import { RetentionDays } from "../store/Retention.ts"
import { SandboxAuthorities } from "../store/SandboxAuthorities.ts"
import { createSandboxAccount } from "../store/SandboxAccount.ts"
import { WebhookAllowance, Workers } from "../store/Workers.ts"

// The resolver's own first try lasts 5 s; within the guard's 2 s there is room for three short ones.
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
        authority === undefined
          ? undefined
          : AuthorityLive.layer({ ...authority, readCufe: (signed) => readSignedDocument(signed)?.cufe ?? null })
    })
  })
)

const software = Layer.effect(
  RegisteredSoftware,
  Effect.gen(function* () {
    const { authority } = yield* Settings
    const { test } = yield* RegisteredSoftware
    if (authority === undefined) return { test, live: undefined }
    return { test, live: { ...authority.software, pin: Redacted.value(authority.software.pin) } }
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
  Layer.effect(
    NoticeSecret,
    Effect.map(Settings, ({ mailNoticeSecret }) => mailNoticeSecret)
  )
)

/** The test key of the sandbox account, if this start has made it. */
class NewTestKey extends Context.Service<NewTestKey, { readonly key: string | undefined }>()("folio/cli/NewTestKey") {}

// Who serves the database alone has its lock: no lease of a predecessor need be waited for.
const takeOver = Layer.effectDiscard(
  Effect.gen(function* () {
    const { runner } = yield* Settings
    const workers = yield* Workers
    if (runner === undefined) yield* workers.succeed
  })
)

// The worker's row, which keeps live keys from being made, is there by now.
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

// Before anything is served: whoever sees the service ready finds the account of its key there.
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

/**
 * The service with this authority, and a certificate other than the sandbox's own if one is given, until it is asked to stop.
 * `guard` looks first whether these settings may serve this database.
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
        Layer.provideMerge(
          Layer.mergeAll(
            Layer.sync(Busyness, makeBusyness),
            Layer.effect(
              WebhookAllowance,
              Effect.map(Settings, ({ webhookAllow }) => webhookAllow.length > 0)
            ),
            Layer.effect(
              RetentionDays,
              Effect.map(Settings, ({ retentionDays }) => retentionDays)
            ),
            Layer.effect(
              ContingencyAfter,
              Effect.map(Settings, ({ contingencyAfter }) => contingencyAfter)
            ),
            Layer.effect(
              RateLimits,
              Effect.map(Settings, ({ rateLimits }) => rateLimits)
            ),
            Layer.effect(
              ConnectionLimits,
              Effect.map(Settings, ({ connections }) => connections)
            ),
            software
          )
        ),
        Layer.provideMerge(Telemetry.layer(folio.version)),
        Layer.provideMerge(Settings.layer)
      )
    )
  )

/** The service with the simulated authority for test documents, and the one of the settings for live ones. */
export const serve = serveWith(authorities)
