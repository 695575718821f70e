import { Effect, Layer } from "effect"
import * as AccountActor from "../accounts/AccountActor.ts"
import { Commands } from "../accounts/Commands.ts"
import { applicationResponse } from "../documents/email/ApplicationResponse.ts"
import { sandboxRules } from "../documents/SandboxRules.ts"
import { readSignedDocument } from "../documents/signature/SignedDocument.ts"
import * as Http from "../http/Http.ts"
import * as Routes from "../http/HttpRoutes.ts"
import { Backpressure } from "../invoices/Backpressure.ts"
import { AuthorityTurns } from "../invoices/AuthorityCalls.ts"
import { CircuitBreaker } from "../invoices/CircuitBreaker.ts"
import { Executor } from "../invoices/Executor.ts"
import * as InvoiceActor from "../invoices/InvoiceActor.ts"
import * as IssuedFiles from "../invoices/IssuedFiles.ts"
import { Mailing } from "../invoices/Mailing.ts"
import { Signing } from "../invoices/Signing.ts"
import * as AuthorityLive from "../invoices/authority/AuthorityLive.ts"
import * as AuthoritySandbox from "../invoices/authority/AuthoritySandbox.ts"
import { AuthoritySettings } from "../invoices/authority/AuthoritySettings.ts"
import * as NoticeWatch from "../operations/NoticeWatch.ts"
import * as Purger from "../operations/Purger.ts"
import * as Sweeper from "../operations/Sweeper.ts"
import * as Watch from "../operations/Watch.ts"
import * as Portal from "../portal/Portal.ts"
import { LocalAccounts } from "../accounts/AccountEntity.ts"
import { Notify } from "../accounts/Notify.ts"
import { FileLinks } from "../invoices/store/FileLinks.ts"
import * as WebhookEndpointActor from "../webhooks/WebhookEndpointActor.ts"
import { ReadyEndpoints } from "../webhooks/store/ReadyEndpoints.ts"
import { SandboxAuthorities } from "../accounts/store/sandbox/SandboxAuthorities.ts"
import * as Store from "./Store.ts"

// The layers of the service, without the platform. `Service.ts` composes them on Node and PostgreSQL, tests in memory.

/** The services of a document from its number to the email to its buyer and the buyer's response. */
const layerIssuing = Layer.mergeAll(Executor.layer, Mailing.layer).pipe(
  Layer.provideMerge([AuthorityTurns.layer, CircuitBreaker.layer, Signing.layer])
)

/** Commands and issuing, which are the work of the actors, without the actors. */
export const layerWork = Commands.layer.pipe(Layer.provideMerge(layerIssuing), Layer.provide(Notify.layerGuarded))

/**
 * The actors, which carry out commands, number and sign documents, submit them to the authority, and send emails and
 * webhooks. There is one for each account and mode, each document and each webhook endpoint, and four singletons.
 * Requires `Sharding`, the stores, the ports, the limits and the signing certificate.
 */
export const layerActors = Layer.mergeAll(
  AccountActor.layer,
  InvoiceActor.layer,
  Watch.layer,
  NoticeWatch.layer,
  WebhookEndpointActor.layer,
  Sweeper.layer,
  Purger.layer
).pipe(
  Layer.provide(layerWork),
  Layer.provide([FileLinks.layer, Backpressure.layer, Notify.layerGuarded]),
  Layer.provide([LocalAccounts.layer, ReadyEndpoints.layer])
)

/** /v1, its documentation, the portal, `/health` and `/metrics`. Requires the stores, the ports and the limits. */
export const routes = Layer.merge(Routes.layer, Portal.layer).pipe(
  Layer.provide([Backpressure.layer, LocalAccounts.layer, FileLinks.layer])
)

/** The default `DocumentFiles`, made from the rows of the database. Requires the stores and `Printer`. */
export const layerDocuments = Layer.provide(IssuedFiles.layer, Signing.layer)

/**
 * The default `Authority`. It sends test documents to a simulated authority, live documents to the web service in
 * `AuthoritySettings`, and documents of test sets to the authority's test service. Without these settings, it refuses
 * live documents and test sets. Requires `AuthoritySettings` and the stores.
 */
export const layerAuthority = Layer.unwrap(
  Effect.gen(function* () {
    const { live, sandboxLatencyMs, test } = yield* AuthoritySettings
    const sandbox = yield* SandboxAuthorities
    return AuthorityLive.layerByMode({
      test: AuthoritySandbox.layer({
        read: readSignedDocument,
        check: sandboxRules,
        respond: applicationResponse,
        latency: sandboxLatencyMs,
        ...sandbox
      }),
      live: live && AuthorityLive.layer({ ...live, readCufe: (signed) => readSignedDocument(signed)?.cufe ?? null }),
      testSet: test && { ...test, software: live?.software }
    })
  })
)

/**
 * The whole service, with the routes of a team in the same server. The type of its requirements lists the ports, the
 * limits and the platform's services. Ports that call other systems (`Authority`, `Mailer`, `WebhookSender`) are below
 * `Sharding`, so that they still run while the actors end their calls.
 */
export const layerWith = <A, E, R>(own: Layer.Layer<A, E, R>) =>
  Http.serve(Layer.mergeAll(routes, own)).pipe(
    // The server starts last and stops first, so that the actors still carry out the requests that it accepted.
    Layer.provideMerge(layerActors),
    Layer.provideMerge(Store.layer)
  )
