import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { DeliveryId, WebhookEndpointId } from "../../../schemas/Id.ts"
import { Api } from "../../api/Api.ts"
import { attemptView, DeliveryLog, deliveryView } from "../../webhooks/store/DeliveryLog.ts"
import { WebhookEndpoints } from "../../webhooks/store/WebhookEndpoints.ts"
import { makeAskAbout } from "../request/Ask.ts"
import { makeFind, makeIdOf, readPage } from "../request/Paging.ts"
import { withBody } from "../request/Pipeline.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "webhookDeliveries",
  Effect.fn(function* (handlers) {
    const log = yield* DeliveryLog
    const findEndpoint = makeFind("webhook endpoint", (yield* WebhookEndpoints).find)
    const findDelivery = makeFind("webhook delivery", log.find)
    const askAboutDelivery = yield* makeAskAbout(makeIdOf("webhook delivery", DeliveryId))
    const askAboutEndpoint = yield* makeAskAbout(makeIdOf("webhook endpoint", WebhookEndpointId))

    return withBody(handlers).handleAll({
      listWebhookEndpointDeliveries: ({ params: { id }, query }) =>
        readPage(
          `/v1/webhook-endpoints/${id}/deliveries`,
          query,
          (principal, page) =>
            Effect.andThen(findEndpoint(id), log.listOfEndpoint(principal, id, query.status ?? null, page)),
          deliveryView
        ),
      retrieveWebhookDelivery: ({ params }) => Effect.map(findDelivery(params.id), deliveryView),
      listWebhookDeliveryAttempts: ({ params: { id }, query }) =>
        readPage(
          `/v1/webhook-deliveries/${id}/attempts`,
          query,
          (principal, page) => Effect.andThen(findDelivery(id), log.attempts(principal, id, page)),
          attemptView
        ),
      redeliverWebhook: ({ params }) => askAboutDelivery(params.id, (actor, about) => actor.RedeliverWebhook(about)),
      recoverWebhookEndpoint: ({ params, payload }) =>
        askAboutEndpoint(params.id, (actor, about) => actor.RecoverWebhookEndpoint({ ...about, request: payload })),
      testWebhookEndpoint: ({ params, payload }) =>
        askAboutEndpoint(params.id, (actor, about) => actor.TestWebhookEndpoint({ ...about, request: payload }))
    })
  })
)
