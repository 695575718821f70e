import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * What an account is, in each of its modes apart: its name, its issuer and the version it defaults to. What a test key changes is
 * the test mode's. The live mode has no issuer until somebody says which.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const account = sql.literal("current_setting('folio.account_id', true)")
  const mode = sql.literal("nullif(current_setting('folio.livemode', true), '')::boolean")

  // customers: how many there are, for their limit. It moves in the statement that makes or removes them.
  yield* sql`
    create table account_modes (
      account_id text not null references accounts,
      livemode boolean not null,
      name text not null,
      issuer jsonb,
      issuer_version integer not null,
      default_version text not null,
      customers bigint not null default 0,
      primary key (account_id, livemode),
      check (livemode or issuer is not null),
      check ((issuer is null) = (issuer_version = 0)),
      check (customers >= 0)
    )`
  yield* sql`alter table issuers add livemode boolean not null default false`
  yield* sql`alter table issuers drop constraint issuers_pkey`

  // Where anything live has been, live documents were issued by this issuer, or would be: it stays theirs. Nowhere else does a
  // live issuer begin as what somebody wrote for tests.
  yield* sql`set local role folio_service`
  yield* sql`set local row_security = on`
  yield* sql`
    insert into account_modes (account_id, livemode, name, issuer, issuer_version, default_version, customers)
    select a.id, m.livemode, a.name, case when m.has_issuer then a.issuer end,
      case when m.has_issuer then a.issuer_version else 0 end, a.default_version,
      (select count(*) from customers c where c.account_id = a.id and c.livemode = m.livemode)
    from accounts a
    cross join lateral (
      values (false, true), (true,
        exists (select from api_keys k where k.account_id = a.id and k.livemode)
          or exists (select from invoices i where i.account_id = a.id and i.livemode)
          or exists (select from certificates c where c.account_id = a.id))
    ) as m (livemode, has_issuer)`
  yield* sql`
    insert into issuers (account_id, livemode, version, issuer, created_at)
    select i.account_id, true, i.version, i.issuer, i.created_at
    from issuers i join account_modes m on m.account_id = i.account_id and m.livemode and m.issuer is not null`
  yield* sql`set local row_security = off`
  yield* sql`reset role`
  yield* sql`alter table issuers add primary key (account_id, livemode, version)`
  yield* sql`alter table issuers alter livemode drop default`

  yield* sql`drop trigger issuer_changes on accounts`
  yield* sql`drop trigger issuer_changed on accounts`
  yield* sql`drop trigger issuer_made on accounts`
  yield* sql`
    alter table accounts drop column name, drop column issuer, drop column issuer_version, drop column default_version`
  yield* sql`
    create or replace function keep_issuer() returns trigger language plpgsql as $$ begin
      insert into issuers (account_id, livemode, version, issuer)
      values (new.account_id, new.livemode, new.issuer_version, new.issuer);
      return null;
    end $$`
  yield* sql`
    create trigger issuer_changes before update of issuer on account_modes for each row
    when (new.issuer is distinct from old.issuer) execute function count_issuer()`
  yield* sql`
    create trigger issuer_changed after update of issuer on account_modes for each row
    when (new.issuer is distinct from old.issuer) execute function keep_issuer()`
  yield* sql`
    create trigger issuer_made after insert on account_modes for each row when (new.issuer is not null)
    execute function keep_issuer()`

  // To lock the account's row, as the account itself may: what has rows keeps its id.
  yield* sql`grant update (id) on accounts to folio_service`
  yield* sql`revoke update, delete on account_modes from folio_service`
  yield* sql`grant update (name, issuer, default_version, customers) on account_modes to folio_service`
  yield* sql`grant select, update (name, issuer, default_version, customers) on account_modes to folio_account`
  yield* sql`alter table account_modes enable row level security`
  yield* sql`alter table account_modes force row level security`
  yield* sql`create policy service on account_modes to folio_service using (true) with check (true)`
  for (const table of ["account_modes", "issuers"]) {
    yield* sql`drop policy if exists account on ${sql(table)}`
    yield* sql`
      create policy account on ${sql(table)} to folio_account using (account_id = ${account} and livemode = ${mode})`
  }
})
