import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { documentKinds } from "../../../src/domain/documents/DocumentKinds.ts"
import { accepted, FakeAuthority, rejected } from "../../support/apps/Fakes.ts"
import { invoiceBody, noteBody, resolutionBody } from "../../support/apps/Invoices.ts"
import { addCustomer, addEndpoint, addInvoice, change } from "../../support/apps/PostgresRows.ts"
import { get, post } from "../../support/apps/Requests.ts"
import { until } from "../../support/apps/Until.ts"
import { insider } from "../../support/portal/Door.ts"

/* What a change of the API names in its path, with the body that the change needs, for each route. */

interface Named {
  readonly id: string
  readonly body?: object
}

/** What is left of a document in another state than the outcome that the authority gave it. */
const columnsOf = {
  queued: {
    state: "queued",
    next_action_at: "infinity",
    resolution_id: null,
    prefix: null,
    number: null,
    full_number: null,
    cufe: null,
    issue_date: null,
    issue_time: null,
    submitted_at: null
  },
  failed: { state: "failed", failure: { code: "internal_error", message: "It failed.", retryable: true } }
}

const kinds = { invoices: "invoice", "credit-notes": "credit_note", "debit-notes": "debit_note" } as const
type Kind = (typeof kinds)[keyof typeof kinds]

/** A document in this state, and the invoice or the customer that a correction of it names. */
const document = Effect.fnUntraced(function* (kind: Kind, state: "accepted" | "rejected" | keyof typeof columnsOf) {
  const authority = yield* FakeAuthority
  const customer = yield* addCustomer()
  const invoice = kind === "invoice" ? undefined : yield* addInvoice(customer)
  if (state === "rejected") authority.onSubmit = () => Effect.succeed(rejected)
  const { path } = documentKinds[kind]
  const right = invoice === undefined ? invoiceBody(customer) : noteBody(invoice.id)
  const made = yield* post(path, right)
  assert.strictEqual(made.status, 202, made.text)
  const id = String(made.json.id)
  yield* until(
    get(`${path}/${id}`),
    ({ json }) => json.status === `${state === "rejected" ? state : "accepted"}_by_authority`
  )
  authority.onSubmit = () => Effect.succeed(accepted)
  if (state === "queued" || state === "failed") yield* change("invoices", id, columnsOf[state])
  return { id, right }
})

const ofDocument = Effect.fnUntraced(function* (kind: Kind, action: string | undefined) {
  if (action === "cancel" || action === "retry") {
    const { id } = yield* document(kind, action === "cancel" ? "queued" : "failed")
    return { id }
  }
  if (action === "correct") {
    const { id, right } = yield* document(kind, "rejected")
    return { id, body: right }
  }
  const { id } = yield* document(kind, "accepted")
  return { id, body: action === "email" ? { to: "otra@example.com" } : { reason: "Error" } }
})

const madeAt = (path: string, body: object = {}) =>
  Effect.map(post(path, body), ({ json }) => ({ id: String(json.id) }))

const delivered = Effect.gen(function* () {
  const endpoint = yield* addEndpoint()
  yield* addInvoice()
  const { json } = yield* until(
    get(`/v1/webhook-endpoints/${endpoint}/deliveries`),
    (seen) => seen.json.data.length > 0
  )
  return { id: String(json.data[0].id) }
})

let persons = 0

const namedBy = Effect.fnUntraced(function* (route: string) {
  const [, , collection = "", id, action] = route.split("/")
  switch (collection) {
    case "invoices":
    case "credit-notes":
    case "debit-notes": {
      if (id !== undefined) return yield* ofDocument(kinds[collection], action)
      const customer = yield* addCustomer()
      return {
        id: "",
        body: collection === "invoices" ? invoiceBody(customer) : noteBody((yield* addInvoice(customer)).id)
      }
    }
    case "customers":
      if (route.startsWith("PUT")) return { id: `13-1${String(persons++).padStart(9, "0")}` }
      return { id: yield* addCustomer() }
    case "webhook-endpoints": {
      const since = new Date(Date.now() - 3_600_000).toISOString()
      return { id: yield* addEndpoint(), ...(action === "recover" ? { body: { since } } : {}) }
    }
    case "webhook-deliveries":
      return yield* delivered
    case "portal-sessions":
      return { id: (yield* insider()).id }
    case "api-keys":
      return yield* madeAt("/v1/api-keys")
    case "resolutions":
      return yield* madeAt("/v1/resolutions", resolutionBody({ prefix: `N${persons++}` }))
    default:
      return { id: "" }
  }
})

/** What the change at a route names, newly made. */
export const named = (route: string) => Effect.map(namedBy(route), (one): Named => one)
