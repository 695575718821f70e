-- What goes wrong for whoever runs the service, and what that person was told of it.
--
-- A process of the release before may work beside this one: it reads and writes nothing here, and nobody is told while it alone is at work.

-- An incident is open while its cause is there, and until the cause has been gone for some minutes.
--   subject      whom it is of, within its kind: the id of an endpoint, a certificate or a range, or of an account; 'live' and 'all' of the service
--   account_id   null for an incident of the whole service; with livemode, the issuer's name as it was then
--   since        since when the cause is there; opened_at: when it was noticed
--   gone_since   the first look that did not find the cause any more, while the incident is still open
--   summary, action   what is wrong, and what to do about it
create table incidents (
  id text primary key,
  kind text not null,
  subject text not null,
  severity text not null check (severity in ('info', 'warning', 'critical')),
  account_id text references accounts,
  livemode boolean,
  issuer text,
  summary text not null,
  action text not null,
  details jsonb not null,
  since timestamptz not null,
  opened_at timestamptz not null default now(),
  gone_since timestamptz,
  ended_at timestamptz,
  constraint of_an_account_in_a_mode check ((account_id is null) = (livemode is null)),
  constraint ends_once_it_is_gone check (ended_at is null or gone_since is not null)
);

-- One incident of a subject at a time: two processes that notice the same open one.
create unique index incidents_open on incidents (kind, subject) where ended_at is null;
-- What is past its time, and the ends in a list.
create index incidents_ended on incidents (ended_at) where ended_at is not null;

create trigger ended before update on incidents for each row
  when (old.ended_at is not null)
  execute function refuse_change('an incident that has ended stays ended');

revoke all on incidents from folio_service;
grant select, insert, update (severity, summary, action, details, gone_since, ended_at), delete on incidents to folio_service;
call fence('incidents');

-- What is to be told of an incident by each channel: that it was opened, and that it has ended.
--   next_attempt_at   the alarm clock and, while an attempt runs, its lease; null once it was told or given up
--   told_at           when the channel took it
--   error             why the newest attempt failed
create table incident_tellings (
  incident_id text not null references incidents on delete cascade,
  channel text not null,
  state text not null check (state in ('opened', 'ended')),
  attempts integer not null default 0,
  next_attempt_at timestamptz default now(),
  told_at timestamptz,
  error text,
  created_at timestamptz not null default now(),
  primary key (incident_id, channel, state),
  constraint told_once check (told_at is null or next_attempt_at is null)
);

-- What is due, by channel.
create index incident_tellings_due on incident_tellings (channel, next_attempt_at) where next_attempt_at is not null;

create trigger told before update on incident_tellings for each row
  when (old.told_at is not null)
  execute function refuse_change('what was told is not told again');

revoke all on incident_tellings from folio_service;
grant select, insert, update (attempts, next_attempt_at, told_at, error) on incident_tellings to folio_service;

-- Where the looks find their causes, so that they read what is wrong and nothing else. Written when an endpoint begins or ceases to fail, and
-- when a certificate is added. Documents that failed are found by `invoices_unaccepted`: an index of their own would be built while all
-- documents wait.
create index webhook_endpoints_failing on webhook_endpoints (failing_since) where failing_since is not null and is_active;
create index webhook_endpoints_full on webhook_endpoints (full_since) where full_since is not null and is_active;
create index certificates_end on certificates (not_after);
