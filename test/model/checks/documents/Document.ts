import type { DocumentKind } from "../../../../schemas/FiscalDocument.ts"
import type { Invoice } from "../../../../schemas/Invoice.ts"
import type { CreditNote, DebitNote } from "../../../../schemas/Note.ts"
import { headOf } from "../../../../src/documents/rules/FullNumber.ts"
import type { Book } from "../../worlds/World.ts"

/** Any fiscal document, as the API shows it. */
export type Document = Invoice | CreditNote | DebitNote

/** The names of the documents in the paths of the API. */
export const documentCollections = ["invoices", "credit-notes", "debit-notes"] as const
export type DocumentCollection = (typeof documentCollections)[number]

export const isOfDocuments = (collection: string): collection is DocumentCollection =>
  documentCollections.some((one) => one === collection)

/** The authority's code of the document: the CUFE of an invoice, the CUDE of a note. */
export const codeOf = (document: Document): string | null => ("cufe" in document ? document.cufe : document.cude)

export const kindOf = ({ object }: Document): DocumentKind => object

/** Progress of a document, which never decreases. Statuses with equal progress are final, or exclude each other. */
const places: Readonly<Record<string, number>> = {
  queued: 0,
  numbered: 1,
  signed: 2,
  submitted: 3,
  accepted_contingency: 4,
  accepted_by_authority: 5,
  rejected_by_authority: 5,
  failed: 5,
  canceled: 5
}
export const place = ({ stage, status }: Document) => places[status === "draft" ? stage : status] ?? Number.NaN
export const isTerminal = (document: Document) => place(document) === 5
export const isAccepted = ({ status }: Document) =>
  status === "accepted_by_authority" || status === "accepted_contingency"

export interface NumberRange {
  /** The text before the digits of a number, with its separator. */
  readonly prefix: string
  readonly from: bigint
  readonly to: bigint
}

const endless = 10n ** 12n

/** The numbering of a book's documents. Notes have their own numbering from one, in each mode of an account. */
export const rangeOf = (
  { from, numbering = { separator: "", digits: 0 }, prefix, to }: Book,
  kind: DocumentKind
): NumberRange =>
  kind === "invoice"
    ? { prefix: headOf(prefix, numbering), from, to }
    : { prefix: headOf(kind === "credit_note" ? "NC" : "ND", numbering), from: 1n, to: endless }

export const numberOf = ({ full_number }: Document, { prefix }: NumberRange) => BigInt(full_number.slice(prefix.length))

const unsigned = (url: string | null) => url?.replace(/&expires=\d+&signature=[\w-]{43}$/, "")

/** The document without the expiry of its links and without its email, which are not part of a version. */
export const untimed = (document: Document) => ({
  ...document,
  pdf_url: unsigned(document.pdf_url),
  xml_url: unsigned(document.xml_url),
  email: null
})

export const cents = (text: string) => BigInt(text.replace(".", ""))
export const sum = (texts: ReadonlyArray<string>) => texts.reduce((total, text) => total + cents(text), 0n)

/** Marker of a request and of the object that it created: in the metadata, or else at the end of the reason. */
export const markerOf = (body: unknown): string | undefined => {
  const { metadata, reason } = Object(body) as {
    readonly metadata?: { readonly marker?: string }
    readonly reason?: string
  }
  return metadata?.marker ?? /\bm\d+$/.exec(reason ?? "")?.[0]
}
