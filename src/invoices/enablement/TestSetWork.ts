import { Cause, Clock, Effect, Option, Predicate, Result } from "effect"
import type { Failure } from "../../../schemas/FiscalDocument.ts"
import { timestamp } from "../../runtime/AuthorityTime.ts"
import { isOpen, planOf } from "../rules/Plan.ts"
import { Enablements, type NextStatus, type StoredEnablement } from "../store/Enablements.ts"
import type { LoadedTestDocument } from "../store/TestDocuments.ts"
import * as LiveReadiness from "./LiveReadiness.ts"
import { TestSetPace, retryDelayMs } from "./TestSetPace.ts"
import {
  lacking,
  noNumberLeft,
  obstacleFailure,
  refusedFailure,
  type TestSetTrouble,
  troubleWords
} from "./TestSetWords.ts"
import * as TestDocumentMaking from "./TestDocumentMaking.ts"
import * as TestDocumentSteps from "./TestDocumentSteps.ts"
import type { StepOutcome } from "./TestDocumentSteps.ts"

/** The lease of a process that takes a test set. Longer than a round whose calls all end by their time-outs. */
export const leaseSeconds = 300

// After this time a process lets other test sets run. Until then it waits for a next step within `nearMs`.
const holdMs = 20_000
const nearMs = 2_500
const brokenMs = 30_000

const passed = (message: string | null): NextStatus => ({ status: "passed", message })
const failed = (failure: Failure): NextStatus => ({ status: "failed", failure })

const isDue = (one: LoadedTestDocument) => isOpen(one) && (one.due_ms ?? 0) <= 0

/**
 * Runs test sets, round by round. Each round makes the missing documents, a few at a time, sends them, looks up their
 * verdicts, and stores the state of the test set. A round depends only on the rows, so that any process can continue
 * after any other.
 */
export const make = Effect.gen(function* () {
  const enablements = yield* Enablements
  const { documents } = enablements
  const makeDocument = yield* TestDocumentMaking.make
  const readiness = yield* LiveReadiness.make
  const step = yield* TestDocumentSteps.make
  const pace = yield* TestSetPace

  const waits = Effect.fnUntraced(function* (set: StoredEnablement, trouble: TestSetTrouble, message: string) {
    const since = set.waiting?.code === trouble ? set.waiting.since : timestamp(yield* Clock.currentTimeMillis)
    const troubles = set.troubles + 1
    const waiting = { code: trouble, message: troubleWords(trouble, message), since }
    return { status: "running", waiting, troubles, nextMs: retryDelayMs(pace, troubles) } satisfies NextStatus
  })

  /** The state of the test set after this round. */
  const statusAfter = Effect.fnUntraced(function* (set: StoredEnablement, outcomes: ReadonlyArray<StepOutcome>) {
    const of = <Tag extends StepOutcome["_tag"]>(tag: Tag) =>
      outcomes.find((one): one is Extract<StepOutcome, { readonly _tag: Tag }> => one._tag === tag)
    const all = yield* documents.all(set)
    const next = planOf(set, all, pace.openMax)
    if (next._tag === "passed") return passed(null)
    if (of("accepted") !== undefined) {
      return passed("The authority has accepted the test set, and needs no more documents.")
    }
    const refused = of("refused")
    if (refused !== undefined) return failed(refusedFailure(refused.message))
    if (next._tag === "blocked") return failed(obstacleFailure(next.obstacle))
    const trouble = of("trouble")
    if (trouble !== undefined) return yield* waits(set, trouble.trouble, trouble.message)
    const due = Math.min(...all.filter(isOpen).map(({ due_ms }) => Math.max(due_ms ?? 0, 0)))
    const nextMs = next.make.length > 0 || !Number.isFinite(due) ? 0 : due
    // Without a response, the earlier trouble lasts.
    const lasting = of("answered") === undefined ? { waiting: set.waiting, troubles: set.troubles } : {}
    return { status: "running", ...lasting, nextMs } satisfies NextStatus
  })

  const round = Effect.fn("TestSetWork.round", { kind: "consumer" })(function* (set: StoredEnablement) {
    const ready = yield* Effect.result(readiness.testIssuer(set.account_id))
    if (Result.isFailure(ready)) {
      if (ready.failure._tag === "SigningUnavailable") {
        return yield* waits(set, "signer_unavailable", ready.failure.message)
      }
      return readiness.hasTestSet
        ? failed(lacking("account_not_ready", ready.failure.sentence))
        : yield* waits(set, "no_test_service", "")
    }
    const issuer = ready.success
    const before = yield* documents.all(set)
    const next = planOf(set, before, pace.openMax)
    if (next._tag === "passed") return passed(null)
    if (next._tag === "blocked") return failed(obstacleFailure(next.obstacle))
    // While the authority has a trouble, one document probes it.
    const isProbe = set.troubles > 0
    const missing = isProbe && before.some(isOpen) ? [] : isProbe ? next.make.slice(0, 1) : next.make
    const accepted = before.filter(({ kind, state }) => kind === "invoice" && state === "accepted")
    for (const place of missing) {
      const made = yield* Effect.result(makeDocument(set, issuer, place, accepted))
      if (Result.isSuccess(made)) continue
      const error = made.failure
      if (error._tag === "SigningUnavailable") return yield* waits(set, "signer_unavailable", error.message)
      return failed(error._tag === "NoNumberLeft" ? noNumberLeft(error.prefix) : lacking(error.code, error.message))
    }
    const due = (missing.length === 0 ? before : yield* documents.all(set)).filter(isDue)
    const outcomes = yield* Effect.forEach(isProbe ? due.slice(0, 1) : due, (one) => step(one, issuer), {
      concurrency: pace.openMax
    })
    return yield* statusAfter(set, outcomes)
  })

  const recorded = Effect.fnUntraced(function* (set: StoredEnablement, next: NextStatus) {
    if (next.status !== "running") {
      yield* Effect.logInfo(`A test set has ${next.status}`).pipe(
        Effect.annotateLogs(next.failure === undefined ? {} : { reason: next.failure.message })
      )
    } else if (next.waiting && next.waiting.code !== set.waiting?.code) {
      yield* Effect.logWarning("A test set waits").pipe(Effect.annotateLogs({ reason: next.waiting.message }))
    }
  })

  /** Runs round after round while the next step is near. Then the test set is due again later, for any process. */
  const rounds = Effect.fnUntraced(function* (taken: StoredEnablement) {
    const until = (yield* Clock.currentTimeMillis) + holdMs
    let set = taken
    for (;;) {
      const next = yield* round(set)
      yield* recorded(set, next)
      const isHeld = next.nextMs !== undefined && next.nextMs <= nearMs && (yield* Clock.currentTimeMillis) < until
      const stands = isHeld ? { ...next, isHeld, nextMs: leaseSeconds * 1_000 } : next
      if (!(yield* enablements.setStatus(set, stands)) || !isHeld) return
      yield* Effect.sleep(next.nextMs)
      const found = yield* enablements.find(set)
      if (Option.isNone(found) || found.value.status !== "running") return
      set = found.value
    }
  })

  /** An internal error that ends a round is no fault of the test set, so Folio retries it later. */
  const broken = Effect.fnUntraced(function* (set: StoredEnablement, cause: Cause.Cause<never>) {
    yield* Effect.logError("A test set could not proceed; it will be retried", cause)
    const waiting = yield* waits(set, "internal", "")
    yield* enablements.setStatus(set, { ...waiting, nextMs: brokenMs })
  })

  /** Works on a test set that this process has taken. */
  return (set: StoredEnablement) =>
    rounds(set).pipe(
      Effect.onInterrupt(() => enablements.release(set)),
      Effect.catchCauseIf(Predicate.not(Cause.hasInterruptsOnly), (cause) => broken(set, cause)),
      Effect.catchCause((cause) => Effect.logError("A test set's state could not be stored", cause)),
      Effect.annotateLogs({ account_id: set.account_id, test_set_id: set.id })
    )
})
