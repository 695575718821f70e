import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { Notify } from "../../src/accounts/Notify.ts"
import { invoiceBody } from "../support/apps/Invoices.ts"
import { layer } from "../support/apps/MemoryApp.ts"
import { addCustomer, addDraft, addEndpoint, addNumbered } from "../support/apps/MemoryRows.ts"
import { post } from "../support/apps/Requests.ts"
import { patiently } from "../support/apps/Until.ts"
import { existing, MemoryTables } from "../support/memory/MemoryTables.ts"
import { describeOn } from "../support/Tests.ts"
import { breakable, faultOf, installed } from "./Faults.ts"
import { tells } from "./PortTable.ts"

type Method = keyof typeof tells

const cases = (Object.keys(tells) as ReadonlyArray<Method>).flatMap((method) =>
  Object.entries(tells[method]).map(([fault, outcome]) => [method, fault, outcome] as const)
)

/** Runs the sweeper repeatedly until the condition holds. */
const swept = (holds: () => boolean) =>
  patiently(
    Effect.repeat(
      Effect.andThen(
        TestClock.adjust("10 seconds"),
        Effect.promise(() => new Promise(setImmediate))
      ),
      {
        until: holds
      }
    )
  )

describeOn(layer)("The sweeper", (it) => {
  it.effect.each(cases)("completes the work whose Notify.%s %s: %s", function* ([method, fault]) {
    const { tables } = yield* MemoryTables
    const switched = breakable()
    yield* installed(yield* Notify, method, switched)
    yield* addEndpoint()
    const customer = yield* addCustomer()
    const row = existing(tables.customers, customer)
    tables.customers.set(customer, { ...row, acquirer: { ...row.acquirer, email: "compras@cliente.test" } })
    switched.fault = faultOf(fault, {}, [undefined, null, "told"])
    const made = yield* patiently(post("/v1/invoices", invoiceBody(customer)))
    assert.strictEqual(made.status, 202, made.text)
    // No process notifies of these documents, and the account's actor has already looked for drafts at its start.
    // Documents that an actor of this process has numbered proceed without a notification, so `proceed` needs documents
    // of another process.
    const others = method === "proceed" ? [yield* addNumbered(customer), yield* addNumbered(customer)] : []
    const draft = yield* addDraft(customer)
    yield* swept(() => switched.calls >= 2)
    switched.fault = null

    const ids = [String(made.json.id), draft.id, ...others.map(({ id }) => id)]
    const isDone = (id: string) => {
      const emails = [...tables.emails.values()].filter(({ invoice_id }) => invoice_id === id)
      const deliveries = [...tables.deliveries.values()].filter(({ object_id }) => object_id === id)
      return (
        tables.invoices.get(id)?.state === "accepted_by_authority" &&
        emails.length === 1 &&
        emails.every(({ attempts, status }) => status === "delivered" && attempts === 1) &&
        deliveries.length > 0 &&
        deliveries.every(({ attempts, status }) => status === "succeeded" && attempts === 1)
      )
    }
    yield* swept(() => ids.every(isDone))
  })
})
