import { Effect } from "effect"
import { SqlClient, type Statement } from "effect/sql"

/** Tables whose rows belong to an account in one of its modes. */
const ofAccounts = [
  "api_keys",
  "customers",
  "resolutions",
  "invoices",
  "invoice_documents",
  "transitions",
  "events",
  "webhook_endpoints",
  "deliveries",
  "attempts"
]

/**
 * Fences: what a wrong statement or a stale owner runs into. What never changes at all, no role may change; what changes under
 * a condition has a trigger with the rule as its condition, so that nothing runs for a lawful update. `folio_service` sees all
 * rows, by a policy that costs a plan nothing; `folio_account` sees those of the account and mode that its transaction names.
 * The owner sees none: a migration that touches rows says `set local role folio_service` first.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // A numbered invoice has all that a number brings along, and none goes back to where numbers are given.
  yield* sql`
    alter table invoices add constraint invoices_numbered check (
      case when number is null then state in ('queued', 'failed', 'canceled')
      else state not in ('queued', 'canceled') and resolution_id is not null and prefix is not null
        and full_number is not null and cufe is not null and issue_date is not null and issue_time is not null end
    )`

  // Called only when a rule was broken: the rule is the trigger's condition, and its name is told.
  yield* sql`
    create function refuse_change() returns trigger language plpgsql as $$ begin
      raise exception using errcode = 'integrity_constraint_violation', constraint = tg_name, table = tg_table_name,
        message = format('%s: %s', tg_name, tg_argv[0]);
    end $$`

  // src/domain/InvoiceLifecycle.ts as data. What is terminal there leads nowhere here.
  yield* sql`
    create trigger invoices_state after update on invoices for each row
    when (old.state <> new.state and (old.state, new.state) not in (
      ('queued', 'numbered'),
      ('queued', 'canceled'),
      ('queued', 'failed'),
      ('numbered', 'signed'),
      ('numbered', 'failed'),
      ('signed', 'submitted'),
      ('signed', 'accepted_contingency'),
      ('signed', 'failed'),
      ('submitted', 'accepted_by_authority'),
      ('submitted', 'rejected_by_authority'),
      ('submitted', 'accepted_contingency'),
      ('submitted', 'failed'),
      ('accepted_contingency', 'accepted_by_authority'),
      ('accepted_contingency', 'rejected_by_authority'),
      ('failed', 'queued'),
      ('failed', 'numbered')
    ))
    execute function refuse_change('no command leads from that state to this one')`
  yield* sql`
    create trigger invoices_version after update on invoices for each row
    when (new.version < old.version or (new.version = old.version and new.state <> old.state))
    execute function refuse_change('the version grows, and with every change of state')`
  yield* sql`
    create trigger invoices_number after update on invoices for each row
    when (
      (old.number is null and new.number is not null and old.state <> 'queued')
      or (old.number is not null and (old.resolution_id, old.prefix, old.number, old.full_number)
        is distinct from (new.resolution_id, new.prefix, new.number, new.full_number))
    )
    execute function refuse_change('a number is given to a queued draft, once and for all')`

  // Since the log and the state are written in one statement, the log knows what has left the house.
  yield* sql`
    create function is_issued(account text, mode boolean, invoice text) returns boolean stable language sql as $$
      select exists (
        select from transitions
        where account_id = account and livemode = mode and invoice_id = invoice
          and command in ('Submit', 'EnterContingency')
      )
    $$`
  yield* sql`
    create trigger invoices_cufe after update on invoices for each row
    when (
      old.cufe is not null and (old.cufe, old.issue_date, old.issue_time)
        is distinct from (new.cufe, new.issue_date, new.issue_time)
      and (old.state <> 'numbered' or is_issued(old.account_id, old.livemode, old.id))
    )
    execute function refuse_change('the code and the date change only until the document is signed')`
  yield* sql`
    create trigger invoice_documents_signed after update of signed on invoice_documents for each row
    when (old.signed <> new.signed and is_issued(old.account_id, old.livemode, old.invoice_id))
    execute function refuse_change('signed bytes that were submitted never change')`
  yield* sql`
    create trigger resolutions_next_number after update of next_number on resolutions for each row
    when (new.next_number < old.next_number)
    execute function refuse_change('a number is never given back')`

  // The service: tables that a later migration makes are included, and each of them takes back what is too much.
  yield* sql`
    do $$ declare place name := current_schema(); begin
      execute format('grant usage on schema %I to folio_service, folio_account', place);
      execute format('grant select, insert, update, delete on all tables in schema %I to folio_service', place);
      execute format('grant usage on all sequences in schema %I to folio_service', place);
      execute format('alter default privileges in schema %I
        grant select, insert, update, delete on tables to folio_service', place);
      execute format('alter default privileges in schema %I grant usage on sequences to folio_service', place);
    end $$`
  yield* sql`revoke all on effect_sql_migrations from folio_service`
  yield* sql`
    revoke update, delete on accounts, api_keys, customers, resolutions, invoices, invoice_documents, transitions, events
    from folio_service`
  yield* sql`revoke update on attempts from folio_service`
  yield* sql`grant update (name, issuer, default_version) on accounts to folio_service`
  yield* sql`grant update (revoked_at) on api_keys to folio_service`
  yield* sql`grant update (next_number) on resolutions to folio_service`
  yield* sql`grant update (signed, authority_answer) on invoice_documents to folio_service`
  // All of an invoice's columns but its content and its identity.
  yield* sql`
    do $$ begin
      execute (
        select format('grant update (%s) on invoices to folio_service', string_agg(quote_ident(attname), ', '))
        from pg_attribute where attrelid = 'invoices'::regclass and attnum > 0 and not attisdropped
          and attname not in ('account_id', 'livemode', 'id', 'kind', 'customer_id', 'currency', 'operation_type',
            'payment_means', 'lines', 'totals', 'acquirer', 'metadata', 'created_at')
      );
    end $$`

  // The account's view: what its requests read, and what they write outside of batches.
  yield* sql`
    grant select on customers, resolutions, invoices, invoice_documents, transitions, idempotency_keys, events,
      webhook_endpoints, deliveries, attempts to folio_account`
  yield* sql`grant select (id) on accounts, api_keys to folio_account`
  // To lock the account's row. The policy lets its id become nothing but itself.
  yield* sql`grant update (id) on accounts to folio_account`
  yield* sql`grant insert, update on idempotency_keys to folio_account`
  yield* sql`grant insert, update, delete on webhook_endpoints to folio_account`
  yield* sql`grant update (status, next_attempt_at, updated_at) on deliveries to folio_account`

  // A setting that is missing, or was set in an earlier transaction, is null or '': both match no row.
  const account = sql.literal("current_setting('folio.account_id', true)")
  const mode = sql.literal("nullif(current_setting('folio.livemode', true), '')::boolean")
  const fence = Effect.fnUntraced(function* (name: string, own: Statement.Fragment) {
    const table = sql(name)
    yield* sql`alter table ${table} enable row level security`
    yield* sql`alter table ${table} force row level security`
    yield* sql`create policy service on ${table} to folio_service using (true) with check (true)`
    yield* sql`create policy account on ${table} to folio_account using (${own})`
  })
  for (const table of ofAccounts) yield* fence(table, sql`account_id = ${account} and livemode = ${mode}`)
  yield* fence("accounts", sql`id = ${account}`)
  // The view of api_keys is the account's as well.
  yield* fence("idempotency_keys", sql`exists (select from api_keys k where k.id = api_key_id)`)
})
