import { Effect, Layer } from "effect"
import * as Actors from "./actors/Actors.ts"
import { Commands } from "./commands/Commands.ts"
import { applicationResponse } from "./documents/parcel/ApplicationResponse.ts"
import { defaultLimits } from "./DefaultLimits.ts"
import * as GuardedProfile from "./documents/GuardedProfile.ts"
import { Printer } from "./documents/print/Printer.ts"
import { brokenRules } from "./documents/check/AuthorityCheck.ts"
import { readSignedDocument } from "./documents/signature/SignedDocument.ts"
import * as Http from "./http/Http.ts"
import { RateLimit } from "./http/limits/RateLimit.ts"
import * as Routes from "./http/Routes.ts"
import { Backpressure } from "./issuing/Backpressure.ts"
import * as Issuing from "./issuing/Issuing.ts"
import { Alerts } from "./outbound/alerts/Alerts.ts"
import * as AuthorityLive from "./outbound/authority/AuthorityLive.ts"
import * as AuthoritySandbox from "./outbound/authority/AuthoritySandbox.ts"
import { AuthoritySettings } from "./outbound/authority/AuthoritySettings.ts"
import * as Portal from "./portal/Portal.ts"
import { Notify } from "./protocol/Notify.ts"
import { FileLinks } from "./store/documents/FileLinks.ts"
import { ReadyEndpoints } from "./store/webhooks/ReadyEndpoints.ts"
import { SandboxAuthorities } from "./store/sandbox/SandboxAuthorities.ts"
import * as Store from "./store/Store.ts"
import { StoreProfile } from "./store/StoreProfile.ts"

// What a team composes: `layer` asks for all that can be replaced, and each port and limit has a default here, which gives way to another.

/** Makes an account whose issuer keeps the rules of the profile. Asks for what `layerStore` gives and for `StoreProfile`. */
export { createAccount } from "./store/accounts/Operations.ts"

/**
 * What the stores need of the national profile: rules, dates and the form of numbers. Requires a `NationalProfile`. A team provides
 * this layer only to call `createAccount`; `layerStore` has it inside.
 */
export const layerStoreProfile = Layer.effect(StoreProfile, GuardedProfile.guardedProfile)

const fileLinks = FileLinks.layer.pipe(Layer.provide(layerStoreProfile))

/** The stores. Requires a migrated `SqlClient`, `SecretKey`, `NationalProfile`, `RetentionDays`, `WebhookAllowance` and cryptography. */
export const layerStore = Store.layer.pipe(Layer.provide(layerStoreProfile))

/** @internal The work that the actors do, commands and issuing, without the actors themselves. */
export const layerWork = Commands.layer.pipe(
  Layer.provideMerge(Issuing.layer),
  Layer.provide([GuardedProfile.layer, Notify.layerGuarded])
)

/**
 * The actors, which carry out commands, number and sign documents, submit them to the authority, and send e-mails and webhooks.
 * Requires `Sharding`, the stores, the ports, the limits and the signing certificate.
 */
export const layerActors = Actors.layer.pipe(
  Layer.provide(layerWork),
  Layer.provide([fileLinks, Backpressure.layer, GuardedProfile.layer, Notify.layerGuarded]),
  Layer.provide(ReadyEndpoints.layer)
)

/**
 * The routes of the service: /v1, its documentation, the portal, `/health` and `/metrics`. A program serves them by `serve`. Requires the
 * stores, the ports and the limits.
 */
export const routes = Layer.merge(Routes.layer, Portal.layer).pipe(
  Layer.provide([Backpressure.layer, fileLinks, GuardedProfile.layer, Issuing.layerShownAccounts])
)

/**
 * Serves routes of the service and of a team in one `HttpServer`. Each request gets a request id, its metrics, an error in JSON
 * and an answer to unknown paths and methods; a handler of a team may fail with `ApiError`. When the layer is released, the
 * server first answers the requests that have arrived.
 */
export const serve = Http.serve

/** A middleware for routes that need no API key: answers 429 to a client address that asks too often. Requires `RateLimit`. */
export const limitedByAddress = Routes.limitedByAddress

/**
 * The default `DocumentFiles` and `DocumentParcel`, made from the rows of the database. A team's layer may use, extend or replace it.
 * Requires the stores, `Printer`, `PrintingLimits` and `NationalProfile`.
 */
export const layerDocuments = Issuing.layerPapers.pipe(Layer.provide(GuardedProfile.layer))

/**
 * The defaults of the ports without a setting: `DocumentFiles`, `DocumentParcel`, `Notify`, `Printer`, `RateLimit`. Requires the
 * stores, `Sharding`, `NationalProfile` and limits.
 */
export const layerPorts = Layer.mergeAll(layerDocuments, RateLimit.layer, Notify.layer).pipe(
  Layer.provideMerge(Printer.layer)
)

/**
 * The default limits, without the environment, and alerts to nobody. Layers of `@folio-einvoicing/service/Limits` after it replace parts.
 */
export const layerLimits = Layer.merge(defaultLimits, Alerts.layer)

/**
 * The default `Authority`: test documents go to a simulated authority, live documents to the web service that `AuthoritySettings`
 * names, and those of test sets to its test service; without these they are refused. Requires `AuthoritySettings` and the stores.
 */
export const layerAuthority = Layer.unwrap(
  Effect.gen(function* () {
    const { live, sandboxLatencyMs, test } = yield* AuthoritySettings
    const sandbox = yield* SandboxAuthorities
    return AuthorityLive.layerByMode({
      test: AuthoritySandbox.layer({
        read: readSignedDocument,
        check: brokenRules,
        respond: applicationResponse,
        latency: sandboxLatencyMs,
        ...sandbox
      }),
      live: live && AuthorityLive.layer({ ...live, readCufe: (signed) => readSignedDocument(signed)?.cufe ?? null }),
      testSet: test && { ...test, software: live?.software }
    })
  })
)

/** The whole service, with a team's routes beside its own in one server. Requires what `layer` requires, and what the routes do. */
export const layerWith = <A, E, R>(own: Layer.Layer<A, E, R>) =>
  serve(Layer.mergeAll(routes, own)).pipe(
    // The server is the last to start and the first to stop, so that the actors still carry out the requests that it accepted.
    Layer.provideMerge(layerActors),
    Layer.provideMerge(layerStore)
  )

/**
 * The whole service. The type of its requirements lists everything that a team can replace: the ports, the limits, and what the
 * platform gives. This example provides the default of each. What calls others (`Authority`, `Mailer`, `WebhookSender`) stands
 * below `Sharding`, so that it is still there when the actors end their calls.
 *
 * @example
 * ```ts
 * import * as App from "@folio-einvoicing/service"
 * import * as ColombianProfile from "@folio-einvoicing/service/ColombianProfile"
 * import { EgressGuard } from "@folio-einvoicing/service/EgressGuard"
 * import * as MailerSmtp from "@folio-einvoicing/service/MailerSmtp"
 * import { Cluster, Postgres, layerSandboxCertificate, layerSecretKey, Server, Settings } from "@folio-einvoicing/service/platform"
 * import { WebhookSender } from "@folio-einvoicing/service/WebhookSender"
 * import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
 * import * as NodeDns from "@effect/platform-node/NodeDns"
 * import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
 * import { Layer } from "effect"
 *
 * const service = App.layer.pipe(
 *   Layer.provideMerge(App.layerPorts),
 *   Layer.provideMerge(Layer.merge(Server.layer, Cluster.layer)),
 *   Layer.provideMerge(Layer.mergeAll(App.layerAuthority, MailerSmtp.layerConfig, WebhookSender.layer)),
 *   Layer.provideMerge(Layer.merge(EgressGuard.layerConfig, layerSandboxCertificate)),
 *   Layer.provideMerge(App.layerStore),
 *   Layer.provideMerge(layerSecretKey),
 *   Layer.provideMerge(Postgres.layerService),
 *   Layer.provideMerge(Layer.mergeAll(NodeCrypto.layer, NodeDns.layer, ColombianProfile.layer({ live: undefined }))),
 *   Layer.provideMerge(Settings.layer("1.0.0")),
 *   Layer.provideMerge(Layer.merge(App.layerLimits, Server.layerLimits))
 * )
 * NodeRuntime.runMain(Layer.launch(service))
 * ```
 */
export const layer = layerWith(Layer.empty)
