import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { eventTypes } from "../../../schemas/Event.ts"
import type { Answer } from "../../support/apps/Client.ts"
import { invoiceBody, partialNoteBody } from "../../support/apps/Invoices.ts"
import { until } from "../../support/apps/Until.ts"
import { isDone, openWork } from "../../support/database/Reconcile.ts"
import { Crashing, insist, post } from "../../support/processes/Crashing.ts"
import { never } from "../../support/processes/ServiceProcess.ts"
import { describeLive } from "../../support/Tests.ts"

const helper = Effect.fnUntraced(function* (name: string, body: object) {
  const { service } = yield* Crashing
  const answer = yield* service.client().post(`/v1/test-helpers/${name}`, body)
  assert.strictEqual(answer.status, 200, answer.text)
  return answer.json
})

const shown = (path: string, is: (json: Answer["json"]) => boolean) =>
  Effect.flatMap(Crashing, ({ service }) => until(service.client().get(path), ({ json }) => is(json)))

const shownAs = (path: string, status: string) => shown(path, (json) => json.status === status)

const rulesOf = ({ json }: Answer) => json.authority_errors.map(({ rule }: { readonly rule: string }) => rule)

describeLive(Crashing.layer([undefined]))("The scripts of the sandbox", (it) => {
  it.effect("produce every event type with API requests alone", function* () {
    const { customers, service } = yield* Crashing
    const client = service.client()
    const issue = Effect.fnUntraced(function* (path: string, body: object) {
      const answer = yield* client.post(path, body, { key: crypto.randomUUID() })
      assert.strictEqual(answer.status, 202, answer.text)
      return `${path}/${answer.json.id}`
    })
    const invoice = invoiceBody(customers[0] ?? "")
    const corrected = yield* issue("/v1/invoices", invoice)
    const { json } = yield* shownAs(corrected, "accepted_by_authority")
    const note = partialNoteBody(json.id, "1000.00")
    const outcomes = [{ accept: true }, { reject: ["CBF03a"] }, { contingency: true }, { fail: true }]
    const set = yield* helper("authority", { mode: "up", next: [...outcomes, ...outcomes, ...outcomes] })
    assert.strictEqual(set.next.length, 12)
    const kinds = [
      ["/v1/invoices", invoice],
      ["/v1/credit-notes", note],
      ["/v1/debit-notes", note]
    ] as const
    const issued = yield* Effect.forEach(kinds, ([path, body]) => Effect.forEach(outcomes, () => issue(path, body)))
    assert.deepStrictEqual((yield* helper("authority", { mode: "up" })).next, [])
    for (const [accepted = "", rejected = "", , failed = ""] of issued) {
      yield* shownAs(accepted, "accepted_by_authority")
      assert.deepStrictEqual(rulesOf(yield* shownAs(rejected, "rejected_by_authority")), ["CBF03a"])
      yield* shownAs(failed, "failed")
      for (const domain of ["cliente", "bounced", "complained"]) {
        yield* client.post(`${accepted}/email`, { to: `compras@${domain}.test` }, { key: `${accepted} ${domain}` })
      }
    }
    for (const [, , away = ""] of issued) {
      assert.strictEqual((yield* shownAs(away, "accepted_contingency")).json.contingency.type, "04")
    }
    const types = yield* until(
      Effect.map(client.get("/v1/events?limit=100"), ({ json: page }) => {
        const events: ReadonlyArray<{ readonly type: string }> = page.data
        return [...new Set(events.map(({ type }) => type))].toSorted()
      }),
      (seen) => seen.length >= eventTypes.length
    )
    assert.deepStrictEqual(types, eventTypes.toSorted())
    // A retry accepts the document that failed by its script, and the document in contingency is transmitted.
    for (const [, , away = "", failed = ""] of issued) {
      assert.strictEqual((yield* client.post(`${failed}/retry`, undefined, { key: failed })).status, 202)
      yield* shownAs(failed, "accepted_by_authority")
      yield* helper("advance", { seconds: 60 })
      yield* shownAs(away, "accepted_by_authority")
    }
  })

  it.effect("apply once each in the order of creation, through a kill and the next process", function* () {
    const { journal, service } = yield* Crashing
    const next = Array.from({ length: 12 }, (_, index) => ({ reject: [`FAD${10 + index}`] }))
    yield* helper("authority", { next: [{ fail: true }] })
    yield* helper("authority", { next })
    yield* service.arm({ point: "after-submit", hit: 4 })
    const keys = next.map((_, index) => `scripted ${index}`)
    yield* Effect.forEach(keys, (key) => Effect.exit(post(key)), { concurrency: "unbounded" })
    assert.strictEqual((yield* service.ended).signal, "SIGKILL")
    yield* service.start(never)
    yield* Effect.forEach(keys, insist, { concurrency: "unbounded" })
    yield* until(openWork(service), isDone)
    const ids = keys.map((key) => String(journal.get(key)?.json.id)).toSorted()
    const found = yield* Effect.forEach(ids, (id) => Effect.map(service.client().get(`/v1/invoices/${id}`), rulesOf))
    assert.deepStrictEqual(
      found,
      next.map(({ reject }) => reject)
    )
    assert.deepStrictEqual((yield* helper("authority", { mode: "up" })).next, [])
  })
})
