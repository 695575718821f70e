-- Accounts: what they are, who may act for them, what they sign with, and what was done in their name.

create table accounts (
  id text primary key,
  created_at timestamptz not null
);

grant select, insert, update (id) on accounts to folio_service;
-- Updating the id is what locking the row asks for; the policy lets an id become nothing but itself.
grant select, update (id) on accounts to folio_account;
alter table accounts enable row level security;
alter table accounts force row level security;
create policy service on accounts to folio_service using (true) with check (true);
create policy account on accounts to folio_account using (id = current_setting('folio.account_id', true));

-- What an account is in each of its modes. The live mode has no issuer until somebody says which.
-- customers: how many there are, for their limit; counted in the statement that makes or removes them.
create table account_modes (
  account_id text not null references accounts,
  livemode boolean not null,
  name text not null,
  issuer jsonb,
  issuer_version integer not null,
  default_version text not null,
  customers bigint not null default 0,
  primary key (account_id, livemode),
  constraint test_mode_has_an_issuer check (livemode or issuer is not null),
  constraint versions_begin_with_the_issuer check ((issuer is null) = (issuer_version = 0)),
  constraint customers_are_counted check (customers >= 0)
);

grant select, insert, update (name, issuer, default_version, customers) on account_modes to folio_service;
grant select, update (name, issuer, default_version, customers) on account_modes to folio_account;
call fence('account_modes');

-- Every issuer that an account's mode has had. A document is hashed when it is numbered and signed later: both name one version.
create table issuers (
  account_id text not null references accounts,
  livemode boolean not null,
  version integer not null check (version > 0),
  issuer jsonb not null,
  created_at timestamptz not null default now(),
  primary key (account_id, livemode, version)
);

create function count_issuer() returns trigger language plpgsql as $$ begin
  new.issuer_version := old.issuer_version + 1;
  return new;
end $$;
create function keep_issuer() returns trigger language plpgsql as $$ begin
  insert into issuers (account_id, livemode, version, issuer)
  values (new.account_id, new.livemode, new.issuer_version, new.issuer);
  return null;
end $$;
create trigger issuer_changes before update of issuer on account_modes for each row
  when (new.issuer is distinct from old.issuer) execute function count_issuer();
create trigger issuer_changed after update of issuer on account_modes for each row
  when (new.issuer is distinct from old.issuer) execute function keep_issuer();
create trigger issuer_made after insert on account_modes for each row
  when (new.issuer is not null) execute function keep_issuer();

grant select, insert on issuers to folio_service, folio_account;
call fence('issuers');

-- API keys. The database holds their hashes.
create table api_keys (
  id text primary key,
  account_id text not null references accounts,
  livemode boolean not null,
  key_hash text not null unique,
  last_four text not null,
  created_at timestamptz not null,
  revoked_at timestamptz,
  name text,
  last_used_at timestamptz,
  expires_at timestamptz
);

-- The list of an account's keys, and those of them that work.
create index api_keys_of_account on api_keys (account_id, livemode, id);
create index api_keys_kept on api_keys (account_id, livemode) where revoked_at is null;
-- The keys that have ended long enough to be removed.
create index api_keys_ended on api_keys (least(revoked_at, expires_at)) where least(revoked_at, expires_at) is not null;

create trigger ended before update of revoked_at, expires_at on api_keys for each row
  when (
    old.revoked_at is not null and new.revoked_at is distinct from old.revoked_at
    or old.expires_at is not null and (new.expires_at is null or new.expires_at > old.expires_at)
  )
  execute function refuse_change('the end of a key is never put off');
create trigger kept before delete on api_keys for each row
  when ((least(old.revoked_at, old.expires_at) < now() - interval '1 day') is not true)
  execute function refuse_change('a key stays until it has ended for a day');

grant select, insert, update (revoked_at, last_used_at, expires_at), delete on api_keys to folio_service;
grant select (id, account_id, livemode, name, last_four, created_at, last_used_at, expires_at, revoked_at), insert,
  update (expires_at, revoked_at) on api_keys to folio_account;
call fence('api_keys');

-- A row exists only with its answer: it is written in the transaction of the effect, so that no crash leaves a stuck key.
create table idempotency_keys (
  api_key_id text not null references api_keys,
  value text not null,
  fingerprint text not null,
  status integer not null,
  location text,
  body text not null,
  sealed boolean not null default false,
  completed_at timestamptz not null default now(),
  primary key (api_key_id, value)
);

-- The keys past their window, for the purge. All keys of a batch share a moment, so that an entry is small: measured, 1 µs and
-- 65 bytes of WAL a key.
create index idempotency_keys_age on idempotency_keys (completed_at);

grant select, insert, update, delete on idempotency_keys to folio_service;
grant select, insert, update on idempotency_keys to folio_account;
alter table idempotency_keys enable row level security;
alter table idempotency_keys force row level security;
create policy service on idempotency_keys to folio_service using (true) with check (true);
-- folio_account sees the API keys of its account and mode alone, by their own policy.
create policy account on idempotency_keys to folio_account
  using (exists (select from api_keys k where k.id = api_key_id));

-- What live accounts sign with: certificate and key as PEM, sealed. All are kept and none changes: documents carry them. A request
-- may add one and read what it is, never what is sealed.
create table certificates (
  account_id text not null references accounts,
  livemode boolean not null check (livemode),
  id text not null,
  subject text not null,
  not_before timestamptz not null,
  not_after timestamptz not null,
  sealed text not null,
  created_at timestamptz not null,
  primary key (account_id, livemode, id),
  check (not_before < not_after)
);

grant select, insert on certificates to folio_service;
grant select (account_id, livemode, id, subject, not_before, not_after, created_at), insert on certificates to folio_account;
call fence('certificates');

-- Who changed what. actor: the id of the key that asked, or `operator`. details: what was changed, and never the value of a secret.
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
);

-- The entries past their retention, for the purge.
create index audit_log_age on audit_log (at);

-- No role deletes an entry that is younger than 400 days, and an older one goes through this function alone: it acts as the owner,
-- whose policy shows it the old ones.
create function purge_audit_log(most integer) returns bigint language sql volatile security definer
set search_path = pg_catalog, pg_temp set row_security = on
begin atomic
  with old as materialized (
    select account_id, livemode, seq from audit_log where at < now() - interval '400 days'
    order by at limit most for update skip locked
  ),
  gone as (
    delete from audit_log a using old
    where a.account_id = old.account_id and a.livemode = old.livemode and a.seq = old.seq returning 1
  )
  select count(*) from gone;
end;

grant select, insert on audit_log to folio_service;
grant insert on audit_log to folio_account;
grant usage on sequence audit_log_seq_seq to folio_service;
revoke execute on function purge_audit_log(integer) from public;
grant execute on function purge_audit_log(integer) to folio_service;
call fence('audit_log');
create policy past on audit_log to current_user using (at < now() - interval '400 days');
