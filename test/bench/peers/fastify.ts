import { Pool } from "pg"
import { invoiceServer } from "./InvoiceRoute.ts"
import { start, variable } from "./Program.ts"

/*
 * The cost of storing a request with only Fastify and `pg`: one validated body, one prepared insert, one commit. There
 * is no authentication and no later step.
 */
const pool = new Pool({ connectionString: variable("PG_URL"), max: 32 })
await pool.query(`
  create table invoices (
    id uuid primary key default gen_random_uuid(),
    body jsonb not null,
    created_at timestamptz not null default now()
  )`)

const server = invoiceServer(async (request) => {
  const { rows } = await pool.query<{ id: string }>({
    name: "insert",
    text: "insert into invoices (body) values ($1) returning id",
    values: [JSON.stringify(request)]
  })
  return rows[0]!.id
})

await start(() => pool.end(), server)
