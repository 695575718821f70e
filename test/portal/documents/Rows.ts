import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { documentKinds, kindOf } from "../../../src/domain/documents/DocumentKinds.ts"
import { customerBody, invoiceBody } from "../../support/apps/Invoices.ts"
import { accepted, FakeAuthority, rejected } from "../../support/apps/Fakes.ts"
import { get, post } from "../../support/apps/Requests.ts"
import { MemoryTables } from "../../support/memory/MemoryTables.ts"

/** A customer of the account that is registered with this name. */
export const customerNamed = (legal_name: string, more: object = {}) =>
  Effect.map(post("/v1/customers", { ...customerBody("900123456"), legal_name, ...more }), ({ json, text }) => {
    assert.isString(json.id, text)
    return json.id as string
  })

/** Waits until nothing moves a document any more, and shows it. */
export const settled = Effect.fnUntraced(function* (id: string) {
  const { until } = yield* MemoryTables
  yield* until(({ invoices }) => invoices.get(id)?.next_action_at === null)
  return (yield* get(`${documentKinds[kindOf(id)].path}/${id}`)).json
})

/** Makes an invoice that the authority accepts, or rejects with its answer `rejected`. */
export const invoiceOf = Effect.fnUntraced(function* (
  customer: string,
  more: object = {},
  verdict: typeof accepted = accepted
) {
  const authority = yield* FakeAuthority
  authority.onSubmit = () => Effect.succeed(verdict)
  const made = yield* post("/v1/invoices", { ...invoiceBody(customer), ...more })
  assert.strictEqual(made.status, 202, made.text)
  const shown = yield* settled(made.json.id)
  authority.onSubmit = () => Effect.succeed(accepted)
  return shown
})

export const rejectedOf = (customer: string, more: object = {}) => invoiceOf(customer, more, rejected)
