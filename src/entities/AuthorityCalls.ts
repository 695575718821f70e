import { Cause, Data, Duration, Effect, Exit, Option } from "effect"
import { Authority, AuthorityRefusal, AuthorityUnavailable, type Verdict } from "../outbound/Authority.ts"
import * as Metrics from "../protocol/Metrics.ts"
import { Invoices } from "../store/Invoices.ts"
import { isDefect } from "../store/SqlFailure.ts"
import { Workers } from "../store/Workers.ts"
import type { Circuits } from "./Circuits.ts"
import { DocumentSigning } from "./DocumentSigning.ts"
import type { Document } from "./InvoiceSteps.ts"

const timeout = Duration.seconds(60)

/** Beyond a call's time-out, the sweeper may take the document over. */
export const callAlarmMs = Duration.toMillis(timeout) + 15_000

/** The port broke: no answer, and none of the failures that it may have. Whether anything arrived is not known. */
export class AuthorityBroken extends Data.TaggedError("AuthorityBroken")<{ readonly cause: Cause.Cause<unknown> }> {}

const isFailure = (error: unknown) => error instanceof AuthorityUnavailable || error instanceof AuthorityRefusal

const isVerdict = (answer: Verdict | null) => answer === null || typeof answer?.accepted === "boolean"

/** A call of the port, whatever the port does: a team may have brought its own. */
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

/** Calls of the authority. What becomes of each is told to its circuit. */
export const make = Effect.fnUntraced(function* (circuits: Circuits) {
  const authority = yield* Authority
  const invoices = yield* Invoices
  const signing = yield* DocumentSigning
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
   * The authority's word on a document whose attempt is counted. `arrived` when an earlier attempt may have reached it: then it is
   * asked before it is sent to. That it does not know the document says nothing yet of whether it takes documents. Null: nothing
   * was sent, for this process was away so long that another may be at work on the document.
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
        // That is ours to mend, and says nothing of the authority.
        if (error instanceof AuthorityBroken) return Effect.void
        if (error instanceof AuthorityRefusal) return circuits.succeeded(row)
        return error.of_document === true ? Effect.void : circuits.failed(row)
      })
    )

  return { verdictOn }
})
