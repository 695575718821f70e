import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { eventWords } from "../../../src/portal/events/EventWords.ts"
import { reasonWords } from "../../../src/portal/events/DeliveryParts.ts"
import { en, es } from "../../support/portal/Words.ts"
import { TestClock } from "effect/testing"
import { answered, FakeReceiver } from "../../support/apps/Fakes.ts"
import { customerBody, endpointBody, invoiceBody } from "../../support/apps/Invoices.ts"
import { account, apiKeyIds, otherAccount } from "../../support/apps/Accounts.ts"
import { layer as app } from "../../support/apps/MemoryApp.ts"
import { post } from "../../support/apps/Requests.ts"
import { MemoryTables } from "../../support/memory/MemoryTables.ts"
import { formOf, noticeOf, visitor } from "../../support/portal/Visitor.ts"
import { itOn } from "../../support/Tests.ts"

const it = itOn(app)
const url = "https://hooks.example.com/folio"

const hostile = `<img src=x onerror=alert(1)>"'&lt;/pre></code>`
const asText = "&lt;img src=x onerror=alert(1)&gt;&quot;&#39;&amp;lt;/pre&gt;&lt;/code&gt;"

/** An endpoint whose receiver answers with this status. */
const receiving = Effect.fnUntraced(function* (status: number, changes: object = {}) {
  const receiver = yield* FakeReceiver
  receiver.onSend = () => Effect.succeed({ ...answered(status), ...changes })
  const endpoint = yield* post("/v1/webhook-endpoints", endpointBody(url))
  return { receiver, endpoint: String(endpoint.json.id) }
})

/** An accepted invoice, and the event of it, of which every endpoint was told once. */
const told = Effect.fnUntraced(function* (metadata: Record<string, string> = {}) {
  const { tables, until } = yield* MemoryTables
  const customer = yield* post("/v1/customers", customerBody())
  const before = tables.events.length
  const invoice = yield* post("/v1/invoices", invoiceBody(customer.json.id, metadata))
  yield* until(
    ({ deliveries, events }) => events.length > before && [...deliveries.values()].every((row) => row.attempts > 0)
  )
  const event = tables.events[before]
  if (event === undefined) throw new Error("nothing happened")
  return { event, invoice: String(invoice.json.id) }
})

const tokenOf = (text: string) => formOf(text, "/portal/leave")["csrf"] ?? ""

const onlyDelivery = Effect.map(MemoryTables, ({ tables }) => [...tables.deliveries.values()][0]?.id ?? "")

it.effect("events are listed newest first, with their document and what became of their deliveries", function* () {
  const { receiver } = yield* receiving(500)
  const first = yield* told()
  yield* TestClock.adjust("40 minutes")
  receiver.onSend = () => Effect.succeed(answered(204))
  const second = yield* told()
  const reader = yield* visitor()
  const page = yield* reader.see("/portal/events")
  assert.strictEqual(page.status, 200)
  assert.isBelow(page.text.indexOf(second.event.id), page.text.indexOf(first.event.id))
  assert.include(page.text, `documents/${second.invoice}`)
  assert.include(page.text, "1 failed")
  assert.include(page.text, "1 delivered")
  const spanish = yield* visitor({ language: "es" })
  assert.include((yield* spanish.see("/portal/events")).text, eventWords(es, "invoice.accepted_by_authority"))

  const found = (query: string) => Effect.map(reader.see(`/portal/events?${query}`), ({ text }) => text)
  const ofFirst = yield* found(`object=${first.invoice}`)
  assert.include(ofFirst, first.event.id)
  assert.notInclude(ofFirst, second.event.id)
  assert.include(yield* found("type=invoice.failed"), 'class="empty"')
  assert.include(yield* found("type=invoice.accepted_by_authority"), first.event.id)
  assert.include(yield* found("day=2026-11-21"), first.event.id)
  assert.include(yield* found("day=2026-11-20"), 'class="empty"')
  // What the API does not take is said beside its field, with what was typed.
  const wrong = yield* found("day=yesterday&object=%22%3E%3Cimg%3E")
  assert.match(wrong, /aria-invalid="true"/)
  assert.include(wrong, 'value="yesterday"')
  assert.include(wrong, 'value="&quot;&gt;&lt;img&gt;"')
})

it.effect("events are shown in pages of at most 60 kB", function* () {
  yield* receiving(204)
  const { event } = yield* told()
  const { tables } = yield* MemoryTables
  for (let n = 0; n < 60; n++) {
    const id = `evt_${String(n).padStart(26, "0")}` as typeof event.id
    tables.events.push({ ...event, id, body: event.body.replace(event.id, id) })
  }
  const reader = yield* visitor()
  const page = yield* reader.see("/portal/events")
  assert.isBelow(page.text.length, 60_000)
  const next = /rel="next" href="([^"]*)"/.exec(page.text)?.[1]?.replace(/^(\.\.\/)+/, "/") ?? ""
  const second = yield* reader.see(next)
  assert.strictEqual(second.status, 200)
  assert.include(second.text, 'rel="prev"')
  assert.notInclude(second.text, `${event.id}"`)
})

it.effect("the page of an event has its exact bytes, and the headers and the answer of each attempt", function* () {
  const { endpoint, receiver } = yield* receiving(500, {
    body: `<h1>${hostile}</h1>`,
    headers: { "x-hostile": hostile, server: "nginx\u0007\u202e" },
    durationMs: 1234,
    error: { code: "status", message: `The endpoint answered 500. ${hostile}` }
  })
  const { event, invoice } = yield* told({ hostile, spin: "\u202egnp" })
  const reader = yield* visitor()
  const page = yield* reader.see(`/portal/events/${event.id}`)
  assert.strictEqual(page.status, 200)
  assert.notInclude(page.text, "<img")
  assert.include(page.text, `&lt;h1&gt;${asText}&lt;/h1&gt;`)
  assert.include(page.text, `x-hostile: ${asText}`)
  assert.include(page.text, "nginx⟨U+0007⟩⟨U+202E⟩")
  assert.notInclude(page.text, "\u202e")
  assert.include(page.text, reasonWords(en, "status", 500))
  assert.include(page.text, "1.2\u00a0s")
  assert.include(page.text, `documents/${invoice}`)
  assert.include(page.text, `endpoints/${endpoint}`)
  // Byte for byte what the receiver got.
  const [sent] = receiver.requests
  const file = yield* reader.see(`/portal/events/${event.id}/bytes`)
  assert.strictEqual(file.text, event.body)
  assert.strictEqual(sent?.body, event.body)
  assert.include(file.headers.get("content-disposition") ?? "", `${event.id}.json`)
  assert.include(page.text, `${Buffer.byteLength(event.body)}\u00a0B`)
  // Every header that the receiver got, but for what depends on the secret or on the release.
  for (const [name, value] of Object.entries(sent?.headers ?? {})) {
    if (name === "User-Agent") continue
    const shown = /signature$/i.test(name) ? value.replace(/(v1[=,]).*/, "$1…") : value
    assert.include(page.text, `${name}: ${shown}`)
  }
})

it.effect("an answer that is no text, and one that never came, are shown in words", function* () {
  const { receiver } = yield* receiving(500, {
    status: null,
    error: { code: "dns", message: "nothing.example.com has no address." }
  })
  const { event } = yield* told()
  const reader = yield* visitor()
  const page = yield* reader.see(`/portal/events/${event.id}`)
  assert.include(page.text, reasonWords(en, "dns", null))
  receiver.onSend = () =>
    Effect.succeed({ ...answered(500), body: new TextDecoder().decode(new Uint8Array([0xff, 0xfe, 0x41, 0x1b])) })
  yield* TestClock.adjust("1 minute")
  const { until } = yield* MemoryTables
  yield* until(({ attempts }) => attempts.length === 2)
  assert.include((yield* reader.see(`/portal/events/${event.id}`)).text, "\ufffd\ufffdA⟨U+001B⟩")
})

it.effect("a delivery is sent once more, once for each form that is sent", function* () {
  const { receiver } = yield* receiving(204)
  const { event } = yield* told()
  const { until } = yield* MemoryTables
  const id = yield* onlyDelivery
  const reader = yield* visitor({ capabilities: ["view", "deliver"] })
  const page = yield* reader.see(`/portal/events/${event.id}`)
  const action = `/portal/deliveries/${id}/redeliver`
  const fields = new URLSearchParams(formOf(page.text, action))
  const done = yield* reader.post(action, fields)
  assert.strictEqual(done.status, 200)
  assert.strictEqual(noticeOf(done.text), "redelivered")
  assert.include(done.text, `<h1>${eventWords(en, "invoice.accepted_by_authority")}`)
  yield* until(({ attempts }) => attempts.length === 2)
  // The same form once more: it is answered as before, and nothing is sent.
  assert.strictEqual((yield* reader.post(action, fields)).status, 200)
  yield* TestClock.adjust("40 minutes")
  assert.strictEqual(receiver.requests.length, 2)

  // All attempts are on the page of the delivery.
  const own = yield* reader.see(`/portal/deliveries/${id}`)
  assert.include(own.text, "Attempts: 2")
  assert.include((yield* reader.submit(`/portal/deliveries/${id}`, action)).text, `portal/deliveries/${id}`)
  yield* until(({ attempts }) => attempts.length === 3)
  // A form leads back to a page of the portal, and nowhere else.
  const elsewhere = yield* reader.fetched(action, {
    method: "POST",
    body: new URLSearchParams({ ...formOf(own.text, action), once: "other", back: "https://evil.example" }),
    headers: { origin: reader.url, "sec-fetch-site": "same-origin" }
  })
  assert.match(elsewhere.headers.get("location") ?? "", /^(\.\.\/)+portal\/events\/evt_\w+\?notice=redelivered$/)
})

it.effect("nobody redelivers without the capability or the token, or sees what is another's", function* () {
  const { receiver } = yield* receiving(204)
  const { event } = yield* told()
  const id = yield* onlyDelivery
  const action = `/portal/deliveries/${id}/redeliver`
  const able = yield* visitor()
  const viewer = yield* visitor({ capabilities: ["view", "endpoints"] })
  const page = yield* viewer.see(`/portal/events/${event.id}`)
  assert.strictEqual(page.status, 200)
  assert.notInclude(page.text, "/redeliver")
  const refused = yield* viewer.post(action, new URLSearchParams({ csrf: tokenOf(page.text), once: "a" }))
  assert.strictEqual(refused.status, 403)
  assert.include(refused.text, "lacks the capability deliver")
  const foreign = yield* able.post(action, new URLSearchParams({ csrf: tokenOf(page.text), once: "b" }))
  assert.isAtLeast(foreign.status, 400)

  const others = [
    { account: { account_id: otherAccount, livemode: false }, apiKeyId: apiKeyIds.otherAccount },
    { account: { account_id: account, livemode: true }, apiKeyId: apiKeyIds.live }
  ]
  for (const other of others) {
    const stranger = yield* visitor(other)
    for (const path of [`/portal/events/${event.id}`, `/portal/events/${event.id}/bytes`, `/portal/deliveries/${id}`]) {
      const answer = yield* stranger.see(path)
      assert.strictEqual(answer.status, 404, path)
    }
    const list = yield* stranger.see("/portal/events")
    assert.notInclude(list.text, event.id)
    const asked = yield* stranger.post(action, new URLSearchParams({ csrf: tokenOf(list.text), once: "c" }))
    assert.strictEqual(asked.status, 404)
  }
  assert.strictEqual((yield* able.see("/portal/events/evt_..%2f..")).status, 404)
  assert.strictEqual(receiver.requests.length, 1)
})
