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
  "Webhook endpoints: the URLs that events are delivered to.",
  post("createWebhookEndpoint", "/v1/webhook-endpoints", {
    payload: WebhookEndpointRequest,
    success: created(WebhookEndpointWithSecret),
    summary: "Register a webhook endpoint; the answer shows its signing secret",
    description:
      "The answer shows the signing secret once. The endpoint receives the events of the mode of the API key that registers it.",
    handling: { checkedAs: "webhook_endpoint" }
  }),
  get("listWebhookEndpoints", "/v1/webhook-endpoints", {
    query: pageQuery("we"),
    success: Page(WebhookEndpoint, "WebhookEndpointPage"),
    summary: "List webhook endpoints, newest first, without their signing secrets",
    description: nextPage
  }),
  get("retrieveWebhookEndpoint", item, {
    params,
    success: WebhookEndpoint,
    summary: "Retrieve a webhook endpoint, without its signing secret",
    description: "`health` says since when deliveries fail or wait."
  }),
  patch("updateWebhookEndpoint", item, {
    ...update,
    summary: "Change a webhook endpoint",
    description:
      "The fields in the body are changed, and all other fields stay. With `is_active` false no deliveries are sent; those that wait are sent once `is_active` is true again."
  }),
  post("updateWebhookEndpointByPost", item, {
    ...update,
    summary: "Change a webhook endpoint: the same as PATCH",
    description: insteadOfPatch
  }),
  remove("deleteWebhookEndpoint", item, {
    params,
    success: DeletedWebhookEndpoint,
    summary: "Delete a webhook endpoint and cancel the deliveries that wait for it",
    description: "A deletion cannot be undone."
  }),
  post("rotateWebhookSecret", `${item}/rotate-secret`, {
    params,
    success: created(WebhookEndpointWithSecret),
    summary: "Replace the signing secret of a webhook endpoint; the answer shows the new one",
    description:
      "The old signing secret is replaced at once: a delivery that was signed with it and is under way fails the verification of a receiver that has the new one, and is attempted again."
  })
) {}
