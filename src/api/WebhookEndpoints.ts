import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Page, PageQuery } from "../../schemas/Page.ts"
import {
  DeletedWebhookEndpoint,
  WebhookEndpoint,
  WebhookEndpointRequest,
  WebhookEndpointUpdate,
  WebhookEndpointWithSecret
} from "../../schemas/WebhookEndpoint.ts"
import { Authorization } from "./Authorization.ts"
import { Conventions, honouredKeyHeaders, IdempotencyKey, versionHeader } from "./Conventions.ts"
import { Errors } from "./Errors.ts"

const item = "/v1/webhook-endpoints/:id"
const params = { id: Schema.String.annotate({ description: "The id of the object." }) }
const update = { headers: honouredKeyHeaders, params, payload: WebhookEndpointUpdate, success: WebhookEndpoint }

export class WebhookEndpointsApi extends HttpApiGroup.make("webhookEndpoints")
  .add(
    HttpApiEndpoint.post("createWebhookEndpoint", "/v1/webhook-endpoints", {
      headers: honouredKeyHeaders,
      payload: WebhookEndpointRequest,
      success: WebhookEndpointWithSecret.pipe(HttpApiSchema.status(201))
    })
      .annotate(IdempotencyKey, "honoured")
      .annotate(OpenApi.Summary, "Register an endpoint; the answer shows its signing secret")
      .annotate(
        OpenApi.Description,
        "The secret is shown in this answer only. The mode of the key decides whose events it gets."
      )
  )
  .add(
    HttpApiEndpoint.get("listWebhookEndpoints", "/v1/webhook-endpoints", {
      headers: versionHeader,
      query: PageQuery,
      success: Page(WebhookEndpoint, "WebhookEndpointPage")
    })
      .annotate(OpenApi.Summary, "List endpoints, newest first, without their secrets")
      .annotate(OpenApi.Description, "Go on with `starting_after`, the id of the last one, while `has_more` is true.")
  )
  .add(
    HttpApiEndpoint.get("retrieveWebhookEndpoint", item, {
      headers: versionHeader,
      params,
      success: WebhookEndpoint
    })
      .annotate(OpenApi.Summary, "Retrieve an endpoint, without its secret")
      .annotate(OpenApi.Description, "`health` says how deliveries are going.")
  )
  .add(
    HttpApiEndpoint.patch("updateWebhookEndpoint", item, update)
      .annotate(IdempotencyKey, "honoured")
      .annotate(OpenApi.Summary, "Change an endpoint")
      .annotate(
        OpenApi.Description,
        "What is sent is changed, the rest stays. `is_active` false stops deliveries; those that wait go on when it is true again."
      )
  )
  .add(
    HttpApiEndpoint.post("updateWebhookEndpointByPost", item, update)
      .annotate(IdempotencyKey, "honoured")
      .annotate(OpenApi.Summary, "Change an endpoint: the same as PATCH")
      .annotate(OpenApi.Description, "For clients that cannot send PATCH.")
  )
  .add(
    HttpApiEndpoint.delete("deleteWebhookEndpoint", item, {
      headers: versionHeader,
      params,
      success: DeletedWebhookEndpoint
    })
      .annotate(OpenApi.Summary, "Delete an endpoint for good; what it had not received yet is canceled")
      .annotate(OpenApi.Description, "It cannot be undone.")
  )
  .add(
    HttpApiEndpoint.post("rotateWebhookSecret", `${item}/rotate-secret`, {
      headers: honouredKeyHeaders,
      params,
      success: WebhookEndpointWithSecret.pipe(HttpApiSchema.status(201))
    })
      .annotate(IdempotencyKey, "honoured")
      .annotate(OpenApi.Summary, "Replace the signing secret at once; the answer shows the new one")
      .annotate(
        OpenApi.Description,
        "The old secret is void at once: deliveries under way that it signed fail verification."
      )
  )
  .middleware(Conventions)
  .middleware(Authorization)
  .middleware(Errors)
  .annotate(OpenApi.Title, "Webhook endpoints")
  .annotate(OpenApi.Description, "Where events are delivered.") {}
