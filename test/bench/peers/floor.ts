import { hash, randomBytes, randomUUID } from "node:crypto"
import { Pool } from "pg"
import { customerBody, invoiceBody } from "../../support/apps/Invoices.ts"
import { inTurn } from "../Load.ts"
import { start, variable } from "./Program.ts"
import { createTables, newId, resolutionId } from "./Tables.ts"

/*
 * The least SQL for an invoice: one prepared statement and one commit for all its rows in their final states, from as
 * many concurrent connections as the peers have. Nothing is signed, sent or received. With one range every commit waits
 * for the one before it, because the counter row is locked until then: this is the minimum for gapless numbers that are
 * assigned one at a time. With many ranges commits share their flushes.
 */
const connections = 32
const rangesMax = 100
const pool = new Pool({ connectionString: variable("PG_URL"), max: connections })
await createTables(pool, rangesMax)

// The counter is updated first, so that the statement waits only once.
const statement = `
  with counter as (
    update resolutions set next_number = next_number + 1 where id = $1
    returning id, prefix, next_number - 1 as number
  ),
  invoice as (
    insert into invoices (account_id, livemode, id, customer_id, state, version, attempts, currency, operation_type,
      payment_means, lines, totals, acquirer, metadata, resolution_id, prefix, number, full_number, cufe, issue_date,
      issue_time)
    select 'acct_00000000000000000000000000', false, $2, 'cus_00000000000000000000000000', 'accepted_by_authority', 5, 1,
      'COP', '10', $3, $4, $5, $6, $7, id, prefix, number, prefix || number, $8, current_date, '10:00:00-05:00'
    from counter
  ),
  document as (insert into invoice_documents (invoice_id, signed, authority_answer) values ($2, $9, $10)),
  event as (
    insert into events (id, type, object_id, object_version, body)
    values ($11, 'invoice.accepted_by_authority', $2, 5, $12)
  ),
  delivery as (
    insert into deliveries (id, endpoint_id, event_id, object_id, status, attempts)
    values ($13, 'we_00000000000000000000000000', $11, $2, 'succeeded', 1)
  )
  insert into attempts (delivery_id, number, started_at, duration_ms, remote_ip, response_status)
  values ($13, 1, now(), 3, '127.0.0.1', 200)`

const { lines, metadata, payment_means } = invoiceBody("", { order: "A-1" })
const totals = {
  line_extension_amount: "100000.00",
  tax_amount: "19000.00",
  payable_amount: "119000.00",
  taxes: lines[0]?.taxes
}
const content = [payment_means, lines, totals, customerBody(), metadata].map((member) => JSON.stringify(member))
const answer = JSON.stringify({
  StatusCode: "00",
  IsValid: true,
  StatusDescription: "Procesado Correctamente.",
  StatusMessage: "La Factura electrónica SETP990000000, ha sido autorizada.",
  ErrorMessage: []
})
// As many bytes as the service writes for this invoice, and equally hard to compress.
const signed = Buffer.from(randomBytes(1_875).toString("base64"))
const body = randomBytes(465).toString("base64")

const insertOne = (range: number) =>
  pool.query({
    name: "invoice",
    text: statement,
    values: [
      resolutionId(range),
      newId("inv"),
      ...content,
      hash("sha384", randomUUID(), "hex"),
      signed,
      answer,
      newId("evt"),
      body,
      newId("whd")
    ]
  })

/** Seconds for inserting `count` invoices, from each range in turn. */
const insertAll = async (count: number, ranges: number): Promise<number> => {
  const begin = performance.now()
  await inTurn(count, connections, (index) => insertOne(index % ranges))
  return (performance.now() - begin) / 1_000
}

process.on("message", async ({ ranges = 1, run: count }: { readonly run: number; readonly ranges?: number }) => {
  process.send?.({ count, seconds: await insertAll(count, Math.min(ranges, rangesMax)) })
})

await start(() => pool.end())
