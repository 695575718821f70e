import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import {
  AttemptPage,
  Delivery,
  DeliveryPage,
  DeliveryStatus,
  RecoverRequest,
  Recovery,
  WebhookTestRequest
} from "../../schemas/Delivery.ts"
import { PageQuery } from "../../schemas/Page.ts"
import { Authorization } from "./Authorization.ts"
import { Conventions, honouredKeyHeaders, IdempotencyKey, OptionalBody, versionHeader } from "./Conventions.ts"
import { Errors } from "./Errors.ts"

const item = "/v1/webhook-deliveries/:id"
const endpoint = "/v1/webhook-endpoints/:id"
const params = { id: Schema.String.annotate({ description: "The id of the object." }) }

export class WebhookDeliveriesApi extends HttpApiGroup.make("webhookDeliveries")
  .add(
    HttpApiEndpoint.get("listWebhookEndpointDeliveries", `${endpoint}/deliveries`, {
      headers: versionHeader,
      params,
      query: { ...PageQuery, status: Schema.optionalKey(DeliveryStatus) },
      success: DeliveryPage
    })
      .annotate(OpenApi.Summary, "List an endpoint's deliveries with their latest attempts, newest first")
      .annotate(OpenApi.Description, "`status` filters: `failed` are those that were given up.")
  )
  .add(
    HttpApiEndpoint.get("retrieveWebhookDelivery", item, {
      headers: versionHeader,
      params,
      success: Delivery
    })
      .annotate(OpenApi.Summary, "Retrieve a delivery with its latest attempts")
      .annotate(
        OpenApi.Description,
        "Each attempt shows the status, the headers and the beginning of the answer that came."
      )
  )
  .add(
    HttpApiEndpoint.get("listWebhookDeliveryAttempts", `${item}/attempts`, {
      headers: versionHeader,
      params,
      query: PageQuery,
      success: AttemptPage
    })
      .annotate(OpenApi.Summary, "List all attempts of a delivery, newest first")
      .annotate(OpenApi.Description, "Each with the status, the headers and the beginning of the answer that came.")
  )
  .add(
    HttpApiEndpoint.post("redeliverWebhook", `${item}/redeliver`, {
      headers: honouredKeyHeaders,
      params,
      success: Delivery.pipe(HttpApiSchema.status(202))
    })
      .annotate(IdempotencyKey, "honoured")
      .annotate(OpenApi.Summary, "Make one more attempt, out of schedule, whatever became of the delivery")
      .annotate(
        OpenApi.Description,
        "The same bytes are sent once more, with a new signature. It does not change the schedule."
      )
  )
  .add(
    HttpApiEndpoint.post("recoverWebhookEndpoint", `${endpoint}/recover`, {
      headers: honouredKeyHeaders,
      params,
      payload: RecoverRequest,
      success: Recovery.pipe(HttpApiSchema.status(202))
    })
      .annotate(IdempotencyKey, "honoured")
      .annotate(OpenApi.Summary, "Deliver what has failed since a time, and what the endpoint never got")
      .annotate(
        OpenApi.Description,
        "For after an outage of your server: every event since then that the endpoint did not receive is delivered again."
      )
  )
  .add(
    HttpApiEndpoint.post("testWebhookEndpoint", `${endpoint}/test`, {
      headers: honouredKeyHeaders,
      params,
      payload: WebhookTestRequest,
      success: Delivery.pipe(HttpApiSchema.status(202))
    })
      .annotate(IdempotencyKey, "honoured")
      .annotate(OptionalBody, true)
      .annotate(OpenApi.Summary, "Send a sample event to this endpoint, and to no other, once")
      .annotate(
        OpenApi.Description,
        "The event is made up and says so; its document does not exist. An endpoint that is inactive gets none."
      )
  )
  .middleware(Conventions)
  .middleware(Authorization)
  .middleware(Errors)
  .annotate(OpenApi.Title, "Webhook deliveries")
  .annotate(OpenApi.Description, "What was delivered to endpoints, and how it went.") {}
