import { randomBytes } from "node:crypto"
import type { Pool } from "pg"

/*
 * The rows of an invoice with the service's columns and constraints. Two parts are missing: the log of transitions, and
 * the alarms, leases and their indexes, which a queue replaces. All rows belong to one account, so an id is a key.
 */
const tables = `
  create table resolutions (
    id text primary key,
    prefix text not null,
    from_number bigint not null,
    to_number bigint not null,
    next_number bigint not null,
    check (next_number between from_number and to_number + 1)
  );
  create table invoices (
    account_id text not null,
    livemode boolean not null,
    id text primary key,
    kind text not null default 'invoice',
    customer_id text not null,
    state text not null,
    version integer not null default 1,
    attempts integer not null default 0,
    currency text not null,
    operation_type text not null,
    payment_means jsonb not null,
    lines jsonb not null,
    totals jsonb not null,
    acquirer jsonb not null,
    metadata jsonb not null,
    resolution_id text references resolutions,
    prefix text,
    number bigint,
    full_number text,
    cufe text,
    issue_date date,
    issue_time text,
    authority_errors jsonb not null default '[]',
    authority_notifications jsonb not null default '[]',
    failure jsonb,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now()
  );
  create unique index invoices_number on invoices (number, resolution_id) where number is not null;
  create unique index invoices_cufe on invoices (cufe) where cufe is not null;
  create table invoice_documents (
    invoice_id text primary key references invoices,
    signed bytea not null,
    authority_answer jsonb,
    created_at timestamptz not null default now()
  );
  create table events (
    id text primary key,
    seq bigint generated always as identity,
    type text not null,
    object_id text not null,
    object_version integer not null,
    body text not null,
    created_at timestamptz not null default now()
  );
  create table deliveries (
    id text primary key,
    endpoint_id text not null,
    event_id text not null references events,
    object_id text not null,
    status text not null default 'pending',
    attempts integer not null default 0,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    unique (event_id, endpoint_id)
  );
  create table attempts (
    delivery_id text not null references deliveries,
    number integer not null,
    trigger text not null default 'auto',
    started_at timestamptz not null,
    duration_ms integer not null,
    remote_ip text,
    response_status integer,
    response_headers jsonb not null default '{}',
    response_body text not null default '',
    error jsonb,
    primary key (delivery_id, number)
  )`

export const resolutionId = (index: number) => `res_${index}`

/** Creates the tables, and numbering ranges that no benchmark exhausts. */
export const createTables = async (pool: Pool, ranges: number): Promise<void> => {
  await pool.query(tables)
  for (let index = 0; index < ranges; index++) {
    await pool.query("insert into resolutions values ($1, $2, 990000000, 995000000, 990000000)", [
      resolutionId(index),
      index === 0 ? "SETP" : `S${index}`
    ])
  }
}

/** Ids that sort by creation, like the service's. */
export const newId = (prefix: string): string =>
  `${prefix}_${Date.now().toString(32).padStart(10, "0")}${randomBytes(8).toString("hex")}`
