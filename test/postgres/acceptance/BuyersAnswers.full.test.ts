import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { invoiceBody } from "../../support/apps/Invoices.ts"
import { until } from "../../support/apps/Until.ts"
import { Crashing } from "../../support/processes/Crashing.ts"
import { never } from "../../support/processes/ServiceProcess.ts"
import { describeLive } from "../../support/Tests.ts"

const daySeconds = 86_400

const helper = Effect.fnUntraced(function* (name: string, body: object) {
  const { service } = yield* Crashing
  const answer = yield* service.client().post(`/v1/test-helpers/${name}`, body)
  assert.strictEqual(answer.status, 200, answer.text)
})

/** An accepted invoice, on credit terms unless it is `cash`. */
const addAccepted = Effect.fnUntraced(function* (cash: object = {}) {
  const { customers, service } = yield* Crashing
  const credit = { payment_means: { code: "31", type: "2", due_date: "2099-12-31" } }
  const body = { ...invoiceBody(customers[0] ?? ""), ...credit, ...cash }
  const answer = yield* service.client().post("/v1/invoices", body, { key: crypto.randomUUID() })
  assert.strictEqual(answer.status, 202, answer.text)
  const path = `/v1/invoices/${answer.json.id}`
  yield* until(service.client().get(path), ({ json }) => json.status === "accepted_by_authority")
  return path
})

const shownAs = (path: string, status: string) =>
  Effect.flatMap(Crashing, ({ service }) =>
    Effect.map(
      until(service.client().get(path), ({ json }) => json.acceptance?.status === status),
      ({ json }) => json
    )
  )

const codesOf = (json: { readonly acceptance: { readonly events: ReadonlyArray<{ readonly code: string }> } }) =>
  json.acceptance.events.map(({ code }) => code)

describeLive(Crashing.layer([undefined]))("The buyer's acceptance", (it) => {
  it.effect("appears a day later on the invoices whose scripts contain it", function* () {
    const { service } = yield* Crashing
    yield* helper("authority", {
      next: [
        { accept: true, events: ["030", "032", "033"] },
        { events: ["030", "031"] },
        { accept: true },
        { accept: true, events: ["030"] }
      ]
    })
    const accepted = yield* addAccepted()
    const claimed = yield* addAccepted()
    const silent = yield* addAccepted()
    const cash = yield* addAccepted({ payment_means: { code: "10", type: "1" } })
    yield* shownAs(accepted, "pending")
    yield* helper("advance", { seconds: daySeconds })
    const { acceptance, version } = yield* shownAs(accepted, "accepted")
    assert.deepStrictEqual(codesOf({ acceptance }), ["030", "032", "033"])
    assert.strictEqual(acceptance.at, acceptance.events[2].at)
    assert.strictEqual(version, (yield* shownAs(silent, "pending")).version)
    const claim = yield* shownAs(claimed, "claimed")
    assert.deepInclude(claim.acceptance.events[1], { code: "031", reason_code: "01" })
    const { json: page } = yield* service.client().get(`${accepted}/timeline`)
    const entries: ReadonlyArray<{ readonly type: string; readonly code?: string; readonly at: string }> = page.data
    assert.deepStrictEqual(
      entries.flatMap(({ code, type }) => (type === "acceptance" ? [code] : [])),
      ["030", "032", "033"]
    )
    const times = entries.map(({ at }) => at)
    assert.deepStrictEqual(times, times.toSorted())
    assert.isFalse(Object.hasOwn((yield* service.client().get(cash)).json, "acceptance"))
    const { json: listed } = yield* service.client().get("/v1/invoices?limit=4")
    assert.deepStrictEqual(
      listed.data.map(({ acceptance: one }: { readonly acceptance?: { readonly status: string } }) => one?.status),
      [undefined, "pending", "claimed", "accepted"]
    )
    yield* helper("advance", { seconds: 29 * daySeconds })
    yield* shownAs(silent, "unanswered")
    // No webhook event reports the acceptance, so the event types stay unchanged.
    const { json: events } = yield* service.client().get("/v1/events?limit=100")
    assert.deepStrictEqual(
      [...new Set(events.data.map(({ type }: { readonly type: string }) => type))],
      ["invoice.accepted_by_authority"]
    )
  })

  it.effect("survives a kill between the answer and its storage, and appears once", function* () {
    const { service } = yield* Crashing
    yield* helper("authority", { next: [{ accept: true, events: ["030", "033"] }] })
    const path = yield* addAccepted()
    yield* service.arm({ point: "after-events", hit: 1 })
    yield* Effect.exit(helper("advance", { seconds: daySeconds }))
    assert.deepStrictEqual(yield* service.ended, { code: null, signal: "SIGKILL" })
    yield* service.start(never)
    yield* shownAs(path, "pending")
    // The lease of the question ends.
    yield* helper("advance", { seconds: 600 })
    assert.deepStrictEqual(codesOf(yield* shownAs(path, "accepted")), ["030", "033"])
  })

  it.effect("waits during an outage of the simulated authority, and appears after it", function* () {
    yield* helper("authority", { next: [{ accept: true, events: ["034"] }] })
    const path = yield* addAccepted()
    yield* helper("authority", { mode: "down" })
    yield* helper("advance", { seconds: daySeconds })
    const { service } = yield* Crashing
    const isPutOff = `select next_question_at > now() + interval '30 minutes' as off from acceptances where id = '${path.split("/").at(-1)}'`
    yield* until(service.rows<{ off: boolean }>(isPutOff), ([row]) => row?.off === true)
    yield* shownAs(path, "pending")
    yield* helper("authority", { mode: "up" })
    yield* helper("advance", { seconds: daySeconds })
    assert.deepStrictEqual(codesOf(yield* shownAs(path, "accepted_tacitly")), ["034"])
  })
})
