import { Clock, Effect } from "effect"
import type { AccountMode } from "../../../schemas/Account.ts"
import { ApiError } from "../../../schemas/ApiError.ts"
import type { Recovery } from "../../../schemas/Delivery.ts"
import type { DeliveryId } from "../../../schemas/Id.ts"
import { violation } from "../../documents/rules/AuthorityRules.ts"
import { timestamp } from "../../runtime/AuthorityTime.ts"
import { sampleEvent } from "../../webhooks/rules/SampleEvent.ts"
import { Notify } from "../Notify.ts"
import { Ids } from "../../database/Ids.ts"
import { DeliveryLog, deliveryView } from "../../webhooks/store/DeliveryLog.ts"
import { Redelivery } from "../../webhooks/store/Redelivery.ts"
import * as Command from "../Command.ts"

/** The commands that redeliver, recover and test webhooks. They notify the endpoint's actor after the commit. */
export const make = Effect.gen(function* () {
  const ids = yield* Ids
  const log = yield* DeliveryLog
  const redelivery = yield* Redelivery
  const notify = yield* Notify

  const shown = Effect.fnUntraced(function* (account: AccountMode, id: DeliveryId) {
    const row = yield* Command.found(yield* log.find(account, id), "webhook delivery", id)
    return Command.accepted(`/v1/webhook-deliveries/${id}`, deliveryView(row))
  })

  const RedeliverWebhook = Command.alone("RedeliverWebhook", {
    run: function* (account, { id }) {
      const endpoint = yield* redelivery.redeliver({ ...account, id })
      return {
        answer: yield* shown(account, id),
        audit: [["webhook_delivery.redelivered", id]],
        after: notify.deliver(endpoint)
      }
    }
  })

  const RecoverWebhookEndpoint = Command.alone("RecoverWebhookEndpoint", {
    run: function* (account, { id, request }) {
      const endpoint = { ...account, id }
      const since = new Date(request.since)
      if (since.getTime() > (yield* Clock.currentTimeMillis)) return yield* inFuture
      const { deliveries, has_more } = yield* redelivery.recover(endpoint, since)
      const body: Recovery = {
        object: "webhook_recovery",
        webhook_endpoint_id: id,
        since: timestamp(since.getTime()),
        deliveries,
        has_more
      }
      return {
        answer: Command.accepted(`/v1/webhook-endpoints/${id}/deliveries?status=pending`, body),
        audit: [["webhook_endpoint.recovered", id, { since: request.since, deliveries }]],
        after: notify.deliver(endpoint)
      }
    }
  })

  const TestWebhookEndpoint = Command.alone("TestWebhookEndpoint", {
    run: function* (account, { id: endpoint_id, request }) {
      const endpoint = { ...account, id: endpoint_id }
      const now = yield* Clock.currentTimeMillis
      const id = yield* ids.event
      const ulid = (yield* ids.invoice).slice(4)
      const delivery = yield* redelivery.test(endpoint, ([first]) => {
        const type = request.type ?? first ?? "invoice.accepted_by_authority"
        const sample = sampleEvent({ ...account, id, type, created: timestamp(now), ulid })
        return { id, type, created_at: new Date(now), ...sample }
      })
      return {
        answer: yield* shown(account, delivery),
        audit: [["webhook_endpoint.tested", endpoint_id]],
        after: notify.deliver(endpoint)
      }
    }
  })

  return { RedeliverWebhook, RecoverWebhookEndpoint, TestWebhookEndpoint }
})

const inFuture = ApiError.fromViolations([
  violation("since", "parameter_invalid", "since must be in the past.", "passed_time")
])
