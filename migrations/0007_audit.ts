import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Keys that have names and an end, issuers that change without changing what has been numbered, and a log of who changed what.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const account = sql.literal("current_setting('folio.account_id', true)")
  const mode = sql.literal("nullif(current_setting('folio.livemode', true), '')::boolean")

  yield* sql`
    alter table api_keys
      add name text,
      add last_used_at timestamptz,
      add expires_at timestamptz`
  yield* sql`create index api_keys_of_account on api_keys (account_id, livemode, id)`
  yield* sql`
    create trigger ended before update of revoked_at, expires_at on api_keys for each row
    when (
      old.revoked_at is not null and new.revoked_at is distinct from old.revoked_at
      or old.expires_at is not null and (new.expires_at is null or new.expires_at > old.expires_at)
    )
    execute function refuse_change('the end of a key is never put off')`
  yield* sql`grant update (last_used_at, expires_at) on api_keys to folio_service`
  yield* sql`
    grant select (account_id, livemode, name, last_four, created_at, last_used_at, expires_at, revoked_at), insert,
      update (expires_at, revoked_at) on api_keys to folio_account`

  // What an issuer has been. A document is hashed when it is numbered and signed later: both must name the same one.
  yield* sql`alter table accounts add issuer_version integer not null default 1`
  yield* sql`
    create table issuers (
      account_id text not null references accounts,
      version integer not null,
      issuer jsonb not null,
      created_at timestamptz not null default now(),
      primary key (account_id, version)
    )`
  yield* sql`set local role folio_service`
  yield* sql`set local row_security = on`
  yield* sql`insert into issuers select id, 1, issuer, created_at from accounts`
  yield* sql`set local row_security = off`
  yield* sql`reset role`
  yield* sql`revoke update, delete on issuers from folio_service`
  yield* sql`grant select, insert on issuers to folio_account`
  yield* sql`
    create function count_issuer() returns trigger language plpgsql as $$ begin
      new.issuer_version := old.issuer_version + 1;
      return new;
    end $$`
  yield* sql`
    create function keep_issuer() returns trigger language plpgsql as $$ begin
      insert into issuers (account_id, version, issuer) values (new.id, new.issuer_version, new.issuer);
      return null;
    end $$`
  yield* sql`
    create trigger issuer_changes before update of issuer on accounts for each row when (new.issuer <> old.issuer)
    execute function count_issuer()`
  yield* sql`
    create trigger issuer_changed after update of issuer on accounts for each row when (new.issuer <> old.issuer)
    execute function keep_issuer()`
  yield* sql`create trigger issuer_made after insert on accounts for each row execute function keep_issuer()`
  yield* sql`grant select, update (name, issuer, default_version) on accounts to folio_account`

  yield* sql`alter table invoices add issuer_version integer not null default 1`
  yield* sql`grant update (issuer_version) on invoices to folio_service`
  yield* sql`
    create trigger issuer_stays after update of issuer_version on invoices for each row
    when (old.number is not null and new.issuer_version <> old.issuer_version)
    execute function refuse_change('the issuer of a numbered document never changes')`

  // actor: the key that asked, or operator. details: what was changed, never to what it was a secret.
  yield* sql`
    create table audit_log (
      account_id text not null references accounts,
      livemode boolean not null,
      seq bigint generated always as identity,
      at timestamptz not null default now(),
      actor text not null,
      action text not null,
      object_id text,
      request_id text,
      ip text,
      details jsonb not null,
      primary key (account_id, livemode, seq)
    )`
  yield* sql`create index audit_log_age on audit_log (at)`
  yield* sql`revoke update, delete on audit_log from folio_service`
  yield* sql`grant insert on audit_log to folio_account`

  for (const [table, own] of [
    ["issuers", sql`account_id = ${account}`],
    ["audit_log", sql`account_id = ${account} and livemode = ${mode}`]
  ] as const) {
    yield* sql`alter table ${sql(table)} enable row level security`
    yield* sql`alter table ${sql(table)} force row level security`
    yield* sql`create policy service on ${sql(table)} to folio_service using (true) with check (true)`
    yield* sql`create policy account on ${sql(table)} to folio_account using (${own})`
  }

  // No role may delete what was recorded, but for what is older than this, through this function alone.
  const past = sql.literal("at < now() - interval '400 days'")
  yield* sql`create policy past on audit_log to current_user using (${past})`
  yield* sql`
    do $$ begin
      execute format($body$
        create function purge_audit_log(most integer) returns bigint language sql volatile security definer
        set search_path = %I, pg_temp set row_security = on as $sql$
          with old as materialized (
            select account_id, livemode, seq from audit_log where at < now() - interval '400 days'
            order by at limit most for update skip locked
          ),
          gone as (
            delete from audit_log a using old
            where a.account_id = old.account_id and a.livemode = old.livemode and a.seq = old.seq returning 1
          )
          select count(*) from gone
        $sql$ $body$, current_schema());
    end $$`
  yield* sql`revoke execute on function purge_audit_log(integer) from public`
  yield* sql`grant execute on function purge_audit_log(integer) to folio_service`
})
