import { Effect, Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ApiError } from "../../schemas/ApiError.ts"
import { DeliveryId, WebhookEndpointId } from "../../schemas/Id.ts"
import { Api } from "../api/Api.ts"
import { CurrentPrincipal } from "../api/Authorization.ts"
import { attemptView, DeliveryLog, deliveryView } from "../store/DeliveryLog.ts"
import { WebhookEndpoints } from "../store/WebhookEndpoints.ts"
import { makeAsk } from "./Ask.ts"
import { pageRequest, pageView } from "./Paging.ts"

const missingDelivery = (id: string) => ApiError.missing("webhook delivery", id)
const missingEndpoint = (id: string) => ApiError.missing("webhook endpoint", id)

// An id of another form names nothing; the actor need not be asked.
const deliveryId = (id: string) => Effect.mapError(Schema.decodeEffect(DeliveryId)(id), () => missingDelivery(id))
const endpointId = (id: string) =>
  Effect.mapError(Schema.decodeEffect(WebhookEndpointId)(id), () => missingEndpoint(id))

export const layer = HttpApiBuilder.group(
  Api,
  "webhookDeliveries",
  Effect.fn(function* (handlers) {
    const endpoints = yield* WebhookEndpoints
    const log = yield* DeliveryLog
    const ask = yield* makeAsk

    return handlers.handleAll({
      listWebhookEndpointDeliveries: Effect.fn("listWebhookEndpointDeliveries")(function* ({ params: { id }, query }) {
        const of = yield* CurrentPrincipal
        const page = yield* pageRequest(query)
        yield* Effect.mapError(Effect.fromOption(yield* endpoints.find(of, id)), () => missingEndpoint(id))
        const rows = yield* log.listOfEndpoint(of, id, query.status ?? null, page)
        return pageView(`/v1/webhook-endpoints/${id}/deliveries`, rows, deliveryView)
      }),
      retrieveWebhookDelivery: Effect.fn("retrieveWebhookDelivery")(function* ({ params: { id } }) {
        const row = yield* log.find(yield* CurrentPrincipal, id)
        return deliveryView(yield* Effect.mapError(Effect.fromOption(row), () => missingDelivery(id)))
      }),
      listWebhookDeliveryAttempts: Effect.fn("listWebhookDeliveryAttempts")(function* ({ params: { id }, query }) {
        const of = yield* CurrentPrincipal
        const page = yield* pageRequest(query)
        yield* Effect.mapError(Effect.fromOption(yield* log.find(of, id)), () => missingDelivery(id))
        const rows = yield* log.attempts(of, id, page)
        return pageView(`/v1/webhook-deliveries/${id}/attempts`, rows, attemptView)
      }),
      redeliverWebhook: Effect.fn("redeliverWebhook")(function* ({ params }) {
        const id = yield* deliveryId(params.id)
        return yield* ask((account, context) => account.RedeliverWebhook({ context, id }))
      }),
      recoverWebhookEndpoint: Effect.fn("recoverWebhookEndpoint")(function* ({ params, payload }) {
        const id = yield* endpointId(params.id)
        return yield* ask((account, context) => account.RecoverWebhookEndpoint({ context, id, request: payload }))
      }),
      testWebhookEndpoint: Effect.fn("testWebhookEndpoint")(function* ({ params, payload }) {
        const id = yield* endpointId(params.id)
        return yield* ask((account, context) => account.TestWebhookEndpoint({ context, id, request: payload }))
      })
    })
  })
)
