import { assert, describe } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { makeClient } from "../../support/apps/Client.ts"
import { customerBody, endpointBody, invoiceBody } from "../../support/apps/Invoices.ts"
import { until } from "../../support/apps/Until.ts"
import { retryingBalancer } from "../../support/traffic/RetryingBalancer.ts"
import { isDone, type Journal, openWork, reconcile } from "../../support/database/Reconcile.ts"
import { folioCommand } from "../../support/processes/FolioCommand.ts"
import { type ServiceProcess, serviceProcess } from "../../support/processes/ServiceProcess.ts"
import { receiver } from "../../support/receiver/Receiver.ts"
import { it } from "../../support/Tests.ts"

const textOf = (path: string) => (Fs.existsSync(path) ? Fs.readFileSync(path, "utf8") : "")

/** The processes that the supervisor of a service has started, without its PostgreSQL. */
const processesOf = ({ dataDir }: ServiceProcess) =>
  Effect.sync(() => {
    const supervisor = textOf(Path.join(dataDir, "folio.pid")).trim()
    const children = textOf(`/proc/${supervisor}/task/${supervisor}/children`).trim().split(" ")
    return children.map(Number).filter((pid) => /src\/main\.[tj]s/.test(textOf(`/proc/${pid}/cmdline`)))
  })

const isRunning = (pid: number) => textOf(`/proc/${pid}/cmdline`) !== ""

const ends = (pids: ReadonlyArray<number>) =>
  until(
    Effect.sync(() => pids.filter(isRunning)),
    ({ length }) => length === 0
  )

const says = (service: ServiceProcess, words: string, times = 1) =>
  until(service.log, (log) => log.split(words).length > times)

/** A service of two processes with the embedded PostgreSQL, when both are ready. */
const twoProcesses = Effect.fnUntraced(function* (webhookAllow: string) {
  const service = yield* serviceProcess({ webhookAllow, env: { PROCESSES: "2" } })
  yield* service.start()
  yield* says(service, "2 processes serve port")
  return service
})

describe("A supervisor of two processes", () => {
  it.live(
    "loses no acknowledged request, and none that the balancer retries, when one process gets kill -9",
    function* () {
      const hooks = yield* receiver
      const service = yield* twoProcesses(`127.0.0.1:${hooks.port}`)
      const log = yield* service.log
      // Each process logs that it is ready. The account and its key are created once.
      assert.lengthOf(log.match(/"Folio is ready"/g) ?? [], 2)
      assert.lengthOf(log.match(/"test_key_file"/g) ?? [], 1)
      assert.notInclude(log, service.client().apiKey)

      const front = yield* retryingBalancer(service.url)
      const client = makeClient(front.url, service.client().apiKey)
      yield* client.post("/v1/webhook-endpoints", endpointBody(hooks.url("/hooks")))
      const customer = String((yield* client.post("/v1/customers", customerBody(), { key: "customer" })).json.id)
      const journal: Journal = new Map()
      const count = 120
      const load = yield* Effect.forEach(
        Array.from({ length: count }, (_, index) => `supervised ${index}`),
        (key) =>
          Effect.map(client.post("/v1/invoices", invoiceBody(customer, { key }), { key }), (answer) => {
            journal.set(key, answer)
          }),
        { concurrency: 12, discard: true }
      ).pipe(Effect.forkScoped)

      yield* until(
        Effect.sync(() => journal.size),
        (size) => size >= 40
      )
      const before = yield* processesOf(service)
      assert.lengthOf(before, 2)
      process.kill(before[0]!, "SIGKILL")
      yield* Fiber.join(load)
      assert.deepStrictEqual([...new Set([...journal.values()].map(({ status }) => status))], [202])
      const after = yield* until(processesOf(service), ({ length }) => length === 2)
      assert.include(after, before[1])

      // A document that the killed process was submitting may wait for the end of its lease.
      yield* until(openWork(service), isDone, "180 seconds")
      const { invoices } = yield* reconcile({ service, journal, receiver: hooks, before: new Map() })
      assert.strictEqual(invoices, count)

      const doctor = yield* folioCommand(["doctor", "--json"], { DATA_DIR: service.dataDir })
      assert.isTrue(doctor.json.ok, doctor.out)

      const processes = yield* processesOf(service)
      yield* service.signal("SIGTERM")
      assert.deepStrictEqual(yield* service.ended, { code: 0, signal: null })
      assert.strictEqual(yield* service.postmaster, 0)
      assert.deepStrictEqual(processes.filter(isRunning), [])
    }
  )

  it.live(
    "leaves no process behind after a kill -9 of the supervisor, and the next one adopts PostgreSQL",
    function* () {
      const service = yield* twoProcesses("")
      const processes = yield* processesOf(service)
      const postmaster = yield* service.postmaster
      yield* service.signal("SIGKILL")
      yield* service.ended
      yield* ends(processes)
      assert.strictEqual(yield* service.postmaster, postmaster)
      yield* service.start()
      yield* says(service, "2 processes serve port", 2)
      assert.include(yield* service.log, `Adopted the PostgreSQL (pid ${postmaster})`)

      const { port } = new URL(service.url)
      const main = { PORT: port, PROCESSES: "2" }
      const onData = yield* folioCommand(["serve"], { ...main, DATA_DIR: service.dataDir })
      assert.match(onData.error, /^folio: Another Folio \(pid \d+\) is already running with DATA_DIR [^\n]+\n$/)
      const onPort = yield* folioCommand(["serve", "--processes", "2"], {
        ...main,
        DATA_DIR: Path.join(service.dataDir, "../other")
      })
      assert.match(onPort.error, /^folio: Folio cannot listen on 127\.0\.0\.1:\d+ [^\n]+\n$/)
      assert.deepStrictEqual([onData.code, onPort.code], [1, 1])
    }
  )

  it.live("ends with the single error line of a process that cannot start", function* () {
    const service = yield* serviceProcess({ webhookAllow: "", env: { PROCESSES: "2", RUNNER_HOST: "203.0.113.1" } })
    const { message } = yield* Effect.flip(service.start())
    const lines = message.split("\n").filter((line) => line.startsWith("folio:"))
    assert.lengthOf(lines, 1, message)
    assert.deepStrictEqual(yield* service.ended, { code: 1, signal: null })
    assert.strictEqual(yield* service.postmaster, 0)
  })
})
