import type { CreditNote, DebitNote } from "../../../../schemas/Note.ts"
import { cents, codeOf, type Document, sum } from "./Document.ts"
import type { AuditorOptions } from "../Auditor.ts"
import type { Documents } from "./Documents.ts"
import { codeOfError, type Entry, isFirst, isSuccess, type Journal, meaning } from "../Journal.ts"
import { mayBeAccepted } from "./Standing.ts"
import { Judge } from "../Judge.ts"
import type { Told } from "../Deliveries.ts"

type Note = CreditNote | DebitNote
const isNote = (document: Document): document is Note => document.object !== "invoice"

/** The invoice that a request for a note is about. */
export const invoiceOf = ({ body, collection, kind, path }: Entry): string | undefined =>
  kind === "create" && collection !== "invoices"
    ? (/^\/v1\/invoices\/([^/]+)\/annul$/.exec(path)?.[1] ?? body?.invoice_id)
    : undefined

type Lines = ReadonlyArray<{
  readonly line_extension_amount: string
  readonly taxes: ReadonlyArray<{ readonly value: string }>
}>
const valueOf = (lines: Lines) =>
  sum(lines.flatMap(({ line_extension_amount, taxes }) => [line_extension_amount, ...taxes.map(({ value }) => value)]))

/** Promises about credit and debit notes: the invoices that they correct, and their amounts. */
export class Notes extends Judge {
  private readonly documents: Documents

  constructor(journal: Journal, options: AuditorOptions, say: (finding: string) => void, documents: Documents) {
    super(journal, options, say)
    this.documents = documents
  }

  /** The finding about the response to a request for a note on an existing invoice; nothing if it is right. */
  check(entry: Entry, invoice: string): string | undefined {
    const code = codeOfError(entry)
    if (entry.reply?.status === 202) {
      const status = this.documents.last(invoice)?.status
      return status === "canceled" ? "corrects an invoice that was canceled" : undefined
    }
    if (entry.reply?.status !== 409) return "must be 202 or 409"
    if (code === "invoice_not_correctable") {
      return this.documents.wasAccepted(invoice, entry) ? "the invoice was accepted before" : undefined
    }
    if (code !== "credit_exceeds_invoice") return "must be 202, invoice_not_correctable or credit_exceeds_invoice"
    if (this.journal.mayHave(invoice, "corrected")) return undefined
    if (entry.collection !== "credit-notes") return "only credit notes exceed an invoice"
    const others = this.mayHaveCredited(entry, invoice)
    if (entry.body.lines === undefined) return others.length > 0 ? undefined : "nothing of the invoice was credited"
    const own = this.amountOf(entry, invoice)
    const credited = others.reduce((total, other) => total + this.amountOf(other, invoice), 0n)
    return own + credited > this.invoiceValue(invoice) ? undefined : "there was enough left to credit"
  }

  /** Checks the final state. `documents` are all documents by id, and `told` their events. */
  finish(documents: ReadonlyMap<string, Document>, told: ReadonlyMap<string, ReadonlyArray<Told>>): void {
    const notes = [...documents.values()].filter(isNote)
    for (const note of notes) {
      const wrong = (what: string) => this.say(`${note.id} (${note.status}) to ${note.invoice_id}: ${what}`)
      const invoice = documents.get(note.invoice_id ?? "")
      if (invoice?.object !== "invoice") {
        wrong("corrects a document that is not an invoice")
        continue
      }
      if (note.livemode !== invoice.livemode || this.bookOf(note.id) !== this.bookOf(invoice.id))
        wrong("belongs to another book")
      if (codeOf(note) !== null && codeOf(note) === codeOf(invoice)) wrong("has the code of its invoice")
      const ofInvoice = told.get(invoice.id) ?? []
      const accepted = ofInvoice.filter(({ event }) => event.type.startsWith("invoice.accepted_"))
      const from = Math.min(...accepted.map(({ event }) => Date.parse(event.created)))
      if (from > Date.parse(note.created_at)) wrong("corrects an invoice before its acceptance")
      const maker = this.journal.things.get(note.id)?.maker
      if (maker !== undefined && isSuccess(maker) && isFirst(maker) && !mayBeAccepted(ofInvoice, maker))
        wrong("corrects an invoice that was rejected")
    }
    for (const [invoice, list] of Map.groupBy(notes, ({ invoice_id }) => invoice_id ?? "")) {
      const counted = list.filter(({ object, status }) => object === "credit_note" && !givesBack.includes(status))
      const credited = sum(counted.map(({ totals }) => totals.payable_amount))
      const value = documents.get(invoice)?.totals.payable_amount ?? "0.00"
      if (credited > cents(value)) {
        this.say(`${invoice} is credited for more than its total: ${counted.map(({ id }) => id).join()}`)
      }
    }
  }

  private bookOf(id: string): number | undefined {
    return this.journal.things.get(id)?.book
  }

  private invoiceValue(invoice: string): bigint {
    const lines: Lines | undefined = this.journal.things.get(invoice)?.maker?.body.lines
    if (lines !== undefined) return valueOf(lines)
    const last = this.documents.last(invoice)
    return last === undefined ? 0n : cents(last.totals.payable_amount)
  }

  private amountOf({ body }: Entry, invoice: string): bigint {
    return body.lines === undefined ? this.invoiceValue(invoice) : valueOf(body.lines)
  }

  /** The invoice's other credit notes that may have existed, each once even if it was requested several times. */
  private mayHaveCredited(entry: Entry, invoice: string): ReadonlyArray<Entry> {
    const end = entry.answered?.tick ?? Infinity
    const others = this.journal.entries.filter(
      (other) =>
        other !== entry &&
        other.asked.tick < end &&
        other.collection === "credit-notes" &&
        invoiceOf(other) === invoice &&
        (other.reply == null || other.reply.status >= 500 || (isSuccess(other) && isFirst(other)) || !isAnswer(other))
    )
    return [...Map.groupBy(others, (one) => `${one.era} ${one.apiKey} ${one.key} ${meaning(one)}`).values()].map(
      (list) => list[0]!
    )
  }
}

// A note in these statuses releases its amount of the invoice.
const givesBack: ReadonlyArray<string> = ["rejected_by_authority", "failed", "canceled"]

const isAnswer = ({ reply }: Entry) => reply != null && reply.headers["retry-after"] === undefined
