import { assert } from "@effect/vitest"
import { Array, Context, Effect, Latch, Layer, Queue } from "effect"
import { SqlClient } from "effect/sql"
import { readSignedDocument } from "../../../src/documents/signature/SignedDocument.ts"
import { Authority } from "../../../src/invoices/authority/Authority.ts"
import * as AuthoritySandbox from "../../../src/invoices/authority/AuthoritySandbox.ts"
import { Fault, type FaultPoint } from "../../../src/runtime/Fault.ts"
import * as TestApp from "../../support/apps/TestApp.ts"
import { endpointBody, invoiceBody } from "../../support/apps/Invoices.ts"
import { until } from "../../support/apps/Until.ts"
import { freshDatabase } from "../../support/database/Postgres.ts"
import { type PostgresProxy, postgresProxy } from "../../support/database/PostgresProxy.ts"
import { receiver, type Receiver } from "../../support/receiver/Receiver.ts"
import { describeLive } from "../../support/Tests.ts"

/**
 * The service with a network between it and its database. `at` runs at its fault points.
 * `sent`: the codes that the authority received.
 */
class Between extends Context.Service<
  Between,
  {
    readonly proxy: PostgresProxy
    readonly hooks: Receiver
    readonly sent: ReadonlyArray<string>
    at: (point: FaultPoint) => Effect.Effect<void>
  }
>()("test/BetweenGroup") {
  static readonly layer = Layer.unwrap(
    Effect.gen(function* () {
      const proxy = yield* postgresProxy(yield* freshDatabase)
      const hooks = yield* receiver
      const sent: Array<string> = []
      const between = Between.of({ proxy, hooks, sent, at: () => Effect.void })
      const authority = Layer.effect(
        Authority,
        Effect.map(Authority, (sandbox) => ({
          ...sandbox,
          submit: (submission: Parameters<typeof sandbox.submit>[0]) =>
            Effect.andThen(
              Effect.sync(() => sent.push(submission.cufe)),
              sandbox.submit(submission)
            )
        }))
      ).pipe(Layer.provide(AuthoritySandbox.layer({ read: readSignedDocument, latency: 0 })))
      return TestApp.layerOn(proxy.url, { allow: `127.0.0.1:${hooks.port}`, authority }).pipe(
        Layer.provideMerge(Layer.succeed(Between, between)),
        Layer.provide(Layer.succeed(Fault, (point) => Effect.suspend(() => between.at(point))))
      )
    })
  )
}

const size = 6
const step = /update invoices i set state = n.to_state/

/** The statement to cut, and the fault point before its next execution. */
const statements = [
  { what: "its numbers", statement: /set state = 'numbered'/, after: "before-number" },
  { what: "its signed bytes and submissions", statement: step, after: "after-number" },
  { what: "its outcomes", statement: step, after: "after-submit" }
] as const
const moments = ["before the database has it", "after the database has committed it"] as const
const cases = statements.flatMap((one) => moments.map((moment) => ({ ...one, moment })))

describeLive(Between.layer)("A group of documents whose connection is cut", (it) => {
  it.effect.each(cases)(
    "issues each document once after a cut at the statement that stores $what, $moment",
    function* (one) {
      const between = yield* Between
      const { hooks, proxy, sent } = between
      const { client } = yield* TestApp.TestApp
      const sql = yield* SqlClient.SqlClient
      if (cases[0] === one) yield* client.post("/v1/webhook-endpoints", endpointBody(hooks.url("/hooks")))
      const customer = yield* TestApp.newCustomer(client)
      const post = (index: number) =>
        client.post("/v1/invoices", invoiceBody(customer), { key: `${one.what} ${one.moment} ${index}` })
      // A delivery taken by a statement without a response is due after its lease of 20 s, and here after 6 s.
      const ring = sql`
      update deliveries set next_attempt_at = now()
      where status = 'pending' and next_attempt_at < now() + interval '14 seconds'`
      const delivered = (count: number) =>
        until(
          Effect.andThen(
            ring,
            sql<{ count: number }>`select count(*)::int as count from deliveries where status = 'succeeded'`
          ),
          ([row]) => row?.count === count
        )

      // The group is complete before the numbering of one earlier document ends, and starts when that document is
      // delivered.
      const held = yield* Queue.unbounded<Latch.Latch>()
      const hold = Effect.suspend(() => {
        const gate = Latch.makeUnsafe()
        return Effect.andThen(Queue.offer(held, gate), gate.await)
      })
      between.at = (point) => (point === "before-number" ? hold : Effect.void)
      yield* post(0)
      const alone = yield* Queue.take(held)
      yield* Effect.forEach(Array.range(1, size), post, { concurrency: "unbounded" })
      yield* alone.open
      const together = yield* Queue.take(held)
      const made = cases.indexOf(one) * (size + 1)
      yield* delivered(made + 1)

      const cut = one.moment === "before the database has it" ? proxy.cutRequest : proxy.cutAnswer
      let armed = false
      const arm = Effect.sync(() => {
        if (!armed) cut(one.statement)
        armed = true
      })
      between.at = (point) => (point === one.after ? arm : Effect.void)
      if (one.after === "before-number") yield* arm
      yield* together.open
      const invoices = made + size + 1
      yield* delivered(invoices)
      assert.isTrue(armed)
      assert.strictEqual(proxy.uncut(), 0)

      const [all] = yield* sql`
      select count(*)::int as invoices, count(distinct number)::int as numbers, count(distinct cufe)::int as codes,
        (max(number) - min(number) + 1)::int as span, (select count(*)::int from events) as events,
        count(*) filter (where state = 'accepted_by_authority')::int as accepted,
        (select count(*)::int from transitions where command = 'Submit') as submissions
      from invoices`
      assert.deepStrictEqual(all, {
        invoices,
        numbers: invoices,
        codes: invoices,
        span: invoices,
        events: invoices,
        accepted: invoices,
        submissions: invoices
      })
      assert.lengthOf(sent, invoices)
      assert.strictEqual(new Set(sent).size, invoices)
      assert.strictEqual(new Set(hooks.received.map(({ event }) => event.id)).size, invoices)
    }
  )
})
