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
    summary: "List deliveries of an endpoint",
    description:
      "Lists the deliveries of a webhook endpoint with their latest attempts, newest first. Use `status` to filter the list: for example, `failed` lists deliveries without further automatic attempts."
  }),
  get("retrieveWebhookDelivery", item, {
    params,
    success: Delivery,
    summary: "Retrieve a delivery",
    description:
      "Returns a delivery with its latest attempts. Each attempt has the status code, the headers and the start of the body of the endpoint's response."
  }),
  get("listWebhookDeliveryAttempts", `${item}/attempts`, {
    params,
    query: pageQuery("whd", String.raw`_\d{1,9}`),
    success: AttemptPage,
    summary: "List attempts of a delivery",
    description:
      "Lists all attempts of a delivery, newest first. Each attempt has the status code, the headers and the start of the body of the endpoint's response."
  }),
  post("redeliverWebhook", `${item}/redeliver`, {
    params,
    success: accepted(Delivery),
    summary: "Redeliver an event",
    description:
      "Makes another attempt outside the schedule, regardless of the status of the delivery. Folio sends the same body, byte for byte, with a new signature. Scheduled attempts stay scheduled."
  }),
  post("recoverWebhookEndpoint", `${endpoint}/recover`, {
    params,
    payload: RecoverRequest,
    success: accepted(Recovery),
    summary: "Recover missed deliveries",
    description:
      "Delivers the events that a webhook endpoint missed since the given time. Use this request after an outage of the receiver. Folio delivers each event whose delivery to this endpoint failed, and each event of a subscribed type that has no delivery to it."
  }),
  post("testWebhookEndpoint", `${endpoint}/test`, {
    params,
    payload: WebhookTestRequest,
    success: accepted(Delivery),
    summary: "Send a test event",
    description:
      "Sends a test event to a webhook endpoint. Its document does not exist. If the endpoint is inactive, Folio returns 409.",
    handling: { optionalBody: true }
  })
) {}
