import { type Job, PgBoss } from "pg-boss"
import { type Enqueue, serve, type Step, steps } from "./steps.ts"

/*
 * pg-boss as its documentation advises for throughput: jobs fetched in batches, several workers a queue, woken by
 * LISTEN/NOTIFY and fetching on while batches come back full; no retention work during the run.
 */
const boss = new PgBoss({
  connectionString: process.env["PG_URL"] ?? "",
  max: 16,
  useListenNotify: true,
  supervise: false,
  schedule: false
})
boss.on("error", () => {})

const enqueue: Enqueue = (client, step, id) =>
  boss.send(
    step,
    { id },
    { db: { executeSql: (text: string, values?: Array<unknown>) => client.query(text, values ?? []) } }
  )

const todo = steps(enqueue)
const names: ReadonlyArray<Step> = ["number", "sign", "submit", "deliver"]

await serve(enqueue, {
  start: async () => {
    await boss.start()
    for (const step of names) {
      await boss.createQueue(step, { notify: true })
      const options = { batchSize: 25, localConcurrency: 4, pollingIntervalSeconds: 0.5, burstWhenBatchFull: true }
      await boss.work<{ id: string }>(step, options, async (jobs: Array<Job<{ id: string }>>) => {
        await Promise.all(jobs.map((job) => todo[step](job.data.id)))
      })
    }
  },
  stop: () => boss.stop({ graceful: false })
})
