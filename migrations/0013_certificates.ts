import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * What live accounts sign with: certificate and key as PEM, sealed. All are kept, and none changes: documents carry them. A
 * request may add one and read what it is, never what is sealed.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create table certificates (
      account_id text not null references accounts,
      livemode boolean not null check (livemode),
      id text not null,
      subject text not null,
      not_before timestamptz not null,
      not_after timestamptz not null check (not_after > not_before),
      sealed text not null,
      created_at timestamptz not null,
      primary key (account_id, livemode, id)
    )`
  yield* sql`revoke update, delete on certificates from folio_service`
  yield* sql`
    grant select (account_id, livemode, id, subject, not_before, not_after, created_at), insert
    on certificates to folio_account`
  yield* sql`alter table certificates enable row level security`
  yield* sql`alter table certificates force row level security`
  yield* sql`create policy service on certificates to folio_service using (true) with check (true)`
  yield* sql`
    create policy account on certificates to folio_account using (
      account_id = current_setting('folio.account_id', true)
      and livemode = nullif(current_setting('folio.livemode', true), '')::boolean
    )`
})
