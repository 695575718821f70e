import { brokenCallsMax } from "../../../src/invoices/NextStep.ts"
import type { AuthorityCall, AuthorityOutcome } from "../worlds/Surroundings.ts"
import type { Journal, Moment } from "./Journal.ts"

interface Call {
  readonly kind: AuthorityCall["kind"]
  readonly circuit: string
  readonly cufe: string
  readonly began: Moment
  /** Undefined while the call hangs. */
  ended: Moment | undefined
  outcome: AuthorityOutcome | undefined
}

// The service's time-out for a response.
const timeoutMs = 60_000
// After this time without a response the service issues documents in contingency.
const outageMs = 300_000
// Maximum delay between processes in learning that the authority has answered.
const slackMs = 1_000

const circuitOf = ({ account_id, livemode }: Pick<AuthorityCall, "account_id" | "livemode">) =>
  livemode ? "live" : account_id

// Each process reads the others' observations once a second.
const knownMs = 1_000

const isAnswer = ({ outcome }: Call) => outcome === "judged" || outcome === "refused"
const isUnsent = ({ outcome }: Call) => outcome === "unreachable" || outcome === "lasting"
const isSilent = (call: Call) =>
  call.outcome === undefined || call.outcome === "unavailable" || call.outcome === "interrupted" || isUnsent(call)
const mayHaveLeft = (call: Call) => call.kind === "submit" && !isUnsent(call)
const isBroken = ({ outcome }: Call) => outcome === undefined || outcome === "interrupted" || outcome === "broken"
const isFault = (call: Call) => isSilent(call) || isBroken(call)

const endOf = ({ began, ended }: Call) => Math.min(ended?.at ?? Infinity, began.at + timeoutMs)

/**
 * Calls of the authority port, and their outcomes. A port may fail, reject, throw, hang and be late. This class decides
 * which effects on documents follow from that, and so are no fault of the service.
 */
export class Calls {
  private readonly calls: Array<Call> = []
  private readonly journal: Journal
  private settledFrom = Infinity

  constructor(journal: Journal) {
    this.journal = journal
  }

  begin({ cufe, kind, ...account }: AuthorityCall): (outcome: AuthorityOutcome) => void {
    const call: Call = {
      kind,
      circuit: circuitOf(account),
      cufe,
      began: this.journal.moment(),
      ended: undefined,
      outcome: undefined
    }
    this.calls.push(call)
    return (outcome) => {
      call.ended = this.journal.moment()
      call.outcome = outcome
    }
  }

  /** Ends all disturbances except the ports' own: the service must then complete everything that the ports allow. */
  settle(): void {
    this.settledFrom = this.journal.moment().tick
  }

  /**
   * Whether the port itself has ended the document: it rejected it, or threw at so many calls that the service gave up.
   */
  mayFail(cufe: string, code: string | undefined): boolean {
    const own = this.calls.filter((call) => call.cufe === cufe)
    if (code === "authority_refused") return own.some(({ outcome }) => outcome === "refused")
    return code === "internal_error" && own.filter(isBroken).length >= brokenCallsMax
  }

  /** Whether the last response for the document rejects the document, and not only the query for it. */
  isRefused(cufe: string): boolean {
    const last = this.calls.findLast((call) => call.cufe === cufe)
    return last?.kind === "submit" && last.outcome === "refused"
  }

  /**
   * Whether a document is unfinished because the port still gives no response although the service keeps calling it.
   */
  isHeldUp(cufe: string, account: Pick<AuthorityCall, "account_id" | "livemode">): boolean {
    const late = this.calls.filter(({ began }) => began.tick >= this.settledFrom)
    const own = late.findLast((call) => call.cufe === cufe)
    const last = own ?? late.findLast(({ circuit }) => circuit === circuitOf(account))
    return last !== undefined && (isFault(last) || (last.kind === "verdict" && last.outcome === "refused"))
  }

  /** Milliseconds by which the port has delayed the document until then; infinite without a response. */
  delayMs(cufe: string, account: Pick<AuthorityCall, "account_id" | "livemode">, until: number): number {
    const own = this.calls.filter((call) => call.cufe === cufe && call.began.at <= until)
    if (own.some(isFault) || this.isAway(account, until)) return Infinity
    return own.reduce((sum, call) => sum + endOf(call) - call.began.at, 0)
  }

  /**
   * Whether the authority has been silent for so long that all documents, or only this one, may be issued in
   * contingency. `codes` are all codes that the document has had.
   */
  mayBeContingent(
    codes: ReadonlySet<string>,
    account: Pick<AuthorityCall, "account_id" | "livemode">,
    at: number
  ): boolean {
    const own = this.calls.filter((call) => codes.has(call.cufe) && call.began.at <= at)
    const isLong = own.some(isSilent) && at - own[0]!.began.at >= outageMs - slackMs
    return isLong || own.some(({ outcome }) => outcome === "lasting") || this.isAway(account, at)
  }

  /** Whether a call that began before then may have brought the document to the authority. */
  mayHaveLeft(cufe: string, before: number): boolean {
    return this.calls.some((call) => call.cufe === cufe && call.began.at < before && mayHaveLeft(call))
  }

  private isAway(account: Pick<AuthorityCall, "account_id" | "livemode">, at: number): boolean {
    const circuit = circuitOf(account)
    const calls = this.calls.filter((call) => call.circuit === circuit && endOf(call) <= at)
    const known = calls.filter((call) => isAnswer(call) && endOf(call) <= at - knownMs)
    const answered = Math.max(...known.map(endOf))
    return calls.some(
      (call) => isSilent(call) && endOf(call) >= answered - slackMs && at - endOf(call) >= outageMs - slackMs
    )
  }
}
