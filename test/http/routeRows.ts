import { Effect } from "effect"
import { documentKinds, type NoteKind } from "../../src/domain/DocumentKinds.ts"
import type { InvoiceState } from "../../src/domain/InvoiceLifecycle.ts"
import { endpointBody, invoiceBody, noteBody, resolutionBody } from "../support/Invoices.ts"
import { keyFile } from "../support/LiveAccounts.ts"
import { startOfTest } from "../support/MemoryApp.ts"
import {
  addCustomer,
  addDelivery,
  addDraft,
  addEndpoint,
  addNote,
  addNumbered,
  addSigned
} from "../support/MemoryRows.ts"
import { MemoryTables } from "../support/MemoryTables.ts"
import { post } from "../support/Requests.ts"
import {
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
const eventId = Effect.gen(function* () {
  return (yield* addDelivery(yield* addEndpoint(), "inv_1")).event_id as string
})
const deliveryId = Effect.gen(function* () {
  return (yield* addDelivery(yield* addEndpoint(), "inv_1")).id as string
})
let prefixes = 0
const ofOwnPrefix = () => resolutionBody({ prefix: `R${prefixes++}` })
const resolutionId = Effect.gen(function* () {
  return String((yield* post("/v1/resolutions", ofOwnPrefix())).json.id)
})
const apiKeyId = Effect.gen(function* () {
  return String((yield* post("/v1/api-keys", {})).json.id)
})
const draftId = Effect.orDie(Effect.map(Effect.flatMap(addCustomer(), addDraft), ({ id }) => id as string))
const signedId = Effect.map(Effect.flatMap(addCustomer(), addSigned), ({ id }) => id as string)
const failedId = Effect.gen(function* () {
  const { tables } = yield* MemoryTables
  const id = yield* draftId
  const row = tables.invoices.get(id)
  if (row !== undefined) tables.invoices.set(id, { ...row, state: "failed" })
  return id
})
const acceptedId = Effect.gen(function* () {
  const { tables } = yield* MemoryTables
  const { id } = yield* Effect.orDie(Effect.flatMap(addCustomer(), addNumbered))
  const row = tables.invoices.get(id)
  if (row !== undefined) tables.invoices.set(id, { ...row, state: "accepted_by_authority", next_action_at: null })
  return id as string
})
/** A note that nobody has been told of, in some state. */
const noteId = (kind: NoteKind, state: InvoiceState = "queued") =>
  Effect.map(
    Effect.flatMap(acceptedId, (id) => addNote(kind, id, state)),
    ({ id }) => id as string
  )
const signedNoteId = (kind: NoteKind) =>
  Effect.tap(noteId(kind, "signed"), (id) =>
    Effect.map(MemoryTables, ({ tables }) => {
      const row = tables.invoices.get(id)
      const date = { issue_date: "2026-11-21", issue_time: "10:00:00-05:00" }
      if (row !== undefined) tables.invoices.set(id, { ...row, ...date, full_number: "NC1", cufe: "ab".repeat(48) })
      tables.documents.set(id, { signed: new TextEncoder().encode("<signed/>"), authority_answer: null })
    })
  )
const acceptedNoteId = (kind: NoteKind) => noteId(kind, "accepted_by_authority")
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
  "GET /v1/versions": { answers: open },
  "POST /v1/api-keys": { answers: creation, body: () => ({}) },
  "GET /v1/api-keys": { answers: own },
  "GET /v1/api-keys/:id": { answers: item, id: apiKeyId },
  "DELETE /v1/api-keys/:id": { answers: item, id: apiKeyId },
  "POST /v1/api-keys/:id/roll": { answers: change(201), id: apiKeyId, body: () => ({ expires_in: 0 }) },
  "POST /v1/customers": { answers: creation, body: () => customerBody },
  "GET /v1/customers": { answers: own },
  "GET /v1/customers/:id": { answers: item, id: addCustomer() },
  "PATCH /v1/customers/:id": rename,
  "POST /v1/customers/:id": rename,
  "DELETE /v1/customers/:id": { answers: item, id: addCustomer() },
  "POST /v1/invoices": { answers: change(202), id: addCustomer(), body: (customer) => invoiceBody(customer) },
  "POST /v1/invoices/validate": { answers: verdict, id: addCustomer(), body: (customer) => invoiceBody(customer) },
  "GET /v1/invoices": { answers: own },
  "GET /v1/invoices/:id": { answers: item, id: invoiceId },
  "POST /v1/invoices/:id/cancel": { answers: change(200), id: draftId },
  "POST /v1/invoices/:id/retry": { answers: change(202), id: failedId },
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
