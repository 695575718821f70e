import { Clock, Effect } from "effect"
import { CustomerRequest } from "../../../schemas/Customer.ts"
import { DeliveryId, type EventId, InvoiceId, WebhookEndpointId } from "../../../schemas/Id.ts"
import type { EventType } from "../../../schemas/Event.ts"
import type { DocumentKey } from "../../../schemas/FiscalDocument.ts"
import { InvoiceRequest } from "../../../schemas/Invoice.ts"
import type { NoteKind } from "../../../schemas/DocumentKinds.ts"
import type { InvoiceState } from "../../../src/invoices/rules/InvoiceLifecycle.ts"
import { totalsOf } from "../../../src/documents/rules/Totals.ts"
import { Ids } from "../../../src/database/Ids.ts"
import { InvoiceCreation } from "../../../src/invoices/store/InvoiceCreation.ts"
import { Notes } from "../../../src/invoices/store/Notes.ts"
import { Numbering } from "../../../src/invoices/store/Numbering.ts"
import { Resolutions } from "../../../src/accounts/store/Resolutions.ts"
import type { EndpointKey } from "../../../src/webhooks/store/WebhookEndpoints.ts"
import { customerBody, invoiceBody, noteBody, outcomeEvents } from "./Invoices.ts"
import { apiKeyIds, rangeId, testMode } from "./Accounts.ts"
import { type EventRow, existing, type InvoiceRow, MemoryTables, newDelivery } from "../memory/MemoryTables.ts"

/* Rows of the account's test mode, inserted without a request and without a message to an actor. */

export const signingSecret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`

/** Returns the id of an acquirer. An `unsignable` acquirer makes the signing of its documents throw. */
export const addCustomer = Effect.fnUntraced(function* (
  options: { readonly unsignable?: boolean; readonly number?: string } = {}
) {
  const { tables } = yield* MemoryTables
  const ids = yield* Ids
  const id = yield* ids.customer
  const at = new Date(yield* Clock.currentTimeMillis)
  const acquirer = CustomerRequest.make(customerBody(options.number) as never)
  // A bigint is not text, so no document can be written with it.
  const broken = options.unsignable === true ? { legal_name: 1n as never } : {}
  const times = { created_at: at, updated_at: at }
  const row = { ...testMode, id, acquirer: { ...acquirer, ...broken }, metadata: {}, external_id: null, ...times }
  tables.customers.set(id, row)
  return id
})

export const requestFor = (customer: string) => InvoiceRequest.make(invoiceBody(customer) as never)

/** The fields of a request with this Idempotency-Key, besides its body. */
export const context = (key: string, fingerprint = "same body") => ({
  api_key_id: apiKeyIds.test,
  version: "2026-01-01" as const,
  idempotency: { key, fingerprint }
})

/** A draft that no actor was notified of. */
export const addDraft = Effect.fnUntraced(function* (customer: string) {
  const ids = yield* Ids
  const creation = yield* InvoiceCreation
  const id = yield* ids.invoice
  const request = requestFor(customer)
  yield* creation.create({
    account: testMode,
    claim: { api_key_id: apiKeyIds.test, value: `draft ${id}`, fingerprint: id },
    by: { api_key_id: apiKeyIds.test },
    id,
    request,
    totals: totalsOf(request.lines),
    answer: { status: 202, location: `/v1/invoices/${id}`, body: "{}" },
    created_at: new Date(yield* Clock.currentTimeMillis)
  })
  const key: DocumentKey = { ...testMode, id: InvoiceId.make(id) }
  return key
})

/** A numbered document whose actor was not notified. */
export const addNumbered = Effect.fnUntraced(function* (customer: string) {
  const numbering = yield* Numbering
  const key = yield* addDraft(customer)
  yield* numbering.number({
    key,
    resolution_id: rangeId(testMode),
    issue_date: "2026-11-21",
    issue_time: "10:00:00-05:00",
    issuer_version: 1,
    cufe_tail: key.id
  })
  return key
})

/** Changes a document without an actor. */
export const become = Effect.fnUntraced(function* (id: string, change: Partial<InvoiceRow>) {
  const { invoices } = (yield* MemoryTables).tables
  invoices.set(id, { ...existing(invoices, id), ...change })
})

/** A signed document that was not sent yet. */
export const addSigned = Effect.fnUntraced(function* (customer: string) {
  const { tables } = yield* MemoryTables
  const key = yield* Effect.orDie(addNumbered(customer))
  yield* become(key.id, { state: "signed", next_action_at: null })
  tables.documents.set(key.id, { signed: new TextEncoder().encode("<signed/>"), authority_answer: null })
  return key
})
/** A note on the whole of an invoice, in a state without a number; no actor was notified of it. */
export const addNote = Effect.fnUntraced(function* (
  kind: NoteKind,
  invoice_id: string,
  state: InvoiceState = "queued"
) {
  const ids = yield* Ids
  const notes = yield* Notes
  const resolutions = yield* Resolutions
  const invoice = yield* Effect.flatMap(notes.lock(testMode, invoice_id), Effect.fromOption)
  yield* resolutions.ensureCounter({ ...testMode, id: yield* ids.resolution }, kind)
  const id = yield* kind === "credit_note" ? ids.creditNote : ids.debitNote
  const request = { ...noteBody(invoice_id), ...(yield* notes.content(testMode, invoice_id)) }
  const created_at = new Date(yield* Clock.currentTimeMillis)
  yield* notes.insert({ account: testMode, id, kind, invoice, request, totals: invoice.totals, created_at })
  yield* become(id, { state })
  const key: DocumentKey = { ...testMode, id }
  return key
}, Effect.orDie)

export const addEndpoint = Effect.fnUntraced(function* (
  options: { readonly max_in_flight?: number; readonly url?: string } = {}
) {
  const { tables } = yield* MemoryTables
  const ids = yield* Ids
  const at = new Date(yield* Clock.currentTimeMillis)
  const key: EndpointKey = { ...testMode, id: WebhookEndpointId.make(yield* ids.webhookEndpoint) }
  tables.endpoints.set(key.id, {
    ...key,
    url: options.url ?? "https://hooks.example.com/folio",
    description: null,
    subscribed_events: outcomeEvents,
    is_active: true,
    max_in_flight: options.max_in_flight ?? 8,
    metadata: {},
    api_version: "2026-01-01",
    failing_since: null,
    last_success_at: null,
    full_since: null,
    created_at: at,
    updated_at: at,
    secret: signingSecret
  })
  return key
})

/** An event of the resource `object_id`, due for delivery to the endpoint. */
export const addDelivery = Effect.fnUntraced(function* (endpoint: EndpointKey, object_id: string) {
  const { tables } = yield* MemoryTables
  const ids = yield* Ids
  const event_id: EventId = yield* ids.event
  const seq = tables.events.length + 1
  const type: EventType = "invoice.accepted_by_authority"
  const body = JSON.stringify({ id: event_id, seq, object_id })
  const now = yield* Clock.currentTimeMillis
  const account = { ...testMode, object_id, object_version: seq, is_test: false, created_at: now }
  const event: EventRow = { ...account, id: event_id, seq, type, body }
  tables.events.push(event)
  const delivery = newDelivery(event, endpoint.id, now)
  tables.deliveries.set(delivery.id, delivery)
  const id = DeliveryId.make(delivery.id)
  return { id, event_id, body }
})
