import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { Query } from "../../client/Attempts.ts"
import type {
  CreditNote,
  DebitNote,
  EmailRequest,
  EmailSnapshot,
  Invoice,
  TimelinePage
} from "../../client/Interface.ts"
import { Api, type Sent } from "../Api.ts"
import { Failed, type Failure, Misuse } from "../Failures.ts"

export type Document = Invoice | CreditNote | DebitNote

/** A document has a name for people once it is numbered. */
export const nameOf = ({ full_number, id }: Pick<Document, "full_number" | "id">): string =>
  full_number === "" ? id : full_number

type Keyed = Pick<Sent, "key">

/** A kind of document, as the commands see it: they are the same for all kinds. */
export interface Kind {
  readonly command: string
  /** One document of this kind, in words. */
  readonly one: string
  readonly aOne: string
  readonly idPrefix: string
  readonly path: string
  /** The filter of the list by what the documents belong to. */
  readonly owner: { readonly flag: string; readonly query: string; readonly metavar: string }
  readonly list: (query: Query) => Stream.Stream<Document, Failure, Api>
  readonly get: (id: string) => Effect.Effect<Document, Failure, Api>
  readonly cancel: (id: string, options: Keyed) => Effect.Effect<Document, Failure, Api>
  readonly retry: (id: string, options: Keyed) => Effect.Effect<Document, Failure, Api>
  readonly timeline: (id: string) => Effect.Effect<TimelinePage, Failure, Api>
  readonly email: (id: string, payload: EmailRequest, options: Keyed) => Effect.Effect<EmailSnapshot, Failure, Api>
}

const of = (id: string) => ({ params: { id } })

export const invoices: Kind = {
  command: "invoices",
  one: "invoice",
  aOne: "an invoice",
  idPrefix: "inv_",
  path: "/v1/invoices",
  owner: { flag: "customer", query: "customer_id", metavar: "cust_…" },
  list: (query) => Stream.unwrap(Effect.map(Api, (api) => api.all("invoices", "allInvoices", { query }))),
  get: (id) => Effect.flatMap(Api, (api) => api.call("invoices", "retrieveInvoice", of(id))),
  cancel: (id, options) => Effect.flatMap(Api, (api) => api.call("invoices", "cancelInvoice", of(id), options)),
  retry: (id, options) => Effect.flatMap(Api, (api) => api.call("invoices", "retryInvoice", of(id), options)),
  timeline: (id) => Effect.flatMap(Api, (api) => api.call("invoices", "retrieveInvoiceTimeline", of(id))),
  email: (id, payload, options) =>
    Effect.flatMap(Api, (api) => api.call("invoices", "sendInvoiceEmail", { ...of(id), payload }, options))
}

export const creditNotes: Kind = {
  command: "credit-notes",
  one: "credit note",
  aOne: "a credit note",
  idPrefix: "cn_",
  path: "/v1/credit-notes",
  owner: { flag: "invoice", query: "invoice_id", metavar: "inv_…" },
  list: (query) => Stream.unwrap(Effect.map(Api, (api) => api.all("creditNotes", "allCreditNotes", { query }))),
  get: (id) => Effect.flatMap(Api, (api) => api.call("creditNotes", "retrieveCreditNote", of(id))),
  cancel: (id, options) => Effect.flatMap(Api, (api) => api.call("creditNotes", "cancelCreditNote", of(id), options)),
  retry: (id, options) => Effect.flatMap(Api, (api) => api.call("creditNotes", "retryCreditNote", of(id), options)),
  timeline: (id) => Effect.flatMap(Api, (api) => api.call("creditNotes", "retrieveCreditNoteTimeline", of(id))),
  email: (id, payload, options) =>
    Effect.flatMap(Api, (api) => api.call("creditNotes", "sendCreditNoteEmail", { ...of(id), payload }, options))
}

export const debitNotes: Kind = {
  command: "debit-notes",
  one: "debit note",
  aOne: "a debit note",
  idPrefix: "dn_",
  path: "/v1/debit-notes",
  owner: { flag: "invoice", query: "invoice_id", metavar: "inv_…" },
  list: (query) => Stream.unwrap(Effect.map(Api, (api) => api.all("debitNotes", "allDebitNotes", { query }))),
  get: (id) => Effect.flatMap(Api, (api) => api.call("debitNotes", "retrieveDebitNote", of(id))),
  cancel: (id, options) => Effect.flatMap(Api, (api) => api.call("debitNotes", "cancelDebitNote", of(id), options)),
  retry: (id, options) => Effect.flatMap(Api, (api) => api.call("debitNotes", "retryDebitNote", of(id), options)),
  timeline: (id) => Effect.flatMap(Api, (api) => api.call("debitNotes", "retrieveDebitNoteTimeline", of(id))),
  email: (id, payload, options) =>
    Effect.flatMap(Api, (api) => api.call("debitNotes", "sendDebitNoteEmail", { ...of(id), payload }, options))
}

export const kinds: ReadonlyArray<Kind> = [invoices, creditNotes, debitNotes]

/** The kind of a document, by its id. */
export const kindOf = (id: string): Kind | undefined => kinds.find(({ idPrefix }) => id.startsWith(idPrefix))

/** The document with an id, or with a full number such as FE12. */
export const find = Effect.fnUntraced(function* (kind: Kind, text: string) {
  const other = kindOf(text)
  if (other === kind) return yield* kind.get(text)
  if (other !== undefined) {
    return yield* new Misuse({
      message: `${text} is the id of ${other.aOne}.`,
      hint: `Use: folio ${other.command}`
    })
  }
  const found = yield* Stream.runHead(kind.list({ full_number: text, limit: 1 }))
  if (Option.isSome(found)) return found.value
  return yield* new Failed({ message: `No ${kind.one} of this mode has the number ${text}.` })
})

/** The id that a command is given, or the id of the document with a full number. */
export const idOf = (kind: Kind, text: string) =>
  kindOf(text) === kind ? Effect.succeed(text) : Effect.map(find(kind, text), ({ id }) => id)
