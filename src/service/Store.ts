import { Layer } from "effect"
import { Acceptances } from "../invoices/store/Acceptances.ts"
import { Accounts } from "../accounts/store/Accounts.ts"
import { Acquirers } from "../accounts/store/Acquirers.ts"
import { ApiKeys } from "../accounts/store/ApiKeys.ts"
import { AuthorityCircuits } from "../invoices/store/AuthorityCircuits.ts"
import { AuditLog } from "../accounts/store/AuditLog.ts"
import { AuditChains } from "../operations/store/AuditChains.ts"
import { AuditEntries } from "../operations/store/AuditEntries.ts"
import { Backlog } from "../operations/store/Backlog.ts"
import { Certificates } from "../accounts/store/Certificates.ts"
import { Customers } from "../accounts/store/Customers.ts"
import { Database } from "../database/Database.ts"
import { Deliveries } from "../webhooks/store/Deliveries.ts"
import { DeliveryLog } from "../webhooks/store/DeliveryLog.ts"
import { Emails } from "../invoices/store/Emails.ts"
import { Enablements } from "../invoices/store/Enablements.ts"
import { Events } from "../webhooks/store/Events.ts"
import { ExternalIds } from "../database/ExternalIds.ts"
import { Idempotency } from "../accounts/store/Idempotency.ts"
import { Ids } from "../database/Ids.ts"
import { Incidents } from "../operations/store/Incidents.ts"
import { InvoiceCommands } from "../invoices/store/InvoiceCommands.ts"
import { InvoiceCreation } from "../invoices/store/InvoiceCreation.ts"
import { Invoices } from "../invoices/store/Invoices.ts"
import { Notes } from "../invoices/store/Notes.ts"
import { Notices } from "../operations/store/Notices.ts"
import { Numbering } from "../invoices/store/Numbering.ts"
import { Overview } from "../operations/store/Overview.ts"
import { Platforms } from "../accounts/store/Platforms.ts"
import { PortalSessions } from "../accounts/store/PortalSessions.ts"
import { Redelivery } from "../webhooks/store/Redelivery.ts"
import { RequestLog } from "../operations/store/RequestLog.ts"
import { Requests } from "../operations/store/Requests.ts"
import { Resolutions } from "../accounts/store/Resolutions.ts"
import { Retention } from "../operations/store/Retention.ts"
import { SandboxAuthorities } from "../accounts/store/sandbox/SandboxAuthorities.ts"
import { Softwares } from "../accounts/store/Softwares.ts"
import { Secrets } from "../database/Secrets.ts"
import { Transitions } from "../invoices/store/Transitions.ts"
import { WebhookEndpoints } from "../webhooks/store/WebhookEndpoints.ts"
import { Workers } from "../database/Workers.ts"

/**
 * All services of the store. Requires a `SqlClient` of a migrated database, `NationalProfile`, `SecretKey`, `Limits`,
 * and the platform's crypto.
 */
export const layer = Layer.mergeAll(
  Acceptances.layer,
  Accounts.layer,
  Acquirers.layer,
  ApiKeys.layer,
  AuditChains.layer,
  AuditEntries.layer,
  AuthorityCircuits.layer,
  Backlog.layer,
  Certificates.layer,
  Customers.layer,
  Database.layer,
  Deliveries.layer,
  DeliveryLog.layer,
  Emails.layer,
  Enablements.layer,
  Events.layer,
  Incidents.layer,
  InvoiceCommands.layer,
  InvoiceCreation.layer,
  Invoices.layer,
  Notes.layer,
  Notices.layer,
  Numbering.layer,
  Overview.layer,
  Platforms.layer,
  PortalSessions.layer,
  Redelivery.layer,
  RequestLog.layer.pipe(Layer.provideMerge(Requests.layer)),
  Resolutions.layer,
  Retention.layer,
  SandboxAuthorities.layer,
  Softwares.layer,
  Transitions.layer,
  WebhookEndpoints.layer
).pipe(
  Layer.provideMerge(Layer.mergeAll(AuditLog.layer, ExternalIds.layer, Idempotency.layer)),
  Layer.provideMerge(Layer.mergeAll(Ids.layer, Secrets.layer, Workers.layer))
)
