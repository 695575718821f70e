import { Cause, Clock, Duration, Effect, Option, Predicate, Result, Schema } from "effect"
import { AcceptanceCode, ClaimCode } from "../../schemas/Acceptance.ts"
import type { DocumentKey } from "../../schemas/FiscalDocument.ts"
import { type AuthorityEvent, eventsOnce } from "./rules/AcceptanceRules.ts"
import { storableText } from "../runtime/json/Storable.ts"
import {
  Authority,
  AuthorityRefusal,
  type DocumentName,
  isAuthorityFailure as isFailure
} from "./authority/Authority.ts"
import { inFairPages } from "../runtime/turns/FairPages.ts"
import { Fault } from "../runtime/Fault.ts"
import * as Metrics from "../runtime/Metrics.ts"
import { callPort } from "../runtime/PortCall.ts"
import { Acceptances } from "./store/Acceptances.ts"
import { Invoices } from "./store/Invoices.ts"
import { Limits } from "../runtime/Limits.ts"
import { measureOf, type Unanswered, AuthorityTurns } from "./AuthorityCalls.ts"
import { Backpressure } from "./Backpressure.ts"
import { CircuitBreaker } from "./CircuitBreaker.ts"
import { Signing } from "./Signing.ts"

const timeout = Duration.seconds(60)

// Small enough to look up a page within the lease of its rows, even if every call takes its time-out.
const pageMax = 64

// At most an eighth of the concurrent calls, so that documents for submission get their turn.
const shareOfCalls = 8
const concurrencyMax = 16

/**
 * Seconds until the next look-up of an invoice: after a rejection of the account (such as one without a valid
 * certificate), after any other trouble, while the authority's circuit is failing, and without a turn for the call.
 */
const again = { refused: 72_000, trouble: 3_600, failing: 900, noTurn: 60 }

// Log interval, because many look-ups fail for the same reason.
const loggedEveryMs = 60_000

const nameMax = 450

const isEvents = Schema.is(
  Schema.Array(
    Schema.Struct({
      code: AcceptanceCode,
      at: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 4_102_444_800_000 })),
      by: Schema.NullOr(Schema.String),
      claim: Schema.NullOr(ClaimCode)
    })
  )
) as (answer: unknown) => boolean

/**
 * Looks up the buyers' responses to accepted invoices on credit terms, once a day for 30 days. A failed look-up shows
 * nothing about the invoice, so Folio repeats it. It neither starts nor ends an outage of the authority. Null without
 * an authority that has these look-ups.
 */
export const make = Effect.gen(function* () {
  const acceptances = yield* Acceptances
  const authority = yield* Authority
  const backpressure = yield* Backpressure
  const circuits = yield* CircuitBreaker
  const { inTurn } = yield* AuthorityTurns
  const invoices = yield* Invoices
  const signing = yield* Signing
  const { atOnce } = (yield* Limits).authority
  const concurrency = Math.max(1, Math.min(concurrencyMax, Math.floor(atOnce / shareOfCalls)))

  const call = (name: DocumentName): Effect.Effect<ReadonlyArray<AuthorityEvent>, Unanswered> =>
    Metrics.measure(
      callPort(
        { name: "Authority.events", isAnswer: isEvents, isFailure, within: timeout },
        () => authority.events?.(name) ?? Effect.succeed([])
      ),
      measureOf("events", () => "answered")
    )

  const ask = Effect.fn("BuyersAnswers.ask", { kind: "consumer" })(function* (key: DocumentKey) {
    if ((yield* circuits.look(key)).leftMs !== null) return yield* acceptances.postpone([key], again.failing)
    const row = yield* invoices.load(key)
    if (Option.isNone(row)) return yield* acceptances.postpone([key], again.trouble)
    const name = yield* Effect.mapError(signing.nameOf(row.value), ({ message }) => new AuthorityRefusal({ message }))
    const answer = yield* inTurn(key, call(name))
    if (Option.isNone(answer)) return yield* acceptances.postpone([key], again.noTurn)
    yield* Fault.at("after-events")
    const events = eventsOnce(answer.value)
    yield* acceptances.keep(
      key,
      events.map(({ by, ...event }) => ({ ...event, by: by === null ? null : storableText(by, nameMax) }))
    )
  })

  let loggedAt = Number.NEGATIVE_INFINITY
  const postpone = Effect.fnUntraced(function* (key: DocumentKey, cause: Cause.Cause<unknown>) {
    const now = yield* Clock.currentTimeMillis
    if (now - loggedAt >= loggedEveryMs) {
      loggedAt = now
      yield* Effect.logWarning(
        "The look-up of a buyer's response at the authority failed; Folio will retry",
        cause
      ).pipe(Effect.annotateLogs({ invoice_id: key.id }))
    }
    const isRefused = Result.getOrUndefined(Cause.findError(cause)) instanceof AuthorityRefusal
    yield* acceptances.postpone([key], isRefused ? again.refused : again.trouble)
  })

  const askOrPostpone = (key: DocumentKey) =>
    Effect.andThen(backpressure.idle, ask(key)).pipe(
      Effect.catchCauseIf(Predicate.not(Cause.hasInterruptsOnly), (cause) => postpone(key, cause))
    )

  const askAll = inFairPages(
    pageMax,
    (without) => acceptances.take(pageMax, without),
    Effect.forEach(askOrPostpone, { concurrency, discard: true })
  )

  return authority.events === undefined ? null : askAll
})
