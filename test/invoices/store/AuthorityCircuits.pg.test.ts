import { assert } from "@effect/vitest"
import { Context, Effect, Exit } from "effect"
import {
  AuthorityCircuits,
  closedCircuit,
  type FailedCall,
  troubleIn
} from "../../../src/invoices/store/AuthorityCircuits.ts"
import { TestDatabase } from "../../support/database/Postgres.ts"
import { describeLive } from "../../support/Tests.ts"
import { twoOwners } from "../../support/database/TwoOwners.ts"

const minutes = 300_000
const quiet = 390_000

const refused: FailedCall = {
  account_id: "ten_1",
  trouble: "connection_refused",
  message: "it accepts no connections",
  is_authoritys: true,
  of_all: true
}

const idsOf = (taken: ReadonlyArray<{ readonly id: string }>) => taken.map(({ id }) => id)

const setUp = Effect.gen(function* () {
  const { account, first, second, seed, sql: admin } = yield* twoOwners
  const ago = (name: string, failing: string, failed: string) =>
    admin`
      update authority_circuits set failing_since = now() - ${failing}::interval,
        at_fault_since = now() - ${failing}::interval, failed_at = now() - ${failed}::interval
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
    "opens for all processes after long enough without an answer, and closes with the next answer",
    function* () {
      const { ago, first, second } = yield* setUp
      const name = "opens"
      assert.deepStrictEqual(yield* first.read(name), closedCircuit)
      assert.isFalse((yield* first.failed(name, refused, minutes, quiet)).is_open)
      assert.isFalse((yield* second.failed(name, refused, minutes, quiet)).is_open)
      yield* ago(name, "299 seconds", "1 minute")
      assert.isFalse((yield* second.failed(name, refused, minutes, quiet)).is_open)
      yield* ago(name, "301 seconds", "1 minute")
      const open = yield* second.failed(name, refused, minutes, quiet)
      assert.isTrue(open.is_open)
      assert.isTrue((yield* first.read(name)).is_open)
      yield* first.succeeded(name)
      assert.deepStrictEqual(yield* second.read(name), closedCircuit)
      assert.closeTo((yield* first.failed(name, refused, minutes, quiet)).failing_ms ?? Infinity, 0, 1_000)
    }
  )

  it.effect(
    "opens only by the authority's fault, and records the accounts and the reason of failing calls",
    function* () {
      const { ago, first, second } = yield* setUp
      const name = "blamed"
      const lost: FailedCall = { ...refused, trouble: "name_not_found", message: "no address", is_authoritys: false }
      yield* first.failed(name, lost, minutes, quiet)
      yield* ago(name, "301 seconds", "1 minute")
      // The name is still not found, which is not the authority's fault, however long it takes.
      const ours = yield* second.failed(name, lost, minutes, quiet)
      assert.deepInclude(ours, { is_open: false, at_fault_ms: null, trouble: "name_not_found", message: "no address" })
      assert.isAtLeast(ours.failing_ms ?? 0, 301_000)
      // The authority refuses connections from now on, so its time begins now.
      const theirs = yield* first.failed(name, refused, minutes, quiet)
      assert.isFalse(theirs.is_open)
      assert.closeTo(theirs.at_fault_ms ?? Infinity, 0, 1_000)
      yield* ago(name, "301 seconds", "1 minute")
      assert.isTrue((yield* first.failed(name, refused, minutes, quiet)).is_open)
      // A failure on our side ends the contingency.
      assert.isFalse((yield* first.failed(name, lost, minutes, quiet)).is_open)
    }
  )

  it.effect("keeps the first two accounts whose calls fail, and whether a failure concerns all calls", function* () {
    const { first } = yield* setUp
    const by = (account_id: string, of_all = false) =>
      first.failed("whose", { ...refused, account_id, trouble: "server_error", of_all }, minutes, quiet)
    assert.deepInclude(yield* by("ten_1"), { accounts: ["ten_1"], of_all: false })
    assert.deepInclude(yield* by("ten_1"), { accounts: ["ten_1"], of_all: false })
    assert.deepInclude(yield* by("ten_2"), { accounts: ["ten_1", "ten_2"], of_all: false })
    assert.deepInclude(yield* by("ten_3", true), { accounts: ["ten_1", "ten_2"], of_all: true })
    yield* first.succeeded("whose")
    assert.deepStrictEqual(yield* first.read("whose"), closedCircuit)
    assert.deepInclude(yield* by("ten_3"), { accounts: ["ten_3"], of_all: false })
  })

  it.effect("keeps rejected calls separate from failing calls", function* () {
    const { admin, first, second } = yield* setUp
    yield* first.refused("refusing", "clock_off")
    const state = yield* second.read("refusing")
    assert.deepInclude(state, { failing_ms: null, trouble: null, refusal: "clock_off" })
    const since = state.refusal_since
    assert.deepInclude(troubleIn(state), { trouble: "clock_off", is_open: false, since: since! })
    yield* second.refused("refusing", "clock_off")
    assert.deepStrictEqual((yield* first.read("refusing")).refusal_since, since)
    // A failure of all calls comes first. After a success, the rejection shows until it is a quarter of an hour old.
    yield* first.failed("refusing", refused, minutes, quiet)
    assert.deepInclude(troubleIn(yield* first.read("refusing")), { trouble: "connection_refused" })
    yield* first.succeeded("refusing")
    assert.isNull(troubleIn(yield* first.read("refusing")), "a trusted clock is right")
    yield* first.refused("refusing", "certificate_refused")
    yield* first.succeeded("refusing")
    assert.deepInclude(troubleIn(yield* first.read("refusing")), { trouble: "certificate_refused" })
    yield* admin`update authority_circuits set refused_at = now() - interval '16 minutes' where name = 'refusing'`
    assert.isNull(troubleIn(yield* first.read("refusing")))
    yield* first.refused("refusing", "certificate_refused")
    assert.notDeepEqual((yield* first.read("refusing")).refusal_since, since)
  })

  it.effect("probes with the document tried least recently, and gives the documents that never left", function* () {
    const { account, admin, first, seed } = yield* setUp
    const [waits = "", tried = "", unsent = "", retried = ""] = yield* seed(4)
    yield* admin.withTransaction(
      Effect.gen(function* () {
        yield* admin`set local session_replication_role = replica`
        yield* admin`
          update invoices set state = 'signed', contingency_since = null, submitted_at = case when id = ${retried} then now() end
          where id = any(${[unsent, retried]})`
        yield* admin`update invoices set updated_at = now() + interval '1 minute' where id = ${tried}`
        yield* admin`update invoices set updated_at = now() - interval '1 hour', created_at = now() where id = ${waits}`
      })
    )
    const open = {
      name: account.account_id,
      account_id: account.account_id,
      is_failing: true,
      is_open: true,
      is_probe_due: true
    }
    assert.deepStrictEqual(idsOf(yield* first.take(open, "probe", 1)), [waits])
    assert.deepStrictEqual(idsOf(yield* first.take(open, "signed", 10)), [unsent])
    assert.deepStrictEqual(idsOf(yield* first.take(open, "signed", 10)), [])
    assert.deepStrictEqual(idsOf(yield* first.take(open, "probe", 1)), [tried])
    // It was sent before its failure and retry: it waits for its verdict, and is the probe of last resort.
    assert.deepStrictEqual(idsOf(yield* first.take(open, "probe", 1)), [retried])
    assert.deepStrictEqual(idsOf(yield* first.take(open, "all", 10)), [])
  })

  it.effect("does not treat silence as an outage", function* () {
    const { ago, first } = yield* setUp
    yield* first.failed("silent", refused, minutes, quiet)
    yield* ago("silent", "3 days", "3 days")
    const { failing_ms, is_open } = yield* first.failed("silent", refused, minutes, quiet)
    assert.isFalse(is_open)
    assert.isBelow(failing_ms ?? Infinity, 5_000)
  })

  it.effect("lets only one of all processes probe, once per interval", function* () {
    const { admin, first, second } = yield* setUp
    yield* first.failed("probed", refused, minutes, quiet)
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
    "finds waiting documents, oldest first, gives each once, and starts their 48 hours after the outage",
    function* () {
      const { admin, first, account, second, seed } = yield* setUp
      yield* admin`
      insert into resolutions select r.account_id, true, 'res_live', r.number, r.document_type, 'LIVE', r.from_number, r.to_number,
        r.valid_from, r.valid_to, r.technical_key, r.is_active, r.next_number, r.created_at from resolutions r limit 1`
      const documents = yield* seed(5)
      const live = yield* seed(1, true)
      const [oldest = ""] = documents.slice(-1)
      yield* admin`update invoices set created_at = now() - interval '1 day', updated_at = now() - interval '1 day'
        where id = ${oldest}`
      yield* first.failed(account.account_id, refused, minutes, quiet)
      yield* first.claimProbe(account.account_id, 30_000)

      const waiting = yield* first.waiting
      const mine = waiting.find(({ name }) => name === account.account_id)
      assert.sameDeepMembers(
        waiting.filter(({ name }) => name === account.account_id || name === "live"),
        [
          { name: "live", account_id: null, is_failing: false, is_open: false, is_probe_due: true },
          {
            name: account.account_id,
            account_id: account.account_id,
            is_failing: true,
            is_open: false,
            is_probe_due: false
          }
        ]
      )
      const probe = yield* first.take(mine!, "probe", 1)
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
      assert.deepStrictEqual(idsOf(yield* first.take(back, "all", 1)), documents.slice(0, 1))
      const together = yield* Effect.all(
        [first.take(back, "all", 2), second.take(back, "all", 2), first.take(back, "all", 2)],
        {
          concurrency: "unbounded"
        }
      )
      // Among concurrent queries, one takes the oldest and the others may find nothing.
      const taken = [...together, yield* first.take(back, "all", 10)]
      assert.sameMembers(idsOf(taken.flat()), documents.slice(1, -1))
      for (const some of taken) {
        const ids = some.map(({ id }) => id)
        assert.deepStrictEqual(ids, ids.toSorted())
      }
      assert.deepStrictEqual(
        (yield* deadlines).map(({ hours, id }) => [id, hours]),
        documents.map((id) => [id, id === oldest ? null : 48])
      )
      assert.lengthOf(yield* first.take({ ...back, name: "live", account_id: null }, "all", 10), live.length)
    }
  )

  it.effect("lets documents of each account probe, even if many of another account have waited longer", function* () {
    const { admin, first, seed } = yield* setUp
    yield* admin`
      insert into resolutions select r.account_id, true, 'res_many', r.number, r.document_type, 'MANY', r.from_number, r.to_number,
        r.valid_from, r.valid_to, r.technical_key, r.is_active, r.next_number, r.created_at from resolutions r limit 1`
    const [one = ""] = (yield* seed(30, true)).slice(-1)
    yield* admin.withTransaction(
      Effect.gen(function* () {
        yield* admin`set local session_replication_role = replica`
        yield* admin`update invoices set account_id = ${`ten_${"0".repeat(26)}`}, updated_at = now() + interval '1 hour' where id = ${one}`
      })
    )
    const circuit = { name: "live", account_id: null, is_failing: true, is_open: true, is_probe_due: true }
    const taken = yield* Effect.forEach(Array.from({ length: 15 }), () => first.take(circuit, "probe", 1))
    assert.include(idsOf(taken.flat()), one)
  })

  it.effect("takes notes the same way as invoices", function* () {
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
      is_open: false,
      is_probe_due: true
    }
    const taken = yield* Effect.exit(first.take(circuit, "all", 10))
    assert.sameMembers(Exit.isSuccess(taken) ? taken.value.map(({ id }) => id as string) : [], [noteId, invoice])
  })
})
