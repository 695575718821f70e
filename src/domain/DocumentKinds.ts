import type { DocumentKind } from "../../schemas/FiscalDocument.ts"

/** A note: what corrects an invoice. */
export type NoteKind = Exclude<DocumentKind, "invoice">

/** What the ids of a kind begin with, what it is called, and where it is found. */
export const documentKinds = {
  invoice: { prefix: "inv", noun: "invoice", path: "/v1/invoices" },
  credit_note: { prefix: "cn", noun: "credit note", path: "/v1/credit-notes" },
  debit_note: { prefix: "dn", noun: "debit note", path: "/v1/debit-notes" }
} as const satisfies Record<DocumentKind, { readonly prefix: string; readonly noun: string; readonly path: string }>

/** Whether an id is that of a document of this kind, if of any. */
export const isOfKind = (kind: DocumentKind, id: string): boolean => id.startsWith(`${documentKinds[kind].prefix}_`)

/** The kind that an id names; an invoice's where it names none, which is then not found. */
export const kindOf = (id: string): DocumentKind =>
  isOfKind("credit_note", id) ? "credit_note" : isOfKind("debit_note", id) ? "debit_note" : "invoice"
