import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { endpointBody, invoiceBody } from "../../support/apps/Invoices.ts"
import { receiver } from "../../support/receiver/Receiver.ts"
import * as TestApp from "../../support/apps/TestApp.ts"
import { until } from "../../support/apps/Until.ts"
import { it } from "../../support/Tests.ts"

const inContingency = "invoice.accepted_contingency"
const isAccepted = "invoice.accepted_by_authority"

/** The outcome of each identification: the events of its invoice in order, and the final fields of the invoice. */
const outcomes: ReadonlyArray<{
  readonly number: string | undefined
  readonly events: ReadonlyArray<string>
  readonly shows?: Readonly<Record<string, unknown>>
  readonly rules?: ReadonlyArray<string>
  readonly notices?: ReadonlyArray<string>
}> = [
  { number: undefined, events: [isAccepted] },
  { number: "900000002", events: ["invoice.rejected_by_authority"], rules: ["FAD06", "FAK24"] },
  { number: "900000003", events: [inContingency, isAccepted] },
  { number: "900000004", events: ["invoice.failed"], shows: { status: "failed" } },
  { number: "900000005", events: [isAccepted] },
  { number: "900000006", events: [isAccepted] },
  { number: "900000007", events: [isAccepted], notices: ["FAJ43b"] },
  { number: "900000008", events: [isAccepted] },
  { number: "900373115", events: [isAccepted] }
]

const rulesOf = (errors: ReadonlyArray<{ readonly rule: string }>) => errors.map(({ rule }) => rule)

it.live("The sandbox gives each identification its documented outcome, and sends it as webhooks", function* () {
  const hooks = yield* receiver
  yield* Effect.gen(function* () {
    const { client } = yield* TestApp.TestApp
    yield* client.post("/v1/webhook-endpoints", endpointBody(hooks.url("/hooks")))
    const began = performance.now()
    const issued = yield* Effect.forEach(
      outcomes,
      Effect.fnUntraced(function* (row) {
        const customer = yield* TestApp.newCustomer(client, row.number)
        const { json } = yield* client.post("/v1/invoices", invoiceBody(customer), { key: `${row.number}` })
        return { ...row, path: `/v1/invoices/${json.id}`, id: String(json.id) }
      })
    )
    const told = (id: string) =>
      hooks.received.filter(({ event }) => event.data.object.id === id).map(({ event }) => event.type)

    // The third invoice enters contingency without an advance of the clock.
    const away = issued[2]!
    const contingent = yield* until(client.get(away.path), ({ json }) => json.status === "accepted_contingency")
    assert.strictEqual(contingent.json.contingency.type, "04")
    // The others are finished except for the invoice that takes 10 s. They must not be advanced too.
    yield* until(
      Effect.sync(() =>
        issued.every(
          ({ events, id, number }) =>
            number === "900000003" || number === "900000005" || told(id).length === events.length
        )
      ),
      (all) => all
    )
    const advance = client.post("/v1/test-helpers/advance", { seconds: 60 }, { key: "one minute" })
    assert.strictEqual((yield* advance).status, 200)
    const again = yield* advance
    assert.deepStrictEqual([again.status, again.headers.get("svc-idempotency-cached")], [200, "true"])
    yield* until(
      Effect.sync(() => issued.every(({ events, id }) => told(id).length === events.length)),
      (all) => all
    )
    assert.isAbove(performance.now() - began, 10_000, "one invoice is accepted after 10 s")
    for (const { events, id, notices = [], number, path, rules = [], shows } of issued) {
      assert.deepStrictEqual(told(id), events, number)
      const { json } = yield* client.get(path)
      const last = events.at(-1)?.replace("invoice.", "")
      assert.deepInclude(json, { status: last, ...shows }, number)
      assert.deepStrictEqual([rulesOf(json.authority_errors), rulesOf(json.authority_notifications)], [rules, notices])
      assert.match(json.full_number, /^SETP\d+$/)
    }
    // A retry of the failed document submits the same bytes again, and fails again.
    const refused = issued[3]!
    const { json } = yield* client.get(refused.path)
    assert.deepInclude(json.failure, { code: "authority_refused", retryable: true })
    assert.strictEqual((yield* client.post(`${refused.path}/retry`, undefined, { key: "retry" })).status, 202)
    yield* until(
      Effect.sync(() => told(refused.id)),
      (events) => events.length === 2
    )
    const timeline = yield* client.get(`${refused.path}/timeline`)
    assert.deepStrictEqual(
      timeline.json.data.flatMap(({ command }: { readonly command?: string }) => command ?? []),
      ["create", "number", "sign", "submit", "fail", "retry", "submit", "fail"]
    )
  }).pipe(Effect.provide(TestApp.layer({ allow: `127.0.0.1:${hooks.port}` })))
})
