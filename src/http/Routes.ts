import { Effect, Layer } from "effect"
import { HttpRouter } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../api/Api.ts"
import * as Account from "./Account.ts"
import * as ApiKeys from "./ApiKeys.ts"
import * as Authentication from "./Authentication.ts"
import * as Catalogs from "./Catalogs.ts"
import { Concurrency } from "./Concurrency.ts"
import * as Conventions from "./Conventions.ts"
import * as CreditNotes from "./CreditNotes.ts"
import * as Customers from "./Customers.ts"
import * as DebitNotes from "./DebitNotes.ts"
import * as Docs from "./Docs.ts"
import * as EmailNotices from "./EmailNotices.ts"
import * as Errors from "./Errors.ts"
import * as Events from "./Events.ts"
import { noteRoute } from "./Exchange.ts"
import * as FileAccess from "./FileAccess.ts"
import * as Files from "./Files.ts"
import * as Health from "./Health.ts"
import * as Invoices from "./Invoices.ts"
import * as Metrics from "./Metrics.ts"
import { RateLimit } from "./RateLimit.ts"
import { RequestTurns } from "./RequestTurns.ts"
import * as Resolutions from "./Resolutions.ts"
import * as TestHelpers from "./TestHelpers.ts"
import * as WebhookDeliveries from "./WebhookDeliveries.ts"
import * as Versions from "./Versions.ts"
import * as WebhookEndpoints from "./WebhookEndpoints.ts"

const groups = Layer.mergeAll(
  Account.layer,
  ApiKeys.layer,
  Catalogs.layer,
  CreditNotes.layer,
  Customers.layer,
  DebitNotes.layer,
  EmailNotices.layer,
  Events.layer,
  Files.layer,
  Health.layer,
  Invoices.layer,
  Resolutions.layer,
  TestHelpers.layer,
  WebhookDeliveries.layer,
  Versions.layer,
  WebhookEndpoints.layer
).pipe(
  Layer.provide([FileAccess.layer, Conventions.layer, EmailNotices.signatureLayer, Errors.layer]),
  Layer.provide(Authentication.layer)
)

/** For routes that need no key. */
const limitedByAddress = HttpRouter.middleware(
  Effect.map(RateLimit, (limit) => (handler) => Effect.andThen(limit.ofAddress, handler))
).layer

/** Every route of the service. A team adds its own beside these. */
const layer = Layer.mergeAll(
  HttpApiBuilder.layer(Api).pipe(Layer.provide(groups)),
  Docs.layer.pipe(Layer.provide(limitedByAddress)),
  Metrics.layer
).pipe(Layer.provide([noteRoute, RateLimit.layer, Concurrency.layer, RequestTurns.layer]))

/** The routes as one handler. A path is matched to the letter: any other spelling of it is another path, and not there. */
export const handler = HttpRouter.toHttpEffect(layer).pipe(
  Effect.provideService(HttpRouter.RouterConfig, {
    caseSensitive: true,
    ignoreTrailingSlash: false,
    ignoreDuplicateSlashes: false
  })
)
