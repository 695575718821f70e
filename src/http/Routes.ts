import { Effect, Layer } from "effect"
import { HttpRouter } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../api/Api.ts"
import * as Account from "./routes/parties/Account.ts"
import * as Acquirers from "./routes/parties/Acquirers.ts"
import * as ApiKeys from "./routes/ApiKeys.ts"
import * as Authentication from "./request/Authentication.ts"
import * as Catalogs from "./routes/Catalogs.ts"
import { Concurrency } from "./limits/Concurrency.ts"
import * as Pipeline from "./request/Pipeline.ts"
import * as Customers from "./routes/parties/Customers.ts"
import * as Notes from "./routes/Notes.ts"
import * as Docs from "./service/Docs.ts"
import * as EmailNotices from "./routes/EmailNotices.ts"
import * as Errors from "./request/Errors.ts"
import * as Events from "./routes/Events.ts"
import * as Files from "./routes/Files.ts"
import * as Health from "./service/Health.ts"
import * as Invoices from "./routes/Invoices.ts"
import * as Metrics from "./service/Metrics.ts"
import * as PortalSessions from "./routes/PortalSessions.ts"
import { RateLimit } from "./limits/RateLimit.ts"
import * as Requests from "./routes/Requests.ts"
import { RequestTurns } from "./limits/RequestTurns.ts"
import * as Resolutions from "./routes/Resolutions.ts"
import { portInTime } from "../protocol/PortCall.ts"
import * as TestHelpers from "./routes/TestHelpers.ts"
import * as WebhookDeliveries from "./routes/WebhookDeliveries.ts"
import * as Versions from "./service/Versions.ts"
import * as WebhookEndpoints from "./routes/WebhookEndpoints.ts"

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
  PortalSessions.layer,
  Requests.layer,
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
