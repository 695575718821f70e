import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * The authority is away: documents in contingency, whether it answers as a fact that all processes see, documents dated anew,
 * and the state of the simulated authority for each account that tests.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const account = sql.literal("current_setting('folio.account_id', true)")
  const mode = sql.literal("nullif(current_setting('folio.livemode', true), '')::boolean")

  // submitted_at: since when its bytes may have left. contingency_since: it was given to its buyer without a verdict.
  // transmit_before: known when the authority is back. of_type_04: it was given away before its bytes could have left, and they
  // say so.
  yield* sql`
    alter table invoices
      add submitted_at timestamptz,
      add contingency_since timestamptz,
      add transmit_before timestamptz,
      add of_type_04 boolean not null default false`
  yield* sql`grant update (submitted_at, contingency_since, transmit_before, of_type_04) on invoices to folio_service`
  yield* sql`set local role folio_service`
  yield* sql`set local row_security = on`
  yield* sql`
    update invoices i set submitted_at = t.at
    from (
      select account_id, livemode, invoice_id, min(at) as at from transitions where command = 'Submit'
      group by account_id, livemode, invoice_id
    ) t
    where i.account_id = t.account_id and i.livemode = t.livemode and i.id = t.invoice_id
      and i.state in ('numbered', 'signed', 'submitted', 'failed')`
  yield* sql`set local row_security = off`
  yield* sql`reset role`

  // What waits to be transmitted, oldest first: of the one live environment, and of each account that tests.
  yield* sql`
    create index invoices_in_contingency_live on invoices (created_at, id)
    where state = 'accepted_contingency' and livemode`
  yield* sql`
    create index invoices_in_contingency_test on invoices (account_id, created_at, id)
    where state = 'accepted_contingency' and not livemode`

  // failing_since: no call has succeeded from then on, and failed_at the last has failed. opened_at: that was so for longer than documents wait for an answer.
  yield* sql`
    create table authority_circuits (
      name text primary key,
      failing_since timestamptz,
      failed_at timestamptz,
      opened_at timestamptz,
      next_probe_at timestamptz not null default now(),
      restored_at timestamptz,
      check (opened_at is null or failing_since is not null)
    )`

  // How the simulated authority is for an account's test mode; without a row it is up.
  yield* sql`
    create table sandbox_authorities (
      account_id text not null references accounts,
      livemode boolean not null default false,
      mode text not null,
      primary key (account_id, livemode),
      check (not livemode),
      check (mode in ('up', 'down', 'slow', 'flaky'))
    )`
  yield* sql`grant select, insert, update on sandbox_authorities to folio_account`
  yield* sql`alter table sandbox_authorities enable row level security`
  yield* sql`alter table sandbox_authorities force row level security`
  yield* sql`create policy service on sandbox_authorities to folio_service using (true) with check (true)`
  yield* sql`
    create policy account on sandbox_authorities to folio_account
    using (account_id = ${account} and livemode = ${mode})`

  // As in the migration of the fences, but for three things: a document may enter contingency as soon as it has its number, it
  // is dated anew as long as it was not issued, and a retry of an issued one goes back to its bytes.
  yield* sql`
    create or replace function guard_invoice() returns trigger language plpgsql as $$ declare wrong text; begin
      if new.state <> old.state then
        if (old.state || ' ' || new.state) <> all (array[
          'queued numbered', 'queued canceled', 'queued failed',
          'numbered signed', 'numbered accepted_contingency', 'numbered failed',
          'signed numbered', 'signed submitted', 'signed accepted_contingency', 'signed failed',
          'submitted accepted_by_authority', 'submitted rejected_by_authority', 'submitted accepted_contingency',
          'submitted failed',
          'accepted_contingency accepted_by_authority', 'accepted_contingency rejected_by_authority',
          'failed queued', 'failed numbered', 'failed signed'
        ]) then
          wrong := format('no command leads from %s to %s', old.state, new.state);
        elsif new.version <= old.version then
          wrong := 'the version grows with every change of state';
        elsif new.state <> 'failed' and (new.number is null) <> (new.state in ('queued', 'canceled')) then
          wrong := format('with or without a number, it cannot be %s', new.state);
        elsif old.state in ('signed', 'failed') and new.state = 'numbered'
          and is_issued(old.account_id, old.livemode, old.id) then
          wrong := 'what was submitted is never signed anew';
        elsif old.state = 'failed' and new.state = 'signed'
          and not is_issued(old.account_id, old.livemode, old.id) then
          wrong := 'what was never submitted is signed anew';
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
        and (old.state not in ('numbered', 'signed') or new.state <> 'numbered'
          or is_issued(old.account_id, old.livemode, old.id)) then
        wrong := 'the code and the date never change once it is signed';
      end if;
      if wrong is not null then
        raise exception using errcode = 'integrity_constraint_violation', message = format('%s: %s', old.id, wrong);
      end if;
      return null;
    end $$`
  yield* sql`
    create trigger contingency_stays after update of submitted_at, contingency_since on invoices for each row
    when (old.contingency_since is not null and new.contingency_since is distinct from old.contingency_since
      or old.submitted_at is not null and new.submitted_at is null)
    execute function refuse_change('what has left the house never comes back')`

  // An account's retry of what was submitted leads to its bytes.
  yield* sql`drop policy asked_for on invoices`
  yield* sql`
    create policy asked_for on invoices as restrictive for update to folio_account
    using (true) with check (state in ('canceled', 'queued', 'numbered', 'signed'))`
})
