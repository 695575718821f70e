import { Effect } from "effect"
import { documentKinds, type NoteKind } from "../../../src/domain/documents/DocumentKinds.ts"
import { CustomerId, InvoiceId } from "../../../schemas/Id.ts"
import type { InvoiceState } from "../../../src/domain/documents/InvoiceLifecycle.ts"
import {
  endpointBody,
  invoiceBody,
  noteBody,
  originalNoteBody,
  periodNoteBody,
  resolutionBody
} from "../../support/apps/Invoices.ts"
import { keyFile, softwareSettings } from "../../support/authority/LiveAccounts.ts"
import { startOfTest } from "../../support/apps/Accounts.ts"
import {
  addCustomer,
  addDelivery,
  addDraft,
  addEndpoint,
  addNote,
  addNumbered,
  addSigned,
  become
} from "../../support/apps/MemoryRows.ts"
import { MemoryTables } from "../../support/memory/MemoryTables.ts"
import { png } from "../../domain/accounts/pictures.ts"
import { post, send } from "../../support/apps/Requests.ts"
import {
  absent,
  type Answers,
  missing,
  notLive,
  written,
  read,
  own,
  item,
  creation,
  change,
  accountChange,
  ofTests,
  open,
  unsigned,
  verdict
} from "./routeAnswers.ts"

// An identification that is right in both modes.
const customerBody = {
  identification: { type: "31", number: "900373115", check_digit: "3" },
  legal_name: "Cliente S.A.S.",
  organization_type: "1"
}

const goodFile = () => {
  const { password, pkcs12 } = keyFile({ now: startOfTest })
  return { pkcs12, password }
}

const endpointId = Effect.map(addEndpoint(), ({ id }) => id as string)
const invoiceId = Effect.gen(function* () {
  const made = yield* post("/v1/invoices", invoiceBody(yield* addCustomer()))
  return String(made.json.id)
})
const delivery = Effect.flatMap(addEndpoint(), (endpoint) => addDelivery(endpoint, "inv_1"))
const eventId = Effect.map(delivery, ({ event_id }) => event_id as string)
const deliveryId = Effect.map(delivery, ({ id }) => id as string)
let prefixes = 0
const ofOwnPrefix = () => resolutionBody({ prefix: `R${prefixes++}` })
let persons = 0
const logo = Effect.as(send({ method: "PUT", path: "/v1/account/logo", body: png(4, 3) }), "")
const made = (path: string, body: () => object) =>
  Effect.map(
    Effect.suspend(() => post(path, body())),
    ({ json }) => String(json.id)
  )
const resolutionId = made("/v1/resolutions", ofOwnPrefix)
const requestId = Effect.map(post("/v1/api-keys", {}), ({ headers }) => String(headers["request-id"]))
const apiKeyId = made("/v1/api-keys", () => ({}))
const portalSessionId = made("/v1/portal-sessions", () => ({}))
const draftId = Effect.orDie(Effect.map(Effect.flatMap(addCustomer(), addDraft), ({ id }) => id as string))
const signedId = Effect.map(Effect.flatMap(addCustomer(), addSigned), ({ id }) => id as string)
const failedId = Effect.tap(draftId, (id) => become(id, { state: "failed" }))
const acceptedId = Effect.gen(function* () {
  const { id } = yield* Effect.orDie(Effect.flatMap(addCustomer(), addNumbered))
  yield* become(id, { state: "accepted_by_authority", next_action_at: null })
  return id as string
})
/** A note that nobody has been told of, in some state. */
const noteId = (kind: NoteKind, state: InvoiceState = "queued") =>
  Effect.map(
    Effect.flatMap(acceptedId, (id) => addNote(kind, id, state)),
    ({ id }) => id as string
  )
const signedNoteId = (kind: NoteKind) =>
  Effect.gen(function* () {
    const { tables } = yield* MemoryTables
    const id = yield* noteId(kind, "signed")
    const date = { issue_date: "2026-11-21", issue_time: "10:00:00-05:00" }
    yield* become(id, { ...date, full_number: "NC1", cufe: "ab".repeat(48) })
    tables.documents.set(id, { signed: new TextEncoder().encode("<signed/>"), authority_answer: null })
    return id
  })
const acceptedNoteId = (kind: NoteKind) => noteId(kind, "accepted_by_authority")
// What a corrected document names in its body: the path names the document.
const [buyer, corrected] = [CustomerId.make(`cust_${"9".repeat(26)}`), InvoiceId.make(`inv_${"9".repeat(26)}`)]
const isRejected = Effect.fnUntraced(function* (id: string) {
  const { tables } = yield* MemoryTables
  const [customer] = [...tables.customers.values()].slice(-1)
  if (customer !== undefined) tables.customers.set(buyer, { ...customer, id: buyer })
  const date = { issue_date: "2026-11-20", issue_time: "10:00:00-05:00" }
  const rejection = {
    state: "rejected_by_authority",
    submitted_at: new Date(startOfTest),
    next_action_at: null
  } as const
  yield* become(id, { ...date, ...rejection, full_number: "SETP1", prefix: "SETP", cufe: "cd".repeat(48) })
})
const rejectedId = Effect.tap(draftId, isRejected)
const rejectedNoteId = (kind: NoteKind) =>
  Effect.gen(function* () {
    const { tables } = yield* MemoryTables
    const id = yield* noteId(kind)
    yield* isRejected(id)
    const invoice = [...tables.invoices.values()].find(({ state }) => state === "accepted_by_authority")
    if (invoice !== undefined) tables.invoices.set(corrected, { ...invoice, id: corrected })
    return id
  })
export const noId = Effect.succeed("")

interface Row {
  readonly answers: Answers
  /** What the route names: in its path, or in its body. */
  readonly id?: Effect.Effect<
    string,
    never,
    Effect.Services<
      typeof invoiceId | typeof endpointId | typeof deliveryId | typeof signedId | ReturnType<typeof noteId>
    >
  >
  /** A body that is right. */
  readonly body?: (id: string) => object
}

const rename = { answers: change(200), id: addCustomer(), body: () => ({ legal_name: "Otra" }) }
const amend = { answers: change(200), id: resolutionId, body: () => ({ is_active: false }) }
const update = { answers: change(200), id: endpointId, body: () => ({ is_active: false }) }

const notes = (kind: NoteKind): Readonly<Record<string, Row>> => {
  const { path } = documentKinds[kind]
  return {
    [`POST ${path}`]: { answers: change(202), id: acceptedId, body: (invoice) => noteBody(invoice) },
    [`GET ${path}`]: { answers: own },
    [`GET ${path}/:id`]: { answers: item, id: noteId(kind) },
    [`POST ${path}/:id/cancel`]: { answers: change(200), id: noteId(kind) },
    [`POST ${path}/:id/retry`]: { answers: change(202), id: noteId(kind, "failed") },
    [`POST ${path}/:id/correct`]: {
      answers: change(202),
      id: rejectedNoteId(kind),
      body: () => noteBody(corrected)
    },
    [`GET ${path}/:id/timeline`]: { answers: item, id: noteId(kind) },
    [`POST ${path}/:id/email`]: {
      answers: change(202),
      id: acceptedNoteId(kind),
      body: () => ({ to: "otra@example.com" })
    },
    [`GET ${path}/:id/emails`]: { answers: item, id: noteId(kind) },
    [`GET ${path}/:id/pdf`]: { answers: item, id: signedNoteId(kind) },
    [`GET ${path}/:id/xml`]: { answers: item, id: signedNoteId(kind) }
  }
}

/** One row a route: what it answers to a request that is right, and to one with each fault. */
export const rows: Readonly<Record<string, Row>> = {
  "GET /v1/account": { answers: own },
  "PATCH /v1/account": { answers: accountChange, body: () => ({ name: "Cuenta" }) },
  "POST /v1/account": { answers: accountChange, body: () => ({ name: "Cuenta" }) },
  "POST /v1/account/certificate": {
    answers: { ...own, ...written, nothing: notLive, "other account": notLive, "other mode": [200] },
    body: goodFile
  },
  "GET /v1/account/enablement": { answers: absent },
  "POST /v1/account/enablement": {
    answers: { ...own, ...written, nothing: notLive, "other account": notLive, "other mode": [200] },
    body: () => ({ test_set_id: "b7d1c2a4-93cf-4a9e", invoices: 1, credit_notes: 0, debit_notes: 0 })
  },
  "PUT /v1/account/software": {
    answers: { ...own, ...written, nothing: notLive, "other account": notLive, "other mode": [200] },
    body: () => ({ id: softwareSettings.SOFTWARE_ID, pin: "20187" })
  },
  "DELETE /v1/account/software": {
    answers: {
      ...own,
      nothing: notLive,
      "wrong media type": notLive,
      "malformed JSON": notLive,
      "other account": notLive
    }
  },
  "PUT /v1/account/logo": {
    answers: {
      ...own,
      ...written,
      "malformed JSON": [415, "unsupported_media_type"],
      "unknown field": [415, "unsupported_media_type"]
    },
    body: () => png(4, 3)
  },
  "GET /v1/account/logo": { answers: { ...own, "other account": missing, "other mode": missing }, id: logo },
  "DELETE /v1/account/logo": { answers: own },
  "GET /v1/acquirers/:id": {
    answers: { ...own, "unknown id": missing },
    id: Effect.succeed("31-900000001")
  },
  "GET /v1/versions": { answers: open },
  "POST /v1/api-keys": { answers: creation, body: () => ({}) },
  "GET /v1/api-keys": { answers: own },
  "GET /v1/api-keys/:id": { answers: item, id: apiKeyId },
  "DELETE /v1/api-keys/:id": { answers: item, id: apiKeyId },
  "POST /v1/api-keys/:id/roll": { answers: change(201), id: apiKeyId, body: () => ({ expires_in: 0 }) },
  "POST /v1/portal-sessions": { answers: creation, body: () => ({}) },
  "GET /v1/portal-sessions": { answers: own },
  "GET /v1/portal-sessions/:id": { answers: item, id: portalSessionId },
  "DELETE /v1/portal-sessions/:id": { answers: item, id: portalSessionId },
  "POST /v1/customers": { answers: creation, body: () => customerBody },
  "POST /v1/customers/validate": { answers: { ...verdict, "unknown id": "does not apply" }, body: () => customerBody },
  "GET /v1/customers": { answers: own },
  "PUT /v1/customers/:id": {
    answers: { ...creation, "other mode": [201], "unknown id": [400, "parameter_conflict"] },
    id: Effect.sync(() => `13-1${String(persons++).padStart(9, "0")}`),
    body: (id) => ({ ...customerBody, identification: { type: "13", number: id.slice(3) } })
  },
  "GET /v1/customers/:id": { answers: item, id: addCustomer() },
  "PATCH /v1/customers/:id": rename,
  "POST /v1/customers/:id": rename,
  "DELETE /v1/customers/:id": { answers: item, id: addCustomer() },
  "POST /v1/invoices": { answers: change(202), id: addCustomer(), body: (customer) => invoiceBody(customer) },
  "POST /v1/invoices/validate": { answers: verdict, id: addCustomer(), body: (customer) => invoiceBody(customer) },
  "POST /v1/credit-notes/validate": { answers: verdict, id: addCustomer(), body: (one) => periodNoteBody(one) },
  "POST /v1/debit-notes/validate": { answers: verdict, id: addCustomer(), body: (one) => originalNoteBody(one) },
  "GET /v1/invoices": { answers: own },
  "GET /v1/invoices/:id": { answers: item, id: invoiceId },
  "POST /v1/invoices/:id/cancel": { answers: change(200), id: draftId },
  "POST /v1/invoices/:id/retry": { answers: change(202), id: failedId },
  "POST /v1/invoices/:id/correct": { answers: change(202), id: rejectedId, body: () => invoiceBody(buyer) },
  "POST /v1/invoices/:id/email": {
    answers: change(202),
    id: acceptedId,
    body: () => ({ to: "otra@example.com" })
  },
  "GET /v1/invoices/:id/emails": { answers: item, id: acceptedId },
  "POST /v1/email-notices": { answers: unsigned, body: () => ({}) },
  "GET /v1/invoices/:id/timeline": { answers: item, id: draftId },
  "POST /v1/test-helpers/authority": { answers: ofTests, body: () => ({ mode: "up" }) },
  "POST /v1/test-helpers/advance": { answers: ofTests, body: () => ({ seconds: 60 }) },
  "GET /v1/invoices/:id/pdf": { answers: item, id: signedId },
  "GET /v1/invoices/:id/xml": { answers: item, id: signedId },
  "POST /v1/invoices/:id/annul": { answers: change(202), id: acceptedId, body: () => ({ reason: "Error" }) },
  ...notes("credit_note"),
  ...notes("debit_note"),
  "POST /v1/webhook-endpoints": { answers: creation, body: () => endpointBody("https://hooks.example.com/") },
  "GET /v1/webhook-endpoints": { answers: own },
  "GET /v1/webhook-endpoints/:id": { answers: item, id: endpointId },
  "PATCH /v1/webhook-endpoints/:id": update,
  "POST /v1/webhook-endpoints/:id": update,
  "DELETE /v1/webhook-endpoints/:id": { answers: item, id: endpointId },
  "POST /v1/webhook-endpoints/:id/rotate-secret": { answers: change(201), id: endpointId },
  "GET /v1/webhook-endpoints/:id/deliveries": { answers: item, id: endpointId },
  "POST /v1/webhook-endpoints/:id/recover": {
    answers: change(202),
    id: endpointId,
    body: () => ({ since: "2026-11-21T10:00:00Z" })
  },
  "POST /v1/webhook-endpoints/:id/test": { answers: change(202), id: endpointId, body: () => ({}) },
  "GET /v1/webhook-deliveries/:id": { answers: item, id: deliveryId },
  "GET /v1/webhook-deliveries/:id/attempts": { answers: item, id: deliveryId },
  "POST /v1/webhook-deliveries/:id/redeliver": { answers: change(202), id: deliveryId },
  "GET /v1/requests": { answers: own },
  "GET /v1/requests/:id": { answers: item, id: requestId },
  "GET /v1/events": { answers: own },
  "GET /v1/events/:id": { answers: item, id: eventId },
  "GET /v1/events/:id/deliveries": { answers: item, id: eventId },
  "POST /v1/resolutions": { answers: creation, body: ofOwnPrefix },
  "POST /v1/resolutions/import": {
    answers: {
      ...own,
      ...read(403),
      nothing: notLive,
      "other account": notLive,
      "other mode": notLive,
      "wrong media type": [415, "unsupported_media_type"],
      "malformed JSON": [400, "malformed_json"]
    }
  },
  "GET /v1/resolutions": { answers: own },
  "GET /v1/resolutions/:id": { answers: item, id: resolutionId },
  "PATCH /v1/resolutions/:id": amend,
  "POST /v1/resolutions/:id": amend,
  "GET /v1/catalogs/:catalog": { answers: { ...own, "unknown id": missing }, id: Effect.succeed("tributos") },
  "GET /health/live": { answers: open },
  "GET /health/ready": { answers: open }
}
