import { Effect, Layer } from "effect"
import { HttpRouter } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../api/Api.ts"
import * as Account from "./routes/parties/AccountRoutes.ts"
import * as Acquirers from "./routes/parties/AcquirerRoutes.ts"
import * as ApiKeys from "./routes/ApiKeyRoutes.ts"
import * as Authentication from "./request/Authentication.ts"
import * as Catalogs from "./routes/CatalogRoutes.ts"
import { Concurrency } from "./limits/Concurrency.ts"
import * as Pipeline from "./request/Pipeline.ts"
import * as Customers from "./routes/parties/CustomerRoutes.ts"
import * as Notes from "./routes/NoteRoutes.ts"
import * as Docs from "./service/DocsRoutes.ts"
import * as EmailNotices from "./routes/EmailNoticeRoutes.ts"
import * as Errors from "./request/ErrorResponses.ts"
import * as Events from "./routes/EventRoutes.ts"
import * as Files from "./routes/FileRoutes.ts"
import * as Health from "./service/HealthRoutes.ts"
import * as Invoices from "./routes/InvoiceRoutes.ts"
import * as Metrics from "./service/MetricsRoutes.ts"
import * as Platform from "./routes/parties/PlatformRoutes.ts"
import * as PortalSessions from "./routes/PortalSessionRoutes.ts"
import { RateLimit } from "./limits/RateLimit.ts"
import * as AuditLog from "./routes/AuditLogRoutes.ts"
import * as Notices from "./routes/NoticeRoutes.ts"
import * as Requests from "./routes/RequestRoutes.ts"
import { RequestTurns } from "./limits/RequestTurns.ts"
import * as Resolutions from "./routes/ResolutionRoutes.ts"
import { portInTime } from "../runtime/PortCall.ts"
import * as TestHelpers from "./routes/TestHelperRoutes.ts"
import * as WebhookDeliveries from "./routes/WebhookDeliveryRoutes.ts"
import * as Versions from "./service/VersionRoutes.ts"
import * as WebhookEndpoints from "./routes/WebhookEndpointRoutes.ts"

const groups = Layer.mergeAll(
  Account.layer,
  Acquirers.layer,
  ApiKeys.layer,
  Catalogs.layer,
  Customers.layer,
  EmailNotices.layer,
  Events.layer,
  Files.layer,
  Health.layer,
  Invoices.layer,
  Notes.creditNotes,
  Notes.debitNotes,
  Platform.layer,
  PortalSessions.layer,
  Requests.layer,
  AuditLog.layer,
  Notices.layer,
  Resolutions.layer,
  TestHelpers.layer,
  WebhookDeliveries.layer,
  Versions.layer,
  WebhookEndpoints.layer
).pipe(
  Layer.provide([Authentication.layerFileAccess, Pipeline.layer, EmailNotices.layerSignature, Errors.layer]),
  Layer.provide(Authentication.layer)
)

/** Middleware that limits requests by client address, for routes of the service or of a team that need no API key. */
export const limitedByAddress = HttpRouter.middleware(
  Effect.map(RateLimit, (limit) => (handler) => Effect.andThen(portInTime(limit.ofAddress), handler))
).layer

/** All routes of the service, for `Http.serve`. */
export const layer = Layer.mergeAll(
  HttpApiBuilder.layer(Api).pipe(Layer.provide(groups)),
  Docs.layer.pipe(Layer.provide(limitedByAddress)),
  Metrics.layer
).pipe(Layer.provide([Concurrency.layer, RequestTurns.layer]))
