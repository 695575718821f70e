-- The request log: the requests of seven days, with their answers.
--
-- A process of the release before may work beside this one: it writes no requests, and every mode keeps the default.

-- What the log keeps of the requests of an account's mode: nothing, all but secrets and personal data, or all but secrets.
alter table account_modes add column request_log text not null default 'masked'
  check (request_log in ('off', 'masked', 'full'));
grant update (request_log) on account_modes to folio_service, folio_account;

-- Requests with their answers. The service masks secrets, and personal data at the level of the account's mode, before it writes a row.
-- No row refers to its account by a foreign key: rows are written by the hundred, and an account is never removed.
--   objects          the ids of the objects that the request worked on or created; at most two
--   idempotency_key  with its verdict; null if the request was refused before this key was read
--   …_body           the first 16 KiB of JSON; null for other content, and for an account that sends more than the log takes
--   …_bytes          the size of the whole body
create table requests (
  account_id text not null,
  livemode boolean not null,
  id text not null,
  created_at timestamptz not null,
  method text not null,
  path text not null,
  query text,
  status integer not null check (status between 100 and 599),
  duration_ms integer not null check (duration_ms >= 0),
  api_key_id text,
  ip text,
  version text,
  idempotency_key text,
  verdict text check (verdict in ('executed', 'replayed', 'conflict', 'in_progress')),
  error_code text,
  objects text[] not null check (cardinality(objects) <= 2),
  request_bytes integer not null check (request_bytes >= 0),
  request_body text check (octet_length(request_body) <= 16384),
  response_bytes integer not null check (response_bytes >= 0),
  response_body text check (octet_length(response_body) <= 16384),
  -- Serves the list, newest first, and the purge, oldest first.
  primary key (account_id, livemode, id),
  constraint a_key_has_a_verdict check ((idempotency_key is null) = (verdict is null))
);

-- The requests of an idempotency key: for the filter.
create index requests_of_key on requests (account_id, livemode, idempotency_key, id) where idempotency_key is not null;
-- The request that was executed with a key, for those that came after it: a client in a loop may repeat it a hundred thousand times.
create index requests_executed on requests (account_id, livemode, idempotency_key, id)
  where verdict = 'executed' and (status between 200 and 299 or status = 499);
-- The requests about an object, as the first or as the second of `objects`: for the filter, which looks in each index.
create index requests_of_object on requests (account_id, livemode, (objects[1]), id) where objects[1] is not null;
create index requests_of_second on requests (account_id, livemode, (objects[2]), id) where objects[2] is not null;
-- The requests that were refused or failed, which are few: for the filters by status 4xx, 5xx and each of their statuses.
create index requests_refused on requests (account_id, livemode, id) where status >= 400;

-- The purge locks rows before it deletes them, which needs the right to update a column.
grant select, insert, update (created_at), delete on requests to folio_service;
grant select on requests to folio_account;
call fence('requests');
