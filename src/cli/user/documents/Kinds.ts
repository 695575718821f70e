import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { Query } from "../../../clients/typescript/Attempts.ts"
import type { CreditNote, DebitNote, Invoice } from "../../../clients/typescript/Interface.ts"
import { Api } from "../ApiRequests.ts"
import { Failed, type Failure, Misuse } from "../Failures.ts"

export type Document = Invoice | CreditNote | DebitNote

/** The name of a document for people: its full number, or its id until it has one. */
export const nameOf = ({ full_number, id }: Pick<Document, "full_number" | "id">): string =>
  full_number === "" ? id : full_number

/** A kind of document. All kinds have the same commands. */
export interface Kind {
  readonly command: string
  /** The noun for a document of this kind. */
  readonly one: string
  readonly aOne: string
  readonly idPrefix: string
  /** The full number in examples. */
  readonly sample: string
  readonly path: string
  /** The filter of the list by the customer or the corrected invoice. */
  readonly owner: { readonly flag: string; readonly query: string; readonly metavar: string }
  readonly list: (api: Api["Service"], query: Query) => Stream.Stream<Document, Failure>
}

const ofInvoice = { flag: "invoice", query: "invoice_id", metavar: "inv_…" }

export const invoices: Kind = {
  command: "invoices",
  one: "invoice",
  aOne: "an invoice",
  idPrefix: "inv_",
  sample: "FE12",
  path: "/v1/invoices",
  owner: { flag: "customer", query: "customer_id", metavar: "cust_…" },
  list: (api, query) => api.all("invoices", "allInvoices", { query })
}

export const creditNotes: Kind = {
  command: "credit-notes",
  one: "credit note",
  aOne: "a credit note",
  idPrefix: "cn_",
  sample: "NC3",
  path: "/v1/credit-notes",
  owner: ofInvoice,
  list: (api, query) => api.all("creditNotes", "allCreditNotes", { query })
}

export const debitNotes: Kind = {
  command: "debit-notes",
  one: "debit note",
  aOne: "a debit note",
  idPrefix: "dn_",
  sample: "ND4",
  path: "/v1/debit-notes",
  owner: ofInvoice,
  list: (api, query) => api.all("debitNotes", "allDebitNotes", { query })
}

const kinds: ReadonlyArray<Kind> = [invoices, creditNotes, debitNotes]

/** The kind of a document, from the prefix of its id. */
export const kindOf = (id: string): Kind | undefined => kinds.find(({ idPrefix }) => id.startsWith(idPrefix))

/** The API path of a document, or with `rest` of its part, for example `/pdf`. */
export const pathOf = ({ path }: Kind, id: string, rest = ""): string => `${path}/${encodeURIComponent(id)}${rest}`

/** Retrieves the document with an id. */
export const get = (kind: Kind, id: string) =>
  Effect.flatMap(Api, (api) => api.json<Document>({ method: "GET", path: pathOf(kind, id) }))

/** Finds a document by its id or by its full number, for example FE12. */
export const find = Effect.fnUntraced(function* (kind: Kind, text: string) {
  const other = kindOf(text)
  if (other === kind) return yield* get(kind, text)
  if (other !== undefined) {
    return yield* new Misuse({
      message: `${text} is the id of ${other.aOne}.`,
      hint: `Use: folio ${other.command}`
    })
  }
  const found = yield* Stream.runHead(kind.list(yield* Api, { full_number: text, limit: 1 }))
  if (Option.isSome(found)) return found.value
  return yield* new Failed({ message: `No ${kind.one} of this mode has the number ${text}.` })
})

/** The text if it is an id, else the id of the document with this full number. */
export const idOf = (kind: Kind, text: string) =>
  kindOf(text) === kind ? Effect.succeed(text) : Effect.map(find(kind, text), ({ id }) => id)
