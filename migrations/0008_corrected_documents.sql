-- A document that the authority has rejected is corrected: it gets a new content, date, code and signature, and keeps its id and number.

create or replace function is_transition(command text, from_state text, to_state text) returns boolean immutable language sql
return (command || ' ' || from_state || ' ' || to_state) = any (array[
  'Number queued numbered',
  'Redate numbered numbered', 'Redate signed numbered',
  'Sign numbered signed',
  'Submit signed submitted',
  'Accept submitted accepted_by_authority', 'Accept accepted_contingency accepted_by_authority',
  'Reject submitted rejected_by_authority', 'Reject accepted_contingency rejected_by_authority',
  'EnterContingency numbered accepted_contingency', 'EnterContingency signed accepted_contingency',
  'EnterContingency submitted accepted_contingency',
  'Fail queued failed', 'Fail numbered failed', 'Fail signed failed', 'Fail submitted failed',
  'Cancel queued canceled',
  'Retry failed queued', 'Retry failed numbered', 'Retry failed signed',
  'Correct rejected_by_authority numbered'
]);

create or replace function leads_to(from_state text, to_state text) returns boolean immutable language sql
return (from_state || ' ' || to_state) = any (array[
  'queued numbered', 'queued canceled', 'queued failed',
  'numbered signed', 'numbered accepted_contingency', 'numbered failed',
  'signed numbered', 'signed submitted', 'signed accepted_contingency', 'signed failed',
  'submitted accepted_by_authority', 'submitted rejected_by_authority', 'submitted accepted_contingency', 'submitted failed',
  'accepted_contingency accepted_by_authority', 'accepted_contingency rejected_by_authority',
  'failed queued', 'failed numbered', 'failed signed',
  'rejected_by_authority numbered'
]);

-- What a document was each time that the authority rejected it and it was corrected: kept as documents are, and never changed.
--   version   the document's version while it was rejected, which is that of its rejection in the timeline
--   signed    the bytes that the authority rejected
create table rejected_documents (
  account_id text not null,
  livemode boolean not null,
  invoice_id text not null,
  version integer not null,
  cufe text not null,
  issue_date date not null,
  issue_time text not null,
  issuer_version integer not null,
  submitted_at timestamptz,
  contingency_since timestamptz,
  authority_errors jsonb not null,
  authority_notifications jsonb not null,
  authority_answer jsonb,
  signed bytea not null,
  primary key (account_id, livemode, invoice_id, version),
  foreign key (account_id, livemode, invoice_id) references invoices (account_id, livemode, id),
  foreign key (account_id, livemode, invoice_id, version)
    references transitions (account_id, livemode, invoice_id, version)
);

revoke insert, update, delete on rejected_documents from folio_service;
grant select on rejected_documents to folio_service;
grant select, insert on rejected_documents to folio_account;
call fence('rejected_documents');
create policy rejected on rejected_documents as restrictive for insert to folio_account with check (
  exists (
    select from invoices i
    where i.account_id = rejected_documents.account_id and i.livemode = rejected_documents.livemode
      and i.id = rejected_documents.invoice_id and i.version = rejected_documents.version
      and i.state = 'rejected_by_authority' and i.cufe = rejected_documents.cufe
  )
);

-- The signed bytes move to rejected_documents: in between a corrected document has none, until it is signed anew.
create function guard_moved_document() returns trigger language plpgsql as $$ begin
  if not exists (
    select from rejected_documents r
    where r.account_id = old.account_id and r.livemode = old.livemode and r.invoice_id = old.invoice_id
      and r.signed = old.signed
  ) then
    raise exception using errcode = 'integrity_constraint_violation',
      message = format('%s: signed bytes are only moved to what was rejected', old.invoice_id);
  end if;
  return null;
end $$;
create trigger moved after delete on invoice_documents for each row execute function guard_moved_document();
grant delete on invoice_documents to folio_account;
create policy corrected on invoice_documents as restrictive for delete to folio_account using (
  exists (
    select from invoices i
    where i.account_id = invoice_documents.account_id and i.livemode = invoice_documents.livemode
      and i.id = invoice_documents.invoice_id and i.state = 'rejected_by_authority'
  )
);

-- As before, but for the correction: what a rejected document says, its date, its code and its issuer change in this one step, and what
-- it has come to begins anew. Its number never changes. An account's requests may change these columns in no other step.
create or replace function guard_invoice() returns trigger language plpgsql as $$
declare
  wrong text;
  is_corrected constant boolean := old.state = 'rejected_by_authority' and new.state = 'numbered';
begin
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
  elsif is_corrected then
    if new.cufe is not null then
      wrong := 'a corrected document gets its code before it is signed';
    elsif new.of_type_04 or new.transmit_before is not null or new.attempts <> 0 or new.submitted_at is not null
      or new.contingency_since is not null or new.authority_errors <> '[]' or new.authority_notifications <> '[]' then
      wrong := 'a corrected document begins anew';
    elsif not exists (
      select from rejected_documents r
      where r.account_id = old.account_id and r.livemode = old.livemode and r.invoice_id = old.id
        and r.version = old.version and r.cufe = old.cufe
    ) then
      wrong := 'what the authority has rejected is kept';
    end if;
  elsif new.issuer_version <> old.issuer_version then
    wrong := 'the issuer of a numbered document never changes';
  elsif (new.cufe, new.issue_date, new.issue_time) is distinct from (old.cufe, old.issue_date, old.issue_time)
    and (old.state not in ('numbered', 'signed') or new.state <> 'numbered') then
    wrong := 'the code and the date never change once it is signed';
  end if;
  if not is_corrected then
    if old.submitted_at is not null and new.submitted_at is null
      or old.contingency_since is not null and new.contingency_since is distinct from old.contingency_since then
      wrong := 'what has left the house never comes back';
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
      wrong := 'a request changes what a document says only by correcting it';
    end if;
  end if;
  if wrong is not null then
    raise exception using errcode = 'integrity_constraint_violation', message = format('%s: %s', old.id, wrong);
  end if;
  return null;
end $$;

-- An account's requests correct documents, besides making notes, and canceling and retrying documents.
grant update (
  customer_id, currency, exchange_rate, own_rate, original, operation_type, payment_means, lines, details, totals,
  acquirer, metadata, invoice_id, correction_code, reason,
  cufe, issue_date, issue_time, issuer_version, submitted_at, contingency_since, transmit_before, of_type_04,
  authority_errors, authority_notifications
) on invoices to folio_account;
drop policy asked_for on transitions;
create policy asked_for on transitions as restrictive for insert to folio_account
  with check (command in ('Cancel', 'Retry', 'Correct'));

-- An e-mail that still waits with a rejected document is given up: what it would carry was corrected.
grant update (status, reason, status_at, next_attempt_at, worker) on emails to folio_account;
create policy given_up on emails as restrictive for update to folio_account using (true) with check (status = 'failed');

-- A corrected document takes the next script of its account, or none: a script is for what was first submitted.
--   correction   how often the document was corrected before it took the script
--   script       JSON null where none was left
alter table sandbox_scripts add correction integer not null default 0;
alter table sandbox_scripts drop constraint sandbox_scripts_pkey;
alter table sandbox_scripts add primary key (account_id, livemode, document_id, correction);

-- A corrected document has new metadata, by which it is found in place of that which it had.
create function mark_corrected_document() returns trigger language plpgsql as $mark$ begin
  delete from marks
  where account_id = old.account_id and livemode = old.livemode and id = old.id
    and mark in (select metadata_marks(old.metadata));
  insert into marks (account_id, livemode, mark, id)
  select new.account_id, new.livemode, m, new.id from metadata_marks(new.metadata) m;
  return null;
end $mark$;
create trigger marked_anew after update of metadata on invoices
  for each row when (new.metadata <> old.metadata) execute function mark_corrected_document();
