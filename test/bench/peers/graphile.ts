import { Logger, run, type Task } from "graphile-worker"
import { Pool } from "pg"
import { invoiceServer } from "./InvoiceRoute.ts"
import { start, variable } from "./Program.ts"
import { createTables, resolutionId } from "./Tables.ts"
import * as Pipeline from "./Pipeline.ts"

const concurrentJobs = 24
const pool = new Pool({ connectionString: variable("PG_URL"), max: 40 })
await createTables(pool, 1)

// Each connection prepares every text once.
const names = new Map<string, string>()
const query = async <Row extends object>(text: string, values: ReadonlyArray<unknown>): Promise<ReadonlyArray<Row>> => {
  const name = names.get(text) ?? `step_${names.size}`
  names.set(text, name)
  return (await pool.query<Row>({ name, text, values: [...values] })).rows
}

/**
 * Enqueues the next job after a `done` of one row: in the same statement, and so in the transaction of the step's rows.
 */
const enqueue = (task: string) =>
  ` select graphile_worker.add_job('${task}', json_build_object('id', id)) is not null as enqueued from done`

interface Job {
  readonly id: string
}

const step =
  <J extends Job>(work: (job: J) => Promise<unknown>): Task =>
  async (payload) => {
    await work(payload as J)
  }

const number = ({ id, issue_date, issue_time, cufe_tail }: Job & Pipeline.Issue) =>
  query(
    `with draft as (select id from invoices where id = $1 and state = 'queued' for update),
    counter as (
      update resolutions r set next_number = r.next_number + 1 from draft where r.id = '${resolutionId(0)}'
      returning r.id, r.prefix, r.next_number - 1 as number
    ),
    done as (
      update invoices i set state = 'numbered', version = version + 1, resolution_id = c.id, prefix = c.prefix,
        number = c.number, full_number = c.prefix || c.number,
        cufe = encode(sha384(convert_to(c.prefix || c.number || $4, 'UTF8')), 'hex'),
        issue_date = $2, issue_time = $3, updated_at = now()
      from counter c where i.id = $1
      returning i.id
    )${enqueue("sign")}`,
    [id, issue_date, issue_time, cufe_tail]
  )

const sign = async ({ id }: Job) => {
  const [row] = await query<Pipeline.NumberedInvoice>(
    `select ${Pipeline.invoiceColumns} from invoices where id = $1 and state = 'numbered'`,
    [id]
  )
  if (row === undefined) return
  await query(
    `with done as (
      update invoices set state = 'signed', version = version + 1, updated_at = now()
      where id = $1 and state = 'numbered' returning id
    ),
    document as (insert into invoice_documents (invoice_id, signed) select id, $2 from done)${enqueue("submit")}`,
    [id, await Pipeline.sign(row)]
  )
}

const submit = async ({ id }: Job) => {
  const [row] = await query<Pipeline.NumberedInvoice & { readonly signed: Buffer }>(
    `select ${Pipeline.invoiceColumns}, signed from invoices join invoice_documents on invoice_id = id
    where id = $1 and state = 'signed'`,
    [id]
  )
  if (row === undefined) return
  const { answer, delivery, event } = Pipeline.submit(row, row.signed)
  await query(
    `with moved as (
      update invoices set state = 'accepted_by_authority', version = version + 1, attempts = attempts + 1,
        updated_at = now()
      where id = $1 and state = 'signed' returning id, version
    ),
    answer as (update invoice_documents set authority_answer = $2 from moved where invoice_id = moved.id),
    event as (
      insert into events (id, type, object_id, object_version, body) select $3, $4, id, version, $5 from moved
    ),
    done as (
      insert into deliveries (id, endpoint_id, event_id, object_id) select $6, $7, $3, id from moved returning id
    )${enqueue("deliver")}`,
    [id, answer, event.id, event.type, event.body, delivery, Pipeline.endpointId]
  )
}

const deliver = async ({ id }: Job) => {
  const [event] = await query<{ readonly id: string; readonly type: string; readonly body: string }>(
    `select e.id, e.type, e.body from deliveries d join events e on e.id = d.event_id
    where d.id = $1 and d.status = 'pending'`,
    [id]
  )
  if (event === undefined) return
  const { durationMs, startedAt, status } = await Pipeline.deliver(event)
  await query(
    `with done as (
      update deliveries set status = 'succeeded', attempts = attempts + 1, updated_at = now()
      where id = $1 returning id, attempts
    )
    insert into attempts (delivery_id, number, started_at, duration_ms, remote_ip, response_status)
    select id, attempts, $2, $3, '127.0.0.1', $4 from done`,
    [id, startedAt, durationMs, status]
  )
}

const runner = await run({
  pgPool: pool,
  noHandleSignals: true,
  logger: new Logger(() => (level, message) => {
    if (level === "error") process.stderr.write(`${message}\n`)
  }),
  taskList: { number: step(number), sign: step(sign), submit: step(submit), deliver: step(deliver) },
  preset: { worker: { concurrentJobs, localQueue: { size: 500 }, completeJobBatchDelay: 0, failJobBatchDelay: 0 } }
})

const server = invoiceServer(async (request) => {
  const { id, values } = Pipeline.draftOf(request)
  await query(
    `with done as (
      insert into invoices (${Pipeline.draftColumns}) values (${Pipeline.draftPlaceholders}) returning id
    )
    select graphile_worker.add_job('number', $11::json) is not null as enqueued from done`,
    [...values, JSON.stringify({ id, ...Pipeline.issueOf(request) })]
  )
  return id
})

await start(async () => {
  await runner.stop()
  await Pipeline.close()
  await pool.end()
}, server)
