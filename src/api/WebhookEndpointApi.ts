import { Page, pageQuery } from "../../schemas/Page.ts"
import {
  DeletedWebhookEndpoint,
  WebhookEndpoint,
  WebhookEndpointRequest,
  WebhookEndpointUpdate,
  WebhookEndpointWithSecret
} from "../../schemas/WebhookEndpoint.ts"
import { created, get, group, insteadOfPatch, nextPage, params, patch, post, remove } from "./Endpoint.ts"

const item = "/v1/webhook-endpoints/:id"
const update = { params, payload: WebhookEndpointUpdate, success: WebhookEndpoint }

export class WebhookEndpointsApi extends group(
  "webhookEndpoints",
  "Webhook endpoints",
  "URLs that receive events.",
  post("createWebhookEndpoint", "/v1/webhook-endpoints", {
    payload: WebhookEndpointRequest,
    success: created(WebhookEndpointWithSecret),
    summary: "Create a webhook endpoint",
    description:
      "Creates a webhook endpoint. The response shows its signing secret once. The endpoint receives events of the mode of the API key that created it.",
    handling: { checkedAs: "webhook_endpoint" }
  }),
  get("listWebhookEndpoints", "/v1/webhook-endpoints", {
    query: pageQuery("we"),
    success: Page(WebhookEndpoint, "WebhookEndpointPage"),
    summary: "List webhook endpoints",
    description: `Lists webhook endpoints without their signing secrets, newest first. ${nextPage}`
  }),
  get("retrieveWebhookEndpoint", item, {
    params,
    success: WebhookEndpoint,
    summary: "Retrieve a webhook endpoint",
    description:
      "Returns a webhook endpoint without its signing secret. `health` has the time since which deliveries fail or the delivery queue is full."
  }),
  patch("updateWebhookEndpoint", item, {
    ...update,
    summary: "Update a webhook endpoint",
    description:
      "Changes the fields in the body and keeps all other fields. While `is_active` is false, Folio sends no deliveries. Once `is_active` is true again, it sends the queued deliveries."
  }),
  post("updateWebhookEndpointByPost", item, {
    ...update,
    summary: "Update an endpoint (POST)",
    description: insteadOfPatch
  }),
  remove("deleteWebhookEndpoint", item, {
    params,
    success: DeletedWebhookEndpoint,
    summary: "Delete a webhook endpoint",
    description: "Deletes a webhook endpoint and cancels its queued deliveries. You cannot undo a deletion."
  }),
  post("rotateWebhookSecret", `${item}/rotate-secret`, {
    params,
    success: created(WebhookEndpointWithSecret),
    summary: "Rotate a signing secret",
    description:
      "Replaces the signing secret of a webhook endpoint immediately. The response shows the new secret. A delivery in progress can still have the old signature. A receiver with the new secret rejects it, and Folio retries it."
  })
) {}
