import { Effect } from "effect"
import Fastify from "fastify"
import { Pool, type PoolClient } from "pg"
import { Pool as HttpPool } from "undici"
import { fromPem, makeSelfSigned } from "../../../src/documents/Certificate.ts"
import { type DocumentContent, readSignedDocument, signDocument } from "../../../src/documents/SignedDocument.ts"
import { issueTime, localDate } from "../../../src/domain/AuthorityTime.ts"
import { cufe, cufeTail } from "../../../src/domain/Cufe.ts"
import { taxTotal, totalsOf } from "../../../src/domain/Totals.ts"
import { signatureHeaders } from "../../../src/domain/WebhookSignature.ts"
import { invoiceSchema } from "./invoiceSchema.ts"

/*
 * What a service with a job queue does with an invoice: one job a step, each with its rows and the next job in one transaction.
 * The rules, the document and the webhook are the service's own code; only the queue differs between the peers.
 */
export type Step = "number" | "sign" | "submit" | "deliver"

/** Puts a job into the queue, in the transaction of this connection. */
export type Enqueue = (client: PoolClient, step: Step, id: string) => Promise<unknown>

const tables = `
  create table ranges (id integer primary key, next bigint not null);
  insert into ranges values (1, 990000000);
  create table invoices (id text primary key, state text not null, body jsonb not null, number bigint unique, cufe text unique,
    issue_date text, issue_time text, created_at timestamptz not null default now());
  create table documents (invoice_id text primary key, signed bytea not null);
  create table events (id text primary key, invoice_id text not null, body text not null);
  create table attempts (event_id text primary key, status integer not null)`

const issuer = {
  identification: { type: "31", number: "900373115", check_digit: "3" },
  legal_name: "Folio Sandbox S.A.S.",
  organization_type: "1",
  email: "facturas@folio.test",
  address: "Carrera 7 71-21",
  city_code: "11001",
  department_code: "11",
  country_code: "CO",
  tax_responsibilities: ["R-99-PN"]
} as const
const acquirer = {
  identification: { type: "31", number: "900000001", check_digit: "1" },
  legal_name: "Cliente de Prueba S.A.S.",
  organization_type: "1"
} as const
const technicalKey = "fc8eac422eba16e22ffd8c6f94b3f40a6e38162c"
const secret = "whsec_c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0c2U="

export const pool = new Pool({ connectionString: process.env["PG_URL"], max: 32 })
const receiver = new URL(process.env["RECEIVER"] ?? "")
const hooks = new HttpPool(receiver.origin, { connections: 64 })
const unsigned = process.env["SIGN"] === "noop"
const certificate = unsigned
  ? { certificate: "", sign: () => Effect.succeed(new Uint8Array(256)) }
  : fromPem(await Effect.runPromise(makeSelfSigned("peer", new Date())))

const inTransaction = async <A>(work: (client: PoolClient) => Promise<A>) => {
  const connection = await pool.connect()
  try {
    await connection.query("begin")
    const result = await work(connection)
    await connection.query("commit")
    return result
  } catch (cause) {
    await connection.query("rollback")
    throw cause
  } finally {
    connection.release()
  }
}

const contentOf = (row: { body: unknown; number: string; cufe: string; issue_date: string; issue_time: string }) => {
  const body = row.body as Pick<DocumentContent, "currency" | "operation_type" | "payment_means" | "lines">
  return {
    full_number: `SETP${row.number}`,
    cufe: row.cufe,
    issue_date: row.issue_date,
    issue_time: row.issue_time,
    environment: "2",
    currency: body.currency,
    operation_type: body.operation_type,
    issuer,
    acquirer,
    payment_means: body.payment_means,
    lines: body.lines,
    totals: totalsOf(body.lines)
  } satisfies DocumentContent
}

const query = (client: Pool | PoolClient, name: string, text: string, values: Array<unknown>) =>
  client.query({ name, text, values })

export const steps = (enqueue: Enqueue): Record<Step, (id: string) => Promise<void>> => ({
  number: (id) =>
    inTransaction(async (client) => {
      const { rows } = await query(
        client,
        "take",
        "update ranges set next = next + 1 where id = 1 returning next - 1 as n",
        []
      )
      const draft = await query(client, "draft", "select body from invoices where id = $1 for update", [id])
      const now = Date.now()
      const totals = totalsOf(draft.rows[0].body.lines)
      const [issue_date, issue_time] = [localDate(now), issueTime(now)]
      const tail = cufeTail({
        issue_date,
        issue_time,
        line_extension_amount: totals.line_extension_amount,
        tax_01: taxTotal(totals, "01"),
        tax_04: taxTotal(totals, "04"),
        tax_03: taxTotal(totals, "03"),
        payable_amount: totals.payable_amount,
        supplier_nit: issuer.identification.number,
        customer_id: acquirer.identification.number,
        key: technicalKey,
        environment: "2"
      })
      await query(
        client,
        "number",
        "update invoices set state = 'numbered', number = $2, cufe = $3, issue_date = $4, issue_time = $5 where id = $1",
        [id, rows[0].n, cufe(`SETP${rows[0].n}`, tail), issue_date, issue_time]
      )
      await enqueue(client, "sign", id)
    }),
  sign: async (id) => {
    const { rows } = await query(pool, "numbered", "select * from invoices where id = $1", [id])
    const signed = await Effect.runPromise(signDocument(contentOf(rows[0]), certificate))
    await inTransaction(async (client) => {
      await query(client, "document", "insert into documents values ($1, $2)", [id, Buffer.from(signed)])
      await query(client, "signed", "update invoices set state = 'signed' where id = $1", [id])
      await enqueue(client, "submit", id)
    })
  },
  submit: async (id) => {
    const { rows } = await query(
      pool,
      "submit",
      "update invoices i set state = 'submitted' from documents d where i.id = $1 and d.invoice_id = i.id returning i.cufe, d.signed",
      [id]
    )
    const [{ cufe: code, signed }] = rows
    if (!unsigned && readSignedDocument(signed)?.cufe !== code) throw new Error("not what was signed")
    const status = "accepted_by_authority"
    const event = `evt_${id.slice(4)}`
    const object = { id, object: "invoice", status, cufe: code, pdf_url: null }
    const body = {
      id: event,
      object: "event",
      type: `invoice.${status}`,
      created: new Date(),
      livemode: false,
      data: { object }
    }
    await inTransaction(async (client) => {
      await query(client, "accepted", "update invoices set state = $2 where id = $1", [id, status])
      await query(client, "event", "insert into events values ($1, $2, $3)", [event, id, JSON.stringify(body)])
      await enqueue(client, "deliver", event)
    })
  },
  deliver: async (event) => {
    const { rows } = await query(pool, "body", "select body from events where id = $1", [event])
    const { body } = rows[0]
    const timestamp = Math.floor(Date.now() / 1000)
    const answer = await hooks.request({
      method: "POST",
      path: receiver.pathname,
      body,
      headers: {
        "content-type": "application/json",
        ...signatureHeaders({ secret, messageId: event, timestamp, body })
      }
    })
    await answer.body.dump()
    await query(pool, "attempt", "insert into attempts values ($1, $2)", [event, answer.statusCode])
  }
})

let made = 0

/** Makes the tables, and serves `POST /invoices` as soon as the queue is ready. */
export const serve = async (
  enqueue: Enqueue,
  queue: { readonly start: () => Promise<unknown>; readonly stop: () => Promise<unknown> }
) => {
  await pool.query(tables)
  await queue.start()
  const app = Fastify()
  app.post("/invoices", { schema: { body: invoiceSchema } }, async (request, reply) => {
    const id = `inv_${String(made++).padStart(26, "0")}`
    await inTransaction(async (client) => {
      await query(client, "create", "insert into invoices (id, state, body) values ($1, 'queued', $2)", [
        id,
        JSON.stringify(request.body)
      ])
      await enqueue(client, "number", id)
    })
    return reply.code(202).send({ id, object: "invoice", status: "draft" })
  })
  await app.listen({ port: Number(process.env["PORT"]), host: "127.0.0.1" })
  process.once(
    "SIGTERM",
    () =>
      void app
        .close()
        .then(() => queue.stop())
        .then(() => pool.end())
        .then(() => process.exit(0))
  )
  process.send?.({ ready: true })
}
