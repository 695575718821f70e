-- Fiscal documents: content, state, signed bytes, timeline, emails, and buyers' acceptances.
--
-- Every primary key and every reference begins with `(account_id, livemode)`, so that no row can name a row of another
-- account or mode. Other indexes begin with the selective column. On a table without statistics, PostgreSQL mistakes an
-- index that begins like the primary key for that key. It then reads a whole account for one row.

-- All fiscal documents.
--   version            counter of state changes; a change from an outdated version has no effect
--   next_action_at     set while the service has work to do: the time of a retry, the end of a worker's lease, or a
--                      reminder for a lost message; infinity while the document waits for the authority to recover
--   worker             the process that holds the lease; null without a lease
--   details            the optional parts: discounts and charges of the whole document, prepayments, withholdings,
--                      references, notes, delivery
--   range_prefix       the prefix in the request
--   invoice_id         for a note: the corrected invoice of the account
--   correction_code, reason   for a note: the reason of the correction
--   original           for a note: the corrected invoice of another system, as full_number, cufe and issue_date
--   own_rate           whether a note has its own exchange_rate, and not the corrected invoice's rate
--   issuer_version     version of the issuer from numbering on
--   submitted_at       time from which the authority may have the bytes
--   contingency_since  time from which the buyer has the document without a verdict
--   transmit_before    deadline to transmit a document in contingency; known once the authority has recovered
--   of_type_04         whether the document is of type 04: it entered contingency before its bytes could have left
--   waiting            why an open document waits, as code and message; without meaning once the document has an
--                      outcome
create table invoices (
  account_id text not null references accounts, livemode boolean not null, id text not null,
  kind text not null default 'invoice', customer_id text not null, created_at timestamptz not null, updated_at timestamptz not null,
  -- progress
  state text not null, version integer not null default 1, attempts integer not null default 0,
  next_action_at timestamptz, worker text, waiting jsonb, waiting_since timestamptz, failure jsonb,
  -- content
  currency text not null, exchange_rate text, own_rate boolean not null default false, operation_type text not null,
  payment_means jsonb not null, lines jsonb not null, details jsonb, totals jsonb not null, acquirer jsonb not null,
  metadata jsonb not null, range_prefix text,
  invoice_id text, original jsonb, correction_code text, reason text,
  -- number, code and date
  resolution_id text, prefix text, number bigint, full_number text, cufe text, issue_date date, issue_time text,
  issuer_version integer not null default 1,
  -- submission, contingency and verdict
  submitted_at timestamptz, contingency_since timestamptz, transmit_before timestamptz, of_type_04 boolean not null default false,
  authority_errors jsonb not null default '[]', authority_notifications jsonb not null default '[]',
  primary key (account_id, livemode, id),
  foreign key (account_id, livemode, resolution_id) references resolutions (account_id, livemode, id),
  foreign key (account_id, livemode, invoice_id) references invoices (account_id, livemode, id),
  constraint known_kind check (kind in ('invoice', 'credit_note', 'debit_note')),
  constraint counted check (version > 0 and attempts >= 0),
  -- A note corrects an invoice of the account, an invoice of another system, or the invoices of a period.
  constraint note_corrects_something check (
    case when kind = 'invoice' then num_nonnulls(invoice_id, original, correction_code, reason) = 0
      else num_nonnulls(correction_code, reason) = 2
        and (num_nonnulls(invoice_id, original) = 1 or num_nonnulls(invoice_id, original) = 0 and details -> 'period' is not null)
    end
  ),
  constraint number_is_whole check (
    num_nonnulls(resolution_id, prefix, number, full_number, issue_date, issue_time) in (0, 6)
    and (cufe is null or number is not null)
  ),
  -- In some countries, a document gets its code after its number. No document is signed, submitted or issued in
  -- contingency without a code.
  constraint code_before_signature check (
    cufe is not null
    or state in ('queued', 'canceled', 'numbered', 'failed') and num_nonnulls(submitted_at, contingency_since) = 0
  ),
  -- Whether a document in each state has a number, was submitted, and was issued in contingency.
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
  constraint waits_since_a_time check ((waiting is null) = (waiting_since is null)),
  constraint failed_says_why check ((failure is null) = (state <> 'failed'))
);

-- A full number is unique in an account's mode and kind, over all ranges. A code is unique in an account's mode.
create unique index invoices_full_number on invoices (full_number, account_id, livemode, kind) where full_number is not null;
create unique index invoices_cufe on invoices (cufe, account_id, livemode) where cufe is not null;
-- The due documents of all accounts; an account's drafts without a number, in the order of their creation.
create index invoices_due on invoices (next_action_at) where next_action_at is not null;
create index invoices_queued on invoices (account_id, livemode, id) where state = 'queued';
-- The documents of a customer, and the notes of an invoice. Without the account in the second index, PostgreSQL would
-- also read the whole primary key.
create index invoices_of_customer on invoices (customer_id, id);
create index invoices_corrected on invoices (invoice_id, id, account_id, livemode) where invoice_id is not null;
-- The documents to transmit after contingency, oldest first: of the live environment, and of each account's test mode.
create index invoices_in_contingency_live on invoices (created_at, id) where state = 'accepted_contingency' and livemode;
create index invoices_in_contingency_test on invoices (account_id, created_at, id)
  where state = 'accepted_contingency' and not livemode;
-- The documents that wait for the authority to recover, by state and oldest first: of the live environment, and of each
-- account's test mode.
create index invoices_resting_live on invoices (state, created_at, id) where next_action_at = 'infinity' and livemode;
create index invoices_resting_test on invoices (account_id, state, created_at, id)
  where next_action_at = 'infinity' and not livemode;
-- For the portal's first page: an account's documents that wait or are in contingency. The index is empty while the
-- authority works.
create index invoices_waiting on invoices (account_id, livemode, created_at, id)
  where next_action_at is not null and (waiting_since is not null or state = 'accepted_contingency');
-- For lists of rare documents: without this index, a page without a match reads all documents of the account.
create index invoices_unaccepted on invoices (account_id, livemode, state, id)
  where state in ('failed', 'canceled', 'rejected_by_authority');

-- Whether the authority may have a document's bytes, or the buyer has the document. The bytes are then final.
create function is_issued(document invoices) returns boolean immutable language sql
return document.submitted_at is not null or document.contingency_since is not null;
create function is_issued(account text, mode boolean, document text) returns boolean stable language sql
return exists (select from invoices i where i.account_id = account and i.livemode = mode and i.id = document and is_issued(i));

-- The signed bytes of a document, and the authority's response.
create table invoice_documents (
  account_id text not null, livemode boolean not null, invoice_id text not null,
  signed bytea not null, authority_answer jsonb, created_at timestamptz not null,
  primary key (account_id, livemode, invoice_id),
  foreign key (account_id, livemode, invoice_id) references invoices (account_id, livemode, id)
);

-- The timeline of each document: one row per command. The statement that changes the state writes the row.
create table transitions (
  account_id text not null, livemode boolean not null, invoice_id text not null,
  version integer not null, command text not null, from_state text not null, to_state text not null,
  at timestamptz not null,
  primary key (account_id, livemode, invoice_id, version),
  constraint of_the_lifecycle check (is_transition(command, from_state, to_state))
);
grant select, insert on transitions to folio_service, folio_account;
call isolate_accounts('transitions');
create policy requested_commands on transitions as restrictive for insert to folio_account
  with check (command in ('Cancel', 'Retry', 'Correct'));

-- The content of a document that the authority rejected and the account then corrected. Rows are kept and never change.
--   version   version of the rejected document, which is also the version of its rejection in the timeline
--   signed    the rejected bytes
create table rejected_documents (
  account_id text not null, livemode boolean not null, invoice_id text not null,
  version integer not null, cufe text not null, issue_date date not null, issue_time text not null,
  issuer_version integer not null, submitted_at timestamptz, contingency_since timestamptz,
  authority_errors jsonb not null, authority_notifications jsonb not null, authority_answer jsonb,
  signed bytea not null,
  primary key (account_id, livemode, invoice_id, version),
  foreign key (account_id, livemode, invoice_id) references invoices (account_id, livemode, id),
  foreign key (account_id, livemode, invoice_id, version)
    references transitions (account_id, livemode, invoice_id, version)
);
grant select on rejected_documents to folio_service;
grant select, insert on rejected_documents to folio_account;
call isolate_accounts('rejected_documents');
create policy rejected on rejected_documents as restrictive for insert to folio_account with check (
  exists (
    select from invoices i
    where i.account_id = rejected_documents.account_id and i.livemode = rejected_documents.livemode
      and i.id = rejected_documents.invoice_id and i.version = rejected_documents.version
      and i.state = 'rejected_by_authority' and i.cufe = rejected_documents.cufe
  )
);

-- The rules for an update of a document. The trigger runs after the update, because an earlier trigger would lock each
-- row once more. A single function contains all rules: PostgreSQL parses a function once per session, but trigger
-- conditions in every statement.
create function guard_invoice() returns trigger language plpgsql as $$
declare
  rule text;
  wrong text;
  is_corrected constant boolean := old.state = 'rejected_by_authority' and new.state = 'numbered';
  is_returned constant boolean := old.state = 'submitted' and new.state = 'signed';
begin
  -- The state follows the lifecycle, and the version counts its changes.
  if new.state <> old.state then
    if not leads_to(old.state, new.state) then
      rule := 'state_follows_the_lifecycle'; wrong := format('no command leads from %s to %s', old.state, new.state);
    elsif new.version <= old.version then
      rule := 'version_counts_changes'; wrong := 'the version grows with every change of state';
    elsif old.state = 'failed' and new.state = 'signed' and not is_issued(old) then
      rule := 'unsent_is_signed_again'; wrong := 'a document that was never submitted is signed again';
    elsif is_returned and new.submitted_at is not null then
      rule := 'sent_waits_for_its_verdict'; wrong := 'a document that may have left waits for its verdict';
    elsif new.state = 'accepted_contingency' and old.submitted_at is not null then
      rule := 'sent_is_not_in_contingency'; wrong := 'a document that may have left is never issued in contingency';
    elsif old.state = 'numbered' and new.state = 'submitted' then
      if new.version < old.version + 2 then
        rule := 'version_counts_changes'; wrong := 'the signature and the submission are two versions';
      elsif not exists (
        select from invoice_documents d
        where d.account_id = new.account_id and d.livemode = new.livemode and d.invoice_id = new.id
      ) then
        rule := 'submitted_is_signed'; wrong := 'a submitted document is signed and stored';
      end if;
    end if;
  elsif new.version < old.version then
    rule := 'version_counts_changes'; wrong := 'the version never decreases';
  end if;

  -- A document gets its number once. Issuer, code and date then become final, and only a correction replaces them.
  if old.number is null then
    if new.number is not null and (old.state <> 'queued' or new.state <> 'numbered') then
      rule := 'number_is_for_a_draft'; wrong := 'a number is given to a queued draft';
    end if;
  elsif (new.resolution_id, new.prefix, new.number, new.full_number)
    is distinct from (old.resolution_id, old.prefix, old.number, old.full_number) then
    rule := 'number_is_final'; wrong := 'a number never changes';
  elsif is_corrected then
    if new.cufe is not null then
      rule := 'correction_starts_over'; wrong := 'a corrected document gets its code before it is signed';
    elsif new.of_type_04 or new.transmit_before is not null or new.attempts <> 0 or new.submitted_at is not null
      or new.contingency_since is not null or new.authority_errors <> '[]' or new.authority_notifications <> '[]' then
      rule := 'correction_starts_over'; wrong := 'a corrected document has no submission, contingency, attempt or verdict';
    elsif not exists (
      select from rejected_documents r
      where r.account_id = old.account_id and r.livemode = old.livemode and r.invoice_id = old.id
        and r.version = old.version and r.cufe = old.cufe
    ) then
      rule := 'rejected_content_is_kept'; wrong := 'a correction keeps the rejected document';
    end if;
  elsif new.issuer_version <> old.issuer_version then
    rule := 'issuer_is_final'; wrong := 'the issuer of a numbered document never changes';
  elsif (new.cufe, new.issue_date, new.issue_time) is distinct from (old.cufe, old.issue_date, old.issue_time)
    and (old.state not in ('numbered', 'signed') or new.state <> 'numbered') then
    rule := 'code_and_date_are_final'; wrong := 'the code and the date never change once the document is signed';
  end if;

  -- A document that may have left stays issued. A request changes content only by a correction.
  if not is_corrected then
    if old.submitted_at is not null and new.submitted_at is null and not is_returned
      or old.contingency_since is not null and new.contingency_since is distinct from old.contingency_since then
      rule := 'issued_stays_issued'; wrong := 'a document that may have left stays issued';
    elsif current_user = 'folio_account' and (
      new.customer_id, new.currency, new.exchange_rate, new.own_rate, new.original, new.operation_type, new.payment_means,
      new.lines, new.details, new.totals, new.acquirer, new.metadata, new.invoice_id, new.correction_code, new.reason,
      new.cufe, new.issue_date, new.issue_time, new.issuer_version, new.submitted_at, new.contingency_since,
      new.transmit_before, new.of_type_04, new.authority_errors, new.authority_notifications
    ) is distinct from (
      old.customer_id, old.currency, old.exchange_rate, old.own_rate, old.original, old.operation_type, old.payment_means,
      old.lines, old.details, old.totals, old.acquirer, old.metadata, old.invoice_id, old.correction_code, old.reason,
      old.cufe, old.issue_date, old.issue_time, old.issuer_version, old.submitted_at, old.contingency_since,
      old.transmit_before, old.of_type_04, old.authority_errors, old.authority_notifications
    ) then
      rule := 'request_changes_only_by_correction'; wrong := 'a request changes the content of a document only by a correction';
    end if;
  end if;
  if rule is not null then
    raise exception using errcode = 'integrity_constraint_violation', constraint = rule, message = format('%s: %s', old.id, wrong);
  end if;
  return null;
end $$;
create trigger rules_of_documents after update on invoices for each row execute function guard_invoice();

-- A document's marks: each of its metadata entries. A correction replaces the entries.
create function mark_new_document() returns trigger language plpgsql as $mark$ begin
  insert into marks (account_id, livemode, mark, id)
  select new.account_id, new.livemode, m, new.id from metadata_marks(new.metadata) m;
  return null;
end $mark$;
create trigger new_documents_are_found after insert on invoices
  for each row when (new.metadata <> '{}') execute function mark_new_document();

create function mark_corrected_document() returns trigger language plpgsql as $mark$ begin
  delete from marks
  where account_id = old.account_id and livemode = old.livemode and id = old.id
    and mark in (select metadata_marks(old.metadata));
  insert into marks (account_id, livemode, mark, id)
  select new.account_id, new.livemode, m, new.id from metadata_marks(new.metadata) m;
  return null;
end $mark$;
create trigger corrected_documents_are_found after update of metadata on invoices
  for each row when (new.metadata <> old.metadata) execute function mark_corrected_document();

-- The service changes everything but the content.
grant select, insert,
  update (state, version, attempts, next_action_at, worker, resolution_id, prefix, number, full_number, cufe, issue_date,
    issue_time, issuer_version, submitted_at, contingency_since, transmit_before, of_type_04, authority_errors,
    authority_notifications, waiting, waiting_since, failure, updated_at)
  on invoices to folio_service;
-- Requests create notes, and cancel, retry and correct documents. The service performs all other commands.
grant select, insert,
  update (state, version, attempts, next_action_at, worker, failure, updated_at,
    customer_id, currency, exchange_rate, own_rate, original, operation_type, payment_means, lines, details, totals,
    acquirer, metadata, invoice_id, correction_code, reason,
    cufe, issue_date, issue_time, issuer_version, submitted_at, contingency_since, transmit_before, of_type_04,
    authority_errors, authority_notifications)
  on invoices to folio_account;
call isolate_accounts('invoices');
create policy requests_create_notes on invoices as restrictive for insert to folio_account
  with check (kind <> 'invoice' and state = 'queued' and version = 1 and number is null and cufe is null);
-- A request can lock and read every row of its account, so that it can return the reason of a rejection.
create policy requested_states on invoices as restrictive for update to folio_account
  using (true) with check (state in ('canceled', 'queued', 'numbered', 'signed'));

create trigger submitted_bytes_are_final after update of signed on invoice_documents for each row
  when (old.signed <> new.signed and is_issued(old.account_id, old.livemode, old.invoice_id))
  execute function reject_change('signed bytes never change once they are submitted');

-- A correction moves the signed bytes to rejected_documents. The corrected document has no bytes until its signature.
create function guard_moved_bytes() returns trigger language plpgsql as $$ begin
  if not exists (
    select from rejected_documents r
    where r.account_id = old.account_id and r.livemode = old.livemode and r.invoice_id = old.invoice_id
      and r.signed = old.signed
  ) then
    raise exception using errcode = 'integrity_constraint_violation', constraint = tg_name,
      message = format('%s: signed bytes are only moved to rejected_documents', old.invoice_id);
  end if;
  return null;
end $$;
create trigger signed_bytes_are_kept after delete on invoice_documents for each row execute function guard_moved_bytes();
grant select, insert, update (signed, authority_answer) on invoice_documents to folio_service;
grant select, delete on invoice_documents to folio_account;
call isolate_accounts('invoice_documents');
create policy corrected on invoice_documents as restrictive for delete to folio_account using (
  exists (
    select from invoices i
    where i.account_id = invoice_documents.account_id and i.livemode = invoice_documents.livemode
      and i.id = invoice_documents.invoice_id and i.state = 'rejected_by_authority'
  )
);

-- Emails to acquirers, which stay as long as the documents. The statement that accepts a document adds its email, so
-- that every accepted document has exactly one automatic email.
--   document_state    state of the document when the email was added, which decides the content
--   next_attempt_at   set while the status is pending: the time of a retry or the end of a worker's lease
create table emails (
  account_id text not null, livemode boolean not null, id text not null, invoice_id text not null,
  document_state text not null, recipient text not null, status text not null default 'pending',
  reason text, status_at timestamptz not null default now(), attempts integer not null default 0,
  next_attempt_at timestamptz default now(), worker text,
  created_at timestamptz not null default now(),
  primary key (account_id, livemode, id),
  constraint known_document_state check (document_state in ('accepted_by_authority', 'accepted_contingency')),
  constraint known_status check (status in ('pending', 'delivered', 'bounced', 'complained', 'failed')),
  constraint pending_has_an_alarm check ((next_attempt_at is not null) = (status = 'pending'))
);

-- The emails of a document, and the due emails of all accounts.
create index emails_of_document on emails (invoice_id, id, account_id, livemode);
create index emails_due on emails (next_attempt_at) where next_attempt_at is not null;

create trigger email_outcome_is_final after update of status on emails for each row
  when (old.status <> new.status and (old.status || ' ' || new.status) <> all (array[
    'pending delivered', 'pending bounced', 'pending complained', 'pending failed',
    'delivered bounced', 'delivered complained'
  ]))
  execute function reject_change('the outcome of an email is final');
grant select, insert, update (status, reason, status_at, attempts, next_attempt_at, worker) on emails to folio_service;
grant select, insert, update (status, reason, status_at, next_attempt_at, worker) on emails to folio_account;
call isolate_accounts('emails');
-- A correction fails a pending email of the rejected document.
create policy given_up on emails as restrictive for update to folio_account using (true) with check (status = 'failed');

-- Buyers' acceptances and claims of invoices on credit terms, as the authority has registered them. The statement that
-- accepts the invoice adds its row. Rows stay as long as the invoices.
--   next_question_at   time of the next question to the authority, once a day; null after the last question
--   ask_until          time of the last question
--   events             registered events by code: {"033": {"at": Unix milliseconds, "by": name or null, "claim": code
--                      or null}}
create table acceptances (
  account_id text not null, livemode boolean not null, id text not null,
  next_question_at timestamptz default now() + random() * interval '1 day',
  ask_until timestamptz not null default now() + interval '30 days',
  events jsonb not null default '{}',
  primary key (account_id, livemode, id),
  foreign key (account_id, livemode, id) references invoices (account_id, livemode, id),
  constraint known_events check (jsonb_typeof(events) = 'object' and events - array['030', '031', '032', '033', '034'] = '{}')
);

-- The due questions of all accounts.
create index acceptances_due on acceptances (next_question_at) where next_question_at is not null;

create trigger registered_event_is_final after update of events on acceptances for each row
  when (not new.events @> old.events) execute function reject_change('a registered event stays');
grant select, insert, update (next_question_at, ask_until, events) on acceptances to folio_service;
grant select on acceptances to folio_account;
call isolate_accounts('acceptances');
