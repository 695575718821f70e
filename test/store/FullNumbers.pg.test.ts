import { assert, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { AccountMode } from "../../schemas/Account.ts"
import { AccountId, type InvoiceId, type ResolutionId } from "../../schemas/Id.ts"
import { Ids } from "../../src/store/Ids.ts"
import { Numbering } from "../../src/store/Numbering.ts"
import { Resolutions } from "../../src/store/Resolutions.ts"
import { testRange } from "../../src/store/SandboxAccount.ts"
import { copyAccount, ownerLayer, seedAccount, seedDrafts, withRepeats } from "../support/Owners.ts"
import { TestDatabase } from "../support/Postgres.ts"
import { answered } from "../support/Refusals.ts"

const world = Effect.gen(function* () {
  const { url } = yield* TestDatabase
  const owner = yield* Layer.build(ownerLayer(url))
  const { of, resolution } = yield* seedAccount.pipe(Effect.provideContext(owner))
  const numbering = Context.get(owner, Numbering)
  const number = (key: AccountMode, id: InvoiceId, resolution_id: ResolutionId, cufe_tail: string) => {
    const issue = { issue_date: "2026-11-21", issue_time: "10:00:00-05:00", issuer_version: 1 }
    return numbering.number({ key: { ...key, id }, resolution_id, ...issue, cufe_tail })
  }
  return { owner, of, resolution, number }
})

it.live("two accounts may have documents with one code, and neither slows the other's numbers down", () =>
  Effect.gen(function* () {
    const { number, of, owner, resolution } = yield* world
    const sql = yield* SqlClient.SqlClient
    const other: AccountMode = { account_id: AccountId.make(`ten_${"0".repeat(26)}`), livemode: false }
    yield* copyAccount(of.account_id, other.account_id)
    yield* sql`
      insert into resolutions select (jsonb_populate_record(r, jsonb_build_object('account_id', ${other.account_id}::text))).*
      from resolutions r`
    const seeded = yield* Effect.all([seedDrafts(of.account_id, 40), seedDrafts(other.account_id, 40)]).pipe(
      Effect.provideContext(owner)
    )
    const drafts = [of, other].flatMap((key, index) => (seeded[index] ?? []).map((id) => ({ key, id })))
    // In one batch, and with nothing of it repeated row by row.
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
  }).pipe(Effect.provide(TestDatabase.layer))
)

it.live("of two ranges that print one number, whoever let both in, a document has it", () =>
  Effect.gen(function* () {
    const { number, of, owner } = yield* world
    const sql = yield* SqlClient.SqlClient
    const resolutions = Context.get(owner, Resolutions)
    const range = Effect.fnUntraced(function* (prefix: string, from: bigint) {
      const id = yield* Context.get(owner, Ids).resolution
      const numbers = { prefix, from_number: from, to_number: from + 10n, next_number: from }
      yield* resolutions.insert({ ...of, id, ...testRange, ...numbers, created_at: new Date() })
      return id
    })
    const [long, short] = [yield* range("Q", 123n), yield* range("Q1", 23n)]
    const drafts = yield* seedDrafts(of.account_id, 2).pipe(Effect.provideContext(owner))
    assert.strictEqual(yield* number(of, drafts[0]!, long, "a"), "numbered")
    const second = yield* Effect.exit(number(of, drafts[1]!, short, "b"))
    assert.strictEqual(second._tag, "Failure")
    assert.match(JSON.stringify(second), /invoices_full_number/)
    assert.deepStrictEqual(yield* sql`select full_number from invoices where number is not null`, [
      { full_number: "Q123" }
    ])
  }).pipe(Effect.provide(TestDatabase.layer))
)
