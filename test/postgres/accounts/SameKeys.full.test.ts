import { assert } from "@effect/vitest"
import { Array, Effect, Fiber } from "effect"
import type { Answer, NoAnswer } from "../../support/apps/Client.ts"
import { invoiceBody } from "../../support/apps/Invoices.ts"
import { until } from "../../support/apps/Until.ts"
import { balanced, settled, SeveralProcesses } from "../../support/processes/SeveralProcesses.ts"
import { describeLive } from "../../support/Tests.ts"

const parallel = 50
// So many requests are under way at once: half a thousand.
const keysAtOnce = 10

const cached = ({ headers }: Answer) => headers.get("svc-idempotency-cached")
const isInProgress = ({ json }: Answer) => json.status === "in_progress"

/** The client asks again when a process cannot serve the account at the moment, or has too many creations of the account waiting. */
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

/** The answers to 50 requests with each of the keys, half of them at each process. */
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

/** All answers with one key are the same. Gives how many of them are the first one and not repeated: one or none. */
const firstAnswers = Effect.fnUntraced(function* (key: string, answers: ReadonlyArray<Answer>) {
  const others = answers.filter(({ status }) => status !== 202)
  assert.deepStrictEqual(
    others.map(({ text }) => text),
    [],
    key
  )
  // As the environment of the processes has it.
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

/** Halts the sessions that hold the locks of the processes' actors, until each process has given its actors up. */
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
    "make one invoice of each of 50 keys that 50 requests each bring at once, and give all of them its answer",
    function* () {
      yield* balanced
      const keys = Array.makeBy(50, (index) => `same ${index}`)
      let firsts = 0
      for (const { key, answers } of yield* postAll(keys)) firsts += yield* firstAnswers(key, answers)
      // A process, busy as it is, may lose actors: what an actor was asked is then asked again, and its first answer is not heard.
      assert.isAbove(firsts, 0)
      yield* assertOneInvoiceEach(keys)
    }
  )

  it.effect("make one invoice of each key also while they lose all their actors and get them back", function* () {
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
