import { Effect } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import type { AccountId } from "../../../../schemas/Id.ts"

// Maximum rows that are locked together, so that other work on these rows waits only for a moment.
export const portionMax = 500

/** Makes the functions that advance the clock of an account's sandbox. */
export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const own = (account_id: AccountId) => sql`account_id = ${account_id} and not livemode`

  // The tables to advance, each with its column for the due time.
  const waiting = [
    {
      table: sql`invoices`,
      due: sql`next_action_at`,
      waits: sql`next_action_at < 'infinity' and worker is null`,
      also: (jump: Statement.Fragment) => sql`, waiting_since = waiting_since - ${jump}`
    },
    {
      table: sql`deliveries`,
      due: sql`next_attempt_at`,
      waits: sql`status = 'pending' and next_attempt_at < 'infinity' and worker is null`,
      also: () => sql``
    },
    {
      table: sql`acceptances`,
      due: sql`next_question_at`,
      waits: sql`next_question_at is not null`,
      also: (jump: Statement.Fragment) => sql`, ask_until = ask_until - ${jump}`
    }
  ]

  /** Whether more than `portionMax` rows wait. Then run `advance` outside a transaction: each portion commits alone. */
  const isMuchToAdvance = Effect.fn("SandboxAuthorities.isMuchToAdvance")(function* (account_id: AccountId) {
    const counts = yield* Effect.forEach(
      waiting,
      ({ table, waits }) => sql<{ count: number }>`
        select count(*)::integer as count from (
          select from ${table} where account_id = ${account_id} and not livemode and ${waits} limit ${portionMax + 1}
        ) waiting`
    )
    return counts.flat().reduce((sum, { count }) => sum + count, 0) > portionMax
  }, Effect.orDie)

  /** Advances the next portion of rows after the id `last`. Returns the portion's last id, or null without rows. */
  const moveAfter = (
    { also, due, table, waits }: (typeof waiting)[number],
    account_id: AccountId,
    seconds: number,
    last: string
  ) => {
    const jump = sql`${seconds}::float8 * interval '1 second'`
    // Advances an account's portions one at a time, because two concurrent calls would skip each other's locked rows.
    // A worker uses any other locked row.
    return sql`select pg_advisory_xact_lock(hashtextextended(${`advance ${account_id}`}, 0))`.pipe(
      Effect.andThen(sql<{ last: string | null }>`
        with portion as materialized (
          select id from ${table} where ${own(account_id)} and id > ${last} and ${waits} order by id limit ${portionMax}
        ),
        free as materialized (
          select id from ${table} where ${own(account_id)} and id in (select id from portion) and ${waits}
          order by id for update skip locked
        ),
        moved as (
          update ${table} set ${due} = ${due} - ${jump}${also(jump)} where ${own(account_id)} and id in (select id from free)
        )
        select max(id) as last from portion`),
      Effect.map((rows) => rows[0]?.last ?? null),
      sql.withTransaction
    )
  }

  /**
   * Makes the work in an account's test mode due `seconds` sooner: documents, deliveries, questions about buyers, and
   * the circuit of the simulated authority. Skips rows that a worker holds and rows without a due time (`infinity`).
   * Ends the `AccountView` of the caller's transaction, if any.
   */
  const advance = Effect.fn("SandboxAuthorities.advance")(function* (account_id: AccountId, seconds: number) {
    // The role `folio_account` cannot update all of these columns.
    yield* sql`select set_config('role', 'folio_service', true)`
    for (const which of waiting) {
      let last: string | null = ""
      while (last !== null) last = yield* moveAfter(which, account_id, seconds, last)
    }
    const jump = sql`${seconds}::float8 * interval '1 second'`
    yield* sql`
      update authority_circuits set failing_since = failing_since - ${jump}, at_fault_since = at_fault_since - ${jump},
        next_probe_at = next_probe_at - ${jump}
      where name = ${account_id}`
  }, Effect.orDie)

  return { isMuchToAdvance, advance }
})
