import { assert } from "@effect/vitest"
import { Context, Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { Backlog, everyKind, type KindOfWork } from "../../src/operations/store/Backlog.ts"
import { answered } from "../support/database/Refusals.ts"
import { oneOwner, onPostgres, paused } from "../support/database/TwoOwners.ts"

type Statement = (sql: SqlClient.SqlClient) => Effect.Effect<unknown, SqlError.SqlError>

/** The rows that make one kind of work due, and no other. */
const makeDue: Record<KindOfWork, Statement> = {
  deadWorkers: (sql) => sql`update workers set seen_at = now() - interval '1 minute'`,
  documents: (sql) => sql`update invoices set next_action_at = now()`,
  resting: (sql) => sql`update invoices set next_action_at = 'infinity'`,
  deliveries: (sql) => sql`update deliveries set status = 'pending'`,
  emails: (sql) => sql`update emails set next_attempt_at = now()`,
  testSets: (sql) => sql`update enablements set next_action_at = now()`,
  questions: (sql) => sql`update acceptances set next_question_at = now()`,
  auditEntries: (sql) => sql`update audit_log set position = null, hash = null`
}

/** Leaves nothing due. */
const rest: Statement = (sql) =>
  Effect.all([
    sql`update workers set seen_at = now()`,
    sql`update invoices set next_action_at = now() + interval '1 hour'`,
    sql`update deliveries set status = 'succeeded'`,
    sql`update emails set next_attempt_at = now() + interval '1 hour'`,
    sql`update enablements set next_action_at = now() + interval '1 hour'`,
    sql`update acceptances set next_question_at = now() + interval '1 hour'`,
    sql`update audit_log set position = seq, hash = sha256('')`
  ])

onPostgres("A single query reports each kind of due work, and nothing else", function* () {
  const { account, first, seed, sql } = yield* oneOwner
  const { look } = Context.get(first, Backlog)
  const [id] = yield* seed(1)
  const of = { account_id: account.account_id, livemode: false }
  // The constraints are disabled because no service would make these rows together.
  const unruled = (work: Statement) =>
    sql.withTransaction(Effect.andThen(sql`set local session_replication_role = replica`, work(sql)))
  const at = new Date()
  yield* unruled(() =>
    Effect.all([
      sql`insert into deliveries ${sql.insert({ ...of, id: "dlv", endpoint_id: "wh", event_id: "evt", object_id: id, seq: 1, created_at: at, updated_at: at })}`,
      sql`insert into emails ${sql.insert({ ...of, id: "eml", invoice_id: id, document_state: "accepted_by_authority", recipient: "a@b.test" })}`,
      sql`insert into audit_log ${sql.insert({ ...of, actor: "operator", action: "account.updated", details: "{}" })}`,
      sql`insert into acceptances ${sql.insert({ ...of, id })}`,
      sql`
        insert into enablements (account_id, livemode, id, status, run, wanted, range, technical_key_sealed, started_at, resumed_at, answering_since, next_action_at)
        values (${of.account_id}, true, 'set', 'running', 1, '{}', '{}', '', now(), now(), now(), now())`
    ])
  )
  const seen: Record<string, unknown> = {}
  yield* unruled(rest)
  assert.notInclude(Object.values(yield* look), true)
  for (const [kind, make] of Object.entries(makeDue)) {
    yield* unruled(rest)
    yield* unruled(make)
    const due = yield* look
    seen[kind] = Object.entries(due)
      .filter(([, isDue]) => isDue)
      .map(([name]) => name)
  }
  assert.deepStrictEqual(seen, Object.fromEntries(Object.keys(makeDue).map((kind) => [kind, [kind]])))
})

onPostgres("A locked table prevents no kind of work", function* () {
  const { first, sql } = yield* oneOwner
  const { look } = Context.get(first, Backlog)
  const locked = yield* paused((pause) =>
    sql.withTransaction(Effect.andThen(sql`lock table emails in access exclusive mode`, pause))
  )
  assert.deepStrictEqual(yield* answered(look), everyKind)
  yield* locked.goOn
  assert.deepStrictEqual((yield* look).emails, false)
})
