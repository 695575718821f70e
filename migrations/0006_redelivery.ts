import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Deliveries out of schedule, events that can be followed without a gap, and resolutions that an account registers itself.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Numbers and ids are given before the commit and come to be seen in another order. The transaction tells which events may
  // still be followed by earlier ones: none whose transaction is older than all that are running. is_test: a sample that was
  // sent to one endpoint on request; it happened to nobody.
  yield* sql`
    alter table events
      add tx xid8 not null default pg_current_xact_id(),
      add is_test boolean not null default false`
  // The oldest transaction under way, or the next one. Those that other databases of the server are known to have do not count:
  // they write no events here, however long they take.
  yield* sql`
    create function oldest_transaction() returns xid8 stable language sql as $$
      select coalesce(min(x.xip), pg_snapshot_xmax(pg_current_snapshot()))
      from pg_snapshot_xip(pg_current_snapshot()) as x (xip)
      where not exists (
        select from pg_locks l join pg_stat_activity a on a.pid = l.pid
        where l.locktype = 'transactionid' and l.transactionid = x.xip::xid and l.mode = 'ExclusiveLock' and l.granted
          and a.datid <> (select oid from pg_database where datname = current_database())
      )
    $$`
  // Being partial it is not taken for the primary key, which begins like it.
  yield* sql`create index events_settled on events (account_id, livemode, tx, seq) where not is_test`

  // trigger: why the next attempt is made. unscheduled: how many of the attempts do not count for the schedule. prior_*: what a
  // delivery goes back to when an attempt that was asked for by hand fails; set exactly while trigger is 'manual'.
  yield* sql`
    alter table deliveries
      add trigger text not null default 'auto',
      add unscheduled integer not null default 0,
      add prior_status text,
      add prior_attempt_at timestamptz`

  // Rows that were there before are none of this migration's business.
  yield* sql`alter table resolutions add constraint valid_dates check (valid_from <= valid_to) not valid`

  yield* sql`grant insert on events, deliveries, resolutions to folio_account`
  yield* sql`
    grant update (trigger, unscheduled, prior_status, prior_attempt_at, worker) on deliveries to folio_account`
  yield* sql`grant update (is_active, valid_to) on resolutions to folio_account`
})
