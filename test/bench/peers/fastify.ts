import Fastify from "fastify"
import { Pool } from "pg"
import { invoiceSchema } from "./invoiceSchema.ts"

// What a plain service does with the same body: it validates it, and inserts it.
const pool = new Pool({ connectionString: process.env["PG_URL"], max: 32 })
await pool.query(
  "create table invoices (id uuid primary key default gen_random_uuid(), body jsonb not null, created_at timestamptz not null default now())"
)
const app = Fastify()
app.post("/invoices", { schema: { body: invoiceSchema } }, async (request, reply) => {
  const { rows } = await pool.query({
    name: "insert",
    text: "insert into invoices (body) values ($1) returning id",
    values: [JSON.stringify(request.body)]
  })
  return reply.code(202).send({ id: rows[0].id, object: "invoice", status: "draft" })
})
await app.listen({ port: Number(process.env["PORT"]), host: "127.0.0.1" })
process.once(
  "SIGTERM",
  () =>
    void app
      .close()
      .then(() => pool.end())
      .then(() => process.exit(0))
)
process.send?.({ ready: true })
