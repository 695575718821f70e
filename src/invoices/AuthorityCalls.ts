import { Cause, Duration, Effect, Exit, Metric, Option, Random, Result, Schema, Context, Layer } from "effect"
import { authorityTroubles } from "./rules/AuthorityTroubles.ts"
import { storableJson, storableText } from "../runtime/json/Storable.ts"
import {
  Authority,
  AuthorityRefusal,
  AuthorityUnavailable,
  isAuthorityFailure,
  troubleOf,
  type Verdict
} from "./authority/Authority.ts"
import * as Metrics from "../runtime/Metrics.ts"
import { checkPort, PortBroken, withDeadline } from "../runtime/PortCall.ts"
import { InvoiceCommands } from "./store/InvoiceCommands.ts"
import { Invoices } from "./store/Invoices.ts"
import { isSqlFailure } from "../database/SqlFailure.ts"
import { Workers } from "../database/Workers.ts"
import { CircuitBreaker } from "./CircuitBreaker.ts"
import { afterCall, answering, isOfDocument, isReceived } from "./NextStep.ts"
import { Signing } from "./Signing.ts"
import type { Document } from "./Steps.ts"
import { AuthorityError } from "../../schemas/FiscalDocument.ts"
import type { AccountMode } from "../../schemas/Account.ts"
import { accountAddress } from "../runtime/Address.ts"
import * as Turns from "../runtime/turns/Turns.ts"
import { Limits } from "../runtime/Limits.ts"

/** A verdict of any `Authority`. */
export const GivenVerdict = Schema.Struct({
  accepted: Schema.Boolean,
  errors: Schema.Array(AuthorityError),
  notifications: Schema.Array(AuthorityError),
  answer: Schema.Unknown
})

/** The errors in storable form: at most `errorsMax`, each text of at most `textMax` characters. */
export const storableErrors = (
  errors: ReadonlyArray<AuthorityError>,
  { errorsMax, textMax }: { readonly errorsMax: number; readonly textMax: number }
): ReadonlyArray<AuthorityError> => {
  const storable = (text: string) => storableText(text, textMax)
  return errors.slice(0, errorsMax).map(({ hint, message, path, rule, severity }) => ({
    rule: storable(rule),
    severity,
    message: storable(message),
    path: path === null ? null : storable(path),
    hint: hint === null ? null : storable(hint)
  }))
}

const timeout = Duration.seconds(60)

/**
 * Milliseconds from the start of a call until the sweeper may take over the document. Longer than the call's time-out.
 */
export const callAlarmMs = Duration.toMillis(timeout) + 15_000

// Attempts before Folio takes "number already processed" to mean another document. If the authority still processes the
// same document, it gives its verdict within these attempts.
const knownAfterAttempts = 3

// How long Folio does not trust that response for a document that was never corrected.
const otherAfterMs = Duration.toMillis("1 hour")

// Largest number of documents whose broken calls Folio counts. If Folio drops a document's count, the count starts
// again from zero.
const countedMax = 10_000

const isVerdict: (answer: unknown) => boolean = Schema.is(GivenVerdict)

/**
 * `arrived`: an earlier call may have brought the document to the authority. `isFresh`: the document was never issued,
 * so no earlier call can have brought it to the authority.
 */
export interface How {
  readonly arrived: boolean
  readonly isFresh: boolean
}

const isAnswer = (answer: unknown) => answer === null || isVerdict(answer)

/** Metric of a call, by its end. `resultOf` returns the result label of a response. */
export const measureOf =
  <A>(call: string, resultOf: (answer: A) => string) =>
  (exit: Exit.Exit<A, Unanswered>) => {
    if (Exit.isSuccess(exit)) return Metrics.authorityCalls(call, resultOf(exit.value))
    const error = Result.getOrUndefined(Cause.findError(exit.cause))
    const missing = error instanceof PortBroken ? "broken" : "unavailable"
    return Metrics.authorityCalls(call, error instanceof AuthorityRefusal ? "refused" : missing)
  }

const verdictResult = (verdict: Verdict | null) => {
  if (verdict === null) return "unknown"
  return verdict.accepted ? "accepted" : "rejected"
}

/** A call to the authority without a response. */
export type Unanswered = AuthorityUnavailable | AuthorityRefusal | PortBroken

/**
 * Calls the authority's port and measures the call. A database failure stays a database failure, because the sandbox is
 * in the database.
 */
const asked = <A extends Verdict | null>(
  call: "submit" | "verdict",
  isAllowed: (answer: unknown) => boolean,
  ask: () => Effect.Effect<A, AuthorityUnavailable | AuthorityRefusal>
): Effect.Effect<A, Unanswered> =>
  Metrics.measure(
    checkPort({ name: `Authority.${call}`, isAnswer: isAllowed, isFailure: isAuthorityFailure }, ask),
    measureOf(call, verdictResult)
  ).pipe(
    Effect.catchIf(
      (error) => error instanceof PortBroken && isSqlFailure(error.cause),
      (error) => Effect.failCause((error as PortBroken).cause)
    )
  )

// The longest texts of the authority that a document stores and shows.
const most = { errorsMax: 500, textMax: 4_000 }

/**
 * The verdict in a form that can be stored. Bad texts, or a response that is not valid JSON, must not lose the verdict.
 */
const kept = (verdict: Verdict): Verdict => ({
  accepted: verdict.accepted,
  errors: storableErrors(verdict.errors, most),
  notifications: storableErrors(verdict.notifications, most),
  answer: storableJson(verdict.answer)
})

/** Logs the reason for a call without a verdict. The circuit breaker logs a failure of all documents once. */
const noteUnanswered = (row: Document, error: AuthorityUnavailable | AuthorityRefusal, isOutage: boolean) => {
  const facts = { invoice_id: row.id, trouble: troubleOf(error), reason: error.message }
  return error instanceof AuthorityRefusal
    ? Effect.logError("The authority refused a document without an outcome").pipe(
        Effect.annotateLogs({ ...facts, state: row.state })
      )
    : Effect.logWithLevel(isOfDocument(error) ? "Warn" : "Debug")("The authority returned no outcome").pipe(
        Effect.annotateLogs({ ...facts, attempts: row.attempts, is_outage: isOutage })
      )
}

/** Makes the function that calls the authority and records in the circuit breaker whether the authority responded. */
export const make = Effect.gen(function* () {
  const authority = yield* Authority
  const circuits = yield* CircuitBreaker
  const { codes } = yield* InvoiceCommands
  const invoices = yield* Invoices
  const signing = yield* Signing
  const workers = yield* Workers

  const askAndSend = Effect.fnUntraced(function* (row: Document, arrived: boolean) {
    const known = arrived ? yield* ask(row) : null
    if (known !== null) return kept(known)
    const signed = row.signed ?? Option.getOrUndefined(yield* invoices.signedDocument(row))
    if (signed === undefined) return yield* Effect.die(`no signed bytes of ${row.id}`)
    const document = { ...(yield* signing.nameOf(row)), signed }
    // Nothing waits between this check and the call. If this process hung during a statement, another process may have
    // sent the document.
    if (!(yield* workers.isAlive)) return null
    const submitted = asked("submit", isVerdict, () => authority.submit(document))
    return kept(yield* arrived ? Effect.catchTag(submitted, "AuthorityUnavailable", otherOfNumber(row)) : submitted)
  })

  /**
   * The verdict on a document that may have reached the authority; null if the authority does not have the document.
   *
   * A rejected call shows nothing about the document, which waits until its account may call again. If the authority
   * reports that it has received the document, Folio trusts that report for a week, whatever the authority reports
   * later.
   */
  const ask = Effect.fnUntraced(function* (row: Document) {
    const verdict = yield* signing.nameOf(row).pipe(
      Effect.flatMap((name) => asked("verdict", isAnswer, () => authority.verdict(name))),
      Effect.catchTag("AuthorityRefusal", ({ message, trouble = "sender_refused" }) =>
        Effect.fail(new AuthorityUnavailable({ message, trouble, of_document: true }))
      )
    )
    if (verdict !== null || !isReceived(row)) return verdict
    const message = "it has received the document, and does not know it yet"
    return yield* new AuthorityUnavailable({ message, trouble: "in_process", of_document: true })
  })

  /**
   * Ends a document whose number the authority has processed under an unknown code. The authority has another document
   * with that number, and never replaces it.
   *
   * For a corrected document, the other document is its earlier version, so it ends after a few attempts. Any other
   * document ends after an hour.
   */
  const otherOfNumber = (row: Document) => (error: AuthorityUnavailable) =>
    Effect.gen(function* () {
      const { number_processed, trouble } = error
      if (number_processed === undefined) return yield* error
      const isCorrected = (yield* codes(row)).length > 0
      const waited = row.waiting?.code === trouble ? (row.waiting_ms ?? 0) : 0
      if (isCorrected ? row.attempts < knownAfterAttempts : waited < otherAfterMs) return yield* error
      const answer = { ErrorMessage: [number_processed.message] }
      return { accepted: false, errors: [number_processed], notifications: [], answer }
    })

  /** Counts a failed call, and records in the circuit the information about the authority. */
  const note = Effect.fnUntraced(function* (row: Document, error: Unanswered) {
    // A broken port is a fault of Folio and does not show whether the authority responds.
    if (error instanceof PortBroken) return
    const trouble = troubleOf(error)
    yield* Metric.update(Metrics.authorityUnanswered(trouble), 1)
    const { is_refusal, of } = authorityTroubles[trouble]
    // The authority behind the gate has responded. If the gate rejects a certificate, the response shows nothing about
    // the authority.
    if (trouble === "in_process" || trouble === "sender_refused") yield* circuits.succeeded(row)
    if (is_refusal) return yield* circuits.refused(row, trouble)
    const isOfOne = error instanceof AuthorityUnavailable && isOfDocument(error)
    const isShared = !isOfOne && (of === "authority" || of === "service")
    if (isShared) yield* circuits.failed(row, trouble, error.message)
  })

  /**
   * The authority's verdict on a document whose attempt is already counted. Null if this process hung for so long that
   * another process may have the document; then it sends nothing.
   *
   * `arrived`: an earlier attempt may have reached the authority, so Folio asks for the verdict before it sends the
   * document.
   *
   * If the authority does not have the document, the circuit counts no success, because the authority may still accept
   * no documents.
   */
  const verdictOn = (row: Document, arrived: boolean): Effect.Effect<Verdict | null, Unanswered> =>
    withDeadline(askAndSend(row, arrived), Duration.toMillis(timeout), () =>
      Effect.fail(new AuthorityUnavailable({ message: "no response in time", trouble: "no_answer" }))
    ).pipe(
      Effect.tap((verdict) => (verdict === null ? Effect.void : circuits.succeeded(row))),
      Effect.tapError((error) => note(row, error))
    )

  const brokenInARow = new Map<string, number>()

  const noteBroken = Effect.fnUntraced(function* (row: Document, { cause }: PortBroken) {
    const times = (brokenInARow.get(row.id) ?? 0) + 1
    yield* Effect.logError("A call to the authority failed inside Folio", cause).pipe(
      Effect.annotateLogs({ invoice_id: row.id, attempts: row.attempts, in_a_row: times })
    )
    yield* Metric.update(Metrics.poison("invoice"), 1)
    const [oldest] = brokenInARow.keys()
    if (oldest !== undefined && brokenInARow.size >= countedMax) brokenInARow.delete(oldest)
    brokenInARow.set(row.id, times)
    return times
  })

  /** Calls the authority for a document whose attempt is already counted. Returns the next step. */
  return Effect.fnUntraced(function* (row: Document, { arrived, isFresh }: How) {
    const result = yield* Effect.result(verdictOn(row, arrived))
    const outcome = Result.isSuccess(result) ? { verdict: result.success } : result.failure
    const isBroken = outcome instanceof PortBroken
    const times = isBroken ? yield* noteBroken(row, outcome) : 0
    const known = "verdict" in outcome ? answering : yield* circuits.look(row)
    if (!("verdict" in outcome || isBroken)) yield* noteUnanswered(row, outcome, known.phase === "open")
    const random = yield* Random.next
    const next = afterCall(row, { outcome, isFresh, brokenInARow: times, random }, known)
    if (!isBroken || next.do === "End") brokenInARow.delete(row.id)
    return next
  })
})

// Shorter than the alarm of a document in progress. After this time the document waits for its row's alarm, and its
// actor is free.
const maxWait = Duration.seconds(3)

/**
 * Turns for calls to the authority, separate for test and live mode. They limit the number of calls to a slow
 * authority, and leave turns for other accounts.
 */
export class AuthorityTurns extends Context.Service<AuthorityTurns>()("folio/invoices/AuthorityTurns", {
  make: Effect.map(Limits, ({ authority }) => {
    const [test, live] = [Turns.make(authority), Turns.make(authority)]
    const turnsOf = ({ livemode }: AccountMode) => (livemode ? live : test)
    return {
      /** Runs a call in its turn; none if no turn comes within 3 s. After its start, a call has no time-out here. */
      inTurn: <A, E, R>(account: AccountMode, call: Effect.Effect<A, E, R>): Effect.Effect<Option.Option<A>, E, R> =>
        turnsOf(account).inTurn(Turns.askerOf(account), Effect.asSome(call), {
          maxWait,
          late: () => Effect.succeedNone
        }),
      /** Runs at most `callsMax` calls, in turns that are free now. Each call returns its own turn. */
      withFree: <A, E, R>(
        account: AccountMode,
        callsMax: number,
        use: (free: number, giveBack: Effect.Effect<void>) => Effect.Effect<A, E, R>
      ): Effect.Effect<A, E, R> =>
        Effect.suspend(() => {
          const owner = accountAddress(account)
          const turns = turnsOf(account)
          let left = 0
          const end = (count: number) => {
            left -= count
            turns.end(owner, count)
          }
          const take = Effect.sync(() => (left = turns.takeFree(owner, callsMax)))
          const giveBack = Effect.sync(() => end(Math.min(left, 1)))
          return Effect.acquireUseRelease(
            take,
            (free) => use(free, giveBack),
            () => Effect.sync(() => end(left))
          )
        })
    }
  })
}) {
  static readonly layer = Layer.effect(AuthorityTurns, AuthorityTurns.make)
}
