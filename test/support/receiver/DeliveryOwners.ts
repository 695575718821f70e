import { Context, Effect } from "effect"
import { type CompletedAttempt, Deliveries, type DueDelivery } from "../../../src/webhooks/store/Deliveries.ts"
import { Ids } from "../../../src/database/Ids.ts"
import { Transitions } from "../../../src/invoices/store/Transitions.ts"
import { WebhookEndpoints } from "../../../src/webhooks/store/WebhookEndpoints.ts"
import { restingAt, seedEndpoint } from "../database/Owners.ts"
import { twoOwners } from "../database/TwoOwners.ts"

export const secret = "whsec_c2VjcmV0"

/** Two owners of one endpoint with `count` deliveries: two for each of its documents, in this order. */
export const deliveryOwners = Effect.fnUntraced(function* (count: number) {
  const { account, first, second, seed, sql } = yield* twoOwners
  yield* sql`truncate deliveries, attempts`
  yield* sql`delete from webhook_endpoints`
  const id = yield* seedEndpoint(account, { max_in_flight: 10 }, secret).pipe(Effect.provideContext(first))
  const documents = yield* seed(Math.ceil(count / 2), "signed")
  const ids = Context.get(first, Ids)
  const transitions = Context.get(first, Transitions)
  const steps = [
    { version: 1, from: "signed", command: "EnterContingency", to: "accepted_contingency" },
    { version: 2, from: "accepted_contingency", command: "Accept", to: "accepted_by_authority" }
  ] as const
  for (const step of steps) {
    yield* Effect.forEach(documents, (document) =>
      Effect.flatMap(ids.event, (event) =>
        transitions.move({
          key: { ...account, id: document },
          ...step,
          ...restingAt(step.to),
          event: { id: event, type: "invoice.accepted_by_authority", body: "{}", created_at: new Date() }
        })
      )
    )
  }
  return {
    account,
    key: { ...account, id },
    documents,
    endpoints: Context.get(first, WebhookEndpoints),
    services: first,
    first: Context.get(first, Deliveries),
    second: Context.get(second, Deliveries)
  }
})

/** A completed attempt with its delivery's trigger: it succeeded, or it failed and is retried after 30 s. */
export const completed = (delivery: DueDelivery, succeeded: boolean): CompletedAttempt => ({
  delivery,
  started_at: new Date(),
  duration_ms: 1,
  retryInMs: succeeded ? null : 30_000,
  remote_ip: null,
  response_status: succeeded ? 200 : 500,
  response_headers: {},
  response_body: "",
  error: succeeded ? null : { code: "status", message: "500" }
})
