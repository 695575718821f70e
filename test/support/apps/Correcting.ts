import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { setTimeout } from "node:timers/promises"
import { brokenRules } from "../../oracle/AuthorityCheck.ts"
import { customerBody, invoiceBody } from "./Invoices.ts"
import { fetchBytes, get, post, type Reply } from "./Requests.ts"
import { patiently } from "./Until.ts"

/* What tests of notes have in common: an invoice that can be corrected, and what becomes of it. */

// In real time, where the clock of a test stands still as well.
const pause = Effect.promise(() => setTimeout(10))

/** Asks until the interface shows what is waited for; gives the response. */
export const seen = (path: string, holds: (json: Reply["json"]) => boolean) =>
  patiently(
    Effect.repeat(
      Effect.tap(get(path), ({ json }) => (holds(json) ? Effect.void : pause)),
      {
        until: ({ json }) => holds(json)
      }
    )
  )

/** Waits until a document is at its end; gives what the interface shows of it. */
export const settled = (path: string) =>
  Effect.map(
    seen(path, ({ stage }) => stage === "done"),
    ({ json }) => json
  )

/** Gives an accepted document as the interface shows it, once its signed bytes have been found to keep the authority's rules. */
export const acceptedByRules = Effect.fnUntraced(function* (path: string) {
  const shown = yield* settled(path)
  assert.deepStrictEqual([shown.status, shown.authority_errors], ["accepted_by_authority", []], path)
  const { bytes, status } = yield* fetchBytes({ path: `${path}/xml` })
  assert.strictEqual(status, 200)
  const broken = brokenRules(bytes).filter(({ severity }) => severity === "rejection")
  assert.deepStrictEqual(broken, [], bytes.toString())
  return shown
})

/** An accepted invoice of 119000.00. */
export const issue = Effect.gen(function* () {
  const customer = yield* post("/v1/customers", customerBody())
  const { json } = yield* post("/v1/invoices", invoiceBody(customer.json.id))
  const invoice = yield* settled(`/v1/invoices/${json.id}`)
  assert.strictEqual(invoice.status, "accepted_by_authority")
  return invoice
})

export const codeOf = ({ json, status }: Reply) => [status, json.error?.code]
