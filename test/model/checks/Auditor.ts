import type { Event } from "../../../schemas/Event.ts"
import type { Invoice } from "../../../schemas/Invoice.ts"
import { Answers } from "./Answers.ts"
import { Deliveries } from "./Deliveries.ts"
import { Documents, type FinishOptions, type SignedContent } from "./Documents.ts"
import { type Entry, isSuccess, Journal } from "./Journal.ts"
import type { Observer } from "../worlds/Surroundings.ts"
import type { Book } from "../worlds/World.ts"

/**
 * What the model must know of the service that it looks at.
 *
 * @example
 * ```ts
 * import { Auditor, type AuditorOptions, books } from "@folio-einvoicing/service/testing"
 *
 * const calm: AuditorOptions = { books, now: Date.now, read: () => null, rough: false, timed: false, swift: true }
 * const auditor = new Auditor(calm)
 * ```
 */
export interface AuditorOptions {
  /** The accounts' modes that exist, whose places among these are what requests name as their book. */
  readonly books: ReadonlyArray<Book>
  /** Milliseconds of the database's clock. */
  readonly now: () => number
  /** The content of signed bytes; null when their signature does not verify. */
  readonly read: (signed: Uint8Array) => SignedContent | null
  /** Whether machines, tells or the database may fail: then some promises hold in the end, and not at every moment. */
  readonly rough: boolean
  /** Whether times are looked at: those between the attempts of a delivery. */
  readonly timed: boolean
  /** Whether every outcome must come as soon as it can: nothing is slow, and nobody waits to be reminded. */
  readonly swift: boolean
}

/**
 * The reference model. It is told what was asked, what was answered and what came to the authority and the receivers, and says
 * what of it must not be:
 *
 * - answers are what the request, its key and what exists make them, and a replay is the first answer to the byte
 * - numbers are from, from + 1 … without gap or twin, number and CUFE never change, ends are ends, totals are sums
 * - each document is submitted with one and the same bytes, and not again before the authority was asked for it
 * - each outcome is one event, which comes to every endpoint that wanted it then, in order, and to no other
 * - nothing of one account or mode is seen in another
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
  /** What was found wrong, in words; empty is good. */
  readonly findings: Array<string> = []
  /** What was met, and how often: a workload that never meets something says nothing of it. */
  readonly met = new Map<string, number>()
  private readonly answers: Answers
  private readonly documents: Documents
  private readonly deliveries: Deliveries

  constructor(options: AuditorOptions) {
    const say = (finding: string) => void this.findings.push(finding)
    this.journal = new Journal(options.now)
    this.answers = new Answers(this.journal, options, say)
    this.documents = new Documents(this.journal, options, say)
    this.deliveries = new Deliveries(this.journal, options, say)
  }

  /** To be called when a request is sent; `answered` when its answer is there, or is not waited for any more. */
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
    if (entry.collection !== "invoices" || object === undefined) return
    if (entry.kind === "read") this.documents.see(object, entry.book)
    if (entry.kind === "list") for (const invoice of object.data) this.documents.see(invoice, entry.book)
  }

  private made(entry: Entry, object: { readonly id: string }): void {
    const { body, book, collection } = entry
    this.journal.see(collection, book, object.id, String(body.metadata.marker), entry)
    if (collection !== "invoices") return
    const { full_number, cufe, status } = object as unknown as Invoice
    if (status !== "draft" || full_number !== "" || cufe !== null)
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
    if (type === "invoice.accepted_contingency") this.documents.inContingency(data.object.id, Date.parse(created))
    const answered = this.deliveries.arrived(webhook)
    return (status) => {
      this.meet(`${type}: ${status ?? "no answer"}`)
      answered(status)
    }
  }

  private meet(what: string): void {
    this.met.set(what, (this.met.get(what) ?? 0) + 1)
  }

  /** From now on nothing disturbs the service but its ports. */
  settle(): void {
    this.journal.calls.settle()
  }

  /**
   * When there is nothing left to do, or nothing is done any more. `invoices` are all invoices, book by book; `left` is what is
   * left to do all the same, in words that begin with the id of the document, or of the endpoint.
   */
  finish(
    invoices: ReadonlyArray<ReadonlyArray<Invoice>>,
    { left, ...options }: FinishOptions & { readonly left: ReadonlyArray<string> }
  ): void {
    const heldUp = new Set<string>(
      invoices.flatMap((list, book) =>
        list.filter((invoice) => this.documents.isHeldUp(invoice, book)).map(({ id }) => id)
      )
    )
    const isExcused = (id: string) => heldUp.has(id) || this.deliveries.isStuck(id)
    const undone = left.filter((what) => !isExcused(what.split(" ", 1)[0]!))
    if (undone.length > 0) this.findings.push(`is left undone: ${undone.join(", ")}`)
    for (const { failure, status } of invoices.flat()) this.meet(`ended: ${failure?.code ?? status}`)
    for (const [book, list] of invoices.entries()) this.documents.finish(book, list, options)
    this.documents.finishAll(invoices.flat())
    this.deliveries.finish(new Map(invoices.flat().map((invoice) => [invoice.id, invoice])), heldUp)
  }
}

const outcomeOf = ({ hungUp, reply }: Entry): string => {
  if (reply == null) return hungUp ? "hung up" : "no answer"
  if (reply.status >= 300) return String(JSON.parse(reply.text).error.code)
  if (reply.headers["retry-after"] !== undefined) return "in progress"
  return reply.headers["svc-idempotency-cached"] === "true" ? "replayed" : "done"
}
