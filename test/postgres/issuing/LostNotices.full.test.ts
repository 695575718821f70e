import { assert } from "@effect/vitest"
import { Array, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as Account from "../../../src/accounts/AccountActor.ts"
import * as Invoice from "../../../src/invoices/InvoiceActor.ts"
import * as Sweeper from "../../../src/operations/Sweeper.ts"
import { Notify } from "../../../src/accounts/Notify.ts"
import * as WebhookEndpoint from "../../../src/webhooks/WebhookEndpointActor.ts"
import { Backpressure } from "../../../src/invoices/Backpressure.ts"
import { FileLinks } from "../../../src/invoices/store/FileLinks.ts"
import { layerWork } from "../../../src/service/Layers.ts"
import { endpointBody, invoiceBody } from "../../support/apps/Invoices.ts"
import { seedDrafts } from "../../support/database/Owners.ts"
import { freshDatabase } from "../../support/database/Postgres.ts"
import { receiver } from "../../support/receiver/Receiver.ts"
import * as TestApp from "../../support/apps/TestApp.ts"
import { until } from "../../support/apps/Until.ts"
import { it } from "../../support/Tests.ts"

const unheard = Layer.succeed(
  Notify,
  Notify.of({
    numberDrafts: () => Effect.void,
    proceed: () => Effect.void,
    mail: () => Effect.void,
    deliver: () => Effect.void
  })
)

/** All notifications between the actors are lost. Only the sweeper's calls arrive. */
const entities = Layer.merge(
  Layer.mergeAll(Account.layer, Invoice.layer, WebhookEndpoint.layer).pipe(
    Layer.provide(layerWork),
    Layer.provide(Layer.mergeAll(FileLinks.layer, unheard, Backpressure.layer))
  ),
  Sweeper.layer.pipe(
    Layer.provide(layerWork),
    Layer.provide(Layer.mergeAll(FileLinks.layer, Notify.layer, Backpressure.layer))
  )
)

const count = 60

it.live("Lost notifications cost the time until the next sweep, and no work", function* () {
  const hooks = yield* receiver
  const url = yield* freshDatabase
  yield* Effect.gen(function* () {
    const { accountId, client } = yield* TestApp.TestApp
    const sql = yield* SqlClient.SqlClient
    yield* client.post("/v1/webhook-endpoints", endpointBody(hooks.url("/hooks")))
    const customer = yield* TestApp.newCustomer(client)
    yield* Effect.forEach(
      Array.range(1, count),
      (index) => client.post("/v1/invoices", invoiceBody(customer), { key: `unheard of ${index}` }),
      { concurrency: "unbounded" }
    )
    const drafts = yield* seedDrafts(accountId, count)
    yield* sql`update invoices set next_action_at = now() where id = any(${drafts})`
    yield* until(
      sql<{ done: number }>`select count(*)::int as done from deliveries where status = 'succeeded'`,
      ([row]) => row?.done === 2 * count
    )
    // Counted from the due time: immediate for a draft or a delivery, after its actor's five seconds for a numbered
    // document.
    const late = yield* sql<{ what: string; seconds: number }>`
      select 'draft' as what, extract(epoch from t.at - i.created_at)::float8 as seconds
      from invoices i join transitions t on t.invoice_id = i.id and t.command = 'Number' where i.id = any(${drafts})
      union all
      select 'document', extract(epoch from s.at - n.at - interval '5 seconds')::float8
      from transitions n join transitions s using (invoice_id) where n.command = 'Number' and s.command = 'Sign'
      union all
      select 'delivery', extract(epoch from a.started_at - d.created_at)::float8
      from deliveries d join attempts a on a.delivery_id = d.id`
    // The sweeper looks once a second. A lease that must end first would take at least ten.
    for (const [what, rows] of Map.groupBy(late, (row) => row.what)) {
      const seconds = rows.map((row) => row.seconds).toSorted((a, b) => a - b)
      assert.isBelow(seconds[Math.floor(seconds.length * 0.99)] ?? 0, 8, `${what}: ${seconds.slice(-5)}`)
    }
    assert.strictEqual(hooks.received.length, 2 * count)
    assert.deepStrictEqual(yield* sql`select max(number) - min(number) + 1 as span from invoices`, [
      { span: BigInt(2 * count) }
    ])
  }).pipe(Effect.provide(TestApp.layerOn(url, { allow: `127.0.0.1:${hooks.port}`, entities })))
})
