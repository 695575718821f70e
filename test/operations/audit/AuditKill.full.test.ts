import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { customerBody, invoiceBody } from "../../support/apps/Invoices.ts"
import { until } from "../../support/apps/Until.ts"
import { serviceProcess } from "../../support/processes/ServiceProcess.ts"
import { it } from "../../support/Tests.ts"

interface Counts {
  readonly invoices: number
  readonly logged: number
  readonly unsealed: number
}

describe("a killed service", () => {
  it.live("loses no entry of a change, and the next process seals all entries", function* () {
    const service = yield* serviceProcess({ webhookAllow: "" })
    const counts = Effect.map(
      service.rows<Counts>(`
        select (select count(*)::int from invoices) as invoices,
          (select count(*)::int from audit_log a join invoices i on i.id = a.object_id where a.action = 'document.created') as logged,
          (select count(*)::int from audit_log where position is null) as unsealed`),
      ([row]) => row!
    )
    yield* service.start({ point: "after-create", hit: 1 })
    const client = service.client()
    const customer = yield* client.post("/v1/customers", customerBody(), { key: "customer" })
    yield* Effect.ignore(client.post("/v1/invoices", invoiceBody(customer.json.id), { key: "invoice" }))
    yield* service.ended
    // The statement has committed, and no process was left to do anything after it.
    yield* service.start()
    yield* until(counts, ({ unsealed }) => unsealed === 0)
    const { invoices, logged } = yield* counts
    assert.strictEqual(invoices, 1)
    assert.strictEqual(logged, 1)
    const gaps = yield* service.rows(`
      select from audit_chains c where position <> (
        select count(*) from audit_log a where a.account_id = c.account_id and a.livemode = c.livemode and a.position is not null
      )`)
    assert.deepStrictEqual(gaps, [])
  })
})
