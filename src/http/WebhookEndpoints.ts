import { Effect, Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ApiError } from "../../schemas/ApiError.ts"
import { WebhookEndpointId } from "../../schemas/Id.ts"
import type { WebhookEndpointUpdate } from "../../schemas/WebhookEndpoint.ts"
import { Api } from "../api/Api.ts"
import { CurrentPrincipal } from "../api/Authorization.ts"
import { endpointView, WebhookEndpoints } from "../store/WebhookEndpoints.ts"
import { makeAsk } from "./Ask.ts"
import { pageRequest, pageView } from "./Paging.ts"

const missing = (id: string) => ApiError.missing("webhook endpoint", id)

// An id of another form names nothing; the actor need not be asked.
const endpointId = (id: string) => Effect.mapError(Schema.decodeEffect(WebhookEndpointId)(id), () => missing(id))

export const layer = HttpApiBuilder.group(
  Api,
  "webhookEndpoints",
  Effect.fn(function* (handlers) {
    const endpoints = yield* WebhookEndpoints
    const ask = yield* makeAsk

    const update = Effect.fn("updateWebhookEndpoint")(function* (request: {
      readonly params: { readonly id: string }
      readonly payload: WebhookEndpointUpdate
    }) {
      const id = yield* endpointId(request.params.id)
      return yield* ask((account, context) => account.UpdateWebhookEndpoint({ context, id, patch: request.payload }))
    })

    return handlers.handleAll({
      createWebhookEndpoint: ({ payload }) =>
        ask((account, context) => account.CreateWebhookEndpoint({ context, request: payload })),
      listWebhookEndpoints: Effect.fn("listWebhookEndpoints")(function* ({ query }) {
        const rows = yield* endpoints.list(yield* CurrentPrincipal, yield* pageRequest(query))
        return pageView("/v1/webhook-endpoints", rows, endpointView)
      }),
      retrieveWebhookEndpoint: Effect.fn("retrieveWebhookEndpoint")(function* ({ params }) {
        const row = yield* endpoints.find(yield* CurrentPrincipal, params.id)
        return endpointView(yield* Effect.mapError(Effect.fromOption(row), () => missing(params.id)))
      }),
      updateWebhookEndpoint: update,
      updateWebhookEndpointByPost: update,
      deleteWebhookEndpoint: Effect.fn("deleteWebhookEndpoint")(function* ({ params }) {
        const id = yield* endpointId(params.id)
        return yield* ask((account, context) => account.DeleteWebhookEndpoint({ context, id }))
      }),
      rotateWebhookSecret: Effect.fn("rotateWebhookSecret")(function* ({ params }) {
        const id = yield* endpointId(params.id)
        return yield* ask((account, context) => account.RotateWebhookSecret({ context, id }))
      })
    })
  })
)
