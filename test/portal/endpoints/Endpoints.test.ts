import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { eventWords } from "../../../src/portal/events/EventWords.ts"
import { reasonWords } from "../../../src/portal/events/DeliveryParts.ts"
import { en } from "../../support/portal/Words.ts"
import { beside } from "../../support/portal/Forms.ts"
import { TestClock } from "effect/testing"
import type { Capability } from "../../../schemas/PortalSession.ts"
import { verify } from "../../../src/domain/webhooks/WebhookSignature.ts"
import { answered, FakeReceiver } from "../../support/apps/Fakes.ts"
import { customerBody, endpointBody, invoiceBody } from "../../support/apps/Invoices.ts"
import { account, apiKeyIds, otherAccount } from "../../support/apps/Accounts.ts"
import { layer as app } from "../../support/apps/MemoryApp.ts"
import { get, post } from "../../support/apps/Requests.ts"
import { MemoryTables } from "../../support/memory/MemoryTables.ts"
import { formOf, noticeOf, visitor } from "../../support/portal/Visitor.ts"
import { itOn } from "../../support/Tests.ts"

const it = itOn(app)
const url = "https://hooks.example.com/folio"
const accepted = "invoice.accepted_by_authority"

const fieldsOf = (fields: Readonly<Record<string, string>>, events: ReadonlyArray<string> = [accepted]) =>
  new URLSearchParams([...Object.entries(fields), ...events.map((event): [string, string] => ["event", event])])

const tokenOf = (text: string) => formOf(text, "/portal/leave")["csrf"] ?? ""

const added = Effect.map(post("/v1/webhook-endpoints", endpointBody(url)), ({ json }) => String(json.id))

/** An invoice that is accepted, so that something is delivered. */
const issued = Effect.gen(function* () {
  const { tables, until } = yield* MemoryTables
  const before = tables.events.length
  const customer = yield* post("/v1/customers", customerBody())
  yield* post("/v1/invoices", invoiceBody(customer.json.id))
  yield* until(({ events }) => events.length > before)
})

const attempted = (count: number) =>
  Effect.flatMap(MemoryTables, ({ until }) => until((t) => t.attempts.length >= count))

it.effect("an endpoint is added once for each form, and its secret is shown once", function* () {
  const { tables } = yield* MemoryTables
  const reader = yield* visitor({ capabilities: ["view", "endpoints"] })
  const path = "/portal/endpoints/new"
  const form = yield* reader.see(path)
  const hidden = formOf(form.text, path)
  const fields = fieldsOf({ ...hidden, url, description: "<b>The shop</b>", in_flight: "3" }, [
    accepted,
    "invoice.failed"
  ])
  const made = yield* reader.post(path, fields)
  assert.strictEqual(made.status, 200)
  const [row] = [...tables.endpoints.values()]
  assert.deepInclude(row, { url, description: "<b>The shop</b>", max_in_flight: 3, is_active: true })
  assert.deepStrictEqual(row?.subscribed_events, [accepted, "invoice.failed"])
  const secret = row?.secret ?? ""
  assert.match(secret, /^whsec_/)
  assert.include(made.text, secret)
  assert.strictEqual(made.headers.get("cache-control"), "no-store")
  // The same form once more, as after a double click: one endpoint, and the same answer.
  assert.include((yield* reader.post(path, fields)).text, secret)
  assert.strictEqual(tables.endpoints.size, 1)
  for (const after of ["/portal/endpoints", `/portal/endpoints/${row?.id}`, `/portal/endpoints/${row?.id}/edit`]) {
    const page = yield* reader.see(after)
    assert.strictEqual(page.status, 200, after)
    assert.notInclude(page.text, secret)
    assert.include(page.text, "&lt;b&gt;The shop&lt;/b&gt;")
    assert.notInclude(page.text, "<b>The shop")
  }
})

it.effect("an endpoint of all events is kept, shown, delivered to and offered samples as such", function* () {
  const { tables } = yield* MemoryTables
  const reader = yield* visitor()
  const path = "/portal/endpoints/new"
  const hidden = formOf((yield* reader.see(path)).text, path)
  // The other boxes are ticked as well: who ticks the one for all need not empty them.
  yield* reader.post(path, fieldsOf({ ...hidden, url, in_flight: "3" }, ["*", accepted]))
  const [row] = [...tables.endpoints.values()]
  assert.deepStrictEqual(row?.subscribed_events, ["*"])
  const page = yield* reader.see(`/portal/endpoints/${row?.id}`)
  assert.match((yield* reader.see(`/portal/endpoints/${row?.id}/edit`)).text, /value="\*"\s+checked/)
  assert.match(page.text, /<option value="debit_note.email.complained"/)
  const { json } = yield* get(`/v1/webhook-endpoints/${row?.id}`)
  assert.deepStrictEqual(json.subscribed_events, ["*"])
  yield* issued
  yield* attempted(1)
})

it.effect("a form that is refused is shown again, with what was typed and what is wrong with it", function* () {
  const { tables } = yield* MemoryTables
  const reader = yield* visitor()
  const path = "/portal/endpoints/new"
  const hidden = formOf((yield* reader.see(path)).text, path)
  const typed = { ...hidden, url: "http://10.0.0.1/<x>", description: "My server", in_flight: "many" }
  const refused = yield* reader.post(path, fieldsOf(typed, ["invoice.failed"]))
  assert.isAtLeast(refused.status, 400)
  assert.include(refused.text, 'role="alert"')
  assert.include(refused.text, 'value="http://10.0.0.1/&lt;x&gt;"')
  assert.include(refused.text, 'value="My server"')
  assert.match(refused.text, /value="invoice.failed"\s+checked/)
  assert.notMatch(refused.text, /value="invoice.accepted_by_authority"\s+checked/)
  assert.match(refused.text, /aria-invalid="true"/)
  const none = yield* reader.post(
    path,
    fieldsOf({ ...hidden, once: "other", url, description: "", in_flight: "8" }, [])
  )
  assert.include(none.text, "must name at least one event type")
  assert.strictEqual(tables.endpoints.size, 0)
})

it.effect("an endpoint is changed, paused, let go on and deleted", function* () {
  const { tables } = yield* MemoryTables
  const receiver = yield* FakeReceiver
  const id = yield* added
  const reader = yield* visitor()
  const path = `/portal/endpoints/${id}`
  const edit = formOf((yield* reader.see(`${path}/edit`)).text, `${path}/edit`)
  const changed = yield* reader.post(
    `${path}/edit`,
    fieldsOf({ ...edit, url: "https://other.example.com/hook", description: "", in_flight: "1" })
  )
  assert.strictEqual(noticeOf(changed.text), "changed")
  assert.deepInclude(tables.endpoints.get(id), {
    url: "https://other.example.com/hook",
    max_in_flight: 1,
    subscribed_events: [accepted]
  })

  const paused = yield* reader.submit(path, `${path}/pause`)
  assert.strictEqual(noticeOf(paused.text), "paused")
  assert.notInclude(paused.text, `${path}/test"`, "a paused endpoint gets no sample")
  assert.isFalse(tables.endpoints.get(id)?.is_active)
  const resumed = yield* reader.submit(path, `${path}/resume`)
  assert.strictEqual(noticeOf(resumed.text), "resumed")
  assert.isTrue(tables.endpoints.get(id)?.is_active)

  const asked = yield* reader.see(`${path}/delete`)
  assert.isTrue(tables.endpoints.has(id), "the question deletes nothing")
  const sure = new URLSearchParams(formOf(asked.text, `${path}/delete`))
  assert.strictEqual(noticeOf((yield* reader.post(`${path}/delete`, sure)).text), "deleted")
  assert.isFalse(tables.endpoints.has(id))
  assert.strictEqual(noticeOf((yield* reader.post(`${path}/delete`, sure)).text), "deleted")
  assert.strictEqual((yield* reader.see(path)).status, 404)
  assert.strictEqual(receiver.requests.length, 0)
})

it.effect("the secret is rotated once for each form: the old one stops at once", function* () {
  const receiver = yield* FakeReceiver
  const { tables } = yield* MemoryTables
  const id = yield* added
  const old = tables.endpoints.get(id)?.secret ?? ""
  const reader = yield* visitor()
  const path = `/portal/endpoints/${id}/rotate`
  const question = yield* reader.see(path)
  assert.strictEqual(tables.endpoints.get(id)?.secret, old, "the question rotates nothing")
  const fields = new URLSearchParams(formOf(question.text, path))
  const rotated = yield* reader.post(path, fields)
  const secret = tables.endpoints.get(id)?.secret ?? ""
  assert.notStrictEqual(secret, old)
  assert.include(rotated.text, secret)
  assert.include((yield* reader.post(path, fields)).text, secret)
  assert.strictEqual(tables.endpoints.get(id)?.secret, secret, "the second form rotates nothing")
  assert.notInclude((yield* reader.see(path)).text, secret)

  yield* issued
  yield* attempted(1)
  const { at, body = "", headers } = receiver.requests[0] ?? { at: 0, headers: {} }
  const header = (headers as Record<string, string>)["Svc-Signature"] ?? ""
  const now = Math.floor(at / 1000)
  assert.strictEqual(verify({ secret, header, body, now })._tag, "Success")
  assert.strictEqual(verify({ secret: old, header, body, now })._tag, "Failure")
})

it.effect("a sample is sent once for each form, and what came of it is shown", function* () {
  const receiver = yield* FakeReceiver
  receiver.onSend = () => Effect.succeed(answered(500))
  const id = yield* added
  const path = `/portal/endpoints/${id}`
  const reader = yield* visitor({ capabilities: ["view", "deliver"] })
  const page = yield* reader.see(path)
  const fields = new URLSearchParams({ ...formOf(page.text, `${path}/test`), type: "invoice.failed" })
  const sent = yield* reader.post(`${path}/test`, fields)
  assert.strictEqual(sent.status, 200)
  yield* attempted(1)
  const again = yield* reader.post(`${path}/test`, fields)
  assert.include(again.text, reasonWords(en, "status", 500))
  assert.include(again.text, eventWords(en, "invoice.failed"))
  assert.strictEqual(receiver.requests.length, 1)
  // Its event says that there is no document.
  const event = /portal\/events\/(evt_\w+)/.exec(again.text)?.[1] ?? ""
  const shown = yield* reader.see(`/portal/events/${event}`)
  assert.notMatch(shown.text, /portal\/documents\/inv_/)
  const wrong = yield* reader.see(`${path}?tested=whd_${"0".repeat(26)}`)
  assert.strictEqual(wrong.status, 404)
  assert.strictEqual((yield* reader.see(`${path}?tested=%3Cimg%3E`)).status, 200)
})

it.effect("what failed is listed, shown as health, and recovered since a time", function* () {
  const receiver = yield* FakeReceiver
  receiver.onSend = () => Effect.succeed(answered(503))
  const { tables, until } = yield* MemoryTables
  const id = yield* added
  const path = `/portal/endpoints/${id}`
  yield* issued
  yield* attempted(1)
  const early = yield* visitor()
  assert.include((yield* early.see(`${path}?status=pending`)).text, "portal/deliveries/")
  // What fails is on the tab that opens, whether its attempts are over or not.
  assert.include((yield* early.see(path)).text, "portal/deliveries/")
  assert.include((yield* early.see(`${path}?status=failed`)).text, 'class="empty"')
  yield* TestClock.adjust("40 minutes")
  yield* attempted(4)

  const reader = yield* visitor({ capabilities: ["view", "deliver"] })
  const list = yield* reader.see("/portal/endpoints")
  assert.include(list.text, 'class="state bad"')
  assert.include(list.text, reasonWords(en, "status", 503))
  const page = yield* reader.see(path)
  assert.include(page.text, '/redeliver"')
  assert.include(page.text, "<svg")
  assert.notInclude(page.text, "style=")

  // A time that nobody can read is said beside its field.
  const recover = `${path}/recover`
  const hidden = formOf(page.text, recover)
  const wrong = yield* reader.post(recover, new URLSearchParams({ ...hidden, since: "soon" }))
  assert.isAtLeast(wrong.status, 400)
  assert.include(wrong.text, 'value="soon"')
  assert.match(wrong.text, /aria-invalid="true"/)
  const future = new URLSearchParams({ ...hidden, once: "f", since: "2031-01-01T00:00" })
  assert.isDefined(beside((yield* reader.post(recover, future)).text, "since"))

  receiver.onSend = () => Effect.succeed(answered(204))
  const fields = new URLSearchParams({ ...hidden, once: "r", since: "2026-11-21T09:00" })
  const done = yield* reader.post(recover, fields)
  assert.strictEqual(noticeOf(done.text), "recovered")
  yield* until(({ deliveries }) => [...deliveries.values()].every((row) => row.status === "succeeded"))
  assert.strictEqual(noticeOf((yield* reader.post(recover, fields)).text), "recovered")
  assert.strictEqual(tables.attempts.length, 5)
  for (const query of ["", "?status=succeeded"]) {
    assert.include((yield* reader.see(path + query)).text, 'class="state ok"')
  }
})

const changes: ReadonlyArray<readonly [command: string, capability: Capability]> = [
  ["edit", "endpoints"],
  ["rotate", "endpoints"],
  ["pause", "endpoints"],
  ["resume", "endpoints"],
  ["delete", "endpoints"],
  ["test", "deliver"],
  ["recover", "deliver"]
]
const everyField = { url, description: "", in_flight: "8", event: accepted, type: accepted, since: "2026-11-21T09:00" }

it.effect("nobody changes an endpoint without the capability, and nobody sees another's", function* () {
  const { tables } = yield* MemoryTables
  const id = yield* added
  const before = tables.endpoints.get(id)
  const path = `/portal/endpoints/${id}`
  for (const [command, capability] of [...changes, ["new", "endpoints"] as const]) {
    const others: ReadonlyArray<Capability> = ["view", "deliver", "endpoints", "documents", "keys", "setup"]
    const unable = yield* visitor({ capabilities: others.filter((each) => each !== capability) })
    const shown = yield* unable.see(path)
    assert.strictEqual(shown.status, 200)
    assert.notInclude(shown.text, `${id}/${command}"`, `no form for ${command}`)
    const action = command === "new" ? "/portal/endpoints/new" : `${path}/${command}`
    const fields = new URLSearchParams({ ...everyField, csrf: tokenOf(shown.text), once: `c-${command}` })
    const refused = yield* unable.post(action, fields)
    assert.strictEqual(refused.status, 403, command)
    assert.include(refused.text, `lacks the capability ${capability}`)
  }
  for (const other of [
    { account: { account_id: otherAccount, livemode: false }, apiKeyId: apiKeyIds.otherAccount },
    { account: { account_id: account, livemode: true }, apiKeyId: apiKeyIds.live }
  ]) {
    const stranger = yield* visitor(other)
    const list = yield* stranger.see("/portal/endpoints")
    assert.notInclude(list.text, id)
    for (const page of ["", "/edit", "/rotate", "/delete"]) {
      assert.strictEqual((yield* stranger.see(`${path}${page}`)).status, 404, page)
    }
    for (const [command] of changes) {
      const fields = new URLSearchParams({ ...everyField, csrf: tokenOf(list.text), once: `o-${command}` })
      const answer = yield* stranger.post(`${path}/${command}`, fields)
      // What is deleted already and what never was are the same to a stranger.
      assert.strictEqual(answer.status, command === "delete" ? 200 : 404, command)
    }
  }
  const able = yield* visitor()
  for (const [command] of changes) {
    const answer = yield* able.post(`${path}/${command}`, new URLSearchParams({ ...everyField, once: `t-${command}` }))
    assert.isAtLeast(answer.status, 400, `${command} without the token`)
  }
  assert.deepStrictEqual(tables.endpoints.get(id), before)
  assert.strictEqual(tables.endpoints.size, 1)
})
