import { assert } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { type Answer, makeClient, type NoAnswer } from "../../support/apps/Client.ts"
import { invoiceBody } from "../../support/apps/Invoices.ts"
import { until } from "../../support/apps/Until.ts"
import { freshDatabase } from "../../support/database/Postgres.ts"
import { reconcile } from "../../support/database/Reconcile.ts"
import { balanced, settled, SeveralProcesses } from "../../support/processes/SeveralProcesses.ts"
import { flood } from "../../support/traffic/Flood.ts"
import { openAccounts } from "../../support/traffic/OpenAccounts.ts"
import { describeLive } from "../../support/Tests.ts"

// More than two processors can issue. A slower machine offers fewer creations, and issues fewer.
const offered = { rate: 600, seconds: 5, connections: 400 }
const keysOfFlood = 4

// Measured: 130 MB more.
const moreMemoryMax = 600 * 2 ** 20

/** Retries a request that ran into its time-out: next to other programs, the service may hang for longer. */
const served = (request: Effect.Effect<Answer, NoAnswer>) => until(request, ({ status }) => status !== 503)

// `npm run overload` measures latencies. Connections of a trusted proxy are not paused after rejections.
describeLive(SeveralProcesses.layerOn(freshDatabase, 1, { env: { TRUSTED_PROXIES: "loopback" } }))(
  "A service with more creations than it can issue",
  (it) => {
    it.effect(
      "issues every accepted document, rejects the others with a time to retry, and serves another account",
      function* () {
        const { journal, processes, receiver } = yield* SeveralProcesses
        const service = processes[0]!
        const { paths, payers } = yield* openAccounts(2)
        const [flooder, { apiKey, customer }] = [payers[0]!, payers[1]!]
        const keys = [flooder]
        while (keys.length < keysOfFlood) {
          const { json } = yield* makeClient(service.url, flooder.apiKey).post("/v1/api-keys", {})
          keys.push({ ...flooder, apiKey: String(json.key) })
        }
        const neighbour = makeClient(service.url, apiKey)
        const memory = Effect.map(neighbour.get("/metrics"), ({ text }) =>
          Number(/^process_resident_memory_bytes (\S+)$/m.exec(text)?.[1])
        )
        yield* balanced

        const before = yield* memory
        let peak = before
        const flooding = yield* Effect.forkChild(
          Effect.promise(() => flood({ url: service.url, payers: keys, ...offered })),
          { startImmediately: true }
        )
        const statuses: Array<number> = []
        let orders = 0
        const order = Effect.gen(function* () {
          const key = `neighbour ${orders++}`
          const created = yield* served(neighbour.post("/v1/invoices", invoiceBody(customer, { key }), { key }))
          journal.set(key, created)
          const read = yield* served(neighbour.get(`/v1/invoices/${created.json.id}`))
          statuses.push(created.status, read.status)
          peak = Math.max(peak, yield* memory)
        })
        while (flooding.pollUnsafe() === undefined) yield* order
        const { sent } = yield* Fiber.join(flooding)
        yield* order

        const refused = sent.filter(({ status }) => status !== 202)
        for (const { id, key, status } of sent) {
          if (status === 202) journal.set(key, { status, headers: new Headers(), text: "", json: { id } })
        }
        assert.isAbove(refused.length, 0)
        // A rejected creation can succeed later.
        assert.isAbove(
          sent.findLastIndex(({ status }) => status === 202),
          sent.findIndex(({ status }) => status !== 202)
        )
        for (const { retryAfter, status, why } of refused) {
          assert.include(["429 rate_limited", "503 service_unavailable"], `${status} ${why}`)
          assert.isAbove(Number(retryAfter), 0)
        }
        assert.deepStrictEqual(new Set(statuses), new Set([202, 200]))
        assert.isBelow(peak - before, moreMemoryMax)

        yield* settled
        const { doubled, invoices } = yield* reconcile({
          service,
          journal,
          receiver,
          before: new Map(),
          pathOf: (endpoint) => paths.get(endpoint) ?? ""
        })
        assert.strictEqual(invoices, journal.size)
        assert.strictEqual(doubled, 0)
      }
    )
  }
)
