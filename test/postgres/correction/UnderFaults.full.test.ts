import { assert } from "@effect/vitest"
import { Effect, Fiber, Option } from "effect"
import type { FaultPoint } from "../../../src/runtime/Fault.ts"
import type { Answer } from "../../support/apps/Client.ts"
import { invoiceBody, scripted } from "../../support/apps/Invoices.ts"
import { until } from "../../support/apps/Until.ts"
import { Crashing, insist, settleAndReconcile as reconciled } from "../../support/processes/Crashing.ts"
import { never, type ServiceProcess } from "../../support/processes/ServiceProcess.ts"
import { settleAndReconcile, settled, SeveralProcesses } from "../../support/processes/SeveralProcesses.ts"
import { describeLive } from "../../support/Tests.ts"
import { rejected, accepted, settled as settledAs } from "./Corrected.ts"

// A kill before the commit leaves nothing. Between the points, a document behaves as any other (`CrashAtEveryPoint`).
const points: ReadonlyArray<FaultPoint> = ["after-correct", "after-sign", "after-verdict"]

const isAcknowledged = (answer: Option.Option<Answer>) =>
  Option.isSome(answer) && answer.value.status === 202 && answer.value.json.object === "invoice"
const textOf = ({ text }: Answer) => text

interface Kept {
  readonly full_number: string
  readonly state: string
  readonly corrections: number
  readonly rejections: number
}

const keptOf = (service: ServiceProcess, id: string) =>
  service.rows<Kept>(`
    select full_number, state,
      (select count(*)::int from transitions t where t.invoice_id = i.id and t.command = 'Correct') as corrections,
      (select count(*)::int from rejected_documents r where r.invoice_id = i.id) as rejections
    from invoices i where id = '${id}'`)

describeLive(Crashing.layer([scripted.rejected, undefined]))("kill -9 during a correction", (it) => {
  it.effect("costs no number, and does nothing twice", function* () {
    const { customers, journal, service } = yield* Crashing
    const [, good = ""] = customers
    for (const point of points) {
      const key = `${point} 0`
      yield* insist(key)
      const id = String(journal.get(key)?.json.id)
      const path = `/v1/invoices/${id}`
      const former = yield* settledAs(service.client(), path, rejected)
      yield* service.arm({ point, hit: 1 })
      const correct = service.client().post(`${path}/correct`, invoiceBody(good, { key }), { key: point })
      const first = yield* Effect.option(correct)
      assert.deepStrictEqual(yield* service.ended, { code: null, signal: "SIGKILL" })
      yield* service.start(never)
      const again = yield* until(Effect.option(correct), isAcknowledged)
      if (isAcknowledged(first)) assert.deepStrictEqual(Option.map(again, textOf), Option.map(first, textOf))
      yield* settledAs(service.client(), path, accepted)
      assert.deepStrictEqual(yield* keptOf(service, id), [
        { full_number: former.full_number, state: accepted, corrections: 1, rejections: 1 }
      ])
    }
    // Also asserts that no number of the range is missing, and that every outcome is one event, delivered in order.
    const { invoices } = yield* reconciled(new Map())
    assert.strictEqual(invoices, journal.size)
  })
})

describeLive(SeveralProcesses.layer(2, never))("A frozen owner of a rejected document", (it) => {
  it.effect("neither signs nor sends the rejected bytes when it wakes up", function* () {
    const { clients, customer, journal, processes } = yield* SeveralProcesses
    const [client] = clients
    yield* client!.post("/v1/test-helpers/authority", { next: [{ reject: ["FAD06"] }, { accept: true }] })
    yield* Effect.forEach(processes, (process) => process.arm({ point: "after-submit", hit: 1, action: "freeze" }))
    const frozenOnes = Effect.map(
      Effect.forEach(processes, ({ log }) => log),
      (logs) => logs.map((text) => text.includes("frozen at after-submit"))
    )
    const body = invoiceBody(customer, { key: "frozen 0" })
    const asked = yield* Effect.forkChild(
      until(
        Effect.option(Effect.timeout(client!.post("/v1/invoices", body, { key: "frozen 0" }), "4 seconds")),
        (answer) => answer._tag === "Some" && answer.value.json?.object === "invoice"
      )
    )
    const frozen = yield* until(frozenOnes, (ones) => ones.includes(true))
    const at = frozen.indexOf(true)
    const [sleeper, other] = [processes[at]!, processes[1 - at]!]
    yield* other.arm(never)
    const client2 = clients[1 - at]!
    // The failure message contains the output of each process, which shows the hanging one.
    const seen = yield* until(
      Effect.all({
        documents: other.rows<{ id: string; state: string }>(
          "select id, state, version, next_action_at, worker from invoices where state <> 'queued'"
        ),
        workers: other.rows<object>("select * from workers"),
        frozen: frozenOnes
      }),
      ({ documents }) => documents[0]?.state === rejected
    )
    const [row] = seen.documents
    yield* Fiber.interrupt(asked)
    const path = `/v1/invoices/${row!.id}`
    const corrected = yield* until(
      Effect.option(Effect.timeout(client2.post(`${path}/correct`, body, { key: "correct" }), "5 seconds")),
      (answer) => answer._tag === "Some" && answer.value.json?.object === "invoice"
    )
    if (corrected._tag === "Some") journal.set("frozen 0", corrected.value)
    yield* settled
    const now = yield* settledAs(client2, path, accepted)
    yield* sleeper.signal("SIGCONT")
    yield* until(sleeper.ready, (status) => status === 200)
    yield* settleAndReconcile()
    const after = yield* settledAs(client2, path, accepted)
    assert.deepStrictEqual([after.cufe, after.version], [now.cufe, now.version])
    assert.deepStrictEqual(yield* keptOf(other, row!.id), [
      { full_number: now.full_number, state: accepted, corrections: 1, rejections: 1 }
    ])
    const sent = yield* Effect.forEach(processes, ({ url }) =>
      Effect.promise(async () => (await fetch(`${url}/metrics`)).text())
    )
    const submissions = sent
      .flatMap((text) => [
        ...text.matchAll(/^folio_authority_call_duration_seconds_count\{call="submit",.*\} (\d+)$/gmu)
      ])
      .reduce((sum, [, count]) => sum + Number(count), 0)
    assert.strictEqual(submissions, 2)
  })
})
