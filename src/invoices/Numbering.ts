import { Cache, Cause, Clock, Data, Effect, Exit, Metric, Option, Queue, Result } from "effect"
import type { AccountMode } from "../../schemas/Account.ts"
import type { DocumentKey, DocumentKind, Failure } from "../../schemas/FiscalDocument.ts"
import type { DocumentId } from "../../schemas/Id.ts"
import type { Totals } from "../../schemas/Line.ts"
import { heldMessage, lackOfRange } from "../documents/rules/parties/ResolutionRules.ts"
import { fullNumber } from "../documents/rules/FullNumber.ts"
import { type Draft, NationalProfile } from "../documents/NationalProfile.ts"
import { inLane } from "../runtime/turns/AccountLanes.ts"
import { Fault } from "../runtime/Fault.ts"
import * as Metrics from "../runtime/Metrics.ts"
import { Accounts } from "../accounts/store/Accounts.ts"
import { Invoices, type LoadedInvoice, type StoredInvoice } from "./store/Invoices.ts"
import { type DraftToNumber, Numbering } from "./store/Numbering.ts"
import { Resolutions, type StoredResolution } from "../accounts/store/Resolutions.ts"
import { ownSoftware, Softwares } from "../accounts/store/Softwares.ts"
import { isDefect } from "../database/SqlFailure.ts"
import { Executor } from "./Executor.ts"
import { Notify } from "../accounts/Notify.ts"
import { Backpressure } from "./Backpressure.ts"

/** A draft without a number. */
export interface NewDraft {
  readonly id: DocumentId
  readonly kind: DocumentKind
  /** The requested prefix of the draft's range; null for any range. */
  readonly prefix: string | null
  readonly totals: Totals
  readonly acquirer_number: string
}

const backlogPage = 500

// Drafts of an account in one batch. Other accounts have their turn before the next batch.
const portionMax = 32

// How long Folio caches a range. A range that ends earlier gives no number, because each number comes from the range's
// row.
const rangeKnownFor = "1 second"
const rangesMax = 100

// Sorts drafts by id, because numbers follow the order of creation. Removes duplicates, because a sweep may repeat a
// queued draft.
const inOrder = (batch: ReadonlyArray<NewDraft>) => {
  const byId = new Map(batch.map((draft) => [draft.id, draft]))
  return [...byId.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1))
}

/** The issuer's number and the software for a draft. */
interface IssuedBy {
  readonly number: string
  readonly version: number
  readonly software: Pick<Draft, "software">
}

/** A draft with its range. */
interface Sourced {
  readonly draft: NewDraft
  readonly key: DocumentKey
  readonly range: StoredResolution
}

class Group extends Data.Class<Pick<NewDraft, "kind" | "prefix"> & { readonly date: string }> {}

const draftOf = (row: StoredInvoice): NewDraft => ({
  id: row.id,
  kind: row.kind,
  prefix: row.range_prefix,
  totals: row.totals,
  acquirer_number: row.acquirer.identification.number
})

/** Numbers an account's drafts in order of creation, batch by batch, until the scope closes. */
export const make = Effect.fnUntraced(function* (account: AccountMode) {
  const accounts = yield* Accounts
  const executor = yield* Executor
  const invoices = yield* Invoices
  const numbering = yield* Numbering
  const resolutions = yield* Resolutions
  const softwares = yield* Softwares
  const notify = yield* Notify
  const backpressure = yield* Backpressure
  const drafts = yield* Queue.unbounded<NewDraft>()
  /** The times at which the waiting drafts joined the queue, in their order, in Unix milliseconds. */
  const since: Array<number> = []
  const clock = yield* Clock.Clock
  yield* backpressure.reportLateness(account, () => clock.currentTimeMillisUnsafe() - (since[0] ?? Infinity))
  const put = (draft: NewDraft) => {
    since.push(clock.currentTimeMillisUnsafe())
    return Queue.offerUnsafe(drafts, draft)
  }

  const { issueTime, localDate, numbering: form, tail } = yield* NationalProfile
  const lastOf = ({ prefix, to_number }: StoredResolution) => fullNumber(prefix, to_number, form)

  /** The draft with all data that doesn't depend on its number, or the reason why it gets no number. */
  const toNumber = (
    { acquirer_number, id, kind, totals }: NewDraft,
    range: StoredResolution,
    date: { readonly issue_date: string; readonly issue_time: string },
    issued_by: IssuedBy
  ): Result.Result<DraftToNumber, Failure> => {
    const draft = { key: { ...account, id }, resolution_id: range.id, ...date, issuer_version: issued_by.version }
    if (tail === undefined) return Result.succeed({ ...draft, cufe_tail: null })
    const { livemode } = account
    const technical_key = kind === "invoice" ? range.technical_key : ""
    const found = tail({
      kind,
      livemode,
      ...date,
      totals,
      issuer_number: issued_by.number,
      acquirer_number,
      technical_key,
      ...issued_by.software
    })
    return Result.isSuccess(found)
      ? Result.succeed({ ...draft, cufe_tail: found.success })
      : Result.fail(found.failure.failure)
  }

  const ranges = yield* Cache.makeWith((key: Group) => resolutions.current({ ...account, ...key }, key.date), {
    capacity: rangesMax,
    timeToLive: (exit) => (Exit.isSuccess(exit) && Option.isSome(exit.value) ? rangeKnownFor : 0)
  })

  /** The range of a draft's number, or the reason why the draft gets no number. */
  const source = Effect.fnUntraced(function* ({ kind, prefix }: NewDraft, date: string) {
    const range = yield* Cache.get(ranges, new Group({ kind, prefix, date }))
    return Option.isSome(range)
      ? Result.succeed(range.value)
      : Result.fail(lackOfRange(yield* resolutions.all({ ...account, kind, prefix }), date, prefix))
  })

  /**
   * Whether a range has numbers for documents created now. Caches only "yes", so that a new range works immediately
   * after its registration.
   */
  const hasRange = Effect.fnUntraced(function* (kind: DocumentKind, prefix: string | null) {
    const date = localDate(yield* Clock.currentTimeMillis)
    return Option.isSome(yield* Cache.get(ranges, new Group({ kind, prefix, date })))
  })

  /** Empties the cache of ranges after a change, so that the next draft gets its number from the changed ranges. */
  const forgetRanges = Cache.invalidateAll(ranges)

  /** Suspends drafts whose range is paused. Returns the drafts whose range has been resumed meanwhile. */
  const waitForRange = Effect.fnUntraced(function* (held: ReadonlyArray<Sourced>): Effect.fn.Return<Array<NewDraft>> {
    if (held.length === 0) return []
    const waiters = held.map(({ key, range }) => ({
      key,
      resolution_id: range.id,
      waiting: { code: "numbering_held" as const, message: heldMessage(range.prefix) }
    }))
    const waiting = new Set<string>(yield* numbering.wait(waiters))
    return held.flatMap(({ draft }) => (waiting.has(draft.id) ? [] : [draft]))
  })

  const numberAll = Effect.fnUntraced(function* (batch: ReadonlyArray<NewDraft>) {
    yield* Fault.at("before-number")
    const now = yield* Clock.currentTimeMillis
    const { issuer, issuer_version } = yield* accounts.get(account)
    if (issuer === null) return yield* Effect.die("a live mode has drafts and no issuer")
    const software = yield* ownSoftware(softwares, account, issuer_version)
    const issued_by = { number: issuer.identification.number, version: issuer_version, software }
    const date = { issue_date: localDate(now), issue_time: issueTime(now) }
    const sources = new Map<string, Effect.Success<ReturnType<typeof source>>>()
    const held: Array<Sourced> = []
    const fitting: Array<Sourced & { readonly next: DraftToNumber }> = []
    const failed: Array<Effect.Effect<void>> = []
    for (const draft of batch) {
      const key = { ...account, id: draft.id }
      const group = `${draft.kind} ${draft.prefix ?? "any"}`
      const found = sources.get(group) ?? (yield* source(draft, date.issue_date))
      sources.set(group, found)
      if (Result.isSuccess(found) && found.success.held_since !== null) {
        held.push({ draft, key, range: found.success })
        continue
      }
      // If the profile throws for a draft, only this draft fails.
      const next = yield* Effect.exit(
        Effect.sync(() =>
          Result.flatMap(found, (range) =>
            Result.map(toNumber(draft, range, date, issued_by), (made) => ({ draft, key, range, next: made }))
          )
        )
      )
      if (Exit.isFailure(next)) failed.push(executor.handleDefect(key, next.cause))
      else if (Result.isFailure(next.value)) failed.push(executor.fail(key, next.value.failure))
      else fitting.push(next.value.success)
    }
    const left = yield* waitForRange(held)
    // Concurrently, so that these drafts share statements.
    yield* Effect.all(failed, { concurrency: "unbounded", discard: true })
    // The statement numbers the drafts of a range by their ids, for any requested prefix.
    const results = yield* numbering.numberAll(fitting.map(({ next }) => next))
    yield* Fault.at("after-number")
    let outage = Cause.empty as Cause.Cause<never>
    const numbered: Array<LoadedInvoice> = []
    for (const [index, { draft, key, range }] of fitting.entries()) {
      const result = results[index]!
      if (Exit.isFailure(result) && isDefect(result.cause)) yield* executor.handleDefect(key, result.cause)
      else if (Exit.isFailure(result)) outage = result.cause
      else if (result.value.result === "no_number_left") left.push(draft)
      else if (result.value.result === "numbered") {
        const row = Option.getOrUndefined(result.value.row)
        if (row?.full_number === lastOf(range)) yield* forgetRanges
        // The actor of an unreadable document finds the cause.
        if (row === undefined) yield* notify.proceed(key)
        else numbered.push(row)
      }
    }
    // In this process, wherever the documents' actors are, because a handover would cost as much as the signature.
    yield* executor.begin(numbered)
    // If the range has ended or was resumed, queues the remaining drafts again. They get the next range, or fail
    // without a range.
    if (left.length > 0) {
      yield* forgetRanges
      left.forEach(put)
    }
    if (outage.reasons.length > 0) return yield* Effect.failCause(outage)
  })

  // An unreadable account or range is no draft's fault. The drafts wait, longer each time, and none of them fails.
  const suspend = Effect.fnUntraced(function* (batch: ReadonlyArray<NewDraft>, cause: Cause.Cause<never>) {
    yield* Effect.logError("The drafts of an account cannot be numbered; they wait", cause)
    yield* Metric.update(Metrics.poison("numbering"), 1)
    yield* invoices.suspend(batch.map(({ id }) => ({ ...account, id })))
  })

  // True while the database has more queued drafts than one page. New drafts then wait in the database and not in this
  // queue.
  let backlog = false

  /** Reads queued drafts that this actor has missed: after a crash, a move of the shard or a lost message. */
  const takeUp = Effect.gen(function* () {
    // The queue still has drafts. Reads further drafts from the database when the queue is empty.
    if (Queue.sizeUnsafe(drafts) > 0) return void (backlog = true)
    let taken = 0
    do {
      const page = yield* invoices.queued(account, backlogPage)
      backlog = page.length === backlogPage
      for (const { draft, id } of page) {
        if (Result.isFailure(draft)) yield* executor.handleDefect({ ...account, id }, Cause.die(draft.failure))
        else taken += put(draftOf(draft.success)) ? 1 : 0
      }
      // If no draft of a full page can be read, tries the drafts after that page.
    } while (backlog && taken === 0)
  }).pipe(
    Effect.catchCause((cause) => Effect.logError("Queued drafts could not be read; the sweeper will retry", cause))
  )
  yield* takeUp

  yield* backpressure.capacity(account).pipe(
    Effect.andThen(Queue.takeBetween(drafts, 1, portionMax)),
    Effect.tap((batch) => Effect.sync(() => since.splice(0, batch.length))),
    Effect.flatMap((batch) =>
      numberAll(inOrder(batch)).pipe(Effect.catchCauseIf(isDefect, (cause) => suspend(batch, cause)))
    ),
    Effect.andThen(Effect.suspend(() => (backlog && Queue.sizeUnsafe(drafts) === 0 ? takeUp : Effect.void))),
    Effect.catchCause((cause) => Effect.logError("Drafts could not be numbered; the sweeper will retry", cause)),
    Effect.forever,
    inLane(account),
    Effect.annotateLogs({ account_id: account.account_id }),
    Effect.forkScoped
  )

  const add = (draft: NewDraft) =>
    Effect.sync(() => {
      if (Queue.sizeUnsafe(drafts) >= backlogPage) backlog = true
      if (!backlog) put(draft)
    })

  return { add, takeUp, forgetRanges, hasRange }
})
