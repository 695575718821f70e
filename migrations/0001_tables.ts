import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * The tables of the first release. `(account_id, livemode)` is part of every key, so that no row of one account or mode can name
 * another's, and leads every primary key. Secondary indexes are led by what is selective: on a table that has no statistics
 * yet, an index that merely begins like the primary key is taken for it, and reads a whole account for one row.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    create table accounts (
      id text primary key,
      name text not null,
      issuer jsonb not null,
      default_version text not null,
      created_at timestamptz not null
    )`

  yield* sql`
    create table api_keys (
      id text primary key,
      account_id text not null references accounts,
      livemode boolean not null,
      key_hash text not null unique,
      last_four text not null,
      created_at timestamptz not null,
      revoked_at timestamptz
    )`

  yield* sql`
    create table customers (
      account_id text not null references accounts,
      livemode boolean not null,
      id text not null,
      acquirer jsonb not null,
      metadata jsonb not null,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      primary key (account_id, livemode, id)
    )`

  // next_number is the counter row: a number is taken by locking it, so a rollback gives the number back.
  yield* sql`
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
      check (from_number <= to_number),
      check (next_number between from_number and to_number + 1)
    )`

  // All fiscal documents. next_action_at is set exactly while there is something left to do: the alarm clock of retries, the
  // lease of whoever is at work, and the guard against a lost tell in one.
  yield* sql`
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
      currency text not null,
      operation_type text not null,
      payment_means jsonb not null,
      lines jsonb not null,
      totals jsonb not null,
      acquirer jsonb not null,
      metadata jsonb not null,
      resolution_id text,
      prefix text,
      number bigint,
      full_number text,
      cufe text,
      issue_date date,
      issue_time text,
      authority_errors jsonb not null default '[]',
      authority_notifications jsonb not null default '[]',
      failure jsonb,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      primary key (account_id, livemode, id),
      foreign key (account_id, livemode, resolution_id) references resolutions (account_id, livemode, id)
    )`
  yield* sql`create unique index invoices_number on invoices (number, prefix, account_id, livemode) where number is not null`
  yield* sql`create unique index invoices_cufe on invoices (cufe) where cufe is not null`
  yield* sql`create index invoices_due on invoices (next_action_at) where next_action_at is not null`
  yield* sql`create index invoices_queued on invoices (account_id, livemode, id) where state = 'queued'`

  yield* sql`
    create table invoice_documents (
      account_id text not null,
      livemode boolean not null,
      invoice_id text not null,
      signed bytea not null,
      authority_answer jsonb,
      created_at timestamptz not null,
      primary key (account_id, livemode, invoice_id),
      foreign key (account_id, livemode, invoice_id) references invoices (account_id, livemode, id)
    )`

  yield* sql`
    create table transitions (
      account_id text not null,
      livemode boolean not null,
      invoice_id text not null,
      version integer not null,
      command text not null,
      from_state text not null,
      to_state text not null,
      at timestamptz not null,
      primary key (account_id, livemode, invoice_id, version)
    )`

  // A row exists only with its answer: it is written in the transaction of the effect, so no crash leaves a stuck key.
  yield* sql`
    create table idempotency_keys (
      api_key_id text not null references api_keys,
      value text not null,
      fingerprint text not null,
      status integer not null,
      location text,
      body text not null,
      sealed boolean not null default false,
      completed_at timestamptz not null default now(),
      primary key (api_key_id, value)
    )`

  yield* sql`
    create table events (
      account_id text not null,
      livemode boolean not null,
      id text not null,
      seq bigint generated always as identity,
      type text not null,
      object_id text not null,
      object_version integer not null,
      body text not null,
      created_at timestamptz not null,
      primary key (account_id, livemode, id),
      unique (object_id, object_version, account_id, livemode)
    )`

  yield* sql`
    create table webhook_endpoints (
      account_id text not null references accounts,
      livemode boolean not null,
      id text not null,
      url text not null,
      description text,
      subscribed_events text[] not null,
      is_active boolean not null default true,
      max_in_flight integer not null,
      metadata jsonb not null,
      api_version text not null,
      secret text not null,
      failing_since timestamptz,
      last_success_at timestamptz,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      primary key (account_id, livemode, id)
    )`

  // seq is the event's: the order of deliveries. next_attempt_at is the alarm clock and, while an attempt runs, its lease.
  yield* sql`
    create table deliveries (
      account_id text not null,
      livemode boolean not null,
      id text not null,
      endpoint_id text not null,
      event_id text not null,
      object_id text not null,
      seq bigint not null,
      status text not null default 'pending',
      attempts integer not null default 0,
      next_attempt_at timestamptz not null default now(),
      created_at timestamptz not null,
      updated_at timestamptz not null,
      primary key (account_id, livemode, id),
      unique (event_id, endpoint_id, account_id, livemode),
      foreign key (account_id, livemode, event_id) references events (account_id, livemode, id)
    )`
  yield* sql`create index deliveries_due on deliveries (next_attempt_at) where status = 'pending'`
  yield* sql`
    create index deliveries_turn on deliveries (endpoint_id, next_attempt_at, seq, account_id, livemode)
    where status = 'pending'`
  yield* sql`
    create index deliveries_order on deliveries (endpoint_id, object_id, seq, account_id, livemode)
    where status = 'pending'`

  yield* sql`
    create table attempts (
      account_id text not null,
      livemode boolean not null,
      delivery_id text not null,
      number integer not null,
      trigger text not null,
      started_at timestamptz not null,
      duration_ms integer not null,
      remote_ip text,
      response_status integer,
      response_headers jsonb not null,
      response_body text not null,
      error jsonb,
      primary key (account_id, livemode, delivery_id, number),
      foreign key (account_id, livemode, delivery_id) references deliveries (account_id, livemode, id)
    )`
})
