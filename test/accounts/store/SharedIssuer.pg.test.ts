import { assert } from "@effect/vitest"
import { Array, Context, Effect, Fiber, Result } from "effect"
import { SqlClient } from "effect/sql"
import type { AccountMode } from "../../../schemas/Account.ts"
import type { ApiError } from "../../../schemas/ApiError.ts"
import { AccountId } from "../../../schemas/Id.ts"
import * as AccountView from "../../../src/database/AccountView.ts"
import { Ids } from "../../../src/database/Ids.ts"
import { newRange, Resolutions, type StoredResolution } from "../../../src/accounts/store/Resolutions.ts"
import type { NoteKind } from "../../../schemas/DocumentKinds.ts"
import { colombianSandbox } from "../../../src/documents/rules/parties/SandboxIds.ts"
import { blocked, copyAccount } from "../../support/database/Owners.ts"
import { endedOr, onPostgres, paused, twoOwners } from "../../support/database/TwoOwners.ts"

/** Two processes, each of which serves one of two live accounts of an issuer. */
const world = Effect.gen(function* () {
  const { account, first, second, sql } = yield* twoOwners
  const mine: AccountMode = { ...account, livemode: true }
  const theirs: AccountMode = { account_id: AccountId.make(`ten_${"0".repeat(26)}`), livemode: true }
  yield* sql`
    update account_modes m set issuer = t.issuer from account_modes t
    where m.livemode and t.account_id = m.account_id and not t.livemode`
  yield* copyAccount(account.account_id, theirs.account_id)
  const ids = Context.get(first, Ids)
  const serve = (owner: typeof first, of: AccountMode) => {
    const resolutions = Context.get(owner, Resolutions)
    const inView = AccountView.within(Context.get(owner, SqlClient.SqlClient), of)
    return {
      inView,
      resolutions,
      range: (from: number, to: number, change: Partial<StoredResolution> = {}) =>
        Effect.map(ids.resolution, (id): StoredResolution => {
          const numbers = { from_number: BigInt(from), to_number: BigInt(to), next_number: BigInt(from) }
          const row = newRange({ ...of, id }, colombianSandbox.range, Date.now())
          return { ...row, prefix: "FE", ...numbers, ...change }
        }),
      register: (row: StoredResolution) => inView(resolutions.register(row)),
      activate: (row: StoredResolution, is_active: boolean) => inView(resolutions.update(row, { is_active })),
      count: (kind: NoteKind) =>
        Effect.flatMap(ids.resolution, (id) => inView(resolutions.ensureCounter({ ...of, id }, kind)))
    }
  }
  return {
    sql,
    theirs,
    mine: serve(first, mine),
    other: serve(second, theirs),
    served: (of: AccountMode) => serve(first, of)
  }
})

/** The error of a rejected change. */
const refused = <A, R>(change: Effect.Effect<A, ApiError, R>) =>
  Effect.map(Effect.result(change), (result) =>
    Result.isFailure(result) ? result.failure : assert.fail("the change is accepted")
  )

onPostgres("rejects the second account's range, with a message that shows nothing of the first account", function* () {
  const { mine, other, theirs } = yield* world
  // The second registration waits for the first, which it cannot see because it is uncommitted.
  const row = yield* mine.range(1, 100)
  const registration = yield* paused((pause) => mine.inView(Effect.andThen(mine.resolutions.register(row), pause)))
  const late = yield* Effect.forkScoped(refused(other.register(yield* other.range(90, 200))))
  yield* endedOr(late, blocked("pg_advisory_xact_lock"))
  yield* registration.goOn
  const { code, message } = yield* Fiber.join(late)
  assert.strictEqual(code, "resolution_overlap")
  assert.include(message, 'The numbers 90 to 200 of prefix "FE" overlap the numbers of another live account')
  for (const secret of [row.account_id, theirs.account_id, row.id, "100", row.number])
    assert.notInclude(message, secret)
  yield* other.register(yield* other.range(101, 200))

  for (const round of Array.range(1, 10)) {
    const rows = [
      yield* mine.range(round * 1000, round * 1000 + 10),
      yield* other.range(round * 1000 + 5, round * 1000 + 20)
    ]
    const results = yield* Effect.all(
      [mine, other].map((account, index) => Effect.result(account.register(rows[index]!))),
      { concurrency: 2 }
    )
    const codes = results.filter(Result.isFailure).map(({ failure }) => failure.code)
    assert.deepStrictEqual(codes, ["resolution_overlap"], `round ${round}`)
  }
})

onPostgres(
  "accepts the same range in test mode, for another issuer, and with numbers that the other cannot give",
  function* () {
    const { mine, other, served, sql, theirs } = yield* world
    const inTest = served({ ...theirs, livemode: false })
    yield* mine.register(yield* mine.range(1, 100))
    yield* inTest.register(yield* inTest.range(1, 100))

    // The other account takes over a range that this account has used up to number 50.
    const used = yield* mine.range(1001, 1100)
    yield* mine.register(used)
    yield* sql`update resolutions set next_number = 1051 where id = ${used.id}`
    const rest = yield* other.range(1001, 1100, { next_number: 1051n })
    assert.strictEqual((yield* refused(other.register(rest))).code, "resolution_overlap")
    yield* mine.activate(used, false)
    const whole = yield* other.range(1001, 1100, { next_number: 1050n })
    assert.strictEqual((yield* refused(other.register(whole))).code, "resolution_overlap")
    yield* other.register(rest)
    assert.strictEqual((yield* refused(mine.activate(used, true))).code, "resolution_overlap")

    const ofClosed = yield* mine.range(2001, 2100)
    yield* mine.register(ofClosed)
    const next = yield* other.range(2001, 2100)
    assert.strictEqual((yield* refused(other.register(next))).code, "resolution_overlap")
    // As the closure of the account does.
    yield* mine.inView(mine.resolutions.deactivate(used.account_id))
    yield* other.register(next)

    const change = { identification: { type: "31", number: "800197268", check_digit: "4" } }
    yield* sql`
    update account_modes set issuer = issuer || ${JSON.stringify(change)}::jsonb
    where livemode and account_id = ${theirs.account_id}`
    yield* other.register(yield* other.range(1, 100))
  }
)

onPostgres("gives each account's first notes a prefix of their own", function* () {
  const { mine, other, sql, theirs } = yield* world
  const prefixes = (kind: NoteKind) =>
    Effect.map(
      sql<{
        prefix: string
      }>`select prefix from resolutions where livemode and document_type = ${kind} order by prefix`,
      Array.map(({ prefix }) => prefix)
    )
  yield* mine.count("credit_note")
  const would = (prefix: string) => other.resolutions.wouldCount({ ...theirs, kind: "credit_note", prefix })
  assert.deepStrictEqual([yield* would("NC"), yield* would("NCA")], [false, true])
  yield* other.count("credit_note")
  assert.deepStrictEqual(yield* prefixes("credit_note"), ["NC", "NCA"])
  yield* Effect.all([mine.count("debit_note"), other.count("debit_note")], { concurrency: 2 })
  assert.deepStrictEqual(yield* prefixes("debit_note"), ["ND", "NDA"])
})
