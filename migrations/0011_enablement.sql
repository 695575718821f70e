-- Enablement (habilitación): the test sets of the authority that an account has passed or is passing, and the documents that were made
-- for them. These are no documents of the account: they have tables of their own, are never mailed, and take no number of its ranges.
--
-- A process of the release before may work beside this one: it reads neither table.

-- A test set, by the id that the authority gave it.
--   run              1 for the first start, one more each time that it is taken up again after it failed
--   wanted           of each kind of document how many the authority wants to accept
--   range            the range of the authority's test environment that its invoices are numbered from
--   waiting          why nothing is sent for the moment; null while the authority answers
--   failure          why it failed, and what to do
--   troubles         calls in a row without an answer
--   answering_since  from when on a document waits for its verdict: the start, or when the authority came back
--   worker           the process that works on it, until next_action_at
create table enablements (
  account_id text not null references accounts,
  livemode boolean not null check (livemode),
  id text not null check (octet_length(id) between 1 and 100),
  status text not null check (status in ('running', 'passed', 'failed')),
  run integer not null check (run between 1 and 100),
  wanted jsonb not null,
  range jsonb not null,
  waiting jsonb,
  failure jsonb,
  message text,
  troubles integer not null default 0,
  started_at timestamptz not null,
  resumed_at timestamptz not null,
  answering_since timestamptz not null,
  finished_at timestamptz,
  next_action_at timestamptz,
  worker text,
  primary key (account_id, livemode, id),
  constraint only_what_runs_has_an_alarm check ((status = 'running') = (next_action_at is not null)),
  constraint only_what_runs_is_not_finished check ((status = 'running') = (finished_at is null)),
  constraint only_what_runs_waits check (status = 'running' or waiting is null),
  constraint what_failed_says_why check ((status = 'failed') = (failure is not null))
);

-- An account passes one test set at a time.
create unique index enablements_running on enablements (account_id, livemode) where status = 'running';
-- The test sets that are due, for the process that looks for work.
create index enablements_due on enablements (next_action_at) where status = 'running';

revoke delete, update on enablements from folio_service;
grant select, insert,
  update (status, run, wanted, range, waiting, failure, message, troubles, resumed_at, answering_since, finished_at, next_action_at, worker)
  on enablements to folio_service;
grant select, insert,
  update (status, run, wanted, range, failure, message, troubles, resumed_at, answering_since, finished_at, next_action_at, worker)
  on enablements to folio_account;
call fence('enablements');

-- What the authority has accepted stays accepted, and only the service says how a test set ended: a request begins one or takes it up again.
create function guard_enablement() returns trigger language plpgsql as $$ begin
  if tg_op = 'UPDATE' and old.status = 'passed' and new.status <> 'passed' then
    raise exception using errcode = 'integrity_constraint_violation', message = 'a test set that was passed stays passed';
  end if;
  if current_user = 'folio_account' and new.status <> 'running' then
    raise exception using errcode = 'integrity_constraint_violation', message = 'a request does not end a test set';
  end if;
  return new;
end $$;
create trigger guard before insert or update on enablements for each row execute function guard_enablement();

-- A document of a test set. The number is taken, and the signed bytes are stored, in the statement that inserts the row. No two documents
-- of an account have the same number, over all of its test sets.
--   place    which of the wanted documents of its kind it is to be, from 1: a document that replaces another one has the same place
--   run      the run of its test set in which it was made
--   signed   the bytes that are sent; removed when the days of retention after the verdict are over
--   state    signed: not sent · sent: may have reached the authority · accepted, rejected · number_used: the authority had processed
--            another document of this number · refused: not judged, because of its sender · unanswered: given up without a verdict
--   asked    how often the authority was asked for its verdict
--   zip_key  what the authority names the upload by; null when its answer was lost
create table enablement_documents (
  account_id text not null,
  livemode boolean not null,
  enablement_id text not null,
  prefix text not null,
  number bigint not null check (number > 0),
  full_number text not null,
  kind text not null check (kind in ('invoice', 'credit_note', 'debit_note')),
  place integer not null check (place > 0),
  run integer not null,
  version integer not null default 1,
  state text not null check (state in ('signed', 'sent', 'accepted', 'rejected', 'number_used', 'refused', 'unanswered')),
  cufe text not null,
  issue_date text not null,
  issuer_nit text not null,
  signed bytea,
  attempts integer not null default 0,
  asked integer not null default 0,
  zip_key text,
  errors jsonb not null default '[]',
  notifications jsonb not null default '[]',
  message text,
  created_at timestamptz not null default now(),
  sent_at timestamptz,
  judged_at timestamptz,
  next_action_at timestamptz,
  primary key (account_id, livemode, prefix, number),
  foreign key (account_id, livemode, enablement_id) references enablements (account_id, livemode, id),
  constraint only_what_is_open_has_an_alarm check ((state in ('signed', 'sent')) = (next_action_at is not null)),
  constraint what_may_have_arrived_was_counted check (state in ('signed') or (attempts > 0 and sent_at is not null)),
  constraint what_is_open_has_its_bytes check (state <> 'signed' or signed is not null)
);

-- The documents of a test set.
create index enablement_documents_of_set on enablement_documents (account_id, livemode, enablement_id);
-- The bytes past their days, for the purge.
create index enablement_documents_age on enablement_documents (judged_at) where signed is not null and judged_at is not null;

revoke delete, update on enablement_documents from folio_service;
grant select, insert,
  update (version, state, signed, attempts, asked, zip_key, errors, notifications, message, sent_at, judged_at, next_action_at)
  on enablement_documents to folio_service;
grant select on enablement_documents to folio_account;
call fence('enablement_documents');

-- Signed bytes never change: they are removed, once there is a verdict. What has an outcome keeps it.
create function guard_enablement_document() returns trigger language plpgsql as $$ begin
  if new.signed is not null and new.signed is distinct from old.signed or new.signed is null and old.signed is not null and old.judged_at is null then
    raise exception using errcode = 'integrity_constraint_violation', message = 'the signed bytes of a test document never change';
  end if;
  if old.state not in ('signed', 'sent') and new.state <> old.state then
    raise exception using errcode = 'integrity_constraint_violation', message = 'the outcome of a test document never changes';
  end if;
  return new;
end $$;
create trigger guard before update on enablement_documents for each row execute function guard_enablement_document();
