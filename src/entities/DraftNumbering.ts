import { Cache, Cause, Clock, Data, Effect, Exit, Metric, Option, Queue, Result } from "effect"
import type { AccountMode } from "../../schemas/Account.ts"
import { issueTime, localDate } from "../domain/AuthorityTime.ts"
import { documentTail } from "../domain/Cufe.ts"
import { lackOfRange } from "../domain/ResolutionRules.ts"
import { RegisteredSoftware } from "../documents/Software.ts"
import { Fault } from "../protocol/Fault.ts"
import * as Metrics from "../protocol/Metrics.ts"
import { Accounts } from "../store/Accounts.ts"
import { Invoices, type StoredInvoice } from "../store/Invoices.ts"
import { Numbering } from "../store/Numbering.ts"
import { PoisonInvoices } from "../store/PoisonInvoices.ts"
import { Resolutions, type StoredResolution } from "../store/Resolutions.ts"
import { isDefect } from "../store/SqlFailure.ts"
import type { NewDraft } from "./AccountWork.ts"
import { InvoiceWork } from "./InvoiceWork.ts"
import { Telling } from "./Telling.ts"
import { Workload } from "./Workload.ts"

const backlogPage = 500

// Numbered in one go; then others have their turn.
const portionMax = 32

// A range is known for so long. One that ends earlier gives no number: the row is asked for each.
const rangeKnownFor = "1 second"
const rangesMax = 100

const noSoftware = {
  code: "software_not_registered",
  message:
    "No software is registered with the authority for live documents, and a note's code needs its PIN. Ask who runs the service, then retry the note.",
  retryable: true
}

// Sorted, because the order of numbers is the order of creation; once each, because a sweep may repeat what is queued.
const inOrder = (batch: ReadonlyArray<NewDraft>) => {
  const byId = new Map(batch.map((draft) => [draft.id, draft]))
  return [...byId.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1))
}

class Group extends Data.Class<{
  readonly kind: NewDraft["kind"]
  readonly prefix: string | null
  readonly date: string
}> {}

const draftOf = (row: StoredInvoice): NewDraft => ({
  id: row.id,
  kind: row.kind,
  prefix: row.range_prefix,
  totals: row.totals,
  acquirer_number: row.acquirer.identification.number
})

/** Numbers an account's drafts in order of creation, one batch after the other. Ends with its scope. */
export const make = Effect.fnUntraced(function* (of: AccountMode) {
  const accounts = yield* Accounts
  const invoiceWork = yield* InvoiceWork
  const invoices = yield* Invoices
  const numbering = yield* Numbering
  const poison = yield* PoisonInvoices
  const resolutions = yield* Resolutions
  const telling = yield* Telling
  const workload = yield* Workload
  const drafts = yield* Queue.unbounded<NewDraft>()

  const number = Effect.fnUntraced(function* (
    draft: NewDraft,
    range: StoredResolution,
    now: number,
    issued_by: { readonly nit: string; readonly version: number },
    key: string
  ) {
    const issue_date = localDate(now)
    const issue_time = issueTime(now)
    const cufe_tail = documentTail({
      issue_date,
      issue_time,
      totals: draft.totals,
      supplier_nit: issued_by.nit,
      customer_id: draft.acquirer_number,
      key,
      livemode: of.livemode
    })
    return yield* numbering.number({
      key: { ...of, id: draft.id },
      resolution_id: range.id,
      issue_date,
      issue_time,
      issuer_version: issued_by.version,
      cufe_tail
    })
  })

  const { live, test } = yield* RegisteredSoftware
  const software = of.livemode ? live : test

  const ranges = yield* Cache.makeWith((key: Group) => resolutions.current({ ...of, ...key }, key.date), {
    capacity: rangesMax,
    timeToLive: (exit) => (Exit.isSuccess(exit) && Option.isSome(exit.value) ? rangeKnownFor : 0)
  })

  /** Where a draft's number comes from and what its code is hashed with, or why it can have none. */
  const source = Effect.fnUntraced(function* ({ kind, prefix }: NewDraft, date: string) {
    const range = yield* Cache.get(ranges, new Group({ kind, prefix, date }))
    if (Option.isNone(range))
      return Result.fail(lackOfRange(yield* resolutions.all({ ...of, kind, prefix }), date, prefix))
    if (kind === "invoice") return Result.succeed({ range: range.value, key: range.value.technical_key })
    return software === undefined ? Result.fail(noSoftware) : Result.succeed({ range: range.value, key: software.pin })
  })

  /** Ranges have changed: the next draft is numbered from what they are now. */
  const forgetRanges = Cache.invalidateAll(ranges)

  const numberAll = Effect.fnUntraced(function* (batch: ReadonlyArray<NewDraft>) {
    yield* Fault.at("before-number")
    const now = yield* Clock.currentTimeMillis
    const account = yield* accounts.get(of)
    if (account.issuer === null) return yield* Effect.die("a live mode has drafts and no issuer")
    const issued_by = { nit: account.issuer.identification.number, version: account.issuer_version }
    const sources = new Map<string, Effect.Success<ReturnType<typeof source>>>()
    for (const draft of batch) {
      const group = `${draft.kind} ${draft.prefix ?? "any"}`
      if (!sources.has(group)) sources.set(group, yield* source(draft, localDate(now)))
    }
    // Offered together: the order within each range is that of the ids, whichever prefix they asked for.
    const results = yield* Effect.forEach(
      batch,
      (draft) => {
        const found = sources.get(`${draft.kind} ${draft.prefix ?? "any"}`)
        if (found === undefined) return Effect.die("no source")
        return Effect.exit(
          Result.isFailure(found)
            ? Effect.as(invoiceWork.fail({ ...of, id: draft.id }, found.failure), "not_a_draft" as const)
            : number(draft, found.success.range, now, issued_by, found.success.key)
        )
      },
      { concurrency: "unbounded" }
    )
    yield* Fault.at("after-number")
    const left: Array<NewDraft> = []
    let outage = Cause.empty as Cause.Cause<never>
    for (const [index, draft] of batch.entries()) {
      const result = results[index] ?? Exit.succeed("not_a_draft")
      const key = { ...of, id: draft.id }
      if (Exit.isFailure(result) && isDefect(result.cause)) yield* invoiceWork.stumble(key, result.cause)
      else if (Exit.isFailure(result)) outage = result.cause
      else if (result.value === "numbered") yield* telling.proceed(key)
      else if (result.value === "no_number_left") left.push(draft)
    }
    // The range ended within this batch: the next one is asked for, or its absence found.
    if (left.length > 0) {
      yield* forgetRanges
      yield* Queue.offerAll(drafts, left)
    }
    if (outage.reasons.length > 0) return yield* Effect.failCause(outage)
  })

  // An account or a range that cannot be read is no draft's fault: they wait, longer each time, and none of them fails.
  const park = (batch: ReadonlyArray<NewDraft>, cause: Cause.Cause<never>) =>
    Effect.andThen(
      Effect.andThen(
        Effect.logError("The drafts of an account cannot be numbered; they wait", cause),
        Metric.update(Metrics.poison("numbering"), 1)
      ),
      poison.park(batch.map(({ id }) => ({ ...of, id })))
    )

  // While the database holds more queued drafts than one page, new ones queue up behind them there and not here.
  let backlog = false

  /** Takes up drafts that this actor was never told of: after a crash, a move of the shard, a lost tell. */
  const takeUp = Effect.gen(function* () {
    // There is enough to do: the rest is read when this is done.
    if (Queue.sizeUnsafe(drafts) > 0) return void (backlog = true)
    let taken = 0
    do {
      const page = yield* invoices.queued(of, backlogPage)
      backlog = page.length === backlogPage
      for (const { draft, id } of page) {
        if (Result.isFailure(draft)) yield* invoiceWork.stumble({ ...of, id }, Cause.die(draft.failure))
        else taken += Queue.offerUnsafe(drafts, draftOf(draft.success)) ? 1 : 0
      }
      // A page of which nothing can be used: the next one is behind it.
    } while (backlog && taken === 0)
  }).pipe(
    Effect.catchCause((cause) => Effect.logError("Queued drafts could not be read; the sweeper will try again", cause))
  )
  yield* takeUp

  yield* workload.room.pipe(
    Effect.andThen(Queue.takeBetween(drafts, 1, portionMax)),
    Effect.flatMap((batch) =>
      Effect.catchCauseIf(
        numberAll(inOrder(batch)),
        (cause) => isDefect(cause),
        (cause) => park(batch, cause)
      )
    ),
    Effect.andThen(Effect.suspend(() => (backlog && Queue.sizeUnsafe(drafts) === 0 ? takeUp : Effect.void))),
    Effect.catchCause((cause) => Effect.logError("Drafts could not be numbered; the sweeper will try again", cause)),
    Effect.forever,
    Effect.annotateLogs({ account_id: of.account_id }),
    Effect.forkScoped
  )

  const add = (draft: NewDraft) =>
    Effect.sync(() => {
      if (Queue.sizeUnsafe(drafts) >= backlogPage) backlog = true
      if (!backlog) Queue.offerUnsafe(drafts, draft)
    })

  return { add, takeUp, forgetRanges }
})
