import { Cause, Context, Data, Duration, Effect, Exit, Layer, Option } from "effect"
import { Authority, AuthorityRefusal, AuthorityUnavailable, type Verdict } from "../outbound/authority/Authority.ts"
import * as Metrics from "../protocol/Metrics.ts"
import { Invoices } from "../store/documents/Invoices.ts"
import { isDefect } from "../store/sql/SqlFailure.ts"
import { Workers } from "../store/sql/Workers.ts"
import { CircuitBreaker } from "./CircuitBreaker.ts"
import { Signing } from "./Signing.ts"
import type { Document } from "./Steps.ts"

const timeout = Duration.seconds(60)

/** Milliseconds from the start of a call after which the sweeper may take over the document: more than the call's time-out. */
export const callAlarmMs = Duration.toMillis(timeout) + 15_000

/** The authority's port broke: it gave no answer and none of its typed failures. Whether the document arrived is not known. */
export class AuthorityBroken extends Data.TaggedError("AuthorityBroken")<{ readonly cause: Cause.Cause<unknown> }> {}

const isFailure = (error: unknown) => error instanceof AuthorityUnavailable || error instanceof AuthorityRefusal

const isVerdict = (answer: Verdict | null) => answer === null || typeof answer?.accepted === "boolean"

/** Fails with `AuthorityBroken` when the port dies or gives no verdict: a team may have brought its own port. */
const guarded = (call: Effect.Effect<Verdict | null, AuthorityUnavailable | AuthorityRefusal>) =>
  call.pipe(
    Effect.filterOrElse(isVerdict, () => Effect.die("the answer of the authority's port is no verdict")),
    Effect.catchCauseIf(
      (cause) => isDefect(cause) && !Option.exists(Cause.findErrorOption(cause), isFailure),
      (cause) => Effect.fail(new AuthorityBroken({ cause }))
    )
  )

const callOf = (call: string) => (exit: Exit.Exit<Verdict | null, AuthorityUnavailable | AuthorityRefusal>) => {
  if (Exit.isFailure(exit)) {
    const refused = Option.filter(Cause.findErrorOption(exit.cause), (error) => error instanceof AuthorityRefusal)
    const isTyped = Option.exists(Cause.findErrorOption(exit.cause), isFailure)
    const missing = isDefect(exit.cause) && !isTyped ? "broken" : "unavailable"
    return Metrics.authorityCalls(call, Option.isSome(refused) ? "refused" : missing)
  }
  if (exit.value === null) return Metrics.authorityCalls(call, "unknown")
  return Metrics.authorityCalls(call, exit.value.accepted ? "accepted" : "rejected")
}

/** Calls the authority, and records in the circuit breaker whether the authority answered. */
export class AuthorityCalls extends Context.Service<AuthorityCalls>()("folio/issuing/AuthorityCalls", {
  make: Effect.gen(function* () {
    const authority = yield* Authority
    const circuits = yield* CircuitBreaker
    const invoices = yield* Invoices
    const signing = yield* Signing
    const workers = yield* Workers

    const askAndSend = Effect.fnUntraced(function* (row: Document, arrived: boolean) {
      const name = yield* signing.nameOf(row)
      const ask = Effect.suspend(() => authority.verdict(name))
      const known = arrived ? yield* guarded(Metrics.measure(ask, callOf("verdict"))) : null
      if (known !== null) return known
      const signed = row.signed ?? Option.getOrUndefined(yield* invoices.signedDocument(row))
      if (signed === undefined) return yield* Effect.die(`no signed bytes of ${row.id}`)
      if (!(yield* workers.isAlive)) return null
      const send = Effect.suspend(() => authority.submit({ ...name, signed }))
      return yield* guarded(Metrics.measure(send, callOf("submit")))
    })

    /**
     * The authority's verdict on a document whose attempt is already counted. `arrived`: an earlier attempt may have reached the
     * authority, so that the authority is asked for its verdict before the document is sent. The answer that the authority does not
     * know the document is no success for the circuit: it does not say whether the authority takes documents. Null: nothing was
     * sent, because this process was away for so long that another process may be at work on the document.
     */
    const verdictOn = (
      row: Document,
      arrived: boolean
    ): Effect.Effect<Verdict | null, AuthorityUnavailable | AuthorityRefusal | AuthorityBroken> =>
      askAndSend(row, arrived).pipe(
        Effect.timeoutOrElse({
          duration: timeout,
          orElse: () => Effect.fail(new AuthorityUnavailable({ message: "no answer in time" }))
        }),
        Effect.tap((verdict) => (verdict === null ? Effect.void : circuits.succeeded(row))),
        Effect.tapError((error) => {
          // A broken port is a fault of the service and does not say whether the authority answers.
          if (error instanceof AuthorityBroken) return Effect.void
          if (error instanceof AuthorityRefusal) return circuits.succeeded(row)
          return error.of_document === true ? Effect.void : circuits.failed(row)
        })
      )

    return { verdictOn }
  })
}) {
  static readonly layer = Layer.effect(AuthorityCalls, AuthorityCalls.make)
}
