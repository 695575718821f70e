import { assert } from "@effect/vitest"
import { Array, Effect, Fiber } from "effect"
import type { Answer, NoAnswer } from "../../support/apps/Client.ts"
import { invoiceBody } from "../../support/apps/Invoices.ts"
import { until } from "../../support/apps/Until.ts"
import { balanced, settled, SeveralProcesses } from "../../support/processes/SeveralProcesses.ts"
import { describeLive } from "../../support/Tests.ts"

const parallel = 50
// Number of concurrent requests: half a thousand.
const keysAtOnce = 10

const cached = ({ headers }: Answer) => headers.get("svc-idempotency-cached")
const isInProgress = ({ json }: Answer) => json.status === "in_progress"

/** The client retries when a process cannot serve the account at the moment, or when its queue of creations is full. */
const post = Effect.fnUntraced(function* (process: number, key: string) {
  const { clients, customer } = yield* SeveralProcesses
  const asked: Effect.Effect<Answer, NoAnswer> = Effect.flatMap(
    clients[process % clients.length]!.post("/v1/invoices", invoiceBody(customer, { key }), { key }),
    (answer) => {
      if (answer.status !== 503 && answer.status !== 429) return Effect.succeed(answer)
      assert.include(["service_unavailable", "rate_limited"], answer.json?.error?.code, answer.text)
      return Effect.delay(asked, "1 second")
    }
  )
  return yield* asked
})

/** The responses to 50 requests with each of the keys, half of them at each process. */
const postAll = (keys: ReadonlyArray<string>) =>
  Effect.forEach(
    keys,
    (key) =>
      Effect.map(
        Effect.forEach(
          Array.makeBy(parallel, (process) => process),
          (process) => post(process, key),
          { concurrency: "unbounded" }
        ),
        (answers) => ({ key, answers })
      ),
    { concurrency: keysAtOnce }
  )

/** Asserts that all responses with one key are the same. Returns how many of them are not replays: one or none. */
const firstAnswers = Effect.fnUntraced(function* (key: string, answers: ReadonlyArray<Answer>) {
  const others = answers.filter(({ status }) => status !== 202)
  assert.deepStrictEqual(
    others.map(({ text }) => text),
    [],
    key
  )
  // As in the environment of the processes.
  assert.strictEqual(answers[0]?.headers.get("ratelimit-policy"), '"default";q=1000000;w=1')
  const first = answers.filter((answer) => cached(answer) === "false" && !isInProgress(answer)).length
  assert.isAtMost(first, 1, key)
  const [one, ...rest] = answers.filter((answer) => !isInProgress(answer))
  for (const answer of rest) {
    assert.strictEqual(answer.text, one?.text)
    assert.strictEqual(answer.headers.get("location"), one?.headers.get("location"))
  }
  for (const process of [0, 1]) {
    const again = yield* post(process, key)
    assert.deepStrictEqual([cached(again), again.text], ["true", one?.text], key)
  }
  return first
})

const assertOneInvoiceEach = Effect.fnUntraced(function* (keys: ReadonlyArray<string>) {
  const { processes } = yield* SeveralProcesses
  yield* settled
  const [all] = yield* processes[0]!.rows<object>(`
    select count(*)::int as invoices, count(distinct metadata ->> 'key')::int as keys,
      (max(number) - min(number) + 1)::int as span from invoices where metadata ->> 'key' like '${keys[0]!.split(" ")[0]} %'`)
  assert.deepStrictEqual(all, { invoices: keys.length, keys: keys.length, span: keys.length })
})

/** Suspends the sessions that hold the locks of the processes' actors, until each process has released its actors. */
const loseActors = Effect.gen(function* () {
  const { clients, processes } = yield* SeveralProcesses
  const [{ sessions } = { sessions: [] }] = yield* processes[0]!.rows<{ sessions: ReadonlyArray<number> }>(`
    select array_agg(distinct pid) as sessions from pg_locks
    where locktype = 'advisory' and granted and database = (select oid from pg_database where datname = current_database())`)
  const signal = (name: "SIGCONT" | "SIGSTOP") =>
    Effect.sync(() => {
      for (const session of sessions) process.kill(session, name)
    })
  const lost = Effect.forEach(
    clients,
    (client) => until(client.get("/health/ready"), ({ text }) => text.includes("has no actors")),
    { concurrency: "unbounded" }
  )
  yield* signal("SIGSTOP").pipe(Effect.andThen(lost), Effect.ensuring(signal("SIGCONT")))
})

describeLive(SeveralProcesses.layer(2))("Two processes on one database", (it) => {
  it.effect(
    "make one invoice for each of 50 keys with 50 concurrent requests each, and return its response to all of them",
    function* () {
      yield* balanced
      const keys = Array.makeBy(50, (index) => `same ${index}`)
      let firsts = 0
      for (const { key, answers } of yield* postAll(keys)) firsts += yield* firstAnswers(key, answers)
      // A busy process may lose actors. Calls to a lost actor are repeated, and its first response is lost.
      assert.isAbove(firsts, 0)
      yield* assertOneInvoiceEach(keys)
    }
  )

  it.effect("make one invoice for each key even while they lose all their actors and get them back", function* () {
    yield* balanced
    const keys: Array<string> = []
    const losing = yield* Effect.forkChild(loseActors)
    while (losing.pollUnsafe() === undefined) {
      const round = Array.makeBy(keysAtOnce, (index) => `moved ${keys.length + index}`)
      keys.push(...round)
      for (const { key, answers } of yield* postAll(round)) yield* firstAnswers(key, answers)
    }
    yield* Fiber.join(losing)
    yield* assertOneInvoiceEach(keys)
  })
})
