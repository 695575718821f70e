import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import {
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
const params = { id: Schema.String }

export class WebhookDeliveriesApi extends HttpApiGroup.make("webhookDeliveries")
  .add(
    HttpApiEndpoint.get("listWebhookEndpointDeliveries", `${endpoint}/deliveries`, {
      headers: versionHeader,
      params,
      query: { ...PageQuery, status: Schema.optionalKey(DeliveryStatus) },
      success: DeliveryPage
    }).annotate(OpenApi.Summary, "List an endpoint's deliveries with their attempts, newest first")
  )
  .add(
    HttpApiEndpoint.get("retrieveWebhookDelivery", item, {
      headers: versionHeader,
      params,
      success: Delivery
    }).annotate(OpenApi.Summary, "Retrieve a delivery with its attempts")
  )
  .add(
    HttpApiEndpoint.post("redeliverWebhook", `${item}/redeliver`, {
      headers: honouredKeyHeaders,
      params,
      success: Delivery.pipe(HttpApiSchema.status(202))
    })
      .annotate(IdempotencyKey, "honoured")
      .annotate(OpenApi.Summary, "Make one more attempt, out of schedule, whatever became of the delivery")
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
  )
  .middleware(Conventions)
  .middleware(Authorization)
  .middleware(Errors)
  .annotate(OpenApi.Title, "Webhook deliveries") {}
