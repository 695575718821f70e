import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { documentKinds, type NoteKind } from "../../../schemas/DocumentKinds.ts"
import { CustomerId, InvoiceId } from "../../../schemas/Id.ts"
import type { InvoiceState } from "../../../src/invoices/rules/InvoiceLifecycle.ts"
import {
  endpointBody,
  invoiceBody,
  noteBody,
  originalNoteBody,
  partialNoteBody,
  periodNoteBody,
  resolutionBody
} from "../../support/apps/Invoices.ts"
import { keyFile, softwareSettings } from "../../support/authority/LiveAccounts.ts"
import { account, keys, testMode } from "../../support/apps/Accounts.ts"
import { settled } from "../../support/apps/Correcting.ts"
import { addCustomer, addEndpoint, addInvoice, change as changeRow } from "../../support/apps/PostgresRows.ts"
import { conditionOf, seedDrafts } from "../../support/database/Owners.ts"
import { accountOf, newAccount, platform } from "../platforms/Platform.ts"
import { png } from "../../accounts/rules/pictures.ts"
import { bearer, get, post, send } from "../../support/apps/Requests.ts"
import {
  absent,
  type Answers,
  missing,
  notLive,
  written,
  read,
  own,
  ofPlatform,
  managed,
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
  const { password, pkcs12 } = keyFile({ now: Date.now() })
  return { pkcs12, password }
}

const made = (path: string, body: () => object) =>
  Effect.map(
    Effect.suspend(() => post(path, body())),
    ({ json }) => String(json.id)
  )

/** Creates an object once for each app, for many routes that only read it. */
const oncePerApp = <A, E, R>(make: Effect.Effect<A, E, R>) => {
  const known = new WeakMap<SqlClient.SqlClient, A>()
  return Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const found = known.get(sql) ?? (yield* make)
    known.set(sql, found)
    return found
  })
}

// An account has at most 16 endpoints.
const endpointId = Effect.gen(function* () {
  const path = "/v1/webhook-endpoints"
  const { json } = yield* get(`${path}?limit=100`)
  const known: ReadonlyArray<{ readonly id: string }> = json.data.length > 12 ? json.data : []
  for (const { id } of known) yield* send({ method: "DELETE", path: `${path}/${id}` })
  return yield* addEndpoint()
})
const deliveryId = Effect.flatMap(endpointId, (id) => made(`/v1/webhook-endpoints/${id}/test`, () => ({})))
const issued = oncePerApp(addInvoice())
const issuedId = Effect.map(issued, ({ id }) => String(id))
const eventId = Effect.gen(function* () {
  const { json } = yield* get(`/v1/events?object_id=${yield* issuedId}`)
  return String(json.data[0].id)
})
let prefixes = 0
const ofOwnPrefix = () => resolutionBody({ prefix: `R${prefixes++}` })
let persons = 0
const logo = Effect.gen(function* () {
  const path = "/v1/account/logo"
  yield* send({ method: "PUT", path, body: png(4, 3) })
  for (const key of [keys.otherAccount, keys.live]) yield* send({ method: "DELETE", path, headers: bearer(key) })
  return ""
})
const resolutionId = made("/v1/resolutions", ofOwnPrefix)
const requestId = Effect.map(get("/v1/account"), ({ headers }) => String(headers["request-id"]))
const auditEntryId = Effect.gen(function* () {
  yield* made("/v1/api-keys", () => ({}))
  return String((yield* get("/v1/audit-log?limit=1")).json.data[0].id)
})
const noticeId = Effect.gen(function* () {
  const id = `ntc_${(yield* acceptedId).slice(4)}`
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into notices ${sql.insert({
    ...testMode,
    id,
    kind: "endpoint_failing",
    object_id: id,
    message: "It fails.",
    message_es: "Falla.",
    ended_at: new Date()
  })}`
  return id
})
const apiKeyId = made("/v1/api-keys", () => ({}))
const portalSessionId = made("/v1/portal-sessions", () => ({}))

/** An invoice in this state that no actor processes. */
const resting = (state: InvoiceState) => Effect.map(seedDrafts(account, 1, state), ([id]) => String(id))
const draftId = resting("queued")
const failedId = Effect.tap(draftId, (id) => changeRow("invoices", id, { state: "failed", ...conditionOf("failed") }))
const acceptedId = resting("accepted_by_authority")
/** A note in this state that no actor processes. */
const noteId = (kind: NoteKind, state: InvoiceState = "queued") =>
  Effect.gen(function* () {
    const [invoice_id, id] = [yield* acceptedId, yield* state === "failed" ? failedId : resting(state)]
    const note = id.replace("inv", kind === "credit_note" ? "cn" : "dn")
    yield* changeRow("invoices", id, { id: note, kind, invoice_id, correction_code: "1", reason: "Error" })
    return note
  })
const issuedNoteId = (kind: NoteKind) =>
  oncePerApp(
    Effect.gen(function* () {
      const { path } = documentKinds[kind]
      const invoice = yield* issuedId
      const id = yield* made(path, () => partialNoteBody(invoice, "1.00"))
      yield* settled(`${path}/${id}`)
      return id
    })
  )
// The ids in the body of a corrected document. The path names the document.
const [buyer, corrected] = [CustomerId.make(`cust_${"9".repeat(26)}`), InvoiceId.make(`inv_${"9".repeat(26)}`)]
const named = oncePerApp(
  Effect.gen(function* () {
    yield* changeRow("customers", yield* addCustomer(), { id: buyer })
    yield* changeRow("invoices", yield* acceptedId, { id: corrected })
    return corrected
  })
)
/** The rows that the service keeps for a document that the authority rejected. */
const withRejection = Effect.fnUntraced(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    insert into transitions
    select account_id, livemode, id, version, 'Reject', 'submitted', state, now() from invoices where id = ${id}`
  yield* sql`
    insert into invoice_documents
    select account_id, livemode, id, '<signed/>', '{}', now() from invoices where id = ${id}`
})
const rejectedId = Effect.andThen(named, resting("rejected_by_authority")).pipe(Effect.tap(withRejection))
const rejectedNoteId = (kind: NoteKind) =>
  Effect.andThen(named, noteId(kind, "rejected_by_authority")).pipe(Effect.tap(withRejection))
export const noId = Effect.succeed("")

interface Row {
  readonly answers: Answers
  /** The object that the route names in its path or in its body. */
  readonly id?: Effect.Effect<string, unknown, Effect.Services<typeof issued | typeof draftId | typeof platformKey>>
  /** A right body. */
  readonly body?: (id: string) => object
  /** The platform's key, for an operation of a platform. */
  readonly key?: typeof platformKey
}

const platformKey = oncePerApp(Effect.map(platform(), ({ key }) => key))
const accountId = Effect.flatMap(platformKey, (of) => accountOf({ key: of }))
const ofAccount = { answers: managed(200), id: accountId, key: platformKey }
const suspendedId = Effect.gen(function* () {
  const id = yield* accountId
  yield* post(`/v1/accounts/${id}/suspend`, { reason: "Mora" }, bearer(yield* platformKey))
  return id
})
const withReason = { ...ofAccount, body: () => ({ reason: "Mora" }) }

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
      id: noteId(kind, "accepted_by_authority"),
      body: () => ({ to: "otra@example.com" })
    },
    [`GET ${path}/:id/emails`]: { answers: item, id: noteId(kind) },
    [`GET ${path}/:id/pdf`]: { answers: item, id: issuedNoteId(kind) },
    [`GET ${path}/:id/xml`]: { answers: item, id: issuedNoteId(kind) }
  }
}

/** A row for each route: its response to a right request, and to a request with each fault. */
export const rows: Readonly<Record<string, Row>> = {
  "GET /v1/account": { answers: own },
  "POST /v1/accounts": {
    answers: { ...managed(201), "unknown id": "does not apply" },
    body: newAccount,
    key: platformKey
  },
  "GET /v1/accounts": { answers: { ...ofPlatform, "unknown id": "does not apply" }, key: platformKey },
  "GET /v1/accounts/:id": { ...ofAccount, answers: ofPlatform },
  "PATCH /v1/accounts/:id": { ...ofAccount, body: () => ({ name: "Otra" }) },
  "GET /v1/accounts/:id/usage": { ...ofAccount, answers: ofPlatform },
  "POST /v1/accounts/:id/suspend": withReason,
  "POST /v1/accounts/:id/resume": { ...ofAccount, id: suspendedId, answers: { ...ofPlatform, ...written } },
  "POST /v1/accounts/:id/close": withReason,
  "POST /v1/accounts/:id/api-keys": { ...ofAccount, answers: managed(201), body: () => ({}) },
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
  "GET /v1/invoices/:id": { answers: item, id: issuedId },
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
  "GET /v1/invoices/:id/pdf": { answers: item, id: issuedId },
  "GET /v1/invoices/:id/xml": { answers: item, id: issuedId },
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
    body: () => ({ since: new Date(Date.now() - 3_600_000).toISOString() })
  },
  "POST /v1/webhook-endpoints/:id/test": { answers: change(202), id: endpointId, body: () => ({}) },
  "GET /v1/webhook-deliveries/:id": { answers: item, id: deliveryId },
  "GET /v1/webhook-deliveries/:id/attempts": { answers: item, id: deliveryId },
  "POST /v1/webhook-deliveries/:id/redeliver": { answers: change(202), id: deliveryId },
  "GET /v1/requests": { answers: own },
  "GET /v1/requests/:id": { answers: item, id: requestId },
  "GET /v1/notices": { answers: own },
  "GET /v1/notices/:id": { answers: item, id: noticeId },
  "GET /v1/audit-log": { answers: own },
  "GET /v1/audit-log/:id": { answers: item, id: auditEntryId },
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
