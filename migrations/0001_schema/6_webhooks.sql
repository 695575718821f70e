-- Webhooks: events, endpoints, deliveries and attempts.

-- Clients read events in the order of their transactions, and each server counts its transactions from the start. After
-- a restore, the count continues beyond all numbers of the earlier server.
create function transaction_base() returns bigint stable language sql
return (select coalesce(max(transaction_base), 0) from restores);
create function current_transaction() returns xid8 volatile language plpgsql as $$ begin
  return (pg_current_xact_id()::text::bigint + transaction_base())::text::xid8;
end $$;

-- The oldest open transaction of this database, or the next one. Transactions of other databases on the server don't
-- count, because they write no events in this database.
create function oldest_transaction() returns xid8 stable language sql as $$
  select (coalesce(min(x.xip), pg_snapshot_xmax(pg_current_snapshot()))::text::bigint + transaction_base())::text::xid8
  from pg_snapshot_xip(pg_current_snapshot()) as x (xip)
  where not exists (
    select from pg_locks l join pg_stat_activity a on a.pid = l.pid
    where l.locktype = 'transactionid' and l.transactionid = x.xip::xid and l.mode = 'ExclusiveLock' and l.granted
      and a.datid <> (select oid from pg_database where datname = current_database())
  )
$$;

-- Events. An event gets its number and id before the commit, so events become visible in another order.
--   tx        the transaction that wrote the event. Once all open transactions are later, no earlier event can appear.
--   is_test   whether the event is a test event for one endpoint
create table events (
  account_id text not null, livemode boolean not null, id text not null, seq bigint generated always as identity,
  type text not null, object_id text not null, object_version integer not null, body text not null,
  created_at timestamptz not null, tx xid8 not null default current_transaction(), is_test boolean not null default false,
  primary key (account_id, livemode, id),
  unique (object_id, object_version, account_id, livemode)
);

-- The order of events for clients. Partial, so that PostgreSQL doesn't mistake the index for the primary key.
create index events_settled on events (account_id, livemode, tx, seq) where not is_test;
-- For lists of rare events: without this index, a page without a match reads all events of the account.
create index events_unusual on events (account_id, livemode, type, id)
  where type <> 'invoice.accepted_by_authority' and is_test is not true;

create trigger events_never_change before update on events for each row
  execute function reject_change('an event never changes');
create trigger events_are_kept_for_a_day before delete on events for each row
  when (old.created_at > now() - interval '1 day') execute function reject_change('an event is kept for a day at least');
-- The purge locks rows before it deletes them, which requires the right to update a column.
grant select, insert, update (created_at), delete on events to folio_service;
grant select, insert on events to folio_account;
call isolate_accounts('events');

-- Webhook endpoints.
--   failing_since   time since which no attempt has succeeded
--   full_since      time since which the delivery queue has been full; later events get no attempt
--   secret          sealed signing secret
create table webhook_endpoints (
  account_id text not null references accounts, livemode boolean not null, id text not null,
  url text not null, description text, subscribed_events text[] not null, is_active boolean not null default true,
  max_in_flight integer not null check (max_in_flight > 0), metadata jsonb not null, api_version text not null, secret text not null,
  failing_since timestamptz, last_success_at timestamptz, full_since timestamptz,
  created_at timestamptz not null, updated_at timestamptz not null,
  primary key (account_id, livemode, id)
);

-- For incidents: the endpoints that fail or have a full queue.
create index webhook_endpoints_failing on webhook_endpoints (failing_since) where failing_since is not null and is_active;
create index webhook_endpoints_full on webhook_endpoints (full_since) where full_since is not null and is_active;
grant select, insert, update, delete on webhook_endpoints to folio_service, folio_account;
call isolate_accounts('webhook_endpoints');

-- Deliveries: one event to one endpoint.
--   seq               the event's seq, which orders the deliveries
--   next_attempt_at   the time of a retry or the end of a worker's lease; infinity while the endpoint is inactive
--   worker            the process that holds the lease; null without a lease
--   trigger           cause of the next attempt
--   unscheduled       number of attempts that don't count for the schedule
--   prior_status, prior_attempt_at   the values to restore if an attempt on request fails
create table deliveries (
  account_id text not null, livemode boolean not null, id text not null,
  endpoint_id text not null, event_id text not null, object_id text not null, seq bigint not null,
  status text not null default 'pending', attempts integer not null default 0,
  next_attempt_at timestamptz not null default now(), worker text, trigger text not null default 'auto',
  unscheduled integer not null default 0, prior_status text, prior_attempt_at timestamptz,
  created_at timestamptz not null, updated_at timestamptz not null,
  primary key (account_id, livemode, id),
  unique (event_id, endpoint_id, account_id, livemode),
  foreign key (account_id, livemode, event_id) references events (account_id, livemode, id),
  constraint known_status check (status in ('pending', 'succeeded', 'failed', 'canceled')),
  constraint known_trigger check (trigger in ('auto', 'manual', 'recover', 'test')),
  constraint counted check (0 <= unscheduled and unscheduled <= attempts),
  constraint prior_of_a_manual_attempt check (num_nonnulls(prior_status, prior_attempt_at) = case when trigger = 'manual' then 2 else 0 end)
);

-- The due deliveries of all endpoints; an endpoint's due deliveries in order; the deliveries of one object to one
-- endpoint.
create index deliveries_due on deliveries (next_attempt_at) where status = 'pending';
create index deliveries_turn on deliveries (endpoint_id, next_attempt_at, seq, account_id, livemode) where status = 'pending';
create index deliveries_order on deliveries (endpoint_id, object_id, seq, account_id, livemode) where status = 'pending';
-- For lists of rare deliveries: without this index, a page without a match reads all deliveries of the account.
create index deliveries_undelivered on deliveries (endpoint_id, status, id, account_id, livemode)
  where status in ('failed', 'canceled');
grant select, insert, update, delete on deliveries to folio_service;
grant select, insert, update (status, next_attempt_at, updated_at, trigger, unscheduled, prior_status, prior_attempt_at, worker)
  on deliveries to folio_account;
call isolate_accounts('deliveries');

-- Attempts of a delivery: request and response.
create table attempts (
  account_id text not null, livemode boolean not null, delivery_id text not null, number integer not null check (number > 0),
  trigger text not null check (trigger in ('auto', 'manual', 'recover', 'test')),
  started_at timestamptz not null, duration_ms integer not null, remote_ip text,
  response_status integer, response_headers jsonb not null, response_body text not null, error jsonb,
  primary key (account_id, livemode, delivery_id, number),
  foreign key (account_id, livemode, delivery_id) references deliveries (account_id, livemode, id)
);
grant select, insert, delete on attempts to folio_service;
grant select on attempts to folio_account;
call isolate_accounts('attempts');
