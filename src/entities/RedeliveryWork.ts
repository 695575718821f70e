import { Clock, Context, Effect, Layer, Option } from "effect"
import type { AccountMode } from "../../schemas/Account.ts"
import { ApiError } from "../../schemas/ApiError.ts"
import type { Recovery, RecoverRequest, WebhookTestRequest } from "../../schemas/Delivery.ts"
import type { DeliveryId } from "../../schemas/Id.ts"
import { timestamp } from "../domain/AuthorityTime.ts"
import { sampleEvent } from "../domain/SampleEvent.ts"
import type { RequestContext } from "../protocol/AccountEntity.ts"
import { AuditLog } from "../store/AuditLog.ts"
import { DeliveryLog, deliveryView } from "../store/DeliveryLog.ts"
import { IdempotencyKeys, type Outcome } from "../store/IdempotencyKeys.ts"
import { Ids } from "../store/Ids.ts"
import { Redelivery } from "../store/Redelivery.ts"
import type { EndpointKey } from "../store/WebhookEndpoints.ts"
import { optionalClaim } from "./AccountWork.ts"
import { Telling } from "./Telling.ts"

/** What an account's actor does when attempts are asked for; the endpoint's actor is told after the commit. */
export class RedeliveryWork extends Context.Service<
  RedeliveryWork,
  {
    readonly redeliver: (
      key: AccountMode & { readonly id: DeliveryId },
      context: RequestContext
    ) => Effect.Effect<Outcome, ApiError>
    readonly recover: (
      key: EndpointKey,
      context: RequestContext,
      request: RecoverRequest
    ) => Effect.Effect<Outcome, ApiError>
    readonly test: (
      key: EndpointKey,
      context: RequestContext,
      request: WebhookTestRequest
    ) => Effect.Effect<Outcome, ApiError>
  }
>()("folio/entities/RedeliveryWork") {
  static readonly layer = Layer.effect(
    RedeliveryWork,
    Effect.gen(function* () {
      const audit = yield* AuditLog
      const ids = yield* Ids
      const keys = yield* IdempotencyKeys
      const log = yield* DeliveryLog
      const redelivery = yield* Redelivery
      const telling = yield* Telling

      const showDelivery = Effect.fnUntraced(function* (of: AccountMode, id: DeliveryId) {
        const row = yield* log.find(of, id)
        if (Option.isNone(row)) return yield* ApiError.missing("webhook delivery", id)
        return accepted(`/v1/webhook-deliveries/${id}`, deliveryView(row.value))
      })

      const redeliver: RedeliveryWork["Service"]["redeliver"] = Effect.fn("RedeliveryWork.redeliver")(
        function* (key, context) {
          let endpoint: EndpointKey | undefined
          const ask = Effect.gen(function* () {
            endpoint = yield* redelivery.redeliver(key)
            yield* audit.record(key, context, "webhook_delivery.redelivered", key.id)
            return yield* showDelivery(key, key.id)
          })
          const outcome = yield* keys.once(key, optionalClaim(context), ask)
          if (endpoint !== undefined) yield* telling.deliver(endpoint)
          return outcome
        }
      )

      const recover: RedeliveryWork["Service"]["recover"] = Effect.fn("RedeliveryWork.recover")(
        function* (key, context, request) {
          const take = Effect.gen(function* () {
            const since = new Date(request.since)
            if (since.getTime() > (yield* Clock.currentTimeMillis)) return yield* inFuture
            const { deliveries, has_more } = yield* redelivery.recover(key, since)
            yield* audit.record(key, context, "webhook_endpoint.recovered", key.id, {
              since: request.since,
              deliveries
            })
            const body: Recovery = {
              object: "webhook_recovery",
              webhook_endpoint_id: key.id,
              since: timestamp(since.getTime()),
              deliveries,
              has_more
            }
            return accepted(`/v1/webhook-endpoints/${key.id}/deliveries?status=pending`, body)
          })
          const outcome = yield* keys.once(key, optionalClaim(context), take)
          if (!outcome.replayed) yield* telling.deliver(key)
          return outcome
        }
      )

      const test: RedeliveryWork["Service"]["test"] = Effect.fn("RedeliveryWork.test")(
        function* (key, context, request) {
          const make = Effect.gen(function* () {
            const now = yield* Clock.currentTimeMillis
            const id = yield* ids.event
            const ulid = (yield* ids.invoice).slice(4)
            const delivery = yield* redelivery.test(key, ([first]) => {
              const type = request.type ?? first ?? "invoice.accepted_by_authority"
              const of = { account_id: key.account_id, livemode: key.livemode }
              return {
                id,
                type,
                created_at: new Date(now),
                ...sampleEvent({ ...of, id, type, created: timestamp(now), ulid })
              }
            })
            return yield* showDelivery(key, delivery)
          })
          const outcome = yield* keys.once(key, optionalClaim(context), make)
          if (!outcome.replayed) yield* telling.deliver(key)
          return outcome
        }
      )

      return RedeliveryWork.of({ redeliver, recover, test })
    })
  )
}

const accepted = (location: string, body: object) => ({ status: 202, location, body: JSON.stringify(body) })

const inFuture = ApiError.fromViolations([
  { param: "since", code: "parameter_invalid", message: "since must be a time that has passed." }
])
