-- Events, who is told of them, and what became of each attempt.

-- The oldest transaction under way in this database, or the next one. Transactions of other databases of the server do not count:
-- they write no events here, however long they take.
create function oldest_transaction() returns xid8 stable language sql as $$
  select coalesce(min(x.xip), pg_snapshot_xmax(pg_current_snapshot()))
  from pg_snapshot_xip(pg_current_snapshot()) as x (xip)
  where not exists (
    select from pg_locks l join pg_stat_activity a on a.pid = l.pid
    where l.locktype = 'transactionid' and l.transactionid = x.xip::xid and l.mode = 'ExclusiveLock' and l.granted
      and a.datid <> (select oid from pg_database where datname = current_database())
  )
$$;

-- What has happened. Numbers and ids are given before the commit and come to be seen in another order:
--   tx       the transaction that wrote it. No event whose transaction is older than all that are under way is followed by an
--            earlier one any more.
--   is_test  a sample that was sent to one endpoint on request; it happened to nobody
create table events (
  account_id text not null,
  livemode boolean not null,
  id text not null,
  seq bigint generated always as identity,
  type text not null,
  object_id text not null,
  object_version integer not null,
  body text not null,
  created_at timestamptz not null,
  tx xid8 not null default pg_current_xact_id(),
  is_test boolean not null default false,
  primary key (account_id, livemode, id),
  unique (object_id, object_version, account_id, livemode)
);

-- Events in the order in which they can be followed. Being partial, this is not taken for the primary key, which begins like it.
create index events_settled on events (account_id, livemode, tx, seq) where not is_test;
-- A list of what is rare is short: without this, a page that finds nothing reads all events of the account.
create index events_unusual on events (account_id, livemode, type, id)
  where type <> 'invoice.accepted_by_authority' and is_test is not true;

create trigger events_change before update on events for each row
  execute function refuse_change('what has happened does not change');
create trigger events_kept before delete on events for each row
  when (old.created_at > now() - interval '1 day')
  execute function refuse_change('what has happened is kept for a day at least');

-- To lock a row that is to be purged, one must be allowed to update something of it.
grant select, insert, update (created_at), delete on events to folio_service;
grant select, insert on events to folio_account;
grant usage on sequence events_seq_seq to folio_service;
call fence('events');

-- failing_since: no attempt has succeeded from then on. full_since: since then as many deliveries wait as may, and what happens
-- from then on is not attempted. secret: what signs its deliveries, sealed.
create table webhook_endpoints (
  account_id text not null references accounts,
  livemode boolean not null,
  id text not null,
  url text not null,
  description text,
  subscribed_events text[] not null,
  is_active boolean not null default true,
  max_in_flight integer not null check (max_in_flight > 0),
  metadata jsonb not null,
  api_version text not null,
  secret text not null,
  failing_since timestamptz,
  last_success_at timestamptz,
  full_since timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_id, livemode, id)
);

grant select, insert, update, delete on webhook_endpoints to folio_service, folio_account;
call fence('webhook_endpoints');

-- One event on its way to one endpoint.
--   seq               that of the event: the order of deliveries
--   next_attempt_at   the alarm clock and, while an attempt runs, its lease; infinity while the endpoint is inactive
--   worker            whose lease next_attempt_at is; null when it is an alarm clock only
--   trigger           why the next attempt is made
--   unscheduled       how many of the attempts do not count for the schedule
--   prior_status, prior_attempt_at   what the delivery goes back to when an attempt that was asked for by hand fails
create table deliveries (
  account_id text not null,
  livemode boolean not null,
  id text not null,
  endpoint_id text not null,
  event_id text not null,
  object_id text not null,
  seq bigint not null,
  status text not null default 'pending',
  attempts integer not null default 0,
  next_attempt_at timestamptz not null default now(),
  worker text,
  trigger text not null default 'auto',
  unscheduled integer not null default 0,
  prior_status text,
  prior_attempt_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_id, livemode, id),
  unique (event_id, endpoint_id, account_id, livemode),
  foreign key (account_id, livemode, event_id) references events (account_id, livemode, id),
  constraint known_status check (status in ('pending', 'succeeded', 'failed', 'canceled')),
  constraint known_trigger check (trigger in ('auto', 'manual', 'recover', 'test')),
  constraint counted check (0 <= unscheduled and unscheduled <= attempts),
  constraint prior_of_a_manual_attempt check (
    num_nonnulls(prior_status, prior_attempt_at) = case when trigger = 'manual' then 2 else 0 end
  )
);

-- What is due over all endpoints; what is due for one, in order; the line of one resource at one endpoint.
create index deliveries_due on deliveries (next_attempt_at) where status = 'pending';
create index deliveries_turn on deliveries (endpoint_id, next_attempt_at, seq, account_id, livemode) where status = 'pending';
create index deliveries_order on deliveries (endpoint_id, object_id, seq, account_id, livemode) where status = 'pending';
-- A list of what was not delivered is short: without this, a page that finds nothing reads all deliveries of the account.
create index deliveries_undelivered on deliveries (endpoint_id, status, id, account_id, livemode)
  where status in ('failed', 'canceled');

grant select, insert, update, delete on deliveries to folio_service;
grant select, insert, update (status, next_attempt_at, updated_at, trigger, unscheduled, prior_status, prior_attempt_at, worker)
  on deliveries to folio_account;
call fence('deliveries');

-- What was sent of a delivery, and what came back.
create table attempts (
  account_id text not null,
  livemode boolean not null,
  delivery_id text not null,
  number integer not null check (number > 0),
  trigger text not null check (trigger in ('auto', 'manual', 'recover', 'test')),
  started_at timestamptz not null,
  duration_ms integer not null,
  remote_ip text,
  response_status integer,
  response_headers jsonb not null,
  response_body text not null,
  error jsonb,
  primary key (account_id, livemode, delivery_id, number),
  foreign key (account_id, livemode, delivery_id) references deliveries (account_id, livemode, id)
);

grant select, insert, delete on attempts to folio_service;
grant select on attempts to folio_account;
call fence('attempts');
