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
const params = { id: Schema.String }
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
  )
  .add(
    HttpApiEndpoint.get("listWebhookEndpoints", "/v1/webhook-endpoints", {
      headers: versionHeader,
      query: PageQuery,
      success: Page(WebhookEndpoint, "WebhookEndpointPage")
    }).annotate(OpenApi.Summary, "List endpoints, newest first, without their secrets")
  )
  .add(
    HttpApiEndpoint.get("retrieveWebhookEndpoint", item, {
      headers: versionHeader,
      params,
      success: WebhookEndpoint
    }).annotate(OpenApi.Summary, "Retrieve an endpoint, without its secret")
  )
  .add(
    HttpApiEndpoint.patch("updateWebhookEndpoint", item, update)
      .annotate(IdempotencyKey, "honoured")
      .annotate(OpenApi.Summary, "Change an endpoint")
  )
  .add(
    HttpApiEndpoint.post("updateWebhookEndpointByPost", item, update)
      .annotate(IdempotencyKey, "honoured")
      .annotate(OpenApi.Summary, "Change an endpoint: the same as PATCH")
  )
  .add(
    HttpApiEndpoint.delete("deleteWebhookEndpoint", item, {
      headers: versionHeader,
      params,
      success: DeletedWebhookEndpoint
    }).annotate(OpenApi.Summary, "Delete an endpoint for good; what it had not received yet is canceled")
  )
  .add(
    HttpApiEndpoint.post("rotateWebhookSecret", `${item}/rotate-secret`, {
      headers: honouredKeyHeaders,
      params,
      success: WebhookEndpointWithSecret.pipe(HttpApiSchema.status(201))
    })
      .annotate(IdempotencyKey, "honoured")
      .annotate(OpenApi.Summary, "Replace the signing secret at once; the answer shows the new one")
  )
  .middleware(Conventions)
  .middleware(Authorization)
  .middleware(Errors)
  .annotate(OpenApi.Title, "Webhook endpoints") {}
