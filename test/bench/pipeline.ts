import { spawn } from "node:child_process"
import * as Fs from "node:fs"
import * as Http from "node:http"
import * as Os from "node:os"
import * as Path from "node:path"
import { Pool } from "undici"

/**
 * The pipeline, from POST to the webhook that tells the outcome: a service process with its embedded database, this process
 * as its clients and its receiver. Prints rates and latencies of one run.
 *
 *   node test/bench/pipeline.ts [--invoices 5000] [--connections 32] [--endpoints 1]
 */
const option = (name: string, standard: number) => {
  const at = process.argv.indexOf(`--${name}`)
  return at === -1 ? standard : Number(process.argv[at + 1])
}
const invoices = option("invoices", 5_000)
const connections = option("connections", 32)
const maxInFlight = option("in-flight", 64)
const profile = process.argv.includes("--profile")

const root = Path.resolve(import.meta.dirname, "../..")
const dataDir = Fs.mkdtempSync(Path.join(Os.tmpdir(), "folio-bench-"))
const port = 3900
const receiverPort = 9900
const started = performance.now()

const delivered = new Map<string, number>()
let wanted = Number.POSITIVE_INFINITY
let done = () => {}
const receiver = Http.createServer((request, response) => {
  let body = ""
  request.on("data", (chunk) => (body += chunk))
  request.on("end", () => {
    response.end()
    const id: string = JSON.parse(body).data.object.id
    if (!delivered.has(id)) delivered.set(id, performance.now())
    if (delivered.size >= wanted) done()
  })
})
await new Promise<void>((resolve) => receiver.listen(receiverPort, "127.0.0.1", resolve))

const service = spawn(
  process.execPath,
  [...(profile ? ["--cpu-prof", `--cpu-prof-dir=${Path.join(Os.tmpdir(), "folio-profile")}`] : []), "src/main.ts"],
  {
    cwd: root,
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, DATA_DIR: dataDir, PORT: String(port), WEBHOOK_ALLOW: `127.0.0.1:${receiverPort}` }
  }
)
process.once("exit", () => service.kill("SIGKILL"))
process.once("SIGTERM", () => process.exit(1))
const pool = new Pool(`http://127.0.0.1:${port}`, { connections, pipelining: 1 })
const call = async (method: "GET" | "POST", path: string, body?: unknown, key?: string) => {
  const answer = await pool.request({
    method,
    path,
    headers: {
      authorization: `Bearer ${secret}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(key === undefined ? {} : { "idempotency-key": key })
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
  const text = await answer.body.text()
  if (answer.statusCode >= 300) throw new Error(`${method} ${path}: ${answer.statusCode} ${text}`)
  return JSON.parse(text)
}
let secret = ""
const ready = async () => {
  for (;;) {
    try {
      const answer = await pool.request({ method: "GET", path: "/health/ready" })
      await answer.body.dump()
      if (answer.statusCode === 200) return
    } catch {
      // not listening yet
    }
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
await ready()
const readyAfter = performance.now() - started
secret = Fs.readFileSync(Path.join(dataDir, "test-key"), "utf8").trim()

await call("POST", "/v1/webhook-endpoints", {
  url: `http://127.0.0.1:${receiverPort}/`,
  subscribed_events: ["invoice.accepted_by_authority"],
  max_in_flight: maxInFlight
})
const customer = await call(
  "POST",
  "/v1/customers",
  {
    identification: { type: "31", number: "900000001", check_digit: "1" },
    legal_name: "Cliente de Prueba S.A.S.",
    organization_type: "1"
  },
  "customer"
)
const invoice = {
  customer_id: customer.id,
  currency: "COP",
  operation_type: "10",
  payment_means: { code: "10", type: "1" },
  lines: [
    {
      description: "Servicio",
      quantity: "1.00",
      unit_code: "94",
      unit_price: "100000.00",
      line_extension_amount: "100000.00",
      taxes: [{ code: "01", rate: "19.00", base: "100000.00", value: "19000.00" }]
    }
  ],
  metadata: { order: "A-1" }
}

const percentile = (values: ReadonlyArray<number>, p: number) => (values[Math.floor(values.length * p)] ?? 0).toFixed(1)

const run = async (label: string, count: number) => {
  delivered.clear()
  wanted = count
  const finished = new Promise<void>((resolve) => (done = resolve))
  const posted = new Map<string, number>()
  const answered: Array<number> = []
  const begin = performance.now()
  let next = 0
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (next < count) {
        const key = `${label}-${next++}`
        const at = performance.now()
        const { id } = await call("POST", "/v1/invoices", invoice, key)
        posted.set(id, at)
        answered.push(performance.now() - at)
      }
    })
  )
  const allPosted = performance.now() - begin
  await finished
  const allDelivered = performance.now() - begin
  const latencies = [...delivered].map(([id, at]) => at - (posted.get(id) ?? at)).toSorted((a, b) => a - b)
  const sorted = answered.toSorted((a, b) => a - b)
  process.stdout.write(
    `${label}: create ${Math.round(count / (allPosted / 1000))}/s p50 ${percentile(sorted, 0.5)} p99 ${percentile(sorted, 0.99)} ms; ` +
      `delivered ${Math.round(count / (allDelivered / 1000))}/s p50 ${percentile(latencies, 0.5)} p99 ${percentile(latencies, 0.99)} ms\n`
  )
}

process.stdout.write(`ready after ${Math.round(readyAfter)} ms\n`)
await run("warm-up", Math.min(1_000, invoices))
await run("measured", invoices)
const cpu = process.cpuUsage()
process.stdout.write(`load generator's own CPU: ${((cpu.user + cpu.system) / 1e6).toFixed(1)} s\n`)

await pool.close()
receiver.closeAllConnections()
receiver.close()
service.kill("SIGTERM")
await new Promise((resolve) => service.once("exit", resolve))
Fs.rmSync(dataDir, { recursive: true, force: true })
