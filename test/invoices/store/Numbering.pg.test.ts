import { assert } from "@effect/vitest"
import { Context, Effect, Exit, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import type { AccountMode } from "../../../schemas/Account.ts"
import type { InvoiceId, ResolutionId } from "../../../schemas/Id.ts"
import { type DraftToNumber, Numbering } from "../../../src/invoices/store/Numbering.ts"
import { blocked, withRepeats } from "../../support/database/Owners.ts"
import { TestDatabase } from "../../support/database/Postgres.ts"
import { answered } from "../../support/database/Refusals.ts"
import { until } from "../../support/apps/Until.ts"
import { describeLive } from "../../support/Tests.ts"
import { lockRows, twoOwners } from "../../support/database/TwoOwners.ts"

interface Numbered {
  readonly id: string
  readonly number: bigint | null
}

/** Two owners of one account, each with its own pool and batchers, and `count` drafts that both consider theirs. */
const owners = Effect.fnUntraced(function* (count: number) {
  const { account, first, resolution, second, seed, sql } = yield* twoOwners
  // Each test begins after the numbers of the previous test.
  const counters = yield* sql<{ next_number: bigint }>`select next_number from resolutions`
  const drafts = yield* seed(count)
  return {
    first: Context.get(first, Numbering),
    second: Context.get(second, Numbering),
    from: counters[0]?.next_number ?? 0n,
    drafts: drafts.map((id) => toNumber(account, id, resolution))
  }
})

const toNumber = (account: AccountMode, id: InvoiceId, resolution_id: ResolutionId): DraftToNumber => ({
  key: { ...account, id },
  resolution_id,
  issue_date: "2026-11-21",
  issue_time: "10:00:00-05:00",
  issuer_version: 1,
  cufe_tail: `tail of ${id}`
})

const numberAll = (numbering: Numbering["Service"], drafts: ReadonlyArray<DraftToNumber>) =>
  Effect.forEach(drafts, (draft) => Effect.map(answered(numbering.number(draft)), ({ result }) => result), {
    concurrency: "unbounded"
  })

/** Asserts that the drafts have the numbers from..from+n-1, each once, and that the counter is after the last. */
const assertGapless = Effect.fnUntraced(function* (
  from: bigint,
  drafts: ReadonlyArray<DraftToNumber>,
  count = drafts.length
) {
  const sql = yield* SqlClient.SqlClient
  const ids = drafts.map((draft) => draft.key.id)
  const rows = yield* sql<Numbered>`
    select id, number from invoices where id = any(${ids}) and number is not null order by number`
  assert.deepStrictEqual(
    rows.map((row) => row.number),
    Array.from({ length: count }, (_, index) => from + BigInt(index))
  )
  const counters = yield* sql`select next_number from resolutions`
  assert.deepStrictEqual(counters, [{ next_number: from + BigInt(count) }])
  const logged = yield* sql`
    select invoice_id from transitions where invoice_id = any(${ids}) and command = 'Number'`
  assert.strictEqual(logged.length, count)
  return rows
})

/** Holds the account's counter. */
const holdCounter = Effect.flatMap(SqlClient.SqlClient, (sql) => lockRows(sql`resolutions`))

describeLive(TestDatabase.layer)("Numbering", (it) => {
  it.effect("gives every draft one number when two owners number the same drafts concurrently", function* () {
    const { drafts, first, from, second } = yield* owners(240)
    for (let start = 0; start < drafts.length; start += 12) {
      const batch = drafts.slice(start, start + 12)
      const [ours, theirs] = yield* Effect.all([numberAll(first, batch), numberAll(second, batch.toReversed())], {
        concurrency: 2
      })
      batch.forEach((_, index) => {
        const answers = [ours[index], theirs.toReversed()[index]].toSorted()
        assert.deepStrictEqual(answers, ["not_a_draft", "numbered"])
      })
    }
    const rows = yield* assertGapless(from, drafts)
    assert.deepStrictEqual(
      rows.map((row) => row.id),
      drafts.map((draft) => draft.key.id)
    )
  })

  it.effect("gives one number if the second owner has read the drafts before the first one's commit", function* () {
    const { drafts, first, from, second } = yield* owners(5)
    const { release } = yield* holdCounter
    const ours = yield* Effect.forkScoped(numberAll(first, drafts))
    yield* until(blocked("cufe_tail, ord"), (pids) => pids.length === 1)
    const theirs = yield* Effect.forkScoped(numberAll(second, drafts))
    yield* until(blocked("cufe_tail, ord"), (pids) => pids.length === 2)
    yield* release
    const answers = [...(yield* Fiber.join(ours)), ...(yield* Fiber.join(theirs))]
    assert.deepStrictEqual(answers.toSorted(), [...Array(5).fill("not_a_draft"), ...Array(5).fill("numbered")])
    yield* assertGapless(from, drafts)
  })

  it.effect("lets two owners of different drafts wait for each other without a deadlock", function* () {
    const { drafts, first, from, second } = yield* owners(10)
    const { release } = yield* holdCounter
    const both = Effect.all([numberAll(first, drafts.slice(0, 5)), numberAll(second, drafts.slice(5))], {
      concurrency: 2
    })
    const numbering = yield* Effect.forkScoped(withRepeats("Numbering.number", both))
    yield* until(blocked("cufe_tail, ord"), (pids) => pids.length === 2)
    yield* release
    const { result, repeats } = yield* Fiber.join(numbering)
    assert.deepStrictEqual([...new Set(result.flat())], ["numbered"])
    assert.deepStrictEqual(repeats, 0)
    yield* assertGapless(from, drafts)
  })

  it.effect("uses no number in a statement whose connection breaks", function* () {
    const { drafts, first, from } = yield* owners(8)
    const sql = yield* SqlClient.SqlClient
    const { release } = yield* holdCounter
    const numbering = yield* Effect.forkScoped(numberAll(first, drafts))
    const [pid] = yield* until(blocked("cufe_tail, ord"), (pids) => pids.length === 1)
    yield* sql`select pg_terminate_backend(${pid!})`
    yield* release
    // The batch was cut, and is repeated item by item on another connection.
    assert.deepStrictEqual([...new Set(yield* Fiber.join(numbering))], ["numbered"])
    yield* assertGapless(from, drafts)
  })

  it.effect("numbers the other drafts without a gap if one cannot be numbered", function* () {
    const { drafts, first, from } = yield* owners(10)
    const poisoned = drafts.map((draft, index) => (index === 4 ? { ...draft, issue_date: "2026-02-30" } : draft))
    const exits = yield* Effect.forEach(poisoned, (draft) => Effect.exit(first.number(draft)), {
      concurrency: "unbounded"
    })
    assert.deepStrictEqual(
      exits.map(Exit.isSuccess),
      drafts.map((_, index) => index !== 4)
    )
    yield* assertGapless(from, drafts, 9)
  })

  it.effect("gives the last numbers of a range to the first drafts and none to the others", function* () {
    const { drafts, first, from, second } = yield* owners(8)
    const sql = yield* SqlClient.SqlClient
    yield* sql`update resolutions set to_number = next_number + 2`
    const answers = yield* Effect.all([numberAll(first, drafts), numberAll(second, drafts)], { concurrency: 2 })
    assert.strictEqual(answers.flat().filter((answer) => answer === "numbered").length, 3)
    yield* assertGapless(from, drafts, 3)
    assert.deepStrictEqual(yield* numberAll(first, drafts.slice(-1)), ["no_number_left"])
  })
})
