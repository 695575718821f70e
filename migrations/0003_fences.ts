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
 * Fences: what a wrong statement or a stale owner runs into. What never changes no role may change; what changes under a
 * condition has a trigger. `folio_service` sees all rows, by a policy that leaves its plans as they are; `folio_account` sees
 * those of the account and mode that its transaction names. The owner sees none: a migration that touches rows says
 * `set local role folio_service` first.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Since the log and the state are written in one statement, the log knows what has left the house.
  yield* sql`
    create function is_issued(account text, mode boolean, invoice text) returns boolean stable language sql as $$
      select exists (
        select from transitions
        where account_id = account and livemode = mode and invoice_id = invoice
          and command in ('Submit', 'EnterContingency')
      )
    $$`

  // After the update and not before it, where each row would be locked once more. One function and not a condition for each
  // rule: conditions are parsed in every statement, this once in a session. The pairs are src/domain/InvoiceLifecycle.ts as
  // data; what is terminal there leads nowhere here.
  yield* sql`
    create function guard_invoice() returns trigger language plpgsql as $$ declare wrong text; begin
      if new.state <> old.state then
        if (old.state || ' ' || new.state) <> all (array[
          'queued numbered', 'queued canceled', 'queued failed',
          'numbered signed', 'numbered failed',
          'signed submitted', 'signed accepted_contingency', 'signed failed',
          'submitted accepted_by_authority', 'submitted rejected_by_authority', 'submitted accepted_contingency',
          'submitted failed',
          'accepted_contingency accepted_by_authority', 'accepted_contingency rejected_by_authority',
          'failed queued', 'failed numbered'
        ]) then
          wrong := format('no command leads from %s to %s', old.state, new.state);
        elsif new.version <= old.version then
          wrong := 'the version grows with every change of state';
        elsif new.state <> 'failed' and (new.number is null) <> (new.state in ('queued', 'canceled')) then
          wrong := format('with or without a number, it cannot be %s', new.state);
        end if;
      elsif new.version < old.version then
        wrong := 'the version never decreases';
      end if;
      if old.number is null then
        if new.number is not null and (old.state <> 'queued' or new.state <> 'numbered' or new.resolution_id is null
          or new.prefix is null or new.full_number is null or new.cufe is null or new.issue_date is null
          or new.issue_time is null) then
          wrong := 'a number is given to a queued draft, together with its code';
        end if;
      elsif (new.resolution_id, new.prefix, new.number, new.full_number)
        is distinct from (old.resolution_id, old.prefix, old.number, old.full_number) then
        wrong := 'a number never changes';
      elsif (new.cufe, new.issue_date, new.issue_time) is distinct from (old.cufe, old.issue_date, old.issue_time)
        and (old.state <> 'numbered' or is_issued(old.account_id, old.livemode, old.id)) then
        wrong := 'the code and the date never change once it is signed';
      end if;
      if wrong is not null then
        raise exception using errcode = 'integrity_constraint_violation', message = format('%s: %s', old.id, wrong);
      end if;
      return null;
    end $$`
  yield* sql`create trigger guard after update on invoices for each row execute function guard_invoice()`

  // Conditions after all: there are few such updates, or none.
  yield* sql`
    create function refuse_change() returns trigger language plpgsql as $$ begin
      raise exception using errcode = 'integrity_constraint_violation', message = tg_argv[0];
    end $$`
  yield* sql`
    create trigger guard after update of signed on invoice_documents for each row
    when (old.signed <> new.signed and is_issued(old.account_id, old.livemode, old.invoice_id))
    execute function refuse_change('signed bytes never change once they are submitted')`
  yield* sql`
    create trigger guard after update of next_number on resolutions for each row
    when (new.next_number < old.next_number)
    execute function refuse_change('a number is never given back')`

  // The service. It may also read and write the tables that later migrations make, until they take something back.
  yield* sql`
    do $$ declare
      place name := current_schema();
      made record;
    begin
      execute format('grant usage on schema %I to folio_service, folio_account', place);
      for made in
        select oid::regclass as name, relkind = 'S' as counts from pg_class
        where relnamespace = place::regnamespace and relkind in ('r', 'S') and relowner = current_user::regrole
      loop
        execute format(case when made.counts then 'grant usage on sequence %s to folio_service'
          else 'grant select, insert, update, delete on %s to folio_service' end, made.name);
      end loop;
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
  // All of an invoice but what it is and what it says.
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
