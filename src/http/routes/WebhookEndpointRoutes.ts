import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { WebhookEndpointId } from "../../../schemas/Id.ts"
import type { WebhookEndpointUpdate } from "../../../schemas/WebhookEndpoint.ts"
import { Api } from "../../api/Api.ts"
import { endpointView, WebhookEndpoints } from "../../webhooks/store/WebhookEndpoints.ts"
import { makeAsk, makeAskAbout } from "../request/Ask.ts"
import { makeFind, makeIdOf, type Named, readPage } from "../request/Paging.ts"
import { withBody } from "../request/Pipeline.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "webhookEndpoints",
  Effect.fn(function* (handlers) {
    const endpoints = yield* WebhookEndpoints
    const find = makeFind("webhook endpoint", endpoints.find)
    const ask = yield* makeAsk
    const askAbout = yield* makeAskAbout(makeIdOf("webhook endpoint", WebhookEndpointId))

    const update = ({ params, payload }: Named & { readonly payload: WebhookEndpointUpdate }) =>
      askAbout(params.id, (actor, about) => actor.UpdateWebhookEndpoint({ ...about, patch: payload }))

    return withBody(handlers).handleAll({
      createWebhookEndpoint: ({ payload }) =>
        ask((actor, context) => actor.CreateWebhookEndpoint({ context, request: payload })),
      listWebhookEndpoints: ({ query }) => readPage("/v1/webhook-endpoints", query, endpoints.list, endpointView),
      retrieveWebhookEndpoint: ({ params }) => Effect.map(find(params.id), endpointView),
      updateWebhookEndpoint: update,
      updateWebhookEndpointByPost: update,
      deleteWebhookEndpoint: ({ params }) => askAbout(params.id, (actor, about) => actor.DeleteWebhookEndpoint(about)),
      rotateWebhookSecret: ({ params }) => askAbout(params.id, (actor, about) => actor.RotateWebhookSecret(about))
    })
  })
)
