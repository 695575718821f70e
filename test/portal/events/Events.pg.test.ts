import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { localDate } from "../../../src/runtime/AuthorityTime.ts"
import { eventWords } from "../../../src/portal/events/EventWords.ts"
import { reasonWords } from "../../../src/portal/events/DeliveryParts.ts"
import { en, es } from "../../support/portal/Words.ts"
import { answered, FakeReceiver } from "../../support/apps/Fakes.ts"
import { account, apiKeyIds, otherAccount } from "../../support/apps/Accounts.ts"
import { layer as app } from "../../support/apps/PostgresApp.ts"
import { get } from "../../support/apps/Requests.ts"
import { until } from "../../support/apps/Until.ts"
import { arrivedAt, attempted, deliveriesTo, endpointAlone, givenUp, issued } from "../../support/portal/Deliveries.ts"
import { formOf, noticeOf, visitor } from "../../support/portal/Visitor.ts"
import { describeLive } from "../../support/Tests.ts"

const hostile = `<img src=x onerror=alert(1)>"'&lt;/pre></code>`
const asText = "&lt;img src=x onerror=alert(1)&gt;&quot;&#39;&amp;lt;/pre&gt;&lt;/code&gt;"

/** An endpoint whose receiver returns this status code. */
const receiving = Effect.fnUntraced(function* (status: number, changes: object = {}) {
  const receiver = yield* FakeReceiver
  receiver.onSend = () => Effect.succeed({ ...answered(status), ...changes })
  return { receiver, ...(yield* endpointAlone) }
})

const tokenOf = (text: string) => formOf(text, "/portal/leave")["csrf"] ?? ""

const dayMs = 86_400_000

describeLive(app)("the pages of events", (it) => {
  it.effect("list events newest first, with their document and the outcome of their deliveries", function* () {
    const { id, receiver } = yield* receiving(500)
    const first = yield* issued()
    yield* givenUp(id)
    receiver.onSend = () => Effect.succeed(answered(204))
    const second = yield* issued()
    yield* until(deliveriesTo(id), ([newest]) => newest?.status === "succeeded")
    const reader = yield* visitor()
    const page = yield* until(reader.see("/portal/events"), ({ text }) => text.includes(second.id))
    assert.strictEqual(page.status, 200)
    assert.isBelow(page.text.indexOf(second.id), page.text.indexOf(first.id))
    assert.include(page.text, `documents/${second.invoice}`)
    assert.include(page.text, "1 failed")
    assert.include(page.text, "1 delivered")
    const spanish = yield* visitor({ language: "es" })
    yield* until(spanish.see("/portal/events"), ({ text }) =>
      text.includes(eventWords(es, "invoice.accepted_by_authority"))
    )

    const found = (query: string) => Effect.map(reader.see(`/portal/events?${query}`), ({ text }) => text)
    const firstIn = (query: string) => until(found(query), (text) => text.includes(first.id))
    const ofFirst = yield* firstIn(`object=${first.invoice}`)
    assert.notInclude(ofFirst, second.id)
    assert.include(yield* found("type=invoice.failed"), 'class="empty"')
    yield* firstIn("type=invoice.accepted_by_authority")
    yield* firstIn(`day=${localDate(Date.now())}`)
    assert.include(yield* found(`day=${localDate(Date.now() - dayMs)}`), 'class="empty"')
    // A value that the API rejects gets an error next to its field, with the typed text.
    const wrong = yield* found("day=yesterday&object=%22%3E%3Cimg%3E")
    assert.match(wrong, /aria-invalid="true"/)
    assert.include(wrong, 'value="yesterday"')
    assert.include(wrong, 'value="&quot;&gt;&lt;img&gt;"')
  })

  it.effect("show the exact bytes of an event, and the headers and the response of each attempt", function* () {
    const { id, url } = yield* receiving(500, {
      body: `<h1>${hostile}</h1>`,
      headers: { "x-hostile": hostile, server: "nginx\u0007\u202e" },
      durationMs: 1234,
      error: { code: "status", message: `The endpoint returned 500. ${hostile}` }
    })
    const event = yield* issued({ hostile, spin: "\u202egnp" })
    yield* attempted(id)
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
    assert.include(page.text, `documents/${event.invoice}`)
    assert.include(page.text, `endpoints/${id}`)
    // Byte for byte the body that the receiver got.
    const [sent] = yield* arrivedAt(url)
    const file = yield* reader.see(`/portal/events/${event.id}/bytes`)
    assert.strictEqual(file.text, event.body)
    assert.strictEqual(sent?.body, event.body)
    assert.include(file.headers.get("content-disposition") ?? "", `${event.id}.json`)
    assert.include(page.text, `${Buffer.byteLength(event.body)}\u00a0B`)
    // All headers that the receiver got, except headers that depend on the secret or on the release.
    for (const [name, value] of Object.entries(sent?.headers ?? {})) {
      if (name === "User-Agent") continue
      const shown = /signature$/i.test(name) ? value.replace(/(v1[=,]).*/, "$1…") : value
      assert.include(page.text, `${name}: ${shown}`)
    }
  })

  it.effect("describe a binary or missing response in words", function* () {
    const { id, receiver } = yield* receiving(500, {
      status: null,
      error: { code: "dns", message: "nothing.example.com has no address." }
    })
    const event = yield* issued()
    yield* attempted(id)
    const reader = yield* visitor()
    const page = yield* reader.see(`/portal/events/${event.id}`)
    assert.include(page.text, reasonWords(en, "dns", null))
    receiver.onSend = () =>
      Effect.succeed({ ...answered(500), body: new TextDecoder().decode(new Uint8Array([0xff, 0xfe, 0x41, 0x1b])) })
    yield* givenUp(id)
    assert.include((yield* reader.see(`/portal/events/${event.id}`)).text, "\ufffd\ufffdA⟨U+001B⟩")
  })

  it.effect("repeat a delivery once for each sent form", function* () {
    const { id: endpoint, url } = yield* receiving(204)
    const event = yield* issued()
    const id = yield* attempted(endpoint)
    const reader = yield* visitor({ capabilities: ["view", "deliver"] })
    const page = yield* reader.see(`/portal/events/${event.id}`)
    const action = `/portal/deliveries/${id}/redeliver`
    const fields = new URLSearchParams(formOf(page.text, action))
    const done = yield* reader.post(action, fields)
    assert.strictEqual(done.status, 200)
    assert.strictEqual(noticeOf(done.text), "redelivered")
    assert.include(done.text, `<h1>${eventWords(en, "invoice.accepted_by_authority")}`)
    yield* attempted(endpoint, 2)
    // The same form again: the response is the same, and no delivery is sent.
    assert.strictEqual((yield* reader.post(action, fields)).status, 200)
    assert.strictEqual((yield* get(`/v1/webhook-deliveries/${id}`)).json.status, "succeeded")
    yield* givenUp(endpoint)
    assert.lengthOf(yield* arrivedAt(url), 2)

    // The page of the delivery has all attempts.
    const own = yield* reader.see(`/portal/deliveries/${id}`)
    assert.include(own.text, "Attempts: 2")
    assert.include((yield* reader.submit(`/portal/deliveries/${id}`, action)).text, `portal/deliveries/${id}`)
    yield* attempted(endpoint, 3)
    // A form leads back to a page of the portal only.
    const elsewhere = yield* reader.fetched(action, {
      method: "POST",
      body: new URLSearchParams({ ...formOf(own.text, action), once: "other", back: "https://evil.example" }),
      headers: { origin: reader.url, "sec-fetch-site": "same-origin" }
    })
    assert.match(elsewhere.headers.get("location") ?? "", /^(\.\.\/)+portal\/events\/evt_\w+\?notice=redelivered$/)
  })

  it.effect(
    "repeat no delivery without the capability or the token, and show nothing of another account",
    function* () {
      const { id: endpoint, url } = yield* receiving(204)
      const event = yield* issued()
      const id = yield* attempted(endpoint)
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
      const paths = [`/portal/events/${event.id}`, `/portal/events/${event.id}/bytes`, `/portal/deliveries/${id}`]
      for (const other of others) {
        const stranger = yield* visitor(other)
        for (const path of paths) {
          const answer = yield* stranger.see(path)
          assert.strictEqual(answer.status, 404, path)
        }
        const list = yield* stranger.see("/portal/events")
        assert.notInclude(list.text, event.id)
        const asked = yield* stranger.post(action, new URLSearchParams({ csrf: tokenOf(list.text), once: "c" }))
        assert.strictEqual(asked.status, 404)
      }
      assert.strictEqual((yield* able.see("/portal/events/evt_..%2f..")).status, 404)
      assert.lengthOf(yield* arrivedAt(url), 1)
    }
  )

  it.effect("have at most 60 kB each", function* () {
    const event = yield* issued()
    const sql = yield* SqlClient.SqlClient
    const copy = sql`'evt_' || lpad(n::text, 26, '0')`
    yield* sql`
      insert into events (account_id, livemode, id, type, object_id, object_version, body, created_at)
      select account_id, livemode, ${copy}, type, object_id, object_version + n, replace(body, id, ${copy}), created_at
      from events, generate_series(1, 60) n where id = ${event.id}`
    const reader = yield* visitor()
    const page = yield* until(reader.see("/portal/events"), ({ text }) => text.includes(`${event.id}"`))
    assert.isBelow(page.text.length, 60_000)
    const next = /rel="next" href="([^"]*)"/.exec(page.text)?.[1]?.replace(/^(\.\.\/)+/, "/") ?? ""
    const second = yield* reader.see(next)
    assert.strictEqual(second.status, 200)
    assert.include(second.text, 'rel="prev"')
    assert.notInclude(second.text, `${event.id}"`)
  })
})
