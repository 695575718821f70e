import type { Invoice } from "../../../schemas/Invoice.ts"
import type { Verdict } from "../../../src/outbound/authority/Authority.ts"
import type { AuthorityCall, AuthorityOutcome } from "../worlds/Surroundings.ts"
import { type Entry, isSuccess, isUnknown, meaning } from "./Journal.ts"
import { Judge } from "./Judge.ts"

/**
 * What a signed document says, as far as it must agree with its invoice.
 *
 * @example
 * ```ts
 * import type { SignedContent } from "@folio-einvoicing/service/testing"
 *
 * const isOf = ({ cufe }: SignedContent, invoice: { readonly cufe: string | null }) => cufe === invoice.cufe
 * ```
 */
export interface SignedContent {
  readonly full_number: string
  readonly cufe: string
  readonly environment: "1" | "2"
  readonly totals: Invoice["totals"]
}

/** How far an invoice is; it never goes back. What shares a place is an end, or excludes the other. */
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
const place = ({ stage, status }: Invoice) => places[status === "draft" ? stage : status] ?? Number.NaN
const isTerminal = (invoice: Invoice) => place(invoice) === 5
const hasLeft = 2
const hasOutcome = 4
const isAccepted = ({ status }: Invoice) => status === "accepted_by_authority" || status === "accepted_contingency"

const unsigned = (url: string | null) => url?.replace(/&expires=\d+&signature=[\w-]{43}$/, "")

/** Without when its links end: the same document has other links an hour later. */
const untimed = (invoice: Invoice) => ({
  ...invoice,
  pdf_url: unsigned(invoice.pdf_url),
  xml_url: unsigned(invoice.xml_url)
})

const cents = (text: string) => BigInt(text.replace(".", ""))
const sum = (texts: ReadonlyArray<string>) => texts.reduce((total, text) => total + cents(text), 0n)

/**
 * What may be in the end, besides what the service owes.
 *
 * @example
 * ```ts
 * import type { FinishOptions } from "@folio-einvoicing/service/testing"
 *
 * const calm: FinishOptions = { inOrder: true, mayBreak: false, operated: false }
 * ```
 */
export interface FinishOptions {
  /** Whether numbers must have the order of creation: where nothing failed. */
  readonly inOrder: boolean
  /** Whether something of the service's own was made to throw: then documents may fail. */
  readonly mayBreak: boolean
  /** Whether documents were judged, or issued in contingency, beside the authority that is seen here. */
  readonly operated: boolean
}

/** What must be true of documents: their numbers, what never changes, and what the authority has got of them. */
export class Documents extends Judge {
  private readonly seen = new Map<string, Invoice>()
  private readonly submissions = new Map<string, { readonly signed: string; readonly content: SignedContent | null }>()
  private readonly verdicts = new Map<string, Verdict>()
  /** Documents on which the authority has decided in two ways: nobody can agree with it. */
  private readonly contradicted = new Set<string>()
  /** How often a document may still be submitted: once, and once more each time the authority does not know it. */
  private readonly leave = new Map<string, number>()
  private readonly contingent = new Map<string, number>()

  /** An invoice as somebody has been shown it. */
  see(invoice: Invoice, book: number): void {
    const wrong = (what: string) => this.say(`${invoice.id} (${invoice.status}, version ${invoice.version}): ${what}`)
    const { from, livemode, prefix, to } = this.options.books[book]!
    if (invoice.livemode !== livemode) wrong("is of the other mode")
    const known = this.seen.get(invoice.id)
    if (known === undefined) this.seeFirst(invoice, wrong)
    else this.compare(known.version <= invoice.version ? [known, invoice] : [invoice, known], wrong)
    if (known === undefined || known.version <= invoice.version) this.seen.set(invoice.id, invoice)

    const number = invoice.full_number
    if (number === "") {
      if (place(invoice) > 0 && invoice.status !== "failed" && invoice.status !== "canceled") wrong("has no number")
    } else {
      const digits = number.slice(prefix.length)
      const isInRange =
        number.startsWith(prefix) && /^\d+$/.test(digits) && BigInt(digits) >= from && BigInt(digits) <= to
      if (!isInRange) wrong(`its number ${number} is not of its range`)
      if (invoice.cufe === null) wrong("has a number and no CUFE")
      if (place(invoice) === 0) wrong("has a number before it is numbered")
    }
    for (const link of [invoice.pdf_url, invoice.xml_url]) {
      if ((link !== null) !== isAccepted(invoice))
        wrong("links to its files before it is accepted, or not from then on")
    }
    if (isTerminal(invoice) !== (invoice.stage === "done")) wrong(`its stage is ${invoice.stage}`)
    if ((invoice.failure !== null) !== (invoice.status === "failed")) wrong("failed without a failure, or the reverse")
  }

  private seeFirst(invoice: Invoice, wrong: (what: string) => void): void {
    const { lines, metadata, totals } = invoice
    const maker = this.journal.entries.find(
      (entry) =>
        entry.collection === "invoices" &&
        entry.kind === "create" &&
        entry.body?.metadata?.marker === metadata["marker"]
    )
    if (maker === undefined) return wrong("was asked for by nobody")
    if (invoice.customer_id !== maker.body.customer_id) wrong("has another customer")
    if (JSON.stringify(lines) !== JSON.stringify(maker.body.lines)) wrong("has other lines than were sent")
    const net = sum(lines.map((line) => line.line_extension_amount))
    const tax = sum(lines.flatMap((line) => line.taxes.filter(({ code }) => code !== "ZZ").map(({ value }) => value)))
    const isSum =
      cents(totals.line_extension_amount) === net &&
      cents(totals.tax_amount) === tax &&
      cents(totals.payable_amount) === net + tax &&
      sum(totals.taxes.map(({ value }) => value)) === tax
    if (!isSum) wrong(`its totals are not the sums of its lines: ${JSON.stringify(totals)}`)
  }

  /** Two views of one invoice, in the order of their versions. */
  private compare([a, b]: readonly [Invoice, Invoice], wrong: (what: string) => void): void {
    if (a.version === b.version && JSON.stringify(untimed(a)) !== JSON.stringify(untimed(b))) {
      return wrong(`one version, two contents: ${JSON.stringify(a)} and ${JSON.stringify(b)}`)
    }
    const isRetried = a.status === "failed" && this.journal.mayHave(a.id, "retried")
    if (place(b) < place(a) && !isRetried) wrong(`went back from ${a.status} (${a.stage})`)
    if (isTerminal(a) && a.status !== b.status && !isRetried) wrong(`was ${a.status} already`)
    if (a.full_number !== "" && a.full_number !== b.full_number) wrong(`was ${a.full_number} before`)
    if (place(a) > hasLeft && a.cufe !== b.cufe) wrong("has another CUFE")
    for (const field of ["customer_id", "lines", "totals", "metadata", "created_at", "currency"] as const) {
      if (JSON.stringify(a[field]) !== JSON.stringify(b[field])) wrong(`changed its ${field}`)
    }
  }

  /** The document was issued in contingency, at this time of its event. */
  inContingency(id: string, at: number): void {
    this.contingent.set(id, at)
  }

  called(call: AuthorityCall): (outcome: AuthorityOutcome) => void {
    const { cufe, kind, signed } = call
    if (signed !== null) this.submitted(cufe, signed)
    const ended = this.journal.calls.begin(call)
    return (outcome) => {
      ended(outcome)
      // The authority does not know it: then it may be sent.
      if (kind === "verdict" && outcome === "unknown") this.leave.set(cufe, (this.leave.get(cufe) ?? 0) + 1)
    }
  }

  private submitted(cufe: string, signed: Uint8Array): void {
    const text = Buffer.from(signed).toString("latin1")
    const before = this.submissions.get(cufe)
    if (before !== undefined && before.signed !== text) this.say(`other bytes were submitted for ${cufe}`)
    const left = this.leave.get(cufe) ?? 1
    if (left === 0) this.say(`${cufe} was submitted again without asking the authority first`)
    this.leave.set(cufe, left - 1)
    const content = this.options.read(signed)
    if (content?.cufe !== cufe) this.say(`the document of ${cufe} cannot be read, or says ${content?.cufe}`)
    this.submissions.set(cufe, { signed: text, content })
  }

  judged(cufe: string, verdict: Verdict): void {
    const before = this.verdicts.get(cufe)
    if (before !== undefined && before.accepted !== verdict.accepted) {
      this.contradicted.add(cufe)
      this.say(`the authority's port has given two verdicts on ${cufe}`)
    }
    this.verdicts.set(cufe, verdict)
  }

  /** Whether a document is without its end because the authority's port gives no answer. */
  isHeldUp(invoice: Invoice, book: number): boolean {
    const { cufe } = invoice
    return cufe !== null && !isTerminal(invoice) && this.journal.calls.isHeldUp(cufe, this.options.books[book]!)
  }

  /** When everything has come to its end. `invoices` are all of a book's. */
  finish(book: number, invoices: ReadonlyArray<Invoice>, options: FinishOptions): void {
    const { from, livemode, prefix, to } = this.options.books[book]!
    const numbered = invoices.filter(({ full_number }) => full_number !== "")
    const byNumber = numbered.toSorted((a, b) => (number(a, prefix) < number(b, prefix) ? -1 : 1))
    if (byNumber.some((invoice, index) => number(invoice, prefix) !== from + BigInt(index))) {
      this.say(`the numbers of book ${book} are ${byNumber.map((one) => one.full_number).join()}`)
    }
    if (options.inOrder && byNumber.some(({ id }, index) => index > 0 && id < byNumber[index - 1]!.id)) {
      this.say(`the numbers of book ${book} are not in order of creation: ${byNumber.map(({ id }) => id).join()}`)
    }
    const isExhausted = BigInt(numbered.length) === to - from + 1n
    for (const invoice of invoices) {
      const wrong = (what: string) => this.say(`${invoice.id} (${invoice.status}, ${invoice.failure?.code}): ${what}`)
      if (place(invoice) < hasOutcome && !this.isHeldUp(invoice, book)) wrong("came to no end")
      if (invoice.status === "canceled" && !this.journal.mayHave(invoice.id, "canceled"))
        wrong("was canceled by nobody")
      const mayFail = this.journal.calls.mayFail(invoice.cufe ?? "", invoice.failure?.code)
      if (invoice.status === "failed") {
        const isLast = invoice.failure?.code === "range_exhausted" && invoice.full_number === "" && isExhausted
        if (!isLast && !options.mayBreak && !mayFail) wrong("failed for no reason")
        if (this.verdicts.has(invoice.cufe ?? "") && !mayFail) wrong("failed, and the authority has it")
      }
      if (!options.operated) this.inTime(invoice, book, wrong)
      this.agree(invoice, livemode, options.operated, wrong)
    }
    this.counted(book, invoices)
  }

  /** Neither in contingency while the authority answers, nor anything else than failed when the authority refuses it. */
  private inTime(invoice: Invoice, book: number, wrong: (what: string) => void): void {
    const { id, status } = invoice
    const cufe = invoice.cufe ?? ""
    const since = this.contingent.get(id)
    const { calls } = this.journal
    if (since === undefined) {
      if (status !== "failed" && calls.isRefused(cufe)) wrong("was refused, and did not fail")
    } else if (status === "accepted_contingency" && !this.isHeldUp(invoice, book)) {
      wrong("stays in contingency, and the authority answers")
    } else if (!this.options.rough && !calls.mayBeContingent(cufe, this.options.books[book]!, since)) {
      wrong("is in contingency, and the authority was not away for so long")
    }
  }

  private agree(invoice: Invoice, livemode: boolean, operated: boolean, wrong: (what: string) => void): void {
    const cufe = invoice.cufe ?? ""
    const verdict = this.verdicts.get(cufe)
    // Who decided on a document in contingency was then not the authority that is seen here.
    if ((operated && this.contingent.has(invoice.id)) || this.contradicted.has(cufe)) return
    const judged = invoice.status === "accepted_by_authority" || invoice.status === "rejected_by_authority"
    if (!judged) return
    const content = this.submissions.get(cufe)?.content
    if (verdict === undefined || content === undefined || content === null) return wrong("the authority never saw it")
    if (verdict.accepted !== (invoice.status === "accepted_by_authority")) wrong("the authority says otherwise")
    if (JSON.stringify(verdict.errors) !== JSON.stringify(invoice.authority_errors))
      wrong("has other errors than the authority gave")
    if (content.full_number !== invoice.full_number) wrong(`its document says ${content.full_number}`)
    if (content.environment !== (livemode ? "1" : "2")) wrong("its document is for the other environment")
    if (JSON.stringify(content.totals) !== JSON.stringify(invoice.totals)) wrong("its document has other totals")
  }

  /** Every request that was answered with success has made exactly one; a request whose answer was lost at most one. */
  private counted(book: number, invoices: ReadonlyArray<Invoice>): void {
    const makers = this.journal.entries.filter(
      (entry) => entry.collection === "invoices" && entry.kind === "create" && entry.book === book && entry.key !== null
    )
    const requests = Map.groupBy(makers, (entry) => `${entry.era} ${entry.apiKey} ${entry.key} ${meaning(entry)}`)
    const ids = new Set<string>(invoices.map(({ id }) => id))
    const claimed = new Set<string>()
    const room = new Map<string, { readonly least: number; readonly most: number }>()
    for (const entries of requests.values()) {
      const marker = String(entries[0]?.body?.metadata?.marker)
      const made = entries.find(isSuccess)
      const { least, most } = room.get(marker) ?? { least: 0, most: 0 }
      const possible = made !== undefined || entries.some(isUnknown)
      room.set(marker, { least: least + (made === undefined ? 0 : 1), most: most + (possible ? 1 : 0) })
      if (made === undefined) continue
      const id = idOf(made)
      if (!ids.has(id)) this.say(`${id} was answered to ${made.apiKey.slice(0, 12)}, and is not there`)
      if (claimed.has(id)) this.say(`${id} was answered to two requests`)
      claimed.add(id)
    }
    const counts = Map.groupBy(invoices, ({ metadata }) => String(metadata["marker"]))
    for (const [marker, { least, most }] of room) {
      const count = counts.get(marker)?.length ?? 0
      if (count < least || count > most)
        this.say(`request ${marker} made ${count} invoices, and must have made ${least} to ${most}`)
    }
    for (const marker of counts.keys())
      if (!room.has(marker)) this.say(`an invoice of ${marker}, which was never accepted`)
  }

  /** No number and no code is given twice, in whatever book. */
  finishAll(invoices: ReadonlyArray<Invoice>): void {
    const codes = invoices.flatMap(({ cufe }) => (cufe === null ? [] : [cufe]))
    if (new Set(codes).size !== codes.length) this.say("a CUFE was given twice")
    for (const cufe of this.submissions.keys()) {
      if (!codes.includes(cufe)) this.say(`the authority has ${cufe}, which is nobody's`)
    }
  }
}

const number = ({ full_number }: Invoice, prefix: string) => BigInt(full_number.slice(prefix.length))

const idOf = (entry: Entry): string => String(JSON.parse(entry.reply!.text).id)
