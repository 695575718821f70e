import { Effect, Latch, Layer } from "effect"
import { HttpServer } from "effect/http"
import * as Account from "./entities/Account.ts"
import { AccountWork } from "./entities/AccountWork.ts"
import { CertificateWork } from "./entities/CertificateWork.ts"
import { CommandTurns } from "./entities/CommandTurns.ts"
import { CustomerWork } from "./entities/CustomerWork.ts"
import * as DocumentFiling from "./entities/DocumentFiling.ts"
import * as DocumentParcels from "./entities/DocumentParcels.ts"
import { DocumentSigning } from "./entities/DocumentSigning.ts"
import { AdministrationWork } from "./entities/AdministrationWork.ts"
import { EmailCommandWork } from "./entities/EmailCommandWork.ts"
import { EmailWork } from "./entities/EmailWork.ts"
import * as Housekeeping from "./entities/Housekeeping.ts"
import * as Invoice from "./entities/Invoice.ts"
import { InvoiceCommandWork } from "./entities/InvoiceCommandWork.ts"
import { InvoiceWork } from "./entities/InvoiceWork.ts"
import { LiveReadiness } from "./entities/LiveReadiness.ts"
import { NoteWork } from "./entities/NoteWork.ts"
import { Printing } from "./entities/Printing.ts"
import { RedeliveryWork } from "./entities/RedeliveryWork.ts"
import { ResolutionImportWork } from "./entities/ResolutionImportWork.ts"
import { ResolutionWork } from "./entities/ResolutionWork.ts"
import { SandboxWork } from "./entities/SandboxWork.ts"
import * as Sweeper from "./entities/Sweeper.ts"
import { Telling } from "./entities/Telling.ts"
import { Workload } from "./entities/Workload.ts"
import * as WebhookEndpoint from "./entities/WebhookEndpoint.ts"
import * as Envelope from "./http/Envelope.ts"
import { Stopping } from "./http/Health.ts"
import * as Routes from "./http/Routes.ts"
import { Accounts } from "./store/Accounts.ts"
import { ApiKeys } from "./store/ApiKeys.ts"
import { AuthorityCircuits } from "./store/AuthorityCircuits.ts"
import { AuditLog } from "./store/AuditLog.ts"
import { Backlog } from "./store/Backlog.ts"
import { Certificates } from "./store/Certificates.ts"
import { Customers } from "./store/Customers.ts"
import { Database } from "./store/Database.ts"
import { Deliveries } from "./store/Deliveries.ts"
import { DeliveryLimit } from "./store/DeliveryLimit.ts"
import { DeliveryLog } from "./store/DeliveryLog.ts"
import { Emails } from "./store/Emails.ts"
import { Events } from "./store/Events.ts"
import { FileLinks } from "./store/FileLinks.ts"
import { IdempotencyKeys } from "./store/IdempotencyKeys.ts"
import { Ids } from "./store/Ids.ts"
import { InvoiceCommands } from "./store/InvoiceCommands.ts"
import { InvoiceCreation } from "./store/InvoiceCreation.ts"
import { Invoices } from "./store/Invoices.ts"
import { Notes } from "./store/Notes.ts"
import { Numbering } from "./store/Numbering.ts"
import { PoisonInvoices } from "./store/PoisonInvoices.ts"
import { Redating } from "./store/Redating.ts"
import { Redelivery } from "./store/Redelivery.ts"
import { Resolutions } from "./store/Resolutions.ts"
import { Retention } from "./store/Retention.ts"
import { SandboxAuthorities } from "./store/SandboxAuthorities.ts"
import { Secrets } from "./store/Secrets.ts"
import { Timelines } from "./store/Timelines.ts"
import { Transitions } from "./store/Transitions.ts"
import { WebhookEndpoints } from "./store/WebhookEndpoints.ts"
import { Workers } from "./store/Workers.ts"

/** All that is remembered. Asks for a `SqlClient` of a migrated database, `SecretKey`, and the platform's crypto. */
export const storeLayer = Layer.mergeAll(
  Accounts.layer,
  ApiKeys.layer,
  AuthorityCircuits.layer,
  Backlog.layer,
  Certificates.layer,
  Customers.layer,
  Database.layer,
  Deliveries.layer,
  DeliveryLimit.layer,
  DeliveryLog.layer,
  Emails.layer,
  Events.layer,
  InvoiceCommands.layer,
  InvoiceCreation.layer,
  Invoices.layer,
  Notes.layer,
  Numbering.layer,
  Redating.layer,
  Redelivery.layer,
  Resolutions.layer,
  Retention.layer,
  SandboxAuthorities.layer,
  Timelines.layer,
  Transitions.layer,
  WebhookEndpoints.layer
).pipe(
  Layer.provideMerge(Layer.mergeAll(AuditLog.layer, IdempotencyKeys.layer, PoisonInvoices.layer)),
  Layer.provideMerge(Layer.mergeAll(Ids.layer, Secrets.layer, Workers.layer))
)

/** What the actors do, apart from the actors. */
export const workLayer = Layer.mergeAll(
  AccountWork.layer,
  CertificateWork.layer,
  CustomerWork.layer,
  LiveReadiness.layer,
  RedeliveryWork.layer,
  ResolutionImportWork.layer,
  ResolutionWork.layer,
  SandboxWork.layer,
  AdministrationWork.layer,
  EmailCommandWork.layer,
  InvoiceCommandWork.layer,
  NoteWork.layer
).pipe(
  Layer.provideMerge(Layer.mergeAll(CommandTurns.layer, InvoiceWork.layer, EmailWork.layer)),
  Layer.provide(DocumentParcels.layer),
  Layer.provide([DocumentSigning.layer, Printing.threaded])
)

/** The actors. Asks for `Sharding`, `SecretKey`, an `Authority`, a `WebhookSender`, an `EgressGuard` and the signing certificate. */
export const entitiesLayer = Layer.mergeAll(
  Account.layer,
  Invoice.layer,
  WebhookEndpoint.layer,
  Sweeper.layer,
  Housekeeping.layer
).pipe(Layer.provide(workLayer), Layer.provide(Layer.mergeAll(FileLinks.layer, Telling.layer, Workload.layer)))

/** The HTTP server's routes with the service's envelope around them. Asks for an `HttpServer` and the `SecretKey` of links. */
export const httpLayer = Layer.unwrap(
  Effect.gen(function* () {
    const envelope = yield* Envelope.make
    const stopping = { asked: false, told: yield* Latch.make() }
    const stop = Effect.andThen(
      Effect.sync(() => (stopping.asked = true)),
      stopping.told.open
    )
    const handler = yield* Effect.provideService(Routes.handler, Stopping, stopping)
    // On top of the server, and so told before it: the server stops when the requests that have arrived are answered.
    return Layer.effectDiscard(Effect.addFinalizer(() => stop)).pipe(
      Layer.provideMerge(HttpServer.serve(envelope(handler)))
    )
  })
).pipe(
  Layer.provide([DocumentFiling.layer, DocumentParcels.layer, FileLinks.layer]),
  Layer.provide([DocumentSigning.layer, Printing.threaded])
)

/**
 * The whole service. A team composes its own by providing other layers for `Authority`, `WebhookSender` or the database, and
 * adds routes beside ours.
 */
export const layer = httpLayer.pipe(
  // The server is the last to start and the first to stop: what it accepted, the actors still carry out.
  Layer.provideMerge(entitiesLayer),
  Layer.provideMerge(storeLayer)
)
