import { Layer } from "effect"
import { Acceptances } from "./acceptance/Acceptances.ts"
import { Accounts } from "./accounts/Accounts.ts"
import { Acquirers } from "./accounts/Acquirers.ts"
import { ApiKeys } from "./accounts/ApiKeys.ts"
import { AuthorityCircuits } from "./documents/AuthorityCircuits.ts"
import { AuditLog } from "./accounts/AuditLog.ts"
import { Backlog } from "./sql/Backlog.ts"
import { Certificates } from "./accounts/Certificates.ts"
import { Customers } from "./accounts/Customers.ts"
import { Database } from "./sql/Database.ts"
import { Deliveries } from "./webhooks/Deliveries.ts"
import { DeliveryLog } from "./webhooks/DeliveryLog.ts"
import { Emails } from "./mail/Emails.ts"
import { Enablements } from "./enablement/Enablements.ts"
import { Events } from "./webhooks/Events.ts"
import { Idempotency } from "./accounts/Idempotency.ts"
import { Ids } from "./sql/Ids.ts"
import { Incidents } from "./incidents/Incidents.ts"
import { InvoiceCommands } from "./documents/InvoiceCommands.ts"
import { InvoiceCreation } from "./documents/InvoiceCreation.ts"
import { Invoices } from "./documents/Invoices.ts"
import { Notes } from "./documents/Notes.ts"
import { Numbering } from "./documents/Numbering.ts"
import { Overview } from "./overview/Overview.ts"
import { PortalSessions } from "./accounts/PortalSessions.ts"
import { Redelivery } from "./webhooks/Redelivery.ts"
import { RequestLog } from "./requests/RequestLog.ts"
import { Requests } from "./requests/Requests.ts"
import { Resolutions } from "./accounts/Resolutions.ts"
import { Retention } from "./sql/Retention.ts"
import { SandboxAuthorities } from "./sandbox/SandboxAuthorities.ts"
import { Softwares } from "./accounts/Softwares.ts"
import { Secrets } from "./sql/Secrets.ts"
import { Transitions } from "./documents/Transitions.ts"
import { WebhookEndpoints } from "./webhooks/WebhookEndpoints.ts"
import { Workers } from "./sql/Workers.ts"

/**
 * All services of the store. Requires a `SqlClient` of a migrated database, `NationalProfile`, `SecretKey`, `Limits`,
 * and the platform's crypto.
 */
export const layer = Layer.mergeAll(
  Acceptances.layer,
  Accounts.layer,
  Acquirers.layer,
  ApiKeys.layer,
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
  Numbering.layer,
  Overview.layer,
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
  Layer.provideMerge(Layer.mergeAll(AuditLog.layer, Idempotency.layer)),
  Layer.provideMerge(Layer.mergeAll(Ids.layer, Secrets.layer, Workers.layer))
)
