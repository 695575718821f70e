import { brokenCallsMax } from "../../../src/issuing/NextStep.ts"
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

// The service waits so long for an answer.
const timeoutMs = 60_000
// After so long without an answer the service issues documents in contingency.
const outageMs = 300_000
// A process may know so much later than another that the authority has answered.
const slackMs = 1_000

const circuitOf = ({ account_id, livemode }: Pick<AuthorityCall, "account_id" | "livemode">) =>
  livemode ? "live" : account_id

// Each process looks at what the others know once a second.
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
 * The calls of the authority's port and what the port made of them. A port may fail, refuse, die, hang and be late: here stands
 * which of a document's fates follow from that, and so are no fault of the service.
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

  /** From now on nothing disturbs the service but its ports, and it must bring to its end what these allow. */
  settle(): void {
    this.settledFrom = this.journal.moment().tick
  }

  /** Whether the port itself has ended the document: it refused it, or broke at each of so many calls that it was given up. */
  mayFail(cufe: string, code: string | undefined): boolean {
    const own = this.calls.filter((call) => call.cufe === cufe)
    if (code === "authority_refused") return own.some(({ outcome }) => outcome === "refused")
    return code === "internal_error" && own.filter(isBroken).length >= brokenCallsMax
  }

  /** Whether the last that was heard of a document is that the authority refuses it, and not only the question for it. */
  isRefused(cufe: string): boolean {
    const last = this.calls.findLast((call) => call.cufe === cufe)
    return last?.kind === "submit" && last.outcome === "refused"
  }

  /** Whether a document is without its end because the port still gives no answer, although the service goes on asking. */
  isHeldUp(cufe: string, account: Pick<AuthorityCall, "account_id" | "livemode">): boolean {
    const late = this.calls.filter(({ began }) => began.tick >= this.settledFrom)
    const own = late.findLast((call) => call.cufe === cufe)
    const last = own ?? late.findLast(({ circuit }) => circuit === circuitOf(account))
    return last !== undefined && (isFault(last) || (last.kind === "verdict" && last.outcome === "refused"))
  }

  /** Milliseconds by which the port has held up the document until then; infinite where it did not answer. */
  delayMs(cufe: string, account: Pick<AuthorityCall, "account_id" | "livemode">, until: number): number {
    const own = this.calls.filter((call) => call.cufe === cufe && call.began.at <= until)
    if (own.some(isFault) || this.isAway(account, until)) return Infinity
    return own.reduce((sum, call) => sum + endOf(call) - call.began.at, 0)
  }

  /**
   * Whether the authority has been without an answer for so long that all documents, or this one alone, are issued in contingency. `codes`
   * are all codes that the document has had.
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
