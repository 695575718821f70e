import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * E-mails to acquirers. What accepts a document makes its e-mail in the same statement, so that no accepted document lacks
 * its own and none has two. They are kept with the documents.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const account = sql.literal("current_setting('folio.account_id', true)")
  const mode = sql.literal("nullif(current_setting('folio.livemode', true), '')::boolean")

  // next_attempt_at is set exactly while the status is pending: the alarm clock and, while an attempt runs, its lease.
  // document_state is the document's when the e-mail was made: it says what the parcel holds.
  yield* sql`
    create table emails (
      account_id text not null,
      livemode boolean not null,
      id text not null,
      invoice_id text not null,
      document_state text not null,
      recipient text not null,
      status text not null default 'pending',
      reason text,
      status_at timestamptz not null default now(),
      attempts integer not null default 0,
      next_attempt_at timestamptz default now(),
      worker text,
      created_at timestamptz not null default now(),
      primary key (account_id, livemode, id),
      check ((next_attempt_at is not null) = (status = 'pending'))
    )`
  yield* sql`create index emails_of_document on emails (invoice_id, id, account_id, livemode)`
  yield* sql`create index emails_due on emails (next_attempt_at) where next_attempt_at is not null`

  yield* sql`
    create trigger guard after update of status on emails for each row
    when (old.status <> new.status and (old.status || ' ' || new.status) <> all (array[
      'pending delivered', 'pending bounced', 'pending complained', 'pending failed',
      'delivered bounced', 'delivered complained'
    ]))
    execute function refuse_change('what became of an e-mail is not taken back')`

  yield* sql`revoke update, delete on emails from folio_service`
  yield* sql`
    grant update (status, reason, status_at, attempts, next_attempt_at, worker) on emails to folio_service`
  yield* sql`grant select, insert on emails to folio_account`
  yield* sql`alter table emails enable row level security`
  yield* sql`alter table emails force row level security`
  yield* sql`create policy service on emails to folio_service using (true) with check (true)`
  yield* sql`create policy account on emails to folio_account using (account_id = ${account} and livemode = ${mode})`
})
