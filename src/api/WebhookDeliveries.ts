import { Schema } from "effect"
import {
  AttemptPage,
  Delivery,
  DeliveryPage,
  DeliveryStatus,
  RecoverRequest,
  Recovery,
  WebhookTestRequest
} from "../../schemas/Delivery.ts"
import { pageQuery } from "../../schemas/Page.ts"
import { accepted, get, group, params, post } from "./Endpoint.ts"

const item = "/v1/webhook-deliveries/:id"
const endpoint = "/v1/webhook-endpoints/:id"

export class WebhookDeliveriesApi extends group(
  "webhookDeliveries",
  "Webhook deliveries",
  "Deliveries of events to webhook endpoints, and their attempts.",
  get("listWebhookEndpointDeliveries", `${endpoint}/deliveries`, {
    params,
    query: { ...pageQuery("whd"), status: Schema.optionalKey(DeliveryStatus) },
    success: DeliveryPage,
    summary: "List the deliveries of a webhook endpoint with their latest attempts, newest first",
    description: "Use `status` to list only deliveries in one state, such as `failed` for those that were given up."
  }),
  get("retrieveWebhookDelivery", item, {
    params,
    success: Delivery,
    summary: "Retrieve a delivery with its latest attempts",
    description:
      "Each attempt shows the status, the headers and the beginning of the body that the endpoint answered with."
  }),
  get("listWebhookDeliveryAttempts", `${item}/attempts`, {
    params,
    query: pageQuery("whd", String.raw`_\d{1,9}`),
    success: AttemptPage,
    summary: "List all attempts of a delivery, newest first",
    description:
      "Each attempt shows the status, the headers and the beginning of the body that the endpoint answered with."
  }),
  post("redeliverWebhook", `${item}/redeliver`, {
    params,
    success: accepted(Delivery),
    summary: "Attempt a delivery once more, out of schedule, whatever its state",
    description:
      "Sends the body of the delivery once more, byte for byte, with a new signature. Planned attempts stay planned."
  }),
  post("recoverWebhookEndpoint", `${endpoint}/recover`, {
    params,
    payload: RecoverRequest,
    success: accepted(Recovery),
    summary: "Deliver again what a webhook endpoint missed since a time",
    description:
      "For use after an outage of the receiving server. Delivers each event since the given time whose delivery to this endpoint failed, and each one of a subscribed type that was never delivered to it."
  }),
  post("testWebhookEndpoint", `${endpoint}/test`, {
    params,
    payload: WebhookTestRequest,
    success: accepted(Delivery),
    summary: "Send a sample event to one webhook endpoint",
    description:
      "The sample event is marked as a test and is about a document that does not exist. An inactive endpoint is refused with 409.",
    handling: { optionalBody: true }
  })
) {}
