import { assert } from "@effect/vitest"
import { Context, Effect } from "effect"
import type { AccountMode } from "../../../schemas/Account.ts"
import { AccountId, type InvoiceId, type ResolutionId } from "../../../schemas/Id.ts"
import { Ids } from "../../../src/database/Ids.ts"
import { Numbering } from "../../../src/invoices/store/Numbering.ts"
import { newRange, Resolutions } from "../../../src/accounts/store/Resolutions.ts"
import { colombianSandbox } from "../../../src/documents/rules/parties/SandboxIds.ts"
import { copyAccount, seedDrafts, withRepeats } from "../../support/database/Owners.ts"
import { answered } from "../../support/database/Refusals.ts"
import { oneOwner, onPostgres } from "../../support/database/TwoOwners.ts"

const world = Effect.gen(function* () {
  const { account, first: owner, resolution, seed, sql } = yield* oneOwner
  const numbering = Context.get(owner, Numbering)
  const number = (key: AccountMode, id: InvoiceId, resolution_id: ResolutionId, cufe_tail: string) => {
    const issue = { issue_date: "2026-11-21", issue_time: "10:00:00-05:00", issuer_version: 1 }
    return Effect.map(
      numbering.number({ key: { ...key, id }, resolution_id, ...issue, cufe_tail }),
      ({ result }) => result
    )
  }
  return { owner, account, resolution, number, seed, sql }
})

onPostgres("Two accounts may have documents with one code, and the duplicate slows neither's numbering", function* () {
  const { number, account, owner, resolution, sql } = yield* world
  const other: AccountMode = { account_id: AccountId.make(`ten_${"0".repeat(26)}`), livemode: false }
  yield* copyAccount(account.account_id, other.account_id)
  yield* sql`
    insert into resolutions select (jsonb_populate_record(r, jsonb_build_object('account_id', ${other.account_id}::text))).*
    from resolutions r`
  const seeded = yield* Effect.all([seedDrafts(account.account_id, 40), seedDrafts(other.account_id, 40)]).pipe(
    Effect.provideContext(owner)
  )
  const drafts = [account, other].flatMap((key, index) => (seeded[index] ?? []).map((id) => ({ key, id })))
  // Both accounts' documents are numbered in one batch, without a repetition row by row.
  const { repeats, result } = yield* withRepeats(
    "Numbering.number",
    answered(
      Effect.forEach(drafts, ({ id, key }) => number(key, id, resolution, "a copied tail"), {
        concurrency: "unbounded"
      })
    )
  )
  assert.deepStrictEqual([...new Set(result)], ["numbered"])
  assert.strictEqual(repeats, 0)
  const [row] = yield* sql<{ codes: number; documents: number }>`
    select count(distinct cufe)::integer as codes, count(cufe)::integer as documents from invoices`
  assert.deepStrictEqual(row, { codes: 40, documents: 80 })
})

onPostgres(
  "Two ranges that print one number give it to one document only, even if both ranges are registered",
  function* () {
    const { number, account, owner, seed, sql } = yield* world
    const resolutions = Context.get(owner, Resolutions)
    const range = Effect.fnUntraced(function* (prefix: string, from: bigint) {
      const id = yield* Context.get(owner, Ids).resolution
      const numbers = { prefix, from_number: from, to_number: from + 10n, next_number: from }
      yield* resolutions.insert({ ...newRange({ ...account, id }, colombianSandbox.range, Date.now()), ...numbers })
      return id
    })
    const [long, short] = [yield* range("Q", 123n), yield* range("Q1", 23n)]
    const drafts = yield* seed(2)
    assert.strictEqual(yield* number(account, drafts[0]!, long, "a"), "numbered")
    const second = yield* Effect.exit(number(account, drafts[1]!, short, "b"))
    assert.strictEqual(second._tag, "Failure")
    assert.match(JSON.stringify(second), /invoices_full_number/)
    assert.deepStrictEqual(yield* sql`select full_number from invoices where number is not null`, [
      { full_number: "Q123" }
    ])
  }
)
