import { assert } from "@effect/vitest"
import { Array, Effect } from "effect"
import type { Answer, NoAnswer } from "../../support/apps/Client.ts"
import { invoiceBody } from "../../support/apps/Invoices.ts"
import { balanced, settled, SeveralProcesses } from "../../support/processes/SeveralProcesses.ts"
import { describeLive } from "../../support/Tests.ts"

const keys = Array.makeBy(50, (index) => `same ${index}`)
const parallel = 50
// So many requests are under way at once: half a thousand.
const keysAtOnce = 10

const cached = ({ headers }: Answer) => headers.get("svc-idempotency-cached")
const isInProgress = ({ json }: Answer) => json.status === "in_progress"

describeLive(SeveralProcesses.layer(2))("Two processes on one database", (it) => {
  it.effect(
    "make one invoice of each of 50 keys that 50 requests each bring at once, and give all of them its answer",
    function* () {
      const { clients, customer, processes } = yield* SeveralProcesses
      yield* balanced
      const body = (key: string) => invoiceBody(customer, { key })
      /** The keys of which a process, busy as it is, has lost an answer with its shards: it says so, and the client asks again. */
      const interrupted = new Set<string>()
      const post = (process: number, key: string): Effect.Effect<Answer, NoAnswer> =>
        Effect.flatMap(clients[process % clients.length]!.post("/v1/invoices", body(key), { key }), (answer) => {
          if (answer.status !== 503) return Effect.succeed(answer)
          assert.strictEqual(answer.json?.error?.code, "service_unavailable", answer.text)
          interrupted.add(key)
          return Effect.delay(post(process, key), "1 second")
        })

      const answers = yield* Effect.forEach(
        keys,
        (key) =>
          Effect.forEach(
            Array.makeBy(parallel, (process) => process),
            (process) => post(process, key),
            { concurrency: "unbounded" }
          ),
        { concurrency: keysAtOnce }
      )
      for (const [index, ofOneKey] of answers.entries()) {
        const key = keys[index]!
        const others = ofOneKey.filter(({ status }) => status !== 202)
        assert.deepStrictEqual(
          others.map(({ text }) => text),
          [],
          key
        )
        // As the environment of the processes has it.
        assert.strictEqual(ofOneKey[0]?.headers.get("ratelimit-policy"), '"default";q=1000000;w=1')
        const first = ofOneKey.filter((answer) => cached(answer) === "false" && !isInProgress(answer))
        // The first answer itself may be the one that was lost.
        if (!interrupted.has(key)) assert.lengthOf(first, 1, key)
        assert.isAtMost(first.length, 1, key)
        const [one, ...rest] = ofOneKey.filter((answer) => !isInProgress(answer))
        for (const answer of rest) {
          assert.strictEqual(answer.text, one?.text)
          assert.strictEqual(answer.headers.get("location"), one?.headers.get("location"))
        }
        for (const process of [0, 1]) {
          const again = yield* post(process, key)
          assert.deepStrictEqual([cached(again), again.text], ["true", one?.text], key)
        }
      }
      yield* settled
      const [all] = yield* processes[0]!.rows<object>(`
        select count(*)::int as invoices, count(distinct metadata ->> 'key')::int as keys,
          (max(number) - min(number) + 1)::int as span from invoices`)
      assert.deepStrictEqual(all, { invoices: keys.length, keys: keys.length, span: keys.length })
    }
  )
})
