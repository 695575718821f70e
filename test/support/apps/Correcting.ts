import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { setTimeout } from "node:timers/promises"
import { brokenRules } from "../../oracle/AuthorityCheck.ts"
import { customerBody, invoiceBody } from "./Invoices.ts"
import { fetchBytes, get, post, type Reply } from "./Requests.ts"
import { patiently } from "./Until.ts"

/* Shared parts of tests about notes: an invoice to correct, and its outcome. */

// Waits in real time, even where the test's clock does not advance.
const pause = Effect.promise(() => setTimeout(10))

/** Polls until the API shows the expected value; returns the response. */
export const seen = (path: string, holds: (json: Reply["json"]) => boolean) =>
  patiently(
    Effect.repeat(
      Effect.tap(get(path), ({ json }) => (holds(json) ? Effect.void : pause)),
      {
        until: ({ json }) => holds(json)
      }
    )
  )

/** Waits until a document has its final status; returns the document as the API shows it. */
export const settled = (path: string) =>
  Effect.map(
    seen(path, ({ stage }) => stage === "done"),
    ({ json }) => json
  )

/** Returns an accepted document as the API shows it, after checking its signed bytes against the authority's rules. */
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
