import type { DocumentKind } from "./FiscalDocument.ts"

/** The kinds of note, a document that corrects an invoice. */
export type NoteKind = Exclude<DocumentKind, "invoice">

/** The id prefix, the English noun and the API path of each kind of document. */
export const documentKinds = {
  invoice: { prefix: "inv", noun: "invoice", path: "/v1/invoices" },
  credit_note: { prefix: "cn", noun: "credit note", path: "/v1/credit-notes" },
  debit_note: { prefix: "dn", noun: "debit note", path: "/v1/debit-notes" }
} as const satisfies Record<DocumentKind, { readonly prefix: string; readonly noun: string; readonly path: string }>

/** Whether an id has the prefix of this kind of document. The document itself may not exist. */
export const isOfKind = (kind: DocumentKind, id: string): boolean => id.startsWith(`${documentKinds[kind].prefix}_`)

/**
 * The kind of document for an id's prefix. An id without a known prefix counts as the id of an invoice, which no
 * look-up finds.
 */
export const kindOf = (id: string): DocumentKind =>
  isOfKind("credit_note", id) ? "credit_note" : isOfKind("debit_note", id) ? "debit_note" : "invoice"
