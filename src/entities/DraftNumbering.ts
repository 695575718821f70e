import { Clock, Effect, Option, Queue } from "effect"
import type { AccountMode } from "../../schemas/Account.ts"
import { issueTime, localDate } from "../domain/AuthorityTime.ts"
import { cufeTail } from "../domain/Cufe.ts"
import { taxTotal } from "../domain/Totals.ts"
import { Fault } from "../protocol/Fault.ts"
import { Accounts } from "../store/Accounts.ts"
import { Invoices } from "../store/Invoices.ts"
import { Numbering } from "../store/Numbering.ts"
import { Resolutions, type StoredResolution } from "../store/Resolutions.ts"
import type { NewDraft } from "./AccountWork.ts"
import { InvoiceWork } from "./InvoiceWork.ts"
import { Telling } from "./Telling.ts"

const backlogPage = 500

const noRange = {
  code: "no_numbering_range",
  message:
    "No active numbering range has a number left for this invoice's date. Register a resolution, then retry the invoice.",
  retryable: true
}

// Sorted, because the order of numbers is the order of creation; once each, because a sweep may repeat what is queued.
const inOrder = (batch: ReadonlyArray<NewDraft>) => {
  const byId = new Map(batch.map((draft) => [draft.id, draft]))
  return [...byId.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1))
}

/** Numbers an account's drafts in order of creation, one batch after the other. Ends with its scope. */
export const make = Effect.fnUntraced(function* (of: AccountMode) {
  const accounts = yield* Accounts
  const invoiceWork = yield* InvoiceWork
  const invoices = yield* Invoices
  const numbering = yield* Numbering
  const resolutions = yield* Resolutions
  const telling = yield* Telling
  const drafts = yield* Queue.unbounded<NewDraft>()

  const number = Effect.fnUntraced(function* (draft: NewDraft, range: StoredResolution, now: number, nit: string) {
    const key = { ...of, id: draft.id }
    const issue_date = localDate(now)
    const issue_time = issueTime(now)
    const cufe_tail = cufeTail({
      issue_date,
      issue_time,
      line_extension_amount: draft.totals.line_extension_amount,
      tax_01: taxTotal(draft.totals, "01"),
      tax_04: taxTotal(draft.totals, "04"),
      tax_03: taxTotal(draft.totals, "03"),
      payable_amount: draft.totals.payable_amount,
      supplier_nit: nit,
      customer_id: draft.acquirer_number,
      key: range.technical_key,
      environment: of.livemode ? "1" : "2"
    })
    return yield* numbering.number({ key, resolution_id: range.id, issue_date, issue_time, cufe_tail })
  })

  const numberAll = Effect.fnUntraced(function* (batch: ReadonlyArray<NewDraft>) {
    yield* Fault.at("before-number")
    const now = yield* Clock.currentTimeMillis
    const account = yield* accounts.get(of.account_id)
    const range = yield* resolutions.current(of, localDate(now))
    if (Option.isNone(range)) {
      return yield* Effect.forEach(batch, ({ id }) => invoiceWork.fail({ ...of, id }, noRange), { discard: true })
    }
    const nit = account.issuer.identification.number
    const results = yield* Effect.forEach(batch, (draft) => number(draft, range.value, now, nit), {
      concurrency: "unbounded"
    })
    yield* Fault.at("after-number")
    const left: Array<NewDraft> = []
    for (const [index, draft] of batch.entries()) {
      if (results[index] === "numbered") yield* telling.proceed({ ...of, id: draft.id })
      if (results[index] === "no_number_left") left.push(draft)
    }
    // The range ended within this batch: the next one is asked for, or its absence found.
    if (left.length > 0) yield* Queue.offerAll(drafts, left)
  })

  // While the database holds more queued drafts than one page, new ones queue up behind them there and not here.
  let backlog = false

  /** Takes up drafts that this actor was never told of: after a crash, a move of the shard, a lost tell. */
  const takeUp = invoices.queued(of, backlogPage).pipe(
    Effect.flatMap((rows) => {
      backlog = rows.length === backlogPage
      return Queue.offerAll(
        drafts,
        rows.map((row): NewDraft => ({
          id: row.id,
          totals: row.totals,
          acquirer_number: row.acquirer.identification.number
        }))
      )
    }),
    Effect.catchCause((cause) => Effect.logError("Queued drafts could not be read; the sweeper will try again", cause)),
    Effect.asVoid
  )
  yield* takeUp

  yield* Queue.takeAll(drafts).pipe(
    Effect.flatMap((batch) => numberAll(inOrder(batch))),
    Effect.catchCause((cause) => Effect.logError("Drafts could not be numbered; the sweeper will try again", cause)),
    Effect.andThen(Effect.suspend(() => (backlog ? takeUp : Effect.void))),
    Effect.forever,
    Effect.annotateLogs({ account_id: of.account_id }),
    Effect.forkScoped
  )

  const add = (draft: NewDraft) => (backlog ? Effect.void : Effect.asVoid(Queue.offer(drafts, draft)))

  return { add, takeUp }
})
