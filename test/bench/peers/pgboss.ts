import { type ClientBase, Pool } from "pg"
import { type Db, type Job as BossJob, PgBoss } from "pg-boss"
import { invoiceServer } from "./InvoiceRoute.ts"
import { start, variable } from "./Program.ts"
import { createTables, resolutionId } from "./Tables.ts"
import * as Pipeline from "./Pipeline.ts"

const connectionString = variable("PG_URL")
const pool = new Pool({ connectionString, max: 24 })
await createTables(pool, 1)

const boss = new PgBoss({ connectionString, max: 16, useListenNotify: true, schedule: false })
boss.on("error", (error) => process.stderr.write(`${error.stack}\n`))
await boss.start()
for (const name of ["number", "sign", "submit", "deliver"]) {
  await boss.createQueue(name, { notify: true, partition: true })
}

interface Job {
  readonly id: string
}

type Query = <Row extends object>(text: string, values: ReadonlyArray<unknown>) => Promise<ReadonlyArray<Row>>

const within =
  (db: Db): Query =>
  async (text, values) =>
    (await db.executeSql(text, [...values])).rows

/** Takes batches of `name`: their rows, the jobs of `next` and their completion are one transaction. */
const work = <J extends Job>(
  name: string,
  next: string,
  localConcurrency: number,
  step: (query: Query, jobs: ReadonlyArray<J>) => Promise<ReadonlyArray<Job>>
) =>
  boss.work(
    name,
    { batchSize: 100, burstWhenBatchFull: true, pollingIntervalSeconds: 0.5, localConcurrency, transactional: true },
    async (batch: ReadonlyArray<BossJob<J>>, db: Db) => {
      const done = await step(
        within(db),
        batch.map((job) => job.data)
      )
      if (done.length > 0) {
        await boss.insert(
          next,
          done.map(({ id }) => ({ data: { id } })),
          { db, returnId: false }
        )
      }
    }
  )

const idsOf = (rows: ReadonlyArray<Job>) => rows.map((row) => row.id)

const number = (query: Query, jobs: ReadonlyArray<Job & Pipeline.Issue>) =>
  query<Job>(
    `with input as (
      select * from unnest($1::text[], $2::date[], $3::text[], $4::text[])
        as n (id, issue_date, issue_time, cufe_tail)
    ),
    draft as (
      select n.* from input n join invoices i on i.id = n.id where i.state = 'queued' order by i.id for update of i
    ),
    counter as (
      update resolutions r set next_number = r.next_number + d.count from (select count(*) from draft) d
      where r.id = '${resolutionId(0)}' returning r.id, r.prefix, r.next_number - d.count as first
    ),
    given as (
      select d.*, c.id as resolution_id, c.prefix, c.first + row_number() over (order by d.id) - 1 as number
      from draft d, counter c
    )
    update invoices i set state = 'numbered', version = version + 1, resolution_id = g.resolution_id,
      prefix = g.prefix, number = g.number, full_number = g.prefix || g.number,
      cufe = encode(sha384(convert_to(g.prefix || g.number || g.cufe_tail, 'UTF8')), 'hex'),
      issue_date = g.issue_date, issue_time = g.issue_time, updated_at = now()
    from given g where i.id = g.id returning i.id`,
    [
      idsOf(jobs),
      jobs.map((job) => job.issue_date),
      jobs.map((job) => job.issue_time),
      jobs.map((job) => job.cufe_tail)
    ]
  )

const sign = async (query: Query, jobs: ReadonlyArray<Job>) => {
  const rows = await query<Pipeline.NumberedInvoice>(
    `select ${Pipeline.invoiceColumns} from invoices where id = any($1) and state = 'numbered'`,
    [idsOf(jobs)]
  )
  const signed = await Promise.all(rows.map(Pipeline.sign))
  return query<Job>(
    `with input as (select * from unnest($1::text[], $2::bytea[]) as n (id, signed)),
    document as (insert into invoice_documents (invoice_id, signed) select id, signed from input)
    update invoices i set state = 'signed', version = version + 1, updated_at = now()
    from input n where i.id = n.id returning i.id`,
    [idsOf(rows), signed]
  )
}

const submit = async (query: Query, jobs: ReadonlyArray<Job>) => {
  const rows = await query<Pipeline.NumberedInvoice & { readonly signed: Buffer }>(
    `select ${Pipeline.invoiceColumns}, signed from invoices join invoice_documents on invoice_id = id
    where id = any($1) and state = 'signed'`,
    [idsOf(jobs)]
  )
  const outcomes = rows.map((row) => Pipeline.submit(row, row.signed))
  return query<Job>(
    `with input as (
      select * from unnest($1::text[], $2::jsonb[], $3::text[], $4::text[], $5::text[], $6::text[])
        as n (id, answer, event_id, type, body, delivery_id)
    ),
    moved as (
      update invoices i set state = 'accepted_by_authority', version = version + 1, attempts = attempts + 1,
        updated_at = now()
      from input n where i.id = n.id returning n.*, i.version
    ),
    answer as (update invoice_documents d set authority_answer = m.answer from moved m where d.invoice_id = m.id),
    event as (
      insert into events (id, type, object_id, object_version, body) select event_id, type, id, version, body from moved
    )
    insert into deliveries (id, endpoint_id, event_id, object_id) select delivery_id, $7, event_id, id from moved
    returning id`,
    [
      idsOf(rows),
      outcomes.map((one) => one.answer),
      outcomes.map((one) => one.event.id),
      outcomes.map((one) => one.event.type),
      outcomes.map((one) => one.event.body),
      outcomes.map((one) => one.delivery),
      Pipeline.endpointId
    ]
  )
}

const deliver = async (jobs: ReadonlyArray<BossJob<Job>>) => {
  const { rows } = await pool.query<{
    readonly delivery: string
    readonly id: string
    readonly type: string
    readonly body: string
  }>(
    `select d.id as delivery, e.id, e.type, e.body from deliveries d join events e on e.id = d.event_id
    where d.id = any($1) and d.status = 'pending'`,
    [jobs.map((job) => job.data.id)]
  )
  const attempts = await Promise.all(rows.map(Pipeline.deliver))
  await pool.query(
    `with done as (
      update deliveries d set status = 'succeeded', attempts = attempts + 1, updated_at = now()
      from unnest($1::text[], $2::timestamptz[], $3::integer[], $4::integer[]) as n (id, started_at, duration_ms, status)
      where d.id = n.id returning d.id, d.attempts, n.started_at, n.duration_ms, n.status
    )
    insert into attempts (delivery_id, number, started_at, duration_ms, remote_ip, response_status)
    select id, attempts, started_at, duration_ms, '127.0.0.1', status from done`,
    [
      rows.map((row) => row.delivery),
      attempts.map((one) => one.startedAt),
      attempts.map((one) => one.durationMs),
      attempts.map((one) => one.status)
    ]
  )
}

await work("number", "sign", 1, number)
await work("sign", "submit", 2, sign)
await work("submit", "deliver", 2, submit)
await boss.work(
  "deliver",
  { batchSize: 100, burstWhenBatchFull: true, pollingIntervalSeconds: 0.5, localConcurrency: 2 },
  deliver
)

// pg-boss's own statement to enqueue one job always has the same text, so it can be prepared.
const prepared = (client: ClientBase): Db => ({
  executeSql: (text, values = []) => client.query({ name: "enqueue", text, values: [...values] })
})

const insertDraft = `insert into invoices (${Pipeline.draftColumns}) values (${Pipeline.draftPlaceholders})`
const server = invoiceServer(async (request) => {
  const { id, values } = Pipeline.draftOf(request)
  const client = await pool.connect()
  try {
    await client.query("begin")
    await client.query({ name: "draft", text: insertDraft, values })
    await boss.send("number", { id, ...Pipeline.issueOf(request) }, { db: prepared(client) })
    await client.query("commit")
  } catch (error) {
    await client.query("rollback")
    throw error
  } finally {
    client.release()
  }
  return id
})

await start(async () => {
  await boss.stop()
  await Pipeline.close()
  await pool.end()
}, server)
