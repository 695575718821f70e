import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * The processes at work, and what each of them holds. No index leads to what a process holds: it is looked for only when one
 * has died, and then among the rows that have an alarm set.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // since: seen without a pause from then on. dead_since: it has stopped, or was not seen for too long.
  yield* sql`
    create table workers (
      id text primary key,
      since timestamptz not null default now(),
      seen_at timestamptz not null default now(),
      dead_since timestamptz
    )`

  // Whose lease next_action_at or next_attempt_at is; null when it is a mere alarm clock.
  yield* sql`alter table invoices add worker text`
  yield* sql`alter table deliveries add worker text`
})
