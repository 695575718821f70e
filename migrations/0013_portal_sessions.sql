-- Sessions of the portal: people's browsers, each let in by an API key for some time and with some of the key's rights.
--
-- A process of the release before may work beside this one: it makes and reads no sessions, and logs no requests of any.

-- The database holds hashes of a session's link and cookie, never link or cookie. A session works while the key that made it works.
--   link_hash    of the token in the link, which works once and until link_expires_at
--   used_at      when the link was used; null while nobody is in
--   cookie_hash  of the cookie that the browser got for the link
--   ended_at     when somebody ended the session; null for one that ends by itself
--   closes_at    when the session ends by itself: with its link while nobody has used the link
create table portal_sessions (
  account_id text not null references accounts,
  livemode boolean not null,
  id text not null,
  api_key_id text not null references api_keys on delete cascade,
  capabilities text[] not null check (
    cardinality(capabilities) > 0
    and capabilities <@ array['view', 'deliver', 'endpoints', 'documents', 'keys', 'setup']
  ),
  link_hash text not null unique,
  link_expires_at timestamptz not null,
  cookie_hash text unique,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  used_at timestamptz,
  ended_at timestamptz,
  closes_at timestamptz not null generated always as (case when used_at is null then link_expires_at else expires_at end) stored,
  primary key (account_id, livemode, id),
  constraint a_link_works_for_a_minute check (link_expires_at <= least(created_at + interval '1 minute', expires_at)),
  constraint a_session_lasts_seven_days check (expires_at <= created_at + interval '7 days'),
  constraint a_link_is_used_in_time check (used_at <= link_expires_at),
  constraint a_cookie_is_given_for_the_link check ((used_at is null) = (cookie_hash is null))
);

-- The sessions of a key, which go with the key.
create index portal_sessions_of_key on portal_sessions (api_key_id);
-- The sessions that may still work, for their limit.
create index portal_sessions_open on portal_sessions (account_id, livemode, closes_at) where ended_at is null;

-- A link works once, and what has ended stays ended.
create trigger entered before update of used_at, cookie_hash on portal_sessions for each row
  when (old.used_at is not null and (new.used_at, new.cookie_hash) is distinct from (old.used_at, old.cookie_hash))
  execute function refuse_change('a link to the portal works once');
create trigger ended before update of ended_at, used_at, cookie_hash on portal_sessions for each row
  when (old.ended_at is not null and (new.ended_at, new.used_at) is distinct from (old.ended_at, old.used_at))
  execute function refuse_change('a session that has ended stays ended');

-- Only the service lets a browser in: a request makes sessions, reads what they are, and ends them.
revoke update on portal_sessions from folio_service;
grant select, insert, update (used_at, cookie_hash, ended_at), delete on portal_sessions to folio_service;
grant select (account_id, livemode, id, api_key_id, capabilities, link_expires_at, created_at, expires_at, used_at, ended_at, closes_at),
  insert, update (ended_at) on portal_sessions to folio_account;
call fence('portal_sessions');

-- The session that made a request, beside the session's key; null for a request with the key itself.
alter table requests add column portal_session_id text;
