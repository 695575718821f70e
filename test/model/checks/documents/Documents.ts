import type { Invoice } from "../../../../schemas/Invoice.ts"
import type { Verdict } from "../../../../src/invoices/authority/Authority.ts"
import type { AuthorityCall, AuthorityOutcome } from "../../worlds/Surroundings.ts"
import { codeOf, type Document, isAccepted, isTerminal, kindOf, place, rangeOf, untimed } from "./Document.ts"
import { checkContent, checkCorrection } from "./Contents.ts"
import type { Entry } from "../Journal.ts"
import { Judge } from "../Judge.ts"

/** The content of a signed document that must match its invoice. */
export interface SignedContent {
  readonly full_number: string
  readonly cufe: string
  readonly environment: "1" | "2"
  readonly totals: Invoice["totals"]
}

const hasLeft = 2
const hasOutcome = 4

/** Permitted deviations in the final state. */
export interface FinishOptions {
  /** Whether numbers must follow the order of creation, because nothing failed. */
  readonly inOrder: boolean
  /** Whether a fault made the service throw: then documents may fail. */
  readonly mayBreak: boolean
  /**
   * Whether an operator's command decided on documents, or issued them in contingency, without the observed authority.
   */
  readonly operated: boolean
}

interface Submission {
  readonly signed: string
  readonly content: SignedContent | null
  /** The number with its issuer. */
  readonly number: string
}

/** Promises about documents: their fixed parts, and the bytes that the authority received. */
export class Documents extends Judge {
  private readonly seen = new Map<string, Document>()
  /** Time from which a document is known to be accepted by the authority, which is final. */
  private readonly acceptedFrom = new Map<string, number>()
  private readonly submissions = new Map<string, Submission>()
  private readonly verdicts = new Map<string, Verdict>()
  /** Documents with two verdicts of the authority: no result can match both. */
  private readonly contradicted = new Set<string>()
  /** Codes under which each number was submitted: an unsent document that is signed on another day gets a new code. */
  private readonly codes = new Map<string, Set<string>>()
  /** Remaining permitted submissions of a document: one, and one more each time that the authority does not know it. */
  private readonly leave = new Map<string, number>()
  private readonly contingent = new Map<string, number>()

  /** Records a document that a response or an event showed. */
  see(document: Document, book: number): void {
    const { id, status, version } = document
    const wrong = (what: string) => this.say(`${id} (${status}, version ${version}): ${what}`)
    const { from, prefix, to } = rangeOf(this.options.books[book]!, kindOf(document))
    if (document.livemode !== this.options.books[book]!.livemode) wrong("belongs to the other mode")
    const known = this.seen.get(id)
    if (known === undefined) checkContent(document, this.journal, wrong)
    else this.compare(known.version <= version ? [known, document] : [document, known], wrong)
    if (known === undefined || known.version <= version) this.seen.set(id, document)
    if (status === "accepted_by_authority") this.accepted(id)

    const number = document.full_number
    if (number === "") {
      if (place(document) > 0 && status !== "failed" && status !== "canceled") wrong("has no number")
    } else {
      const digits = number.slice(prefix.length)
      const isInRange =
        number.startsWith(prefix) && /^\d+$/.test(digits) && BigInt(digits) >= from && BigInt(digits) <= to
      if (!isInRange) wrong(`its number ${number} is outside its range`)
      // A corrected document gets its new code when it is signed.
      const hasCode = place(document) > 1 || !this.journal.mayHave(id, "corrected")
      if (codeOf(document) === null && hasCode && status !== "failed") wrong("has a number but no code")
      if (place(document) === 0) wrong("has a number before it is numbered")
      if (status === "canceled") wrong("was canceled with its number")
    }
    for (const link of [document.pdf_url, document.xml_url]) {
      if ((link !== null) !== isAccepted(document))
        wrong("links to its files before it is accepted, or not from then on")
    }
    if (isTerminal(document) !== (document.stage === "done")) wrong(`its stage is ${document.stage}`)
    if ((document.failure !== null) !== (status === "failed")) wrong("failed without a failure, or the reverse")
  }

  /** Records that the document is accepted by the authority from now on. */
  accepted(id: string): void {
    if (!this.acceptedFrom.has(id)) this.acceptedFrom.set(id, this.journal.moment().tick)
  }

  /** Whether the document was known to be accepted before the request was sent. */
  wasAccepted(id: string, { asked }: Pick<Entry, "asked">): boolean {
    return (this.acceptedFrom.get(id) ?? Infinity) < asked.tick
  }

  /** The newest observed version of a document. */
  last(id: string): Document | undefined {
    return this.seen.get(id)
  }

  wasContingent(id: string): boolean {
    return this.contingent.has(id)
  }

  /** The bytes that the authority received under this code. */
  submittedBytes(code: string): string | undefined {
    return this.submissions.get(code)?.signed
  }

  /** Compares two observations of one document, in the order of their versions. */
  private compare([a, b]: readonly [Document, Document], wrong: (what: string) => void): void {
    if (a.version === b.version && JSON.stringify(untimed(a)) !== JSON.stringify(untimed(b))) {
      return wrong(`one version, two contents: ${JSON.stringify(a)} and ${JSON.stringify(b)}`)
    }
    const isCorrected = this.journal.mayHave(a.id, "corrected")
    const isRetried = this.journal.mayHave(a.id, "retried")
    const isReopened =
      (a.status === "failed" && isRetried) ||
      ((a.status === "rejected_by_authority" || a.status === "accepted_contingency") && isCorrected) ||
      // The document may have failed, or have been rejected, between the two observations.
      (a.status === "draft" && (isRetried || isCorrected) && b.version >= a.version + 2)
    if (place(b) < place(a) && !isReopened) wrong(`went back from ${a.status} (${a.stage})`)
    if (isTerminal(a) && a.status !== b.status && !isReopened) wrong(`was ${a.status} already`)
    if (a.full_number !== "" && a.full_number !== b.full_number) wrong(`was ${a.full_number} before`)
    // An unsent submission is taken back. The next day the draft gets the new date, and so another code.
    const isUnsent = a.status === "draft" && !this.journal.calls.mayHaveLeft(codeOf(a) ?? "", Infinity)
    const keepsCode = place(a) > hasLeft && !isUnsent && !isReopened && !isCorrected
    if (keepsCode && codeOf(a) !== codeOf(b)) wrong("has another code")
    const kept = ["metadata", "created_at", "currency"] as const
    for (const field of isCorrected ? kept : ([...kept, "customer_id", "lines", "totals"] as const)) {
      if (JSON.stringify(a[field]) !== JSON.stringify(b[field])) wrong(`changed its ${field}`)
    }
  }

  /** Records that the document was issued in contingency, at its event's time. */
  inContingency(id: string, at: number): void {
    this.contingent.set(id, at)
  }

  called(call: AuthorityCall): (outcome: AuthorityOutcome) => void {
    const { cufe, kind, signed } = call
    if (signed !== null) this.submitted(call, signed)
    const ended = this.journal.calls.begin(call)
    return (outcome) => {
      ended(outcome)
      // The document may be sent if the authority does not know it, or if it was never sent.
      const isUnsent = kind === "submit" && (outcome === "unreachable" || outcome === "lasting")
      if (isUnsent || (kind === "verdict" && outcome === "unknown"))
        this.leave.set(cufe, (this.leave.get(cufe) ?? 0) + 1)
      // It may be signed again.
      if (isUnsent && !this.journal.calls.mayHaveLeft(cufe, Infinity)) this.submissions.delete(cufe)
    }
  }

  private submitted({ account_id, cufe, livemode }: AuthorityCall, signed: Uint8Array): void {
    const text = Buffer.from(signed).toString("latin1")
    const before = this.submissions.get(cufe)
    if (before !== undefined && before.signed !== text) this.say(`other bytes were submitted for ${cufe}`)
    const left = this.leave.get(cufe) ?? 1
    if (left === 0) this.say(`${cufe} was submitted again without asking the authority first`)
    this.leave.set(cufe, left - 1)
    const content = this.options.read(signed)
    if (content?.cufe !== cufe) this.say(`the document of ${cufe} cannot be read, or says ${content?.cufe}`)
    const number = `${account_id} ${livemode} ${content?.full_number}`
    this.codes.set(number, (this.codes.get(number) ?? new Set()).add(cufe))
    // The corrected document replaces the rejected one for good.
    const others = [...this.submissions].filter(([other, one]) => other !== cufe && one.number === number)
    if (before !== undefined && others.some(([other]) => this.order(other) > this.order(cufe)))
      this.say(`the content of ${number} before its correction was submitted again`)
    this.submissions.set(cufe, { signed: text, content, number })
  }

  judged(cufe: string, verdict: Verdict): void {
    const before = this.verdicts.get(cufe)
    if (before !== undefined && before.accepted !== verdict.accepted) {
      this.contradicted.add(cufe)
      this.say(`the authority's port has given two verdicts on ${cufe}`)
    }
    this.verdicts.set(cufe, verdict)
  }

  /** Whether a document is unfinished because the authority's port does not answer. */
  isHeldUp(document: Document, book: number): boolean {
    const code = codeOf(document)
    return code !== null && !isTerminal(document) && this.journal.calls.isHeldUp(code, this.options.books[book]!)
  }

  /** Checks the final state. `documents` are all documents of a book. */
  finish(book: number, documents: ReadonlyArray<Document>, options: FinishOptions): void {
    const { livemode } = this.options.books[book]!
    const invoices = documents.filter(({ full_number, object }) => object === "invoice" && full_number !== "")
    const { from, to } = rangeOf(this.options.books[book]!, "invoice")
    const isExhausted = BigInt(invoices.length) === to - from + 1n
    for (const document of documents) {
      const { failure, full_number, id, object, status } = document
      const code = codeOf(document) ?? ""
      const wrong = (what: string) => this.say(`${id} (${status}, ${failure?.code}): ${what}`)
      if (place(document) < hasOutcome && !this.isHeldUp(document, book)) wrong("came to no end")
      if (status === "canceled" && !this.journal.mayHave(id, "canceled")) wrong("was canceled without a request")
      const mayFail = this.journal.calls.mayFail(code, failure?.code)
      if (status === "failed") {
        const isLast = failure?.code === "range_exhausted" && object === "invoice" && full_number === "" && isExhausted
        if (!isLast && !options.mayBreak && !mayFail) wrong("failed without a reason")
        if (this.verdicts.has(code) && !mayFail) wrong("failed although the authority has it")
      }
      checkCorrection(document, this.journal, wrong)
      if (!options.operated && !this.journal.mayHave(id, "corrected")) this.inTime(document, book, wrong)
      this.agree(document, livemode, options.operated, wrong)
    }
  }

  private numberOf({ full_number, id, livemode }: Document): string {
    return `${this.options.books[this.journal.things.get(id)?.book ?? 0]!.account_id} ${livemode} ${full_number}`
  }

  private order(code: string): number {
    return [...this.submissions.keys()].indexOf(code)
  }

  /**
   * Checks that a document is not in contingency while the authority answers, and that it fails if the authority
   * rejects its request.
   */
  private inTime(document: Document, book: number, wrong: (what: string) => void): void {
    const { id, status } = document
    const cufe = codeOf(document) ?? ""
    const since = this.contingent.get(id)
    const codes = this.codes.get(this.numberOf(document)) ?? new Set()
    const { calls } = this.journal
    if (since === undefined) {
      if (status !== "failed" && calls.isRefused(cufe)) wrong("was rejected by the port, and did not fail")
    } else if (status === "accepted_contingency" && !this.isHeldUp(document, book)) {
      wrong("stays in contingency although the authority answers")
    } else if ([...codes].some((code) => calls.mayHaveLeft(code, since))) {
      wrong("may have been sent, and is in contingency")
    } else if (!this.options.rough && !calls.mayBeContingent(codes, this.options.books[book]!, since)) {
      wrong("is in contingency, and the authority was not away for so long")
    }
  }

  private agree(document: Document, livemode: boolean, operated: boolean, wrong: (what: string) => void): void {
    const { authority_errors, full_number, id, status, totals } = document
    const cufe = codeOf(document) ?? ""
    const verdict = this.verdicts.get(cufe)
    // In this case not the observed authority decided on a document in contingency, but the operator.
    if ((operated && this.contingent.has(id)) || this.contradicted.has(cufe)) return
    const judged = status === "accepted_by_authority" || status === "rejected_by_authority"
    if (!judged) return
    const content = this.submissions.get(cufe)?.content
    if (verdict === undefined || content === undefined || content === null) return wrong("the authority never saw it")
    if (verdict.accepted !== (status === "accepted_by_authority")) wrong("the authority says otherwise")
    if (JSON.stringify(verdict.errors) !== JSON.stringify(authority_errors))
      wrong("has other errors than the authority gave")
    if (content.full_number !== full_number) wrong(`its document has the number ${content.full_number}`)
    if (content.environment !== (livemode ? "1" : "2")) wrong("its document is for the other environment")
    if (JSON.stringify(content.totals) !== JSON.stringify(totals)) wrong("its document has other totals")
  }

  /** Checks that no code occurs twice in all books, and that the authority has no code without a document. */
  finishAll(documents: ReadonlyArray<Document>, { operated }: Pick<FinishOptions, "operated">): void {
    const codes = documents.flatMap((document) => codeOf(document) ?? [])
    if (new Set(codes).size !== codes.length) this.say("a code was assigned twice")
    const corrected = documents.filter(({ id }) => this.journal.mayHave(id, "corrected"))
    const numbers = new Set(corrected.map((document) => this.numberOf(document)))
    // A document rejected by an operator was in contingency, and the authority may have accepted it: the service never
    // queried its verdict.
    const overruled = new Set(
      corrected.filter(({ id }) => operated && this.contingent.has(id)).map((document) => this.numberOf(document))
    )
    for (const [code, { number }] of this.submissions) {
      const isRejected = this.verdicts.get(code)?.accepted === false || overruled.has(number)
      const isFormer = isRejected && numbers.has(number)
      if (!codes.includes(code) && !isFormer) this.say(`the authority has ${code}, which no document has`)
    }
    const accepted = [...this.submissions].filter(([code]) => this.verdicts.get(code)?.accepted === true)
    for (const [number, list] of Map.groupBy(accepted, ([, one]) => one.number)) {
      if (list.length > 1 && !overruled.has(number))
        this.say(`the authority has accepted ${number} ${list.length} times`)
    }
  }
}
