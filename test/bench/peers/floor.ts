import { Pool } from "pg"

/*
 * The least that PostgreSQL has to do for an invoice, one statement each: the number from its range, the document with its
 * bytes, the event, its delivery and its attempt.
 */
const pool = new Pool({ connectionString: process.env["PG_URL"], max: 32 })
await pool.query(`
  create table ranges (id integer primary key, next bigint not null);
  insert into ranges select n, 1 from generate_series(0, 99) n;
  create table invoices (id text primary key, range integer not null, number bigint not null, body jsonb not null,
    totals jsonb not null, acquirer jsonb not null, cufe text not null unique, state text not null,
    created_at timestamptz not null default now(), unique (range, number));
  create table documents (invoice_id text primary key, signed bytea not null);
  create table events (id text primary key, type text not null, body text not null, created_at timestamptz not null default now());
  create table deliveries (id text primary key, event_id text not null unique, status text not null);
  create table attempts (delivery_id text primary key, number integer not null, status integer not null)`)

const text = `
  with number as (update ranges set next = next + 1 where id = $2 returning next - 1 as n),
  invoice as (insert into invoices (id, range, number, body, totals, acquirer, cufe, state)
    select $1, $2, n, $3, $4, $5, encode(sha384(convert_to($1 || n, 'UTF8')), 'hex'), 'accepted_by_authority' from number),
  document as (insert into documents values ($1, $6)),
  event as (insert into events (id, type, body) values ('evt_' || $1, 'invoice.accepted_by_authority', $7)),
  delivery as (insert into deliveries values ('whd_' || $1, 'evt_' || $1, 'succeeded'))
  insert into attempts values ('whd_' || $1, 1, 200)`

const lines = JSON.stringify([
  {
    description: "Servicio",
    quantity: "1.00",
    unit_code: "94",
    unit_price: "100000.00",
    line_extension_amount: "100000.00",
    taxes: [{ code: "01", rate: "19.00", base: "100000.00", value: "19000.00" }]
  }
])
const totals = JSON.stringify({
  line_extension_amount: "100000.00",
  tax_amount: "19000.00",
  payable_amount: "119000.00"
})
const acquirer = JSON.stringify({
  identification: { type: "31", number: "900000001" },
  legal_name: "Cliente de Prueba"
})
const signed = Buffer.alloc(2_500, "signed bytes ")
const event = JSON.stringify({ object: "event", data: { object: { status: "accepted_by_authority", lines } } })

let made = 0
process.on("message", async (order: { readonly run: number; readonly ranges: number }) => {
  const begin = performance.now()
  let next = 0
  await Promise.all(
    Array.from({ length: 32 }, async () => {
      while (next < order.run) {
        const range = next++ % order.ranges
        const values = [`inv_${String(made++).padStart(26, "0")}`, range, lines, totals, acquirer, signed, event]
        await pool.query({ name: "floor", text, values })
      }
    })
  )
  process.send?.({ count: order.run, seconds: (performance.now() - begin) / 1000 })
})
process.once("SIGTERM", () => void pool.end().then(() => process.exit(0)))
process.send?.({ ready: true })
