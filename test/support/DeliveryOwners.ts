import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { type CompletedAttempt, Deliveries, type DueDelivery } from "../../src/store/Deliveries.ts"
import { Ids } from "../../src/store/Ids.ts"
import { Transitions } from "../../src/store/Transitions.ts"
import { WebhookEndpoints } from "../../src/store/WebhookEndpoints.ts"
import { ownerLayer, seedAccount, seedDrafts, seedEndpoint } from "./Owners.ts"
import { TestDatabase } from "./Postgres.ts"

export const secret = "whsec_c2VjcmV0"

/** Two owners of one endpoint, which has `count` deliveries to make: two for each of its documents, in this order. */
export const twoOwners = Effect.fnUntraced(function* (count: number) {
  const { url } = yield* TestDatabase
  const sql = yield* SqlClient.SqlClient
  const first = yield* Layer.build(ownerLayer(url))
  const second = yield* Layer.build(ownerLayer(url))
  const { of } = yield* seedAccount.pipe(Effect.provideContext(first))
  yield* sql`truncate deliveries, attempts`
  yield* sql`delete from webhook_endpoints`
  const id = yield* seedEndpoint(of, { max_in_flight: 10 }, secret).pipe(Effect.provideContext(first))
  const documents = yield* seedDrafts(of.account_id, Math.ceil(count / 2), "submitted").pipe(
    Effect.provideContext(first)
  )
  const ids = Context.get(first, Ids)
  const transitions = Context.get(first, Transitions)
  for (const contingency of [true, false]) {
    yield* Effect.forEach(documents, (document) =>
      Effect.flatMap(ids.event, (event) =>
        transitions.move({
          key: { ...of, id: document },
          version: contingency ? 1 : 2,
          from: contingency ? "submitted" : "accepted_contingency",
          command: contingency ? "EnterContingency" : "Accept",
          to: contingency ? "accepted_contingency" : "accepted_by_authority",
          alarmMs: null,
          event: { id: event, type: "invoice.accepted_by_authority", body: "{}", created_at: new Date() }
        })
      )
    )
  }
  return {
    key: { ...of, id },
    documents,
    endpoints: Context.get(first, WebhookEndpoints),
    services: first,
    first: Context.get(first, Deliveries),
    second: Context.get(second, Deliveries)
  }
})

/** An attempt of its own trigger that succeeded, or failed with three quarters of a schedule before it. */
export const completed = (delivery: DueDelivery, succeeded: boolean): CompletedAttempt => ({
  delivery,
  trigger: delivery.trigger,
  started_at: new Date(),
  duration_ms: 1,
  succeeded,
  retryInMs: succeeded ? null : 30_000,
  remote_ip: null,
  response_status: succeeded ? 200 : 500,
  response_headers: {},
  response_body: "",
  error: succeeded ? null : { code: "status", message: "500" }
})
