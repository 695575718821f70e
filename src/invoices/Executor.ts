import {
  Cause,
  Clock,
  Context,
  Duration,
  Effect,
  Exit,
  FiberSet,
  Layer,
  Metric,
  Option,
  Random,
  Schedule
} from "effect"
import type { DocumentKey, Failure } from "../../schemas/FiscalDocument.ts"
import { type InvoiceState, isIssued } from "./rules/InvoiceLifecycle.ts"
import { inLane } from "../runtime/turns/AccountLanes.ts"
import { Fault } from "../runtime/Fault.ts"
import * as Metrics from "../runtime/Metrics.ts"
import { Notify } from "../accounts/Notify.ts"
import type { SigningUnavailable } from "../documents/signature/Certificate.ts"
import { Invoices, type LoadedInvoice } from "./store/Invoices.ts"
import { isUnreadable, type Vitals } from "./store/Vitals.ts"
import { isDefect, isSqlFailure } from "../database/SqlFailure.ts"
import * as AuthorityCalls from "./AuthorityCalls.ts"
import { AuthorityTurns } from "./AuthorityCalls.ts"
import { Backpressure } from "./Backpressure.ts"
import {
  conclusion,
  type DocumentVerdict,
  leaving,
  signedAndSubmitted,
  signedOnly,
  type Change,
  type Document
} from "./Steps.ts"
import { CircuitBreaker } from "./CircuitBreaker.ts"
import { afterDefect, afterNoSignature, type Next, nextStep } from "./NextStep.ts"
import * as Redating from "./Redating.ts"
import { Signing } from "./Signing.ts"
import * as Steps from "./Steps.ts"

// If only one document's calls fail, its own alarm transmits it, and not the sweep after an outage.
const ownTransmissionMs = 30_000
const transmitWithinMs = Duration.toMillis(Duration.hours(48))

// A restart of the database takes a second or two. After longer outages the sweeper notifies the actor.
const afterDatabaseFailure = { while: isSqlFailure, times: 3, schedule: Schedule.exponential("1 second") }

// In these states Folio calls the authority, in its turn.
const called: ReadonlySet<InvoiceState> = new Set(["signed", "submitted", "accepted_contingency"])

/** The document after a step; none if the document is done or has to wait, or if another owner was faster. */
type Going = Option.Option<Document>
const done: Going = Option.none()

/** Handles a document after a failure of its group's work. */
type Leaves = (row: Document, cause: Cause.Cause<never>) => Effect.Effect<void>

/**
 * Runs the steps of `NextStep` until a document is done or has to wait. Documents that were numbered together proceed
 * together.
 */
export class Executor extends Context.Service<Executor>()("folio/invoices/Executor", {
  make: Effect.gen(function* () {
    const backpressure = yield* Backpressure
    const callAuthority = yield* AuthorityCalls.make
    const circuits = yield* CircuitBreaker
    const dating = yield* Redating.make
    const invoices = yield* Invoices
    const notify = yield* Notify
    const signing = yield* Signing
    const steps = yield* Steps.make
    const turns = yield* AuthorityTurns
    const begun = yield* FiberSet.make<void>()

    const end = (row: Vitals, failure: Failure) =>
      Effect.as(steps.one({ row, command: "Fail", details: { failure, alarmMs: null } }), done)

    const wait = (row: Vitals, details: Change<Vitals>["details"]) =>
      Effect.as(steps.one({ row, command: null, details }), done)

    const waitForSigner = Effect.fnUntraced(function* (row: LoadedInvoice, { message }: SigningUnavailable) {
      yield* Effect.logWarning("The signer returned no valid signature; the document waits").pipe(
        Effect.annotateLogs({ invoice_id: row.id, trouble: "signer_unavailable", reason: message })
      )
      return yield* wait(row, afterNoSignature(row, message, yield* Random.next))
    })

    /**
     * The document with its new signed bytes; none if it cannot be signed now. Then the document keeps its number. It
     * waits for its signer, or has failed and can be retried.
     */
    const signed = (row: LoadedInvoice): Effect.Effect<Option.Option<Uint8Array>> =>
      signing.sign(row).pipe(
        Effect.asSome,
        Effect.catch((error) =>
          Effect.as(
            error._tag === "SigningUnavailable" ? waitForSigner(row, error) : end(row, error.failure),
            Option.none()
          )
        )
      )

    const sign = Effect.fnUntraced(function* (row: Document) {
      yield* Fault.at("before-sign")
      const bytes = yield* signed(row)
      yield* Fault.at("after-sign")
      return Option.map(bytes, (made) => ({ ...row, signed: made }))
    })

    const redate = (row: Document) => Effect.catch(dating.redate(row), (failure) => end(row, failure))

    /**
     * Issues a document to its buyer without a verdict and without a call to the authority. The document is signed as
     * type 04 with the same CUFE or CUDE.
     */
    const enterContingency = Effect.fnUntraced(function* (row: Document, cause: "outage" | "document") {
      const bytes = yield* signed({ ...row, of_type_04: true })
      if (Option.isNone(bytes)) return done
      const alarm = cause === "outage" ? { alarmMs: Infinity } : { alarmMs: ownTransmissionMs, transmitWithinMs }
      yield* steps.one({ row, command: "EnterContingency", details: { signed: bytes.value, ...alarm } })
      return done
    })

    /** Calls the authority for a row whose attempt is already counted, and stores the next step. */
    const call = Effect.fnUntraced(function* (
      row: Document,
      how: AuthorityCalls.How,
      conclude: (verdicts: DocumentVerdict) => Effect.Effect<unknown> = (verdicts) => steps.one(conclusion(verdicts))
    ) {
      const next = yield* callAuthority(row, how)
      switch (next.do) {
        case "Conclude":
          yield* Fault.at("after-verdict")
          yield* conclude({ row, verdict: next.verdict })
          return done
        case "End":
          return yield* end(row, next.failure)
        case "Wait":
          return yield* wait(row, next)
        case "Return": {
          const back = yield* steps.one({ row, command: "Return", details: next })
          return Option.isSome(back) && next.contingency !== null
            ? yield* enterContingency(back.value, next.contingency)
            : done
        }
      }
    })

    const carryOut = (row: Document, next: Next): Effect.Effect<Going> => {
      switch (next.do) {
        case "Rest":
          return Effect.succeed(done)
        case "Redate":
          return redate(row)
        case "Sign":
          return storeSigned(row)
        case "SignAndSend":
          return alone(row)
        case "Send":
          return send(row)
        case "Ask":
          return ask(row)
        case "Try":
          return Effect.flatMap(circuits.probes(row), (mayTry) =>
            carryOut(row, mayTry ? { do: next.call } : next.otherwise)
          )
        case "EnterContingency":
          return backpressure.signing(row, enterContingency(row, next.cause))
        case "Wait":
          return wait(row, next)
      }
    }

    const send = Effect.fnUntraced(function* (row: Document) {
      const isFresh = !isIssued(row)
      const submitted = yield* steps.one({ row, command: "Submit", details: leaving })
      yield* Fault.at("after-submit")
      return Option.isSome(submitted) ? yield* call(submitted.value, { arrived: !isFresh, isFresh }) : done
    })

    const ask = Effect.fnUntraced(function* (row: Document) {
      yield* warnIfLate(row)
      const counted = yield* steps.one({ row, command: null, details: leaving })
      return Option.isSome(counted)
        ? yield* call(counted.value, { arrived: row.submitted_at !== null, isFresh: false })
        : done
    })

    const storeSigned = Effect.fnUntraced(function* (row: Document) {
      const made = yield* backpressure.signing(row, sign(row))
      return Option.isSome(made) ? yield* steps.one(signedOnly(made.value)) : done
    })

    /** The successful results of a part of a group's work. A document with a failure leaves the group. */
    const kept = Effect.fnUntraced(function* <A>(
      rows: ReadonlyArray<Document>,
      exits: ReadonlyArray<Exit.Exit<A>>,
      leaves: Leaves
    ) {
      const good: Array<A> = []
      for (const [index, exit] of exits.entries()) {
        if (Exit.isSuccess(exit)) good.push(exit.value)
        else yield* leaves(rows[index]!, exit.cause)
      }
      return good
    })

    /**
     * Concludes documents of a group together if their verdicts arrive at the same moment. The first of them concludes
     * all.
     */
    const makeConclude = (leaves: Leaves) => {
      let verdicts: Array<DocumentVerdict> = []
      const concludeAll = Effect.suspend(() => {
        const all = verdicts
        verdicts = []
        const rows = all.map(({ row }) => row)
        return Effect.flatMap(steps.all(all.map(conclusion)), (exits) => kept(rows, exits, leaves))
      })
      return (one: DocumentVerdict) =>
        Effect.suspend(() => (verdicts.push(one) === 1 ? Effect.andThen(Effect.yieldNow, concludeAll) : Effect.void))
    }

    /**
     * Signs documents and sends them immediately. A single statement stores the signed bytes and the submissions.
     *
     * For documents without a free turn at the authority, the statement stores only the signed bytes, and `goesOn`
     * processes each of them alone. For a single document, a failure passes to the caller.
     */
    const signAndSend = Effect.fnUntraced(function* (
      rows: ReadonlyArray<Document>,
      goesOn: (row: Document) => Effect.Effect<void>
    ) {
      const leaves: Leaves = rows.length === 1 ? (_row, cause) => Effect.failCause(cause) : leave
      const signAll = Effect.forEach(rows, (row) => Effect.exit(sign(row)), { concurrency: "unbounded" }).pipe(
        Effect.flatMap((exits) => kept(rows, exits, leaves)),
        Effect.map((signedOnes) => signedOnes.flatMap(Option.toArray))
      )
      const made = yield* backpressure.signing(rows[0]!, signAll, rows.length)
      if (made.length === 0) return
      yield* turns.withFree(made[0]!, made.length, (free, giveBack) =>
        Effect.gen(function* () {
          const changes = made.map((row, index) => (index < free ? signedAndSubmitted(row) : signedOnly(row)))
          const moved = yield* backpressure.signing(made[0]!, steps.all(changes), made.length)
          const conclude = makeConclude(leaves)
          const stored = yield* kept(made, moved, leaves)
          for (const row of stored) if (Option.isSome(row) && row.value.state === "signed") yield* goesOn(row.value)
          const sent = stored.flatMap(Option.toArray).filter(({ state }) => state === "submitted")
          // Runs once for each document, as for a document alone.
          yield* Effect.forEach(sent, () => Fault.at("after-submit"), { discard: true })
          for (let unused = sent.length; unused < free; unused += 1) yield* giveBack
          yield* Effect.forEach(
            sent,
            (row) =>
              call(row, { arrived: false, isFresh: true }, conclude).pipe(
                Effect.catchCause((cause) => leaves(row, cause)),
                Effect.ensuring(giveBack)
              ),
            { concurrency: "unbounded", discard: true }
          )
        })
      )
    })

    const alone = Effect.fnUntraced(function* (row: Document) {
      let next = done
      yield* signAndSend([row], (stored) => Effect.sync(() => void (next = Option.some(stored))))
      return next
    })

    const proceedFrom = Effect.fnUntraced(function* (row: Document) {
      const next = nextStep(row, yield* circuits.look(row), yield* dating.today)
      return yield* carryOut(row, next)
    })

    /**
     * Runs the steps of one document. A call waits for its turn. If no turn comes in time, the alarm in the row resumes
     * the document.
     */
    const runSteps = Effect.fnUntraced(function* (from: Going) {
      let going = from
      while (Option.isSome(going)) {
        const row = going.value
        going = called.has(row.state)
          ? Option.flatten(yield* turns.inTurn(row, proceedFrom(row)))
          : yield* proceedFrom(row)
      }
    })

    const settle = Effect.fnUntraced(function* (key: DocumentKey, cause: Cause.Cause<never>) {
      const found = yield* invoices.vitals(key)
      if (Option.isNone(found)) return yield* invoices.suspend([key])
      const next = afterDefect(found.value, isUnreadable(cause), yield* Random.next)
      if (next.do === "End") yield* end(found.value, next.failure)
      else if (next.do === "Wait") yield* wait(found.value, next)
    })

    /** Handles an internal error of Folio on a document, with the step from `afterDefect`. */
    const handleDefect = Effect.fn("Executor.handleDefect")(function* (key: DocumentKey, cause: Cause.Cause<never>) {
      yield* Effect.logError("An invoice could not proceed", cause).pipe(Effect.annotateLogs({ invoice_id: key.id }))
      if (isSqlFailure(cause)) return
      yield* Metric.update(Metrics.poison("invoice"), 1)
      yield* settle(key, cause).pipe(
        Effect.catchCauseIf(isDefect, (second) =>
          Effect.andThen(
            Effect.logError("Folio could not store the failure of an invoice; the invoice waits", second),
            invoices.suspend([key])
          )
        )
      )
    })

    /** After a database failure, the document's actor resumes from the row. */
    const leave: Leaves = (row, cause) => {
      if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause)
      return isSqlFailure(cause) ? notify.proceed(row) : handleDefect(row, cause)
    }

    /**
     * Runs the steps that the document's row requires, until the document is done or has to wait. After a database
     * failure, reads the row again.
     */
    const proceed = Effect.fn("Executor.proceed")((key: DocumentKey) =>
      Effect.flatMap(backpressure.signing(key, invoices.load(key)), runSteps).pipe(
        Effect.sandbox,
        Effect.retry(afterDatabaseFailure),
        Effect.catch((cause) => (Cause.hasInterruptsOnly(cause) ? Effect.failCause(cause) : handleDefect(key, cause)))
      )
    )

    const beside = (rows: ReadonlyArray<Document>, effect: Effect.Effect<void>) =>
      effect.pipe(
        Effect.catchCause((cause) => Effect.forEach(rows, (row) => leave(row, cause), { discard: true })),
        Effect.catchCause((cause) => Effect.logError("An invoice could not proceed; the sweeper will retry it", cause)),
        Effect.annotateLogs({ account_id: rows[0]!.account_id }),
        inLane(rows[0]!),
        (guarded) => Effect.asVoid(FiberSet.run(begun, guarded))
      )

    const goOnAlone = (row: Document) =>
      beside([row], Effect.annotateLogs(runSteps(Option.some(row)), { invoice_id: row.id }))

    const goTogether = Effect.fnUntraced(function* (rows: ReadonlyArray<Document>) {
      const authority = yield* circuits.look(rows[0]!)
      const today = yield* dating.today
      const isStraight = (row: Document) => nextStep(row, authority, today).do === "SignAndSend"
      for (const row of rows.filter((one) => !isStraight(one))) yield* goOnAlone(row)
      const together = rows.filter(isStraight)
      if (together.length > 0) yield* signAndSend(together, goOnAlone)
    })

    /**
     * Runs the steps of an account's newly numbered documents in parallel to the caller. The end of this process
     * interrupts unfinished steps.
     */
    const begin = (rows: ReadonlyArray<LoadedInvoice>) => {
      const [first] = rows
      if (first === undefined) return Effect.void
      const attributes = { account_id: first.account_id, invoice_ids: rows.map(({ id }) => id).join(" ") }
      return beside(rows, Effect.withSpan(goTogether(rows), "Executor.begin", { kind: "consumer", attributes }))
    }

    /** Ends a draft without a number as failed, with this failure. Uses no number. */
    const fail = Effect.fn("Executor.fail")(
      function* (key: DocumentKey, why: Failure) {
        const row = yield* invoices.vitals(key)
        if (Option.isSome(row) && row.value.state === "queued") yield* end(row.value, why)
      },
      (ending, key) => ending.pipe(Effect.catchCauseIf(isDefect, (cause) => handleDefect(key, cause)))
    )

    return { begin, proceed, fail, handleDefect }
  })
}) {
  static readonly layer = Layer.effect(Executor, Executor.make)
}

/** Logs an error for a late document. The account has missed its deadline, and Folio still transmits the document. */
const warnIfLate = Effect.fnUntraced(function* ({ id, transmit_before }: Document) {
  if (transmit_before === null || transmit_before.getTime() > (yield* Clock.currentTimeMillis)) return
  yield* Effect.logError("A document in contingency was not transmitted within 48 hours; Folio keeps retrying").pipe(
    Effect.annotateLogs({ invoice_id: id, transmit_before: transmit_before.toISOString() })
  )
})
