import { assert } from "@effect/vitest"
import { Array, Effect } from "effect"
import type { AccountMode } from "../../../schemas/Account.ts"
import { CustomerId, InvoiceId, NoteId, type ResolutionId } from "../../../schemas/Id.ts"
import type { Line } from "../../../schemas/Line.ts"
import { documentKinds } from "../../../schemas/DocumentKinds.ts"
import type { InvoiceState } from "../../../src/invoices/rules/InvoiceLifecycle.ts"
import { totalsOf } from "../../../src/documents/rules/Totals.ts"
import type { Invoices } from "../../../src/invoices/store/Invoices.ts"
import type { DocumentFilter } from "../../../src/invoices/store/InvoiceFilter.ts"
import { firstIdAt } from "../../../src/database/Ids.ts"
import { customerBody, invoiceBody } from "../apps/Invoices.ts"

/* Documents of all kinds, and the promises of a list of them, on PostgreSQL and in memory. */

const kinds = ["invoice", "credit_note", "invoice", "debit_note"] as const
const states = ["accepted_by_authority", "rejected_by_authority", "signed", "queued"] as const
const count = 24
const start = Date.parse("2026-11-01T05:00:00.000Z")
const hour = 3_600_000

const customers = ["a", "b"].map((letter) => CustomerId.make(`cust_${letter.repeat(26)}`))

const everything: DocumentFilter = {
  kind: null,
  invoice_id: null,
  status: null,
  customer_id: null,
  ids: null,
  full_numbers: null,
  cufe: null,
  external_id: null,
  metadata: {},
  from: null,
  to: null
}

const isNumbered = (state: InvoiceState) => state !== "queued"

/** The documents of an account, oldest first: one each hour, of each kind and state in turn. */
export const documentsOf = (account: AccountMode, resolution_id: ResolutionId) =>
  Array.makeBy(count, (index) => {
    const kind = kinds[index % kinds.length] ?? "invoice"
    const state = states[Math.floor(index / 2) % states.length] ?? "queued"
    const created_at = new Date(start + index * hour)
    const id = `${firstIdAt(documentKinds[kind].prefix, new Date(created_at.getTime() + 60_000))}${String(index).padStart(16, "0")}`
    const body = invoiceBody(customers[index % 3 === 0 ? 1 : 0] ?? "", { order: String(index), channel: "shop" })
    const submitted_at = state.endsWith("authority") ? created_at : null
    const numbered = {
      resolution_id,
      prefix: "FE",
      number: BigInt(index),
      full_number: `FE${index}`,
      cufe: `cufe ${index}`,
      issue_date: "2026-11-01",
      issue_time: "10:00:00-05:00"
    }
    const isNote = kind !== "invoice"
    return {
      ...account,
      id: isNote ? NoteId.make(id) : InvoiceId.make(id),
      kind,
      state,
      customer_id: CustomerId.make(body.customer_id),
      currency: "COP",
      operation_type: "10" as const,
      payment_means: body.payment_means as { code: "10"; type: "1" },
      lines: body.lines as unknown as ReadonlyArray<Line>,
      totals: totalsOf(body.lines as unknown as ReadonlyArray<Line>),
      acquirer: { ...customerBody(), identification: { type: "13", number: String(index) } } as never,
      metadata: body.metadata,
      correction_code: isNote ? "1" : null,
      reason: isNote ? "Devolución" : null,
      original: isNote ? { full_number: "POS1", cufe: "8b".repeat(48), issue_date: "2026-10-30" } : null,
      ...(isNumbered(state) ? numbered : {}),
      submitted_at,
      waiting: index === 4 ? ({ code: "no_answer", message: "It waits." } as const) : null,
      waiting_since: index === 4 ? created_at : null,
      created_at,
      updated_at: created_at
    }
  })

/** Whether a document in this state has unfinished work. */
export const isMoving = (state: InvoiceState) => state === "signed" || state === "queued"

/** Indexes of an account's documents in `documentsOf`, newest first, in pages of five. */
const pagesOf = Effect.fnUntraced(function* (
  list: Invoices["Service"]["listAll"],
  account: AccountMode,
  filter: Partial<DocumentFilter>
) {
  const found: Array<string> = []
  let cursor: { direction: "after"; id: string } | null = null
  for (;;) {
    const page: Effect.Success<ReturnType<typeof list>> = yield* list(
      account,
      { limit: 5, cursor },
      { ...everything, ...filter }
    )
    found.push(...page.rows.map(({ id }) => id))
    const last = page.rows.at(-1)
    if (!page.has_more || last === undefined) return found
    cursor = { direction: "after", id: last.id }
  }
})

/** Checks the promises of a list, for an account that has `documentsOf` and for one without documents. */
export const holdsItsPromises = Effect.fnUntraced(function* (
  { listAll: list }: Invoices["Service"],
  account: AccountMode,
  other: AccountMode
) {
  const rows = documentsOf(account, "" as ResolutionId)
  const indexes = rows.map((_, index) => index)
  const found = Effect.fnUntraced(function* (filter: Partial<DocumentFilter>, expected: ReadonlyArray<number>) {
    const wanted = expected.toSorted((a, b) => b - a).map((index) => rows[index]?.id)
    assert.deepStrictEqual<ReadonlyArray<string | undefined>>(
      yield* pagesOf(list, account, filter),
      wanted,
      JSON.stringify(filter)
    )
    assert.deepStrictEqual(yield* pagesOf(list, other, filter), [], "of another account")
  })
  const where = (fits: (row: (typeof rows)[number], index: number) => boolean) =>
    indexes.filter((index) => rows[index] !== undefined && fits(rows[index], index))

  yield* found({}, indexes)
  for (const kind of kinds)
    yield* found(
      { kind },
      where((row) => row.kind === kind)
    )
  yield* found(
    { status: "draft" },
    where(({ state }) => isMoving(state))
  )
  for (const status of ["accepted_by_authority", "rejected_by_authority"] as const) {
    yield* found(
      { status },
      where(({ state }) => state === status)
    )
  }
  for (const status of ["failed", "canceled", "accepted_contingency"] as const) yield* found({ status }, [])
  yield* found(
    { kind: "credit_note", status: "accepted_by_authority" },
    where((row) => row.kind === "credit_note" && row.state === "accepted_by_authority")
  )
  for (const customer_id of customers)
    yield* found(
      { customer_id },
      where((row) => row.customer_id === customer_id)
    )
  yield* found({ metadata: { order: "7" } }, [7])
  yield* found({ metadata: { channel: "shop", order: "9" } }, [9])
  yield* found(
    { metadata: { channel: "shop" }, kind: "debit_note" },
    where((row) => row.kind === "debit_note")
  )
  yield* found({ metadata: { "7": "order" } }, [])
  yield* found({ full_numbers: ["FE1", "FE8", "FE9999"] }, [1, 8])
  yield* found({ cufe: "cufe 9" }, [9])
  yield* found({ ids: [rows[3], rows[5]].map((row) => row?.id ?? "") }, [3, 5])
  yield* found({ ids: [] }, [])
  yield* found({ ids: ["nothing", "' or true --"] }, [])
  const [from, to] = [new Date(start + 5 * hour), new Date(start + 9 * hour)]
  yield* found({ from, to }, [5, 6, 7, 8, 9])
  yield* found(
    { from: to },
    where((_, index) => index >= 9)
  )
  yield* found(
    { to: from },
    where((_, index) => index <= 5)
  )

  // `before` returns the five next documents in time, newest first, also for the position of a missing document.
  const middle = rows[10]?.id ?? ""
  for (const id of [middle, middle.replace("inv_", "dn_")]) {
    const before = yield* list(account, { limit: 5, cursor: { direction: "before", id } }, everything)
    assert.deepStrictEqual(
      [before.rows.map((row) => row.id), before.has_more],
      [[15, 14, 13, 12, 11].map((index) => rows[index]?.id ?? ""), true]
    )
  }
  const newest = yield* list(account, { limit: 50, cursor: { direction: "before", id: middle } }, everything)
  assert.deepStrictEqual([newest.rows.length, newest.has_more], [count - 11, false])

  const [waiting] = (yield* list(account, { limit: 1, cursor: null }, { ...everything, ids: [rows[4]?.id ?? ""] })).rows
  assert.deepInclude(waiting, {
    kind: "invoice",
    state: "signed",
    full_number: "FE4",
    cufe: "cufe 4",
    customer_name: customerBody().legal_name,
    customer_number: "4",
    currency: "COP",
    line_extension_amount: "100000.00",
    tax_amount: "19000.00",
    payable_amount: "119000.00",
    waiting_code: "no_answer",
    issue_date: "2026-11-01",
    issue_time: "10:00:00-05:00"
  })
  assert.strictEqual(waiting?.created_at.getTime(), start + 4 * hour)
  const [draft] = (yield* list(account, { limit: 1, cursor: null }, { ...everything, ids: [rows[6]?.id ?? ""] })).rows
  assert.deepInclude(draft, { state: "queued", full_number: null, cufe: null, waiting_code: null, issue_date: null })
})
