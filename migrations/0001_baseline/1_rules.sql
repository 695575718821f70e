-- What the tables of this schema share: the lifecycle of a document as SQL, and who sees which rows.
--
-- Three roles use this schema. Its owner makes and changes it, and sees no rows: a later migration that reads or writes rows says
-- `set local role folio_service` first. folio_service is the service at work for all accounts. folio_account is the service within
-- one transaction for one account in one mode, which the transaction names in folio.account_id and folio.livemode.

do $$ begin
  execute format('grant usage on schema %I to folio_service, folio_account', current_schema());
end $$;

-- Puts a table behind row level security: folio_service sees every row, by a policy that leaves query plans as they are, and
-- folio_account sees the rows of its own account and mode. A setting that is missing, or is left over from an earlier transaction,
-- is null or '', and both match no row. Only the owner of the tables may call it: the migrations do.
create procedure fence(fenced regclass) language plpgsql as $$ begin
  execute format('alter table %s enable row level security', fenced);
  execute format('alter table %s force row level security', fenced);
  execute format('create policy service on %s to folio_service using (true) with check (true)', fenced);
  execute format(
    'create policy account on %s to folio_account using (
      account_id = current_setting(''folio.account_id'', true)
      and livemode = nullif(current_setting(''folio.livemode'', true), '''')::boolean
    )', fenced);
end $$;
revoke execute on procedure fence(regclass) from public;

-- The trigger function of every rule that an update or a delete may not break. The argument is the rule, as the error tells it.
create function refuse_change() returns trigger language plpgsql as $$ begin
  raise exception using errcode = 'integrity_constraint_violation', message = tg_argv[0];
end $$;

-- Whether a command may take a document from one state to another: src/domain/documents/InvoiceLifecycle.ts, pair by pair.
create function is_transition(command text, from_state text, to_state text) returns boolean immutable language sql
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
  'Retry failed queued', 'Retry failed numbered', 'Retry failed signed'
]);

-- Whether any command leads from one state to another one.
create function leads_to(from_state text, to_state text) returns boolean immutable language sql
return (from_state || ' ' || to_state) = any (array[
  'queued numbered', 'queued canceled', 'queued failed',
  'numbered signed', 'numbered accepted_contingency', 'numbered failed',
  'signed numbered', 'signed submitted', 'signed accepted_contingency', 'signed failed',
  'submitted accepted_by_authority', 'submitted rejected_by_authority', 'submitted accepted_contingency', 'submitted failed',
  'accepted_contingency accepted_by_authority', 'accepted_contingency rejected_by_authority',
  'failed queued', 'failed numbered', 'failed signed'
]);
