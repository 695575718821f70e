import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { AccountId } from "../../../schemas/Id.ts"
import { localDate } from "../../../src/runtime/AuthorityTime.ts"
import { Transitions } from "../../../src/invoices/store/Transitions.ts"
import { FakeAuthority, rejected } from "../../support/apps/Fakes.ts"
import { customerBody, invoiceBody } from "../../support/apps/Invoices.ts"
import { layer as app } from "../../support/apps/PostgresApp.ts"
import { get, post, type Sent } from "../../support/apps/Requests.ts"
import { until } from "../../support/apps/Until.ts"
import { seedDrafts } from "../../support/database/Owners.ts"
import { describeLive } from "../../support/Tests.ts"
import { accountOf, acting, platform } from "./Platform.ts"

const today = localDate(Date.now())

const done = (path: string, headers: Sent["headers"]) => until(get(path, headers), ({ json }) => json.stage === "done")

/** An invoice of an account with its outcome. */
const issue = Effect.fnUntraced(function* (headers: Sent["headers"]) {
  const customer = yield* post("/v1/customers", customerBody(), headers)
  const body = invoiceBody(customer.json.id)
  const { json } = yield* post("/v1/invoices", body, headers)
  const invoice = yield* done(`/v1/invoices/${json.id}`, headers)
  return { id: String(json.id), body, status: invoice.json.status }
})

describeLive(app)("The usage of an account", (it) => {
  it.effect("counts every outcome once, on the day it was reached", function* () {
    const mine = yield* platform()
    const id = yield* accountOf(mine)
    const other = yield* accountOf(mine)
    const headers = acting(mine, id)
    const usage = (query = "", of = id) => get(`/v1/accounts/${of}/usage${query}`, mine.headers)
    assert.deepStrictEqual((yield* usage()).json.days, [])

    const accepted = yield* issue(headers)
    const authority = yield* FakeAuthority
    const { onSubmit } = authority
    authority.onSubmit = () => Effect.succeed(rejected)
    const wrong = yield* issue(headers)
    assert.strictEqual(wrong.status, "rejected_by_authority")
    authority.onSubmit = onSubmit
    const corrected = yield* post(`/v1/invoices/${wrong.id}/correct`, wrong.body, headers)
    assert.strictEqual(corrected.status, 202, corrected.text)
    yield* done(`/v1/invoices/${wrong.id}`, headers)
    // Fails, and is accepted after a retry.
    const failure = { code: "internal_error", message: "It broke.", retryable: true }
    const [failing = ""] = yield* seedDrafts(AccountId.make(id), 1)
    const key = { account_id: AccountId.make(id), livemode: false, id: failing }
    const fail = { key, version: 1, from: "queued", command: "Fail", to: "failed", alarmMs: null, failure } as const
    assert.isTrue((yield* (yield* Transitions).move(fail)).moved)
    const retried = yield* post(`/v1/invoices/${failing}/retry`, undefined, headers)
    assert.strictEqual(retried.status, 202, retried.text)
    yield* done(`/v1/invoices/${failing}`, headers)
    const [canceled] = yield* seedDrafts(AccountId.make(id), 1, "queued")
    assert.strictEqual((yield* post(`/v1/invoices/${canceled}/cancel`, undefined, headers)).status, 200)
    const annulled = yield* post(`/v1/invoices/${accepted.id}/annul`, { reason: "Error" }, headers)
    assert.strictEqual(annulled.status, 202, annulled.text)
    yield* done(`/v1/credit-notes/${annulled.json.id}`, headers)
    yield* issue(acting(mine, other))

    const { json } = yield* usage(`?from=${today}&to=${today}`)
    const count = (kind: string, outcome: string, documents: number) => ({ date: today, kind, outcome, documents })
    assert.deepStrictEqual(json, {
      object: "usage",
      livemode: false,
      from: today,
      to: today,
      days: [
        count("credit_note", "accepted_by_authority", 1),
        count("invoice", "accepted_by_authority", 3),
        count("invoice", "canceled", 1),
        count("invoice", "failed", 1),
        count("invoice", "rejected_by_authority", 1)
      ]
    })
    assert.deepStrictEqual((yield* usage()).json.days, json.days)
    assert.deepStrictEqual((yield* usage("?to=2026-01-01")).json.days, [])
    assert.deepStrictEqual((yield* usage("", other)).json.days, [count("invoice", "accepted_by_authority", 1)])
  })

  it.effect("rejects wrong days with the fix", function* () {
    const mine = yield* platform()
    const path = `/v1/accounts/${yield* accountOf(mine)}/usage`
    for (const [query, param, message] of [
      ["from=ayer", "from", /YYYY-MM-DD/],
      ["to=2026-02-30", "to", /calendar/],
      ["from=2026-02-02&to=2026-02-01", "from", /must not be after to, 2026-02-01/],
      ["from=2020-01-01&to=2026-02-01", "from", /not before 2025-02-01/],
      ["since=2026-02-01", "since", /since/]
    ] as const) {
      const { json, status } = yield* get(`${path}?${query}`, mine.headers)
      assert.deepStrictEqual([status, json.error.param], [400, param], query)
      assert.match(json.error.message, message)
    }
    const first = yield* get(`${path}?to=1900-01-01`, mine.headers)
    assert.deepStrictEqual([first.status, first.json.from], [200, "1899-12-03"])
  })
})
