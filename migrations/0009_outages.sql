-- A document is issued in contingency only if nothing of it can have left: its submission is taken back (Return) when no byte was sent.

create or replace function is_transition(command text, from_state text, to_state text) returns boolean immutable language sql
return (command || ' ' || from_state || ' ' || to_state) = any (array[
  'Number queued numbered',
  'Redate numbered numbered', 'Redate signed numbered',
  'Sign numbered signed',
  'Submit signed submitted', 'Return submitted signed',
  'Accept submitted accepted_by_authority', 'Accept accepted_contingency accepted_by_authority',
  'Reject submitted rejected_by_authority', 'Reject accepted_contingency rejected_by_authority',
  'EnterContingency numbered accepted_contingency', 'EnterContingency signed accepted_contingency',
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
  'submitted signed', 'submitted accepted_by_authority', 'submitted rejected_by_authority', 'submitted failed',
  'accepted_contingency accepted_by_authority', 'accepted_contingency rejected_by_authority',
  'failed queued', 'failed numbered', 'failed signed',
  'rejected_by_authority numbered'
]);

-- Steps that releases before have logged stay as they are: of them, some documents that may have left were issued in contingency.
alter table transitions drop constraint of_the_lifecycle;
alter table transitions add constraint of_the_lifecycle check (is_transition(command, from_state, to_state)) not valid;

-- As before, but for what may have left, and for a submission that is taken back.
create or replace function guard_invoice() returns trigger language plpgsql as $$
declare
  wrong text;
  is_corrected constant boolean := old.state = 'rejected_by_authority' and new.state = 'numbered';
  is_returned constant boolean := old.state = 'submitted' and new.state = 'signed';
begin
  if new.state <> old.state then
    if not leads_to(old.state, new.state) then
      wrong := format('no command leads from %s to %s', old.state, new.state);
    elsif new.version <= old.version then
      wrong := 'the version grows with every change of state';
    elsif old.state = 'failed' and new.state = 'signed' and not is_issued(old) then
      wrong := 'what was never submitted is signed anew';
    elsif is_returned and new.submitted_at is not null then
      wrong := 'what may have left waits for its verdict';
    elsif new.state = 'accepted_contingency' and old.submitted_at is not null then
      wrong := 'what may have left is never issued in contingency';
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
    if old.submitted_at is not null and new.submitted_at is null and not is_returned
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


-- Why a document waits for the authority, and since when; null while nothing is wrong. A process of the release before, which may store
-- the outcome of a document that waits, leaves both as they are: they say nothing of a document that is not open.
--   waiting   code and message
alter table invoices add waiting jsonb, add waiting_since timestamptz;
alter table invoices add constraint waits_since_a_time check ((waiting is null) = (waiting_since is null));

grant update (waiting, waiting_since) on invoices to folio_service;

-- What rests until the authority can be called again, by state and oldest first: of the one live environment, and of each account that tests.
create index invoices_resting_live on invoices (state, created_at, id) where next_action_at = 'infinity' and livemode;
create index invoices_resting_test on invoices (account_id, state, created_at, id)
  where next_action_at = 'infinity' and not livemode;

-- Why calls fail, and whose.
--   at_fault_since   from then on every failure was the authority's; null when the newest was not
--   accounts         the first two accounts whose calls failed since failing_since
--   of_all           a failure was of the connection, which all accounts share
--   trouble          the newest failure: its code, its message, and since when it is the newest
--   refusal          the newest call that the authority refused for its sender: why, since when, and when last
alter table authority_circuits
  add at_fault_since timestamptz,
  add accounts text[] not null default '{}',
  add of_all boolean not null default false,
  add trouble text,
  add message text,
  add trouble_since timestamptz,
  add refusal text,
  add refusal_since timestamptz,
  add refused_at timestamptz;
-- A circuit that a release before has left failing says nothing of whom it concerns: it concerns all, as before.
update authority_circuits set of_all = true, at_fault_since = failing_since where failing_since is not null;
