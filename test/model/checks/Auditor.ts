import type { Event } from "../../../schemas/Event.ts"
import type { Invoice } from "../../../schemas/Invoice.ts"
import type { CreditNote, DebitNote } from "../../../schemas/Note.ts"
import { Answers } from "./Answers.ts"
import { Deliveries } from "./Deliveries.ts"
import { type Document, isOfDocuments, markerOf } from "./documents/Document.ts"
import { Documents, type FinishOptions, type SignedContent } from "./documents/Documents.ts"
import { Emails } from "./Emails.ts"
import { type Entry, isSuccess, Journal } from "./Journal.ts"
import { Notes } from "./documents/Notes.ts"
import { Numbers } from "./documents/Numbers.ts"
import type { Observer } from "../worlds/Surroundings.ts"
import type { Book } from "../worlds/World.ts"

/** The model's knowledge about the service under test. */
export interface AuditorOptions {
  /** The existing account modes. Requests name a book by its index in this list. */
  readonly books: ReadonlyArray<Book>
  /** Milliseconds of the database's clock. */
  readonly now: () => number
  /** The content of signed bytes; null if their signature does not verify. */
  readonly read: (signed: Uint8Array) => SignedContent | null
  /** Whether machines, messages or the database may fail: then some promises hold only in the end. */
  readonly rough: boolean
  /** Whether the model checks the times between delivery attempts. */
  readonly timed: boolean
  /** Whether every outcome must come as soon as possible: nothing is slow, and no actor needs a reminder. */
  readonly swift: boolean
}

/**
 * The reference model. It observes requests, responses, and calls of the authority and the receivers, and reports each
 * violation:
 *
 * - responses follow from the request, its key and the existing objects, and a replay equals the first response to the
 *   byte
 * - numbers are from, from + 1 … in each kind, without a gap or a duplicate; number and code never change, final
 *   statuses are final, totals are sums
 * - notes correct accepted invoices of their own book, and credit no more than the invoice's total
 * - each document is submitted with the same bytes each time, and again only after a status query to the authority
 * - each outcome is one event, delivered in order to every endpoint subscribed at that time, and to no other
 * - each acceptance is emailed once to the customer, each requested email is sent once, and each email's outcome is
 *   reported
 * - nothing of one account or mode is visible in another
 *
 * @example
 * import { Auditor, books } from "@folio-einvoicing/service/testing"
 *
 * const read = () => null
 * const auditor = new Auditor({ books, now: () => Date.now(), read, rough: false, timed: false, swift: false })
 * const entry = auditor.asked({
 *   kind: "read",
 *   collection: "invoices",
 *   apiKey: books[0]!.apiKeys[0]!,
 *   book: 0,
 *   method: "GET",
 *   path: "/v1/invoices/inv_unknown",
 *   key: null,
 *   text: null,
 *   body: undefined,
 *   target: "inv_unknown",
 *   deserves: { status: 200 }
 * })
 * auditor.answered(entry, { status: 200, headers: { "request-id": "req_1" }, text: "{}" })
 * console.log(auditor.findings)
 */
export class Auditor implements Observer {
  readonly journal: Journal
  /** Violations in words; empty if there are none. */
  readonly findings: Array<string> = []
  /** Outcomes met so far, with their counts: a workload proves nothing about an outcome that it never meets. */
  readonly met = new Map<string, number>()
  private readonly answers: Answers
  private readonly documents: Documents
  private readonly deliveries: Deliveries
  private readonly emails: Emails
  private readonly notes: Notes
  private readonly numbers: Numbers

  constructor(options: AuditorOptions) {
    const say = (finding: string) => void this.findings.push(finding)
    this.journal = new Journal(options.now)
    const { journal } = this
    this.documents = new Documents(journal, options, say)
    this.notes = new Notes(journal, options, say, this.documents)
    this.answers = new Answers(journal, options, say, { documents: this.documents, notes: this.notes })
    this.deliveries = new Deliveries(journal, options, say)
    this.emails = new Emails(journal, options, say, this.documents)
    this.numbers = new Numbers(journal, options, say)
  }

  /** Call it when a request is sent, and `answered` when its response arrives or the client stops waiting. */
  asked(request: Parameters<Journal["ask"]>[0]): Entry {
    return this.journal.ask(request)
  }

  answered(entry: Entry, reply: Entry["reply"]): void {
    entry.reply = reply
    entry.answered = this.journal.moment()
    const object = isSuccess(entry) ? JSON.parse(reply!.text) : undefined
    if (entry.kind === "create" && object !== undefined) this.made(entry, object)
    this.answers.check(entry)
    this.meet(`${entry.kind} ${entry.collection}: ${outcomeOf(entry)}`)
    if (!isOfDocuments(entry.collection) || object === undefined) return
    if (["read", "cancel", "retry", "correct"].includes(entry.kind)) this.documents.see(object, entry.book)
    if (entry.kind === "list") for (const one of object.data) this.documents.see(one, entry.book)
  }

  private made(entry: Entry, object: { readonly id: string }): void {
    const { body, book, collection } = entry
    this.journal.see(collection, book, object.id, String(markerOf(body)), entry)
    if (!isOfDocuments(collection)) return
    const { full_number, cude, cufe, status } = object as unknown as Partial<Invoice & CreditNote>
    if (status !== "draft" || full_number !== "" || (cufe ?? cude ?? null) !== null)
      this.findings.push(`${object.id} began as ${status} ${full_number}`)
  }

  readonly called: Observer["called"] = (call) => {
    const ended = this.documents.called(call)
    return (outcome) => {
      this.meet(`${call.kind} at the authority: ${outcome}`)
      ended(outcome)
    }
  }
  readonly judged: Observer["judged"] = (cufe, verdict) => this.documents.judged(cufe, verdict)
  readonly delivered: Observer["delivered"] = (webhook) => {
    const { created, data, type } = JSON.parse(webhook.body) as Event
    const { id } = data.object
    if (type.endsWith(".accepted_contingency")) this.documents.inContingency(id, Date.parse(created))
    if (type.endsWith(".accepted_by_authority")) this.documents.accepted(id)
    const answered = this.deliveries.arrived(webhook)
    return (status) => {
      this.meet(`${type}: ${status ?? "no answer"}`)
      answered(status)
    }
  }

  readonly mailed: NonNullable<Observer["mailed"]> = (mail) => {
    this.emails.sent(mail)
    return (outcome) => this.meet(`email: ${outcome}`)
  }

  private meet(what: string): void {
    this.met.set(what, (this.met.get(what) ?? 0) + 1)
  }

  /** Ends all disturbances except the faults of the ports. */
  settle(): void {
    this.journal.calls.settle()
  }

  /**
   * Checks the final state, after all work has ended or stopped. `invoices` are all invoices, book by book, and `notes`
   * all credit and debit notes. `left` describes the unfinished work, each entry starting with the id of the document
   * or endpoint.
   */
  finish(
    invoices: ReadonlyArray<ReadonlyArray<Invoice>>,
    { left, notes = [], ...options }: FinishOptions & Left
  ): void {
    const books: ReadonlyArray<ReadonlyArray<Document>> = invoices.map((list, book) => [
      ...list,
      ...(notes[book] ?? [])
    ])
    const heldUp = new Set<string>(
      books.flatMap((list, book) => list.filter((one) => this.documents.isHeldUp(one, book)).map(({ id }) => id))
    )
    const isExcused = (id: string) => heldUp.has(id) || this.deliveries.isStuck(id)
    const undone = left.filter((what) => !isExcused(what.split(" ", 1)[0]!))
    if (undone.length > 0) this.findings.push(`is left undone: ${undone.join(", ")}`)
    const all = books.flat()
    for (const { failure, object, status } of all) {
      this.meet(`ended: ${object === "invoice" ? "" : `${object} `}${failure?.code ?? status}`)
    }
    for (const [book, list] of books.entries()) {
      this.documents.finish(book, list, options)
      this.numbers.finish(book, list, options)
    }
    this.documents.finishAll(all, options)
    const byId = new Map<string, Document>(all.map((one) => [one.id, one]))
    const { told } = this.deliveries
    this.deliveries.finish(byId, heldUp)
    this.notes.finish(byId, told)
    const isUnsent = (id: string) => heldUp.has(id) || (options.operated && this.documents.wasContingent(id))
    this.emails.finish(byId, told, new Set([...byId.keys()].filter(isUnsent)))
  }
}

interface Left {
  readonly left: ReadonlyArray<string>
  readonly notes?: ReadonlyArray<ReadonlyArray<CreditNote | DebitNote>>
}

const outcomeOf = ({ hungUp, reply }: Entry): string => {
  if (reply == null) return hungUp ? "hung up" : "no answer"
  if (reply.status >= 300) return String(JSON.parse(reply.text).error.code)
  if (reply.headers["retry-after"] !== undefined) return "in progress"
  return reply.headers["svc-idempotency-cached"] === "true" ? "replayed" : "done"
}
