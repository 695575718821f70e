import { Logger, type Runner, run } from "graphile-worker"
import { type Enqueue, pool, serve, steps } from "./steps.ts"

/*
 * graphile-worker as its page on performance advises: one pool, jobs fetched in batches into a local queue, completed in
 * batches, woken by LISTEN/NOTIFY.
 */
const enqueue: Enqueue = (client, step, id) =>
  client.query({
    name: "add_job",
    text: "select graphile_worker.add_job($1::text, json_build_object('id', $2::text))",
    values: [step, id]
  })

const todo = steps(enqueue)
const task = (step: keyof typeof todo) => (payload: unknown) => todo[step]((payload as { id: string }).id)

let runner: Runner | undefined
await serve(enqueue, {
  start: async () => {
    runner = await run({
      pgPool: pool,
      noHandleSignals: true,
      logger: new Logger(() => () => {}),
      taskList: { number: task("number"), sign: task("sign"), submit: task("submit"), deliver: task("deliver") },
      preset: {
        worker: {
          concurrentJobs: 24,
          pollInterval: 1_000,
          localQueue: { size: 200 },
          completeJobBatchDelay: 0,
          failJobBatchDelay: 0
        }
      }
    })
  },
  stop: async () => runner?.stop()
})
