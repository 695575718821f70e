-- The service: its processes, the authority's state, the sandbox, enablement, the request log and incidents.

-- The processes of the service.
--   since           start of the heartbeats without a pause
--   seen_at         time of the last heartbeat
--   dead_since      time at which the process stopped, or was declared dead without a heartbeat
--   webhook_allow   whether the process sends webhooks to internal addresses, for development; prevents live keys
--   release         number of the process's last migration
create table workers (
  id text primary key, since timestamptz not null default now(), seen_at timestamptz not null default now(),
  dead_since timestamptz, webhook_allow boolean not null default false, release integer not null
);

-- The earliest release that works with these tables, as the number of its last migration. A migration that removes
-- tables or columns of earlier releases raises the number (`-- serves:` in its first lines).
create table oldest_release (one boolean primary key default true check (one), release integer not null);
insert into oldest_release (release) values (1);

create function reject_early_release() returns trigger language plpgsql as $$ begin
  if new.release < (select release from oldest_release) then
    raise exception using errcode = 'integrity_constraint_violation', constraint = tg_name,
      message = format('the tables are of a release that process %s does not know: start a later release of Folio', new.id);
  end if;
  return new;
end $$;
-- A trigger on inserts checks every heartbeat, because each heartbeat is an `insert … on conflict`.
create trigger early_release_cannot_serve before insert on workers for each row execute function reject_early_release();
grant select, insert, update, delete on workers to folio_service;
grant select (webhook_allow, dead_since, seen_at) on workers to folio_account;
grant select on oldest_release to folio_service;

-- Whether the authority responds: one row for the live environment, and one per account in test mode.
--   failing_since    time since which no call has succeeded
--   failed_at        time of the last failure
--   opened_at        time from which Folio issues unsent documents in contingency
--   at_fault_since   time since which the authority has caused every failure; null if it didn't cause the newest one
--   accounts         the first two accounts whose calls have failed since failing_since
--   of_all           whether a failure has a cause that all accounts share, such as the connection
--   trouble, message   the newest failure
--   trouble_since      start of the failures with this trouble
--   refusal            reason of the newest rejection because of the sender
--   refusal_since      start of the rejections with this reason
--   refused_at         time of the newest rejection
create table authority_circuits (
  name text primary key, failing_since timestamptz, failed_at timestamptz, opened_at timestamptz,
  next_probe_at timestamptz not null default now(), restored_at timestamptz,
  at_fault_since timestamptz, accounts text[] not null default '{}', of_all boolean not null default false,
  trouble text, message text, trouble_since timestamptz,
  refusal text, refusal_since timestamptz, refused_at timestamptz,
  check (opened_at is null or failing_since is not null)
);
grant select, insert, update, delete on authority_circuits to folio_service;

-- The behaviour of the simulated authority for an account's test mode. Without a row the authority is up.
--   next            scripts for the next documents, in order
--   scripted_from   documents whose ids, without their prefix, sort after this text take these scripts; null if the
--                   account never had scripts
create table sandbox_authorities (
  account_id text not null references accounts,
  livemode boolean not null default false check (not livemode),
  mode text not null check (mode in ('up', 'down', 'slow', 'flaky')),
  next jsonb not null default '[]' check (jsonb_typeof(next) = 'array'),
  scripted_from text,
  primary key (account_id, livemode),
  constraint scripts_are_of_later_documents check (next = '[]' or scripted_from is not null)
);
grant select, insert, update, delete on sandbox_authorities to folio_service;
grant select, insert, update on sandbox_authorities to folio_account;
call isolate_accounts('sandbox_authorities');

-- The script that a document took. The document keeps it, so that a submission after a crash or by another process has
-- the same outcome. A corrected document takes the next script of its account.
--   correction   number of corrections before the document took the script
--   script       null if no script was left
create table sandbox_scripts (
  account_id text not null, livemode boolean not null default false check (not livemode), document_id text not null,
  script jsonb, correction integer not null default 0,
  primary key (account_id, livemode, document_id, correction),
  foreign key (account_id, livemode, document_id) references invoices (account_id, livemode, id)
);
grant select, insert on sandbox_scripts to folio_service, folio_account;
call isolate_accounts('sandbox_scripts');

-- The certificate for the test documents of all processes: private key and certificate, as sealed PEM.
create table sandbox_certificate (one boolean primary key default true check (one), sealed text not null);
grant select, insert, update on sandbox_certificate to folio_service;

-- Enablement (habilitación): the authority's test sets of an account, by the id that the authority gave them.
--   run               1 for the first start, one more for each restart after a failure
--   wanted            number of documents of each kind that the authority must accept
--   range             the range of the authority's test environment, without its technical key
--   waiting           why the test set waits; null while the authority responds
--   troubles          number of consecutive calls without a response
--   answering_since   start of the documents' wait for a verdict: the start of the run, or the authority's recovery
create table enablements (
  account_id text not null references accounts, livemode boolean not null check (livemode),
  id text not null check (octet_length(id) between 1 and 100),
  status text not null check (status in ('running', 'passed', 'failed')), run integer not null check (run between 1 and 100),
  wanted jsonb not null, range jsonb not null, technical_key_sealed text not null,
  waiting jsonb, failure jsonb, message text, troubles integer not null default 0,
  started_at timestamptz not null, resumed_at timestamptz not null, answering_since timestamptz not null, finished_at timestamptz,
  next_action_at timestamptz, worker text,
  primary key (account_id, livemode, id),
  constraint only_what_runs_has_an_alarm check ((status = 'running') = (next_action_at is not null)),
  constraint only_what_runs_is_not_finished check ((status = 'running') = (finished_at is null)),
  constraint only_what_runs_waits check (status = 'running' or waiting is null),
  constraint what_failed_says_why check ((status = 'failed') = (failure is not null))
);

-- An account runs one test set at a time.
create unique index enablements_running on enablements (account_id, livemode) where status = 'running';
create index enablements_due on enablements (next_action_at) where status = 'running';

create trigger passed_test_set_stays_passed before update on enablements for each row
  when (old.status = 'passed' and new.status <> 'passed')
  execute function reject_change('a test set that was passed stays passed');
-- Only the service ends a test set. A request starts or restarts it.
create trigger request_ends_no_test_set before insert or update on enablements for each row
  when (current_user = 'folio_account' and new.status <> 'running')
  execute function reject_change('a request does not end a test set');
grant select, insert, update (status, run, wanted, range, technical_key_sealed, waiting, failure, message, troubles, resumed_at,
  answering_since, finished_at, next_action_at, worker) on enablements to folio_service;
grant select, insert, update (status, run, wanted, range, technical_key_sealed, failure, message, troubles, resumed_at,
  answering_since, finished_at, next_action_at, worker) on enablements to folio_account;
call isolate_accounts('enablements');

-- The documents of a test set. Folio never emails them, and they use no number of the account's ranges. The statement
-- that adds the row takes the number and stores the signed bytes. A number is unique over all test sets of an account.
--   place    position among the wanted documents of its kind, from 1; a replacement has the same place
--   run      run of the test set that created the document
--   signed   the bytes to send; removed after the days of retention from the verdict on
--   state    signed: not sent · sent: may have reached the authority · accepted, rejected · number_used: the
--            authority had another document with this number · refused: rejected because of the sender · unanswered:
--            ended without a verdict
--   asked    number of questions for the verdict
--   zip_key  the authority's name of the upload; null if its response was lost
create table enablement_documents (
  account_id text not null, livemode boolean not null, enablement_id text not null,
  prefix text not null, number bigint not null check (number > 0), full_number text not null,
  kind text not null check (kind in ('invoice', 'credit_note', 'debit_note')),
  place integer not null check (place > 0), run integer not null, version integer not null default 1,
  state text not null check (state in ('signed', 'sent', 'accepted', 'rejected', 'number_used', 'refused', 'unanswered')),
  cufe text not null, issue_date text not null, issuer_nit text not null, signed bytea,
  attempts integer not null default 0, asked integer not null default 0, zip_key text,
  errors jsonb not null default '[]', notifications jsonb not null default '[]', message text,
  created_at timestamptz not null default now(), sent_at timestamptz, judged_at timestamptz, next_action_at timestamptz,
  primary key (account_id, livemode, prefix, number),
  foreign key (account_id, livemode, enablement_id) references enablements (account_id, livemode, id),
  constraint only_what_is_open_has_an_alarm check ((state in ('signed', 'sent')) = (next_action_at is not null)),
  constraint what_may_have_arrived_was_counted check (state in ('signed') or (attempts > 0 and sent_at is not null)),
  constraint what_is_open_has_its_bytes check (state <> 'signed' or signed is not null)
);

create index enablement_documents_of_set on enablement_documents (account_id, livemode, enablement_id);
-- For the purge of the bytes.
create index enablement_documents_age on enablement_documents (judged_at) where signed is not null and judged_at is not null;

create trigger test_bytes_are_final before update on enablement_documents for each row
  when (new.signed is distinct from old.signed and (new.signed is not null or old.judged_at is null))
  execute function reject_change('the signed bytes of a test document never change');
create trigger test_outcome_is_final before update on enablement_documents for each row
  when (old.state not in ('signed', 'sent') and new.state <> old.state)
  execute function reject_change('the outcome of a test document never changes');
grant select, insert,
  update (version, state, signed, attempts, asked, zip_key, errors, notifications, message, sent_at, judged_at, next_action_at)
  on enablement_documents to folio_service;
grant select on enablement_documents to folio_account;
call isolate_accounts('enablement_documents');

-- The request log: requests of seven days with their responses. Before it writes a row, the service masks secrets and,
-- as account_modes.request_log requires, personal data. No foreign key names the account, because one statement writes
-- hundreds of rows, and no account is ever removed.
--   objects           ids of the objects that the request read, changed or created
--   idempotency_key   null if the request was rejected before its key was read
--   …_body            the first 16 KiB of JSON; null for other content, and for an account over the log's limit
--   …_bytes           size of the whole body
create table requests (
  account_id text not null, livemode boolean not null, id text not null, created_at timestamptz not null,
  method text not null, path text not null, query text, status integer not null check (status between 100 and 599),
  duration_ms integer not null check (duration_ms >= 0), api_key_id text, ip text, version text,
  idempotency_key text, verdict text check (verdict in ('executed', 'replayed', 'conflict', 'in_progress')), error_code text,
  objects text[] not null check (cardinality(objects) <= 2),
  request_bytes integer not null check (request_bytes >= 0),
  request_body text check (octet_length(request_body) <= 16384),
  response_bytes integer not null check (response_bytes >= 0),
  response_body text check (octet_length(response_body) <= 16384), portal_session_id text,
  -- Serves the list, newest first, and the purge, oldest first.
  primary key (account_id, livemode, id),
  constraint a_key_has_a_verdict check ((idempotency_key is null) = (verdict is null))
);

-- The requests of an idempotency key.
create index requests_of_key on requests (account_id, livemode, idempotency_key, id) where idempotency_key is not null;
-- The executed request of an idempotency key, because a client in a loop can repeat it a hundred thousand times.
create index requests_executed on requests (account_id, livemode, idempotency_key, id)
  where verdict = 'executed' and (status between 200 and 299 or status = 499);
-- The requests about an object, as the first or second of `objects`. The filter reads both indexes.
create index requests_of_object on requests (account_id, livemode, (objects[1]), id) where objects[1] is not null;
create index requests_of_second on requests (account_id, livemode, (objects[2]), id) where objects[2] is not null;
-- For the filters by status: the rejected and failed requests, which are few.
create index requests_refused on requests (account_id, livemode, id) where status >= 400;
-- The purge locks rows before it deletes them, which requires the right to update a column.
grant select, insert, update (created_at), delete on requests to folio_service;
grant select on requests to folio_account;
call isolate_accounts('requests');

-- Incidents for the operator. An incident is open while its cause exists, and for some minutes longer.
--   subject      id of the endpoint, certificate, range or account; 'live' or 'all' for the service
--   account_id, livemode   null for an incident of the whole service
--   issuer       name of the account's issuer when the incident opened
--   since        start of the cause
--   opened_at    time at which the service found the cause
--   gone_since   time of the first check that no longer found the cause
create table incidents (
  id text primary key, kind text not null, subject text not null,
  severity text not null check (severity in ('info', 'warning', 'critical')),
  account_id text references accounts, livemode boolean, issuer text,
  summary text not null, action text not null, details jsonb not null,
  since timestamptz not null, opened_at timestamptz not null default now(), gone_since timestamptz, ended_at timestamptz,
  constraint of_an_account_in_a_mode check ((account_id is null) = (livemode is null)),
  constraint ends_once_it_is_gone check (ended_at is null or gone_since is not null)
);

-- A subject has one open incident of a kind, also if two processes find the cause.
create unique index incidents_open on incidents (kind, subject) where ended_at is null;
-- For the purge and the list.
create index incidents_ended on incidents (ended_at) where ended_at is not null;

create trigger incident_end_is_final before update on incidents for each row
  when (old.ended_at is not null) execute function reject_change('an incident that has ended stays ended');
grant select, insert, update (severity, summary, action, details, gone_since, ended_at), delete on incidents to folio_service;
call isolate_accounts('incidents');

-- The alerts of an incident by channel: one when it opens, and one when it ends.
--   next_attempt_at   the time of a retry or the end of a lease; null once the alert is sent or has failed
--   error             why the newest attempt failed
create table incident_alerts (
  incident_id text not null references incidents on delete cascade, channel text not null,
  state text not null check (state in ('opened', 'ended')), attempts integer not null default 0,
  next_attempt_at timestamptz default now(), sent_at timestamptz, error text, created_at timestamptz not null default now(),
  primary key (incident_id, channel, state),
  constraint sent_once check (sent_at is null or next_attempt_at is null)
);

create index incident_alerts_due on incident_alerts (channel, next_attempt_at) where next_attempt_at is not null;

create trigger sent_alert_is_final before update on incident_alerts for each row
  when (old.sent_at is not null) execute function reject_change('an alert is sent once');
grant select, insert, update (attempts, next_attempt_at, sent_at, error) on incident_alerts to folio_service;

-- For the check whether the database accepts changes. Each check empties the table, so that it needs new space.
create table write_probes (filler text storage plain not null);
grant select, insert, truncate on write_probes to folio_service;

-- A sealed row. Each start opens it to check that the secret key belongs to this database.
create table key_canary (one boolean primary key default true check (one), sealed text not null);
grant select, insert on key_canary to folio_service;

-- The time of the last `folio backup`, for the doctor.
create table last_backup (one boolean primary key default true check (one), taken_at timestamptz not null);
grant select, insert, update on last_backup to folio_service;

-- The service reads and writes the tables of the cluster and of later migrations, unless a migration revokes the right.
-- It also reads the sequences and the record of migrations, so that a login with this role can dump the database:
-- pg_dump --role=folio_service --enable-row-security.
do $$ begin
  execute format('grant usage, select on all sequences in schema %I to folio_service', current_schema());
  execute format('alter default privileges in schema %I
    grant select, insert, update, delete on tables to folio_service', current_schema());
  execute format('alter default privileges in schema %I grant usage, select on sequences to folio_service', current_schema());
  if to_regclass('effect_sql_migrations') is not null then
    grant select on effect_sql_migrations to folio_service;
  end if;
end $$;
