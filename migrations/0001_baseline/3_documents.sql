-- Customers, ranges of numbers, and fiscal documents with all that becomes of them.
--
-- `(account_id, livemode)` leads every primary key and is part of every reference, so that no row of one account or mode can name
-- another's. Other indexes are led by what is selective: on a table that has no statistics yet, an index that begins like the
-- primary key is taken for it, and a whole account is read for one row.

-- A document has its own copy of its buyer, so that nothing refers to a customer.
create table customers (
  account_id text not null references accounts,
  livemode boolean not null,
  id text not null,
  acquirer jsonb not null,
  metadata jsonb not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_id, livemode, id)
);

grant select, insert on customers to folio_service;
grant select, update (acquirer, metadata, updated_at), delete on customers to folio_account;
call fence('customers');

-- Ranges of numbers that the authority has granted, and beside them the counters of notes. next_number is the counter: a number
-- is taken by locking the row, so that a rollback gives the number back.
create table resolutions (
  account_id text not null references accounts,
  livemode boolean not null,
  id text not null,
  number text not null,
  document_type text not null,
  prefix text not null,
  from_number bigint not null,
  to_number bigint not null,
  valid_from date not null,
  valid_to date not null,
  technical_key text not null,
  is_active boolean not null default true,
  next_number bigint not null,
  created_at timestamptz not null,
  primary key (account_id, livemode, id),
  check (document_type in ('invoice', 'credit_note', 'debit_note')),
  check (from_number <= to_number),
  check (next_number between from_number and to_number + 1),
  constraint valid_for_some_days check (valid_from <= valid_to)
);

-- An account's mode has one counter for each kind of note.
create unique index resolutions_of_notes on resolutions (account_id, livemode, document_type)
  where document_type <> 'invoice';

create trigger guard after update of next_number on resolutions for each row
  when (new.next_number < old.next_number)
  execute function refuse_change('a number is never given back');

grant select, insert, update (next_number) on resolutions to folio_service;
grant select, insert, update (is_active, valid_to) on resolutions to folio_account;
call fence('resolutions');

-- All fiscal documents.
--   version            grows with every change of state, and is compared before each
--   next_action_at     set exactly while something is left to do: the alarm clock of retries, the lease of whoever is at work, and
--                      the guard against a lost tell; infinity while the document waits for the authority to come back
--   worker             whose lease next_action_at is; null when it is an alarm clock only
--   range_prefix       the prefix that the request asked for
--   invoice_id, correction_code, reason   what a note corrects, and why
--   issuer_version     the version of its issuer, from the number on
--   submitted_at       since when its bytes may have left the house
--   contingency_since  since when its buyer has it without a verdict of the authority
--   transmit_before    until when it must reach the authority; known once the authority is back
--   of_type_04         it entered contingency before its bytes could have left, and they say so
create table invoices (
  account_id text not null references accounts,
  livemode boolean not null,
  id text not null,
  kind text not null default 'invoice',
  customer_id text not null,
  state text not null,
  version integer not null default 1,
  attempts integer not null default 0,
  next_action_at timestamptz,
  worker text,
  currency text not null,
  exchange_rate text,
  operation_type text not null,
  payment_means jsonb not null,
  lines jsonb not null,
  totals jsonb not null,
  acquirer jsonb not null,
  metadata jsonb not null,
  range_prefix text,
  invoice_id text,
  correction_code text,
  reason text,
  resolution_id text,
  prefix text,
  number bigint,
  full_number text,
  cufe text,
  issue_date date,
  issue_time text,
  issuer_version integer not null default 1,
  submitted_at timestamptz,
  contingency_since timestamptz,
  transmit_before timestamptz,
  of_type_04 boolean not null default false,
  authority_errors jsonb not null default '[]',
  authority_notifications jsonb not null default '[]',
  failure jsonb,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_id, livemode, id),
  foreign key (account_id, livemode, resolution_id) references resolutions (account_id, livemode, id),
  foreign key (account_id, livemode, invoice_id) references invoices (account_id, livemode, id),
  constraint known_kind check (kind in ('invoice', 'credit_note', 'debit_note')),
  constraint counted check (version > 0 and attempts >= 0),
  constraint foreign_currency_has_a_rate check ((exchange_rate is null) = (currency = 'COP')),
  constraint note_corrects_an_invoice check (
    num_nonnulls(invoice_id, correction_code, reason) = case when kind = 'invoice' then 0 else 3 end
  ),
  constraint number_is_whole check (
    num_nonnulls(resolution_id, prefix, number, full_number, cufe, issue_date, issue_time) in (0, 7)
  ),
  -- Whether a document of each state has its number, was submitted, and was issued in contingency.
  constraint facts_of_its_state check (
    case state
      when 'queued' then num_nonnulls(number, submitted_at, contingency_since) = 0
      when 'canceled' then num_nonnulls(number, submitted_at, contingency_since) = 0
      when 'numbered' then number is not null and num_nonnulls(submitted_at, contingency_since) = 0
      when 'signed' then number is not null and contingency_since is null
      when 'submitted' then number is not null and submitted_at is not null and contingency_since is null
      when 'accepted_contingency' then number is not null and contingency_since is not null
      when 'accepted_by_authority' then number is not null and num_nonnulls(submitted_at, contingency_since) > 0
      when 'rejected_by_authority' then number is not null and num_nonnulls(submitted_at, contingency_since) > 0
      when 'failed' then (number is not null or submitted_at is null) and contingency_since is null
      else false
    end
  ),
  constraint open_has_an_alarm check (
    (next_action_at is null) = (state in ('accepted_by_authority', 'rejected_by_authority', 'failed', 'canceled'))
  ),
  constraint failed_says_why check ((failure is null) = (state <> 'failed'))
);

-- No full number twice within an account's mode and kind, whatever ranges it could come from; no code twice within an account's mode.
create unique index invoices_full_number on invoices (full_number, account_id, livemode, kind) where full_number is not null;
create unique index invoices_cufe on invoices (cufe, account_id, livemode) where cufe is not null;
-- What is due, over all accounts; an account's drafts without a number, in the order of their creation.
create index invoices_due on invoices (next_action_at) where next_action_at is not null;
create index invoices_queued on invoices (account_id, livemode, id) where state = 'queued';
-- The documents of one customer, and the notes of one invoice. The second holds the account as well, or its primary key would be
-- read whole beside this.
create index invoices_of_customer on invoices (customer_id, id);
create index invoices_corrected on invoices (invoice_id, id, account_id, livemode) where invoice_id is not null;
-- What waits to be transmitted, oldest first: of the one live environment, and of each account that tests.
create index invoices_in_contingency_live on invoices (created_at, id) where state = 'accepted_contingency' and livemode;
create index invoices_in_contingency_test on invoices (account_id, created_at, id)
  where state = 'accepted_contingency' and not livemode;
-- A list of what went wrong is short: without this, a page that finds nothing reads all documents of the account.
create index invoices_unaccepted on invoices (account_id, livemode, state, id)
  where state in ('failed', 'canceled', 'rejected_by_authority');

-- Whether a document's bytes may have left the house, or its buyer has them: then they are its bytes for ever.
create function is_issued(document invoices) returns boolean immutable language sql
return document.submitted_at is not null or document.contingency_since is not null;
create function is_issued(account text, mode boolean, document text) returns boolean stable language sql
return exists (select from invoices i where i.account_id = account and i.livemode = mode and i.id = document and is_issued(i));

-- What no update may do to a document. After the update and not before it, where each row would be locked once more. One function
-- and not a condition for each rule: conditions are parsed in every statement, a function once in a session.
create function guard_invoice() returns trigger language plpgsql as $$ declare wrong text; begin
  if new.state <> old.state then
    if not leads_to(old.state, new.state) then
      wrong := format('no command leads from %s to %s', old.state, new.state);
    elsif new.version <= old.version then
      wrong := 'the version grows with every change of state';
    elsif old.state = 'failed' and new.state = 'signed' and not is_issued(old) then
      wrong := 'what was never submitted is signed anew';
    end if;
  elsif new.version < old.version then
    wrong := 'the version never decreases';
  end if;
  if old.number is null then
    if new.number is not null and (old.state <> 'queued' or new.state <> 'numbered') then
      wrong := 'a number is given to a queued draft';
    end if;
  elsif (new.resolution_id, new.prefix, new.number, new.full_number)
    is distinct from (old.resolution_id, old.prefix, old.number, old.full_number) then
    wrong := 'a number never changes';
  elsif new.issuer_version <> old.issuer_version then
    wrong := 'the issuer of a numbered document never changes';
  elsif (new.cufe, new.issue_date, new.issue_time) is distinct from (old.cufe, old.issue_date, old.issue_time)
    and (old.state not in ('numbered', 'signed') or new.state <> 'numbered') then
    wrong := 'the code and the date never change once it is signed';
  end if;
  if old.submitted_at is not null and new.submitted_at is null
    or old.contingency_since is not null and new.contingency_since is distinct from old.contingency_since then
    wrong := 'what has left the house never comes back';
  end if;
  if wrong is not null then
    raise exception using errcode = 'integrity_constraint_violation', message = format('%s: %s', old.id, wrong);
  end if;
  return null;
end $$;
create trigger guard after update on invoices for each row execute function guard_invoice();

grant select, insert,
  -- All of a document but what it is and what it says.
  update (state, version, attempts, next_action_at, worker, resolution_id, prefix, number, full_number, cufe, issue_date,
    issue_time, issuer_version, submitted_at, contingency_since, transmit_before, of_type_04, authority_errors,
    authority_notifications, failure, updated_at)
  on invoices to folio_service;
-- An account's requests make notes, and cancel and retry documents; every other step is the service's.
grant select, insert, update (state, version, attempts, next_action_at, worker, failure, updated_at)
  on invoices to folio_account;
call fence('invoices');
create policy notes on invoices as restrictive for insert to folio_account
  with check (kind <> 'invoice' and state = 'queued' and version = 1 and number is null and cufe is null);
-- Any row may be locked and looked at, or a refusal could not say why.
create policy asked_for on invoices as restrictive for update to folio_account
  using (true) with check (state in ('canceled', 'queued', 'numbered', 'signed'));

-- The signed bytes of a document, and what the authority has answered.
create table invoice_documents (
  account_id text not null,
  livemode boolean not null,
  invoice_id text not null,
  signed bytea not null,
  authority_answer jsonb,
  created_at timestamptz not null,
  primary key (account_id, livemode, invoice_id),
  foreign key (account_id, livemode, invoice_id) references invoices (account_id, livemode, id)
);

create trigger guard after update of signed on invoice_documents for each row
  when (old.signed <> new.signed and is_issued(old.account_id, old.livemode, old.invoice_id))
  execute function refuse_change('signed bytes never change once they are submitted');

grant select, insert, update (signed, authority_answer) on invoice_documents to folio_service;
grant select on invoice_documents to folio_account;
call fence('invoice_documents');

-- The timeline of each document: one row for each command, written in the statement that changes the state.
create table transitions (
  account_id text not null,
  livemode boolean not null,
  invoice_id text not null,
  version integer not null,
  command text not null,
  from_state text not null,
  to_state text not null,
  at timestamptz not null,
  primary key (account_id, livemode, invoice_id, version),
  constraint of_the_lifecycle check (is_transition(command, from_state, to_state))
);

grant select, insert on transitions to folio_service, folio_account;
call fence('transitions');
create policy asked_for on transitions as restrictive for insert to folio_account
  with check (command in ('Cancel', 'Retry'));

-- E-mails to acquirers. What accepts a document makes its e-mail in the same statement, so that no accepted document lacks its own
-- and none has two. They are kept with the documents.
--   document_state   the document's state when the e-mail was made: it says what the parcel holds
--   next_attempt_at  set exactly while the status is pending: the alarm clock and, while an attempt runs, its lease
create table emails (
  account_id text not null,
  livemode boolean not null,
  id text not null,
  invoice_id text not null,
  document_state text not null,
  recipient text not null,
  status text not null default 'pending',
  reason text,
  status_at timestamptz not null default now(),
  attempts integer not null default 0,
  next_attempt_at timestamptz default now(),
  worker text,
  created_at timestamptz not null default now(),
  primary key (account_id, livemode, id),
  constraint known_document_state check (document_state in ('accepted_by_authority', 'accepted_contingency')),
  constraint known_status check (status in ('pending', 'delivered', 'bounced', 'complained', 'failed')),
  constraint pending_has_an_alarm check ((next_attempt_at is not null) = (status = 'pending'))
);

-- The e-mails of one document, and what is due over all accounts.
create index emails_of_document on emails (invoice_id, id, account_id, livemode);
create index emails_due on emails (next_attempt_at) where next_attempt_at is not null;

create trigger guard after update of status on emails for each row
  when (old.status <> new.status and (old.status || ' ' || new.status) <> all (array[
    'pending delivered', 'pending bounced', 'pending complained', 'pending failed',
    'delivered bounced', 'delivered complained'
  ]))
  execute function refuse_change('what became of an e-mail is not taken back');

grant select, insert, update (status, reason, status_at, attempts, next_attempt_at, worker) on emails to folio_service;
grant select, insert on emails to folio_account;
call fence('emails');
