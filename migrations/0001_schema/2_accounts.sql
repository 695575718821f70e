-- Accounts: their issuers, software, certificates, logos, API keys, portal sessions and audit log.

create table accounts (id text primary key, created_at timestamptz not null);
grant select, insert, update (id) on accounts to folio_service;
-- A lock on the row requires the right to update a column. The policy prevents a change of the id.
grant select, update (id) on accounts to folio_account;
call isolate_accounts('accounts', $$id = current_setting('folio.account_id', true)$$);

-- The software that an account has registered with the authority. Rows are kept and never change, because a document
-- names its issuer version, which names the software. A request adds rows and reads them without the PIN.
--   provider_number   NIT of the software's provider, without check digit; null if the issuer is the provider
--   sealed            the PIN
create table softwares (
  account_id text not null references accounts, livemode boolean not null check (livemode), id text not null,
  software_id text not null, provider_number text check (provider_number ~ '^[0-9]{1,15}$'), sealed text not null,
  created_at timestamptz not null default now(),
  primary key (account_id, livemode, id)
);
grant select, insert on softwares to folio_service;
grant select (account_id, livemode, id, software_id, provider_number, created_at), insert on softwares to folio_account;
call isolate_accounts('softwares');

-- The settings of an account in each of its modes. The live mode has no issuer until the account registers one.
--   software      null for the service's own software
--   customers     number of customers, for the limit; counted by the statement that adds or removes customers
--   request_log   content of the request log: off, without secrets and personal data, or without secrets
create table account_modes (
  account_id text not null references accounts, livemode boolean not null, name text not null,
  issuer jsonb, issuer_version integer not null, software text, default_version text not null, customers bigint not null default 0,
  request_log text not null default 'masked' check (request_log in ('off', 'masked', 'full')),
  primary key (account_id, livemode),
  foreign key (account_id, livemode, software) references softwares,
  constraint test_mode_has_an_issuer check (livemode or issuer is not null),
  constraint versions_begin_with_the_issuer check ((issuer is null) = (issuer_version = 0)),
  constraint customers_are_counted check (customers >= 0)
);

-- All versions of an issuer. A document is hashed when it is numbered, and signed later with the same version.
create table issuers (
  account_id text not null references accounts, livemode boolean not null, version integer not null check (version > 0),
  issuer jsonb not null, software text, created_at timestamptz not null default now(),
  primary key (account_id, livemode, version),
  foreign key (account_id, livemode, software) references softwares
);

-- A change of the issuer, or of the issuer's software, adds a version. A mode without an issuer has no version.
create function count_issuer() returns trigger language plpgsql as $$ begin
  new.issuer_version := old.issuer_version + 1;
  return new;
end $$;
create function keep_issuer() returns trigger language plpgsql as $$ begin
  insert into issuers (account_id, livemode, version, issuer, software)
  values (new.account_id, new.livemode, new.issuer_version, new.issuer, new.software);
  return null;
end $$;
create trigger issuer_versions_are_counted before update of issuer, software on account_modes for each row
  when (new.issuer is distinct from old.issuer or new.issuer is not null and new.software is distinct from old.software)
  execute function count_issuer();
create trigger issuer_versions_are_kept after update of issuer, software on account_modes for each row
  when (new.issuer is distinct from old.issuer or new.issuer is not null and new.software is distinct from old.software)
  execute function keep_issuer();
create trigger first_issuer_is_kept after insert on account_modes for each row
  when (new.issuer is not null) execute function keep_issuer();
grant select, insert, update (name, issuer, software, default_version, customers, request_log) on account_modes to folio_service;
grant select, update (name, issuer, software, default_version, customers, request_log) on account_modes to folio_account;
call isolate_accounts('account_modes');
grant select, insert on issuers to folio_service, folio_account;
call isolate_accounts('issuers');

-- The logos of an account's issuers. Rows are kept, because the JSON of each issuer version names its logo by the
-- SHA-256 of the bytes.
create table logos (
  account_id text not null references accounts, livemode boolean not null,
  sha256 text not null check (sha256 = encode(sha256(bytes), 'hex')),
  media_type text not null check (media_type in ('image/png', 'image/jpeg')),
  bytes bytea not null check (octet_length(bytes) between 1 and 200000),
  primary key (account_id, livemode, sha256)
);
grant select, insert on logos to folio_service, folio_account;
call isolate_accounts('logos');

-- The certificates of live accounts: certificate and key as sealed PEM. Rows are kept and never change, because signed
-- documents contain the certificate. A request adds rows and reads them without the sealed text.
create table certificates (
  account_id text not null references accounts, livemode boolean not null check (livemode), id text not null,
  subject text not null, not_before timestamptz not null, not_after timestamptz not null, sealed text not null,
  created_at timestamptz not null,
  primary key (account_id, livemode, id),
  check (not_before < not_after)
);

-- For incidents: the certificates that expire soon.
create index certificates_end on certificates (not_after);
grant select, insert on certificates to folio_service;
grant select (account_id, livemode, id, subject, not_before, not_after, created_at), insert on certificates to folio_account;
call isolate_accounts('certificates');

-- API keys. The database contains only hashes of the keys.
--   capabilities   null for a key with all capabilities; a portal session's key has the session's capabilities
create table api_keys (
  id text primary key, account_id text not null references accounts, livemode boolean not null,
  key_hash text not null unique, last_four text not null, created_at timestamptz not null, revoked_at timestamptz,
  name text, last_used_at timestamptz, expires_at timestamptz,
  capabilities text[] check (
    cardinality(capabilities) > 0 and capabilities <@ array['view', 'deliver', 'endpoints', 'documents', 'keys', 'setup']
  )
);

-- An account's keys, and its keys that aren't revoked.
create index api_keys_of_account on api_keys (account_id, livemode, id);
create index api_keys_kept on api_keys (account_id, livemode) where revoked_at is null;
-- For the purge: the keys that have ended.
create index api_keys_ended on api_keys (least(revoked_at, expires_at)) where least(revoked_at, expires_at) is not null;

create trigger key_end_is_not_postponed before update of revoked_at, expires_at on api_keys for each row
  when (
    old.revoked_at is not null and new.revoked_at is distinct from old.revoked_at
    or old.expires_at is not null and (new.expires_at is null or new.expires_at > old.expires_at)
  )
  execute function reject_change('the end of a key is never postponed');
create trigger key_is_kept_for_a_day before delete on api_keys for each row
  when ((least(old.revoked_at, old.expires_at) < now() - interval '1 day') is not true)
  execute function reject_change('a key stays until it has ended for a day');
grant select, insert, update (revoked_at, last_used_at, expires_at), delete on api_keys to folio_service;
grant select (id, account_id, livemode, name, last_four, capabilities, created_at, last_used_at, expires_at, revoked_at), insert,
  update (expires_at, revoked_at) on api_keys to folio_account;
call isolate_accounts('api_keys');

-- Idempotency keys with their responses. The transaction of a request's effect writes the row, so that a crash leaves
-- no key without a response.
create table idempotency_keys (
  api_key_id text not null references api_keys, value text not null, fingerprint text not null,
  status integer not null, location text, body text not null, sealed boolean not null default false,
  completed_at timestamptz not null default now(),
  primary key (api_key_id, value)
);

-- For the purge. The keys of a batch have the same time, which keeps entries small: 1 µs and 65 bytes of WAL per key.
create index idempotency_keys_age on idempotency_keys (completed_at);
grant select, insert, update, delete on idempotency_keys to folio_service;
grant select, insert, update on idempotency_keys to folio_account;
-- The policy of api_keys limits folio_account to the keys of its account and mode.
call isolate_accounts('idempotency_keys', 'exists (select from api_keys k where k.id = api_key_id)');

-- Portal sessions. A session has some capabilities of its API key, and works while the key works. The database contains
-- only hashes of the link and of the cookie.
--   link_hash     hash of the token in the link, which works once and until link_expires_at
--   cookie_hash   hash of the cookie that the browser received for the link
--   used_at       time at which the link was used
--   ended_at      time at which a person ended the session; null if no person ended it
--   closes_at     time at which the session expires: link_expires_at until the link is used, expires_at after that
create table portal_sessions (
  account_id text not null references accounts, livemode boolean not null, id text not null,
  api_key_id text not null references api_keys on delete cascade,
  capabilities text[] not null check (
    cardinality(capabilities) > 0 and capabilities <@ array['view', 'deliver', 'endpoints', 'documents', 'keys', 'setup']
  ),
  link_hash text not null unique, link_expires_at timestamptz not null, cookie_hash text unique,
  created_at timestamptz not null default now(), expires_at timestamptz not null, used_at timestamptz, ended_at timestamptz,
  closes_at timestamptz not null generated always as (case when used_at is null then link_expires_at else expires_at end) stored,
  primary key (account_id, livemode, id),
  constraint a_link_works_for_a_minute check (link_expires_at <= least(created_at + interval '1 minute', expires_at)),
  constraint a_session_lasts_seven_days check (expires_at <= created_at + interval '7 days'),
  constraint a_link_is_used_in_time check (used_at <= link_expires_at),
  constraint a_cookie_is_given_for_the_link check ((used_at is null) = (cookie_hash is null))
);

-- The sessions of a key, for their deletion with the key.
create index portal_sessions_of_key on portal_sessions (api_key_id);
-- For the limit: the sessions that may still work.
create index portal_sessions_open on portal_sessions (account_id, livemode, closes_at) where ended_at is null;

create trigger link_works_once before update of used_at, cookie_hash on portal_sessions for each row
  when (old.used_at is not null and (new.used_at, new.cookie_hash) is distinct from (old.used_at, old.cookie_hash))
  execute function reject_change('a link to the portal works once');
create trigger session_end_is_final before update of ended_at, used_at, cookie_hash on portal_sessions for each row
  when (old.ended_at is not null and (new.ended_at, new.used_at) is distinct from (old.ended_at, old.used_at))
  execute function reject_change('a session that has ended stays ended');
-- Only the service sets the cookie. A request creates sessions, reads them without the hashes, and ends them.
grant select, insert, update (used_at, cookie_hash, ended_at), delete on portal_sessions to folio_service;
grant select (account_id, livemode, id, api_key_id, capabilities, link_expires_at, created_at, expires_at, used_at, ended_at, closes_at),
  insert, update (ended_at) on portal_sessions to folio_account;
call isolate_accounts('portal_sessions');

-- The audit log: the changes in an account, with their author.
--   actor     id of the API key, or `operator`
--   details   the changed fields, without secrets
create table audit_log (
  account_id text not null references accounts, livemode boolean not null, seq bigint generated always as identity,
  at timestamptz not null default now(), actor text not null, action text not null, object_id text, request_id text, ip text,
  details jsonb not null,
  primary key (account_id, livemode, seq)
);

-- For the purge.
create index audit_log_age on audit_log (at);

-- No role can delete an entry of the last 400 days. Only this function deletes older entries. The function runs as the
-- owner, and the policy `expired` shows the owner only the older entries.
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
revoke execute on function purge_audit_log(integer) from public;
grant execute on function purge_audit_log(integer) to folio_service;
call isolate_accounts('audit_log');
create policy expired on audit_log to current_user using (at < now() - interval '400 days');
