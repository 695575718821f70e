import { assert } from "@effect/vitest"
import { Array, Context, Effect, Fiber, Layer } from "effect"
import { randomBytes } from "node:crypto"
import { makeClient } from "../../support/apps/Client.ts"
import { customerBody, endpointBody } from "../../support/apps/Invoices.ts"
import { until } from "../../support/apps/Until.ts"
import { bareDatabase } from "../../support/database/Postgres.ts"
import { freePort, type ServiceProcess, serviceProcess } from "../../support/processes/ServiceProcess.ts"
import { nextRelease, previousRelease } from "./TwoReleases.ts"
import { insist, SeveralProcesses, settleAndReconcile, signedSoFar } from "../../support/processes/SeveralProcesses.ts"
import { receiver } from "../../support/receiver/Receiver.ts"
import { describeLive } from "../../support/Tests.ts"

const count = Number(process.env["UPGRADE_PROCESSES"] ?? 2)
const workers = 4

/**
 * Running processes of the previous release on their own tables, and the same number of the next release, not yet
 * started.
 */
class TwoReleases extends Context.Service<
  TwoReleases,
  {
    readonly before: ReadonlyArray<ServiceProcess>
    readonly after: ReadonlyArray<ServiceProcess>
    readonly last: number
  }
>()("test/TwoReleases") {
  static readonly layer = Layer.effectContext(
    Effect.gen(function* () {
      const database = yield* bareDatabase
      const hooks = yield* receiver
      const next = yield* nextRelease
      const key = randomBytes(32).toString("base64")
      const make = (release: { readonly program: ReadonlyArray<string>; readonly env: Record<string, string> }) =>
        Effect.forEach(Array.range(1, count), () =>
          Effect.flatMap(freePort, (port) =>
            serviceProcess({
              webhookAllow: `127.0.0.1:${hooks.port}`,
              program: release.program,
              env: {
                CLUSTER: "socket",
                RUNNER_PORT: String(port),
                DATABASE_URL: database,
                FOLIO_KEY: key,
                ...release.env
              }
            })
          )
        )
      const before = yield* make(yield* previousRelease)
      const after = yield* make(next)
      for (const process of before) yield* process.start()
      const { apiKey } = before[0]!.client()
      const processes = [...before, ...after]
      const clients = processes.map(({ url }) => makeClient(url, apiKey))
      yield* clients[0]!.post("/v1/webhook-endpoints", endpointBody(hooks.url("/hooks")))
      const customer = yield* clients[0]!.post("/v1/customers", customerBody(), { key: "customer" })
      return Context.make(TwoReleases, { before, after, last: next.number }).pipe(
        Context.add(
          SeveralProcesses,
          SeveralProcesses.of({
            database,
            processes,
            clients,
            receiver: hooks,
            customer: String(customer.json.id),
            journal: new Map()
          })
        )
      )
    })
  )
}

describeLive(TwoReleases.layer)("An upgrade of one process after the other", (it) => {
  it.effect(
    "applies its migration under load without loss or duplicates, and the previous release keeps working",
    function* () {
      const { after, before, last } = yield* TwoReleases
      const { journal } = yield* SeveralProcesses
      let next = 0
      let stopped = false
      const issue = Effect.suspend(() => insist(`key ${next++}`)).pipe(Effect.repeat({ until: () => stopped }))
      const work = yield* Effect.forkChild(
        Effect.all(
          Array.makeBy(workers, () => issue),
          { concurrency: "unbounded" }
        )
      )
      const more = (size: number) => {
        const begun = journal.size
        return until(
          Effect.sync(() => journal.size - begun),
          (made) => made >= size
        )
      }
      yield* more(25)
      const signed = yield* signedSoFar

      for (const [index, old] of before.entries()) {
        // The later release migrates the tables and works next to the earlier release, which then ends.
        yield* after[index]!.start()
        yield* more(25)
        yield* old.signal("SIGTERM")
        assert.deepStrictEqual(yield* old.ended, { code: 0, signal: null })
        yield* more(25)
      }
      stopped = true
      yield* Fiber.join(work)

      const releases = yield* before[0]!.rows<{ release: number }>(
        "select distinct release from workers where dead_since is null"
      )
      assert.deepStrictEqual(releases, [{ release: last }])
      const { doubled, invoices } = yield* settleAndReconcile(signed)
      assert.strictEqual(invoices, next)
      // At most the deliveries that an endpoint had in flight when its actor moved.
      assert.isAtMost(doubled, 8 * count)
    }
  )
})
