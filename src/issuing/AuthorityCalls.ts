import { Cause, Context, Duration, Effect, Exit, Layer, Option, Result, Schema } from "effect"
import { AuthorityError } from "../../schemas/FiscalDocument.ts"
import { storableJson, storableText } from "../domain/requests/Storable.ts"
import { Authority, AuthorityRefusal, AuthorityUnavailable, type Verdict } from "../outbound/authority/Authority.ts"
import * as Metrics from "../protocol/Metrics.ts"
import { callPort, PortBroken } from "../protocol/PortCall.ts"
import { Correction } from "../store/documents/Correction.ts"
import { Invoices } from "../store/documents/Invoices.ts"
import { isSqlFailure } from "../store/sql/SqlFailure.ts"
import { Workers } from "../store/sql/Workers.ts"
import { CircuitBreaker } from "./CircuitBreaker.ts"
import { Signing } from "./Signing.ts"
import type { Document } from "./Steps.ts"

const timeout = Duration.seconds(60)

/** Milliseconds from the start of a call after which the sweeper may take over the document: more than the call's time-out. */
export const callAlarmMs = Duration.toMillis(timeout) + 15_000

// Attempts before the answer that a number was processed is believed to mean another document: an authority that is still at work on the
// same document gives its verdict meanwhile.
const knownAfterAttempts = 3

const isFailure = (error: unknown) => error instanceof AuthorityUnavailable || error instanceof AuthorityRefusal

const isVerdict: (answer: unknown) => boolean = Schema.is(
  Schema.Struct({
    accepted: Schema.Boolean,
    errors: Schema.Array(AuthorityError),
    notifications: Schema.Array(AuthorityError),
    answer: Schema.Unknown
  })
)

const isAnswer = (answer: unknown) => answer === null || isVerdict(answer)

const callOf = (call: string) => (exit: Exit.Exit<Verdict | null, Unanswered>) => {
  if (Exit.isFailure(exit)) {
    const error = Result.getOrUndefined(Cause.findError(exit.cause))
    const missing = error instanceof PortBroken ? "broken" : "unavailable"
    return Metrics.authorityCalls(call, error instanceof AuthorityRefusal ? "refused" : missing)
  }
  if (exit.value === null) return Metrics.authorityCalls(call, "unknown")
  return Metrics.authorityCalls(call, exit.value.accepted ? "accepted" : "rejected")
}

type Unanswered = AuthorityUnavailable | AuthorityRefusal | PortBroken

/** Calls the authority's port and measures the call. A failure of the database stays what it is: the sandbox is in the database. */
const asked = <A extends Verdict | null>(
  call: "submit" | "verdict",
  isAllowed: (answer: unknown) => boolean,
  ask: () => Effect.Effect<A, AuthorityUnavailable | AuthorityRefusal>
): Effect.Effect<A, Unanswered> =>
  Metrics.measure(callPort({ name: `Authority.${call}`, isAnswer: isAllowed, isFailure }, ask), callOf(call)).pipe(
    Effect.catchIf(
      (error) => error instanceof PortBroken && isSqlFailure(error.cause),
      (error) => Effect.failCause((error as PortBroken).cause)
    )
  )

// The most of the authority's texts that a document keeps and shows.
const errorsMax = 500
const textMax = 4_000

const storable = (errors: Verdict["errors"]): Verdict["errors"] =>
  errors.slice(0, errorsMax).map(({ hint, message, path, rule, severity }) => ({
    rule: storableText(rule, textMax),
    severity,
    message: storableText(message, textMax),
    path: path === null ? null : storableText(path, textMax),
    hint: hint === null ? null : storableText(hint, textMax)
  }))

/** The verdict as it can be stored: a verdict is not lost because of its texts, or because its answer cannot be written as JSON. */
const kept = (verdict: Verdict): Verdict => ({
  accepted: verdict.accepted,
  errors: storable(verdict.errors),
  notifications: storable(verdict.notifications),
  answer: storableJson(verdict.answer)
})

/** Calls the authority, and records in the circuit breaker whether the authority answered. */
export class AuthorityCalls extends Context.Service<AuthorityCalls>()("folio/issuing/AuthorityCalls", {
  make: Effect.gen(function* () {
    const authority = yield* Authority
    const circuits = yield* CircuitBreaker
    const correction = yield* Correction
    const invoices = yield* Invoices
    const signing = yield* Signing
    const workers = yield* Workers

    const askAndSend = Effect.fnUntraced(function* (row: Document, arrived: boolean) {
      const name = yield* signing.nameOf(row)
      const known = arrived ? yield* asked("verdict", isAnswer, () => authority.verdict(name)) : null
      if (known !== null) return kept(known)
      const signed = row.signed ?? Option.getOrUndefined(yield* invoices.signedDocument(row))
      if (signed === undefined) return yield* Effect.die(`no signed bytes of ${row.id}`)
      if (!(yield* workers.isAlive)) return null
      const submitted = asked("submit", isVerdict, () => authority.submit({ ...name, signed }))
      return kept(yield* arrived ? Effect.catchTag(submitted, "AuthorityUnavailable", otherOfNumber(row)) : submitted)
    })

    /**
     * The end of a corrected document whose number the authority has processed, and whose code it still does not know after a few attempts:
     * what the authority has is another document, such as the one that was corrected, and is never replaced.
     */
    const otherOfNumber = (row: Document) => (error: AuthorityUnavailable) =>
      Effect.gen(function* () {
        const { number_processed } = error
        if (number_processed === undefined || row.attempts < knownAfterAttempts) return yield* error
        if ((yield* correction.codes(row)).length === 0) return yield* error
        const answer = { ErrorMessage: [number_processed.message] }
        return { accepted: false, errors: [number_processed], notifications: [], answer }
      })

    /**
     * The authority's verdict on a document whose attempt is already counted. `arrived`: an earlier attempt may have reached the
     * authority, so that the authority is asked for its verdict before the document is sent. The answer that the authority does not
     * know the document is no success for the circuit: it does not say whether the authority takes documents. Null: nothing was
     * sent, because this process was away for so long that another process may be at work on the document.
     */
    const verdictOn = (row: Document, arrived: boolean): Effect.Effect<Verdict | null, Unanswered> =>
      askAndSend(row, arrived).pipe(
        Effect.timeoutOrElse({
          duration: timeout,
          orElse: () => Effect.fail(new AuthorityUnavailable({ message: "no answer in time" }))
        }),
        Effect.tap((verdict) => (verdict === null ? Effect.void : circuits.succeeded(row))),
        Effect.tapError((error) => {
          // A broken port is a fault of the service and does not say whether the authority answers.
          if (error instanceof PortBroken) return Effect.void
          if (error instanceof AuthorityRefusal) return circuits.succeeded(row)
          return error.of_document === true ? Effect.void : circuits.failed(row)
        })
      )

    return { verdictOn }
  })
}) {
  static readonly layer = Layer.effect(AuthorityCalls, AuthorityCalls.make)
}
