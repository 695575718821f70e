-- What the processes of the service know of each other, of the authority and of this database.

-- The processes at work. since: seen without a pause from then on. dead_since: it has stopped, or was not seen for too long.
-- webhook_allow: it lets webhooks reach internal addresses, for development; beside such a process no live key is made.
create table workers (
  id text primary key,
  since timestamptz not null default now(),
  seen_at timestamptz not null default now(),
  dead_since timestamptz,
  webhook_allow boolean not null default false
);

grant select, insert, update, delete on workers to folio_service;
grant select (webhook_allow, dead_since, seen_at) on workers to folio_account;

-- Whether the authority answers, as a fact that all processes see: one row for the live environment, and one for each account that
-- tests. failing_since: no call has succeeded from then on; failed_at: the last one failed. opened_at: calls have failed for longer
-- than documents wait for an answer.
create table authority_circuits (
  name text primary key,
  failing_since timestamptz,
  failed_at timestamptz,
  opened_at timestamptz,
  next_probe_at timestamptz not null default now(),
  restored_at timestamptz,
  check (opened_at is null or failing_since is not null)
);

grant select, insert, update, delete on authority_circuits to folio_service;

-- How the simulated authority behaves for an account's test mode; without a row it is up.
create table sandbox_authorities (
  account_id text not null references accounts,
  livemode boolean not null default false check (not livemode),
  mode text not null check (mode in ('up', 'down', 'slow', 'flaky')),
  primary key (account_id, livemode)
);

grant select, insert, update, delete on sandbox_authorities to folio_service;
grant select, insert, update on sandbox_authorities to folio_account;
call fence('sandbox_authorities');

-- Where the service tries out whether the database takes changes. Emptied each time, so that each try needs room of its own.
create table write_probes (filler text storage plain not null);

grant select, insert, truncate on write_probes to folio_service;

-- One sealed row: a start opens it, and so finds out whether its key is the one that this database's secrets are sealed with.
create table key_canary (
  one boolean primary key default true check (one),
  sealed text not null
);

grant select, insert on key_canary to folio_service;

-- The service reads and writes the tables that are made after these: the cluster's own, and those of later migrations, until they
-- take something back.
do $$ begin
  execute format('alter default privileges in schema %I
    grant select, insert, update, delete on tables to folio_service', current_schema());
  execute format('alter default privileges in schema %I grant usage on sequences to folio_service', current_schema());
end $$;
