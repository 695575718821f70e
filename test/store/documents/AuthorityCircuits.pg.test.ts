import { assert } from "@effect/vitest"
import { Context, Effect, Exit } from "effect"
import { AuthorityCircuits } from "../../../src/store/documents/AuthorityCircuits.ts"
import { TestDatabase } from "../../support/database/Postgres.ts"
import { describeLive } from "../../support/Tests.ts"
import { twoOwners } from "../../support/database/TwoOwners.ts"

const minutes = 300_000
const quiet = 390_000

const setUp = Effect.gen(function* () {
  const { account, first, second, seed, sql: admin } = yield* twoOwners
  const ago = (name: string, failing: string, failed: string) =>
    admin`
      update authority_circuits set failing_since = now() - ${failing}::interval, failed_at = now() - ${failed}::interval
      where name = ${name}`
  return {
    account,
    admin,
    ago,
    first: Context.get(first, AuthorityCircuits),
    second: Context.get(second, AuthorityCircuits),
    seed: (count: number, livemode?: boolean) => seed(count, "accepted_contingency", livemode)
  }
})

describeLive(TestDatabase.layer)("AuthorityCircuits", (it) => {
  it.effect(
    "opens when nobody was answered for long enough, for all processes, and closes when somebody is",
    function* () {
      const { ago, first, second } = yield* setUp
      const name = "opens"
      assert.deepStrictEqual(yield* first.read(name), { failing_ms: null, failed_ms: null, is_open: false })
      assert.isFalse((yield* first.failed(name, minutes, quiet)).is_open)
      assert.isFalse((yield* second.failed(name, minutes, quiet)).is_open)
      yield* ago(name, "299 seconds", "1 minute")
      assert.isFalse((yield* second.failed(name, minutes, quiet)).is_open)
      yield* ago(name, "301 seconds", "1 minute")
      const open = yield* second.failed(name, minutes, quiet)
      assert.isTrue(open.is_open)
      assert.isTrue((yield* first.read(name)).is_open)
      yield* first.succeeded(name)
      assert.deepStrictEqual(yield* second.read(name), { failing_ms: null, failed_ms: null, is_open: false })
      assert.closeTo((yield* first.failed(name, minutes, quiet)).failing_ms ?? Infinity, 0, 1_000)
    }
  )

  it.effect("does not take silence for an outage", function* () {
    const { ago, first } = yield* setUp
    yield* first.failed("silent", minutes, quiet)
    yield* ago("silent", "3 days", "3 days")
    const { failing_ms, is_open } = yield* first.failed("silent", minutes, quiet)
    assert.isFalse(is_open)
    assert.isBelow(failing_ms ?? Infinity, 5_000)
  })

  it.effect("lets one of all processes try, once in an interval", function* () {
    const { admin, first, second } = yield* setUp
    yield* first.failed("probed", minutes, quiet)
    const claims = Effect.forEach(
      [first, second, first, second, first, second],
      (owner) => owner.claimProbe("probed", 30_000),
      { concurrency: "unbounded" }
    )
    assert.lengthOf(
      (yield* claims).filter((claimed) => claimed),
      1
    )
    assert.notInclude(yield* claims, true)
    yield* admin`update authority_circuits set next_probe_at = now() - interval '1 second' where name = 'probed'`
    assert.lengthOf(
      (yield* claims).filter((claimed) => claimed),
      1
    )
  })

  it.effect(
    "finds what waits, oldest first, takes it once, and starts its 48 hours when the authority is back",
    function* () {
      const { admin, first, account, second, seed } = yield* setUp
      yield* admin`
      insert into resolutions select r.account_id, true, 'res_live', r.number, r.document_type, 'LIVE', r.from_number, r.to_number,
        r.valid_from, r.valid_to, r.technical_key, r.is_active, r.next_number, r.created_at from resolutions r limit 1`
      const documents = yield* seed(5)
      const live = yield* seed(1, true)
      const [oldest = ""] = documents.slice(-1)
      yield* admin`update invoices set created_at = now() - interval '1 day' where id = ${oldest}`
      yield* first.failed(account.account_id, minutes, quiet)
      yield* first.claimProbe(account.account_id, 30_000)

      const waiting = yield* first.waiting
      const mine = waiting.find(({ name }) => name === account.account_id)
      assert.deepStrictEqual(
        waiting.filter(({ name }) => name === account.account_id || name === "live"),
        [
          { name: "live", account_id: null, is_failing: false, is_probe_due: true },
          { name: account.account_id, account_id: account.account_id, is_failing: true, is_probe_due: false }
        ]
      )
      const probe = yield* first.take(mine!, 1)
      assert.deepStrictEqual(
        probe.map(({ id }) => id),
        [oldest]
      )
      const deadlines = admin<{ id: string; hours: number | null }>`
      select id, round(extract(epoch from transmit_before - now()) / 3600)::float8 as hours from invoices
      where id = any(${documents}) order by id`
      assert.deepStrictEqual(new Set((yield* deadlines).map(({ hours }) => hours)), new Set([null]))

      yield* first.succeeded(account.account_id)
      const back = { ...mine!, is_failing: false }
      const taken = yield* Effect.all([first.take(back, 2), second.take(back, 2), first.take(back, 2)], {
        concurrency: "unbounded"
      })
      assert.sameMembers(
        taken.flat().map(({ id }) => id),
        documents.slice(0, -1)
      )
      for (const some of taken) {
        const ids = some.map(({ id }) => id)
        assert.deepStrictEqual(ids, ids.toSorted())
      }
      assert.deepStrictEqual(
        (yield* deadlines).map(({ hours, id }) => [id, hours]),
        documents.map((id) => [id, id === oldest ? null : 48])
      )
      assert.lengthOf(yield* first.take({ ...back, name: "live", account_id: null }, 10), live.length)
    }
  )

  it.effect("takes notes as it takes invoices", function* () {
    const { admin, first, account, seed } = yield* setUp
    const [note = "", invoice = ""] = yield* seed(2)
    const noteId = note.replace("inv_", "cn_")
    yield* admin.withTransaction(
      Effect.gen(function* () {
        yield* admin`set local session_replication_role = replica`
        yield* admin`
          update invoices set id = ${noteId}, kind = 'credit_note', invoice_id = ${invoice},
            correction_code = '1', reason = 'Returned.' where id = ${note}`
      })
    )
    const circuit = {
      name: account.account_id,
      account_id: account.account_id,
      is_failing: false,
      is_probe_due: true
    }
    const taken = yield* Effect.exit(first.take(circuit, 10))
    assert.sameMembers(Exit.isSuccess(taken) ? taken.value.map(({ id }) => id as string) : [], [noteId, invoice])
  })
})
