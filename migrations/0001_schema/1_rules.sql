-- Rules that all tables share: the roles and the rows that each role can read, changes that no role may make, and the
-- lifecycle of documents.
--
-- Three roles use this schema:
--   owner           creates and changes the tables, and reads no rows. A migration that reads or writes rows first runs
--                   `set local role folio_service`.
--   folio_service   the service, for all accounts
--   folio_account   the service in a transaction for one account and mode: folio.account_id and folio.livemode

do $$ begin
  execute format('grant usage on schema %I to folio_service, folio_account', current_schema());
end $$;

-- Enables row level security on a table. folio_service reads all rows, folio_account the rows of its account and mode.
-- The policy of folio_service is `true`, which doesn't change query plans. A missing setting, or one of an earlier
-- transaction, is null or '', and matches no row. Only migrations call this procedure, as the tables' owner.
create procedure isolate_accounts(isolated regclass, own text default $own$
  account_id = current_setting('folio.account_id', true)
  and livemode = nullif(current_setting('folio.livemode', true), '')::boolean
$own$) language plpgsql as $$ begin
  execute format('alter table %s enable row level security', isolated);
  execute format('alter table %s force row level security', isolated);
  execute format('create policy service on %s to folio_service using (true) with check (true)', isolated);
  execute format('create policy account on %s to folio_account using (%s)', isolated, own);
end $$;
revoke execute on procedure isolate_accounts(regclass, text) from public;

-- Rejects an update or a delete. The trigger's name is the rule, and its argument is the message.
create function reject_change() returns trigger language plpgsql as $$ begin
  raise exception using errcode = 'integrity_constraint_violation', constraint = tg_name, message = tg_argv[0];
end $$;

-- The lifecycle of a document: command, state before, state after. A test compares it with
-- src/invoices/rules/InvoiceLifecycle.ts. With a function instead of a table, constraints and triggers compare with a
-- constant and lock no row.
create function lifecycle() returns text[] immutable language sql
return array[
  'Number queued numbered',
  'Redate numbered numbered',
  'Redate signed numbered',
  'Sign numbered signed',
  'Submit signed submitted',
  'Return submitted signed',
  'Accept submitted accepted_by_authority',
  'Accept accepted_contingency accepted_by_authority',
  'Reject submitted rejected_by_authority',
  'Reject accepted_contingency rejected_by_authority',
  'EnterContingency numbered accepted_contingency',
  'EnterContingency signed accepted_contingency',
  'Fail queued failed',
  'Fail numbered failed',
  'Fail signed failed',
  'Fail submitted failed',
  'Cancel queued canceled',
  'Retry failed queued',
  'Retry failed numbered',
  'Retry failed signed',
  'Correct rejected_by_authority numbered'
];

create function is_transition(command text, from_state text, to_state text) returns boolean immutable language sql
return (command || ' ' || from_state || ' ' || to_state) = any (lifecycle());

-- The changes of state that one update may make: the change of a command, and the change of Sign with Submit.
create function state_changes() returns text[] immutable language sql
return array(
  select split_part(step, ' ', 2) || ' ' || split_part(step, ' ', 3) from unnest(lifecycle()) as step
  where split_part(step, ' ', 2) <> split_part(step, ' ', 3)
) || 'numbered submitted'::text;

create function leads_to(from_state text, to_state text) returns boolean immutable language sql
return (from_state || ' ' || to_state) = any (state_changes());
