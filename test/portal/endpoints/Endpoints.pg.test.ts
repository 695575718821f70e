import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { eventWords } from "../../../src/portal/events/EventWords.ts"
import { reasonWords } from "../../../src/portal/events/DeliveryParts.ts"
import { en } from "../../support/portal/Words.ts"
import { beside } from "../../support/portal/Forms.ts"
import type { Capability } from "../../../schemas/PortalSession.ts"
import { answered, FakeReceiver } from "../../support/apps/Fakes.ts"
import { account, apiKeyIds, otherAccount } from "../../support/apps/Accounts.ts"
import { layer as app } from "../../support/apps/PostgresApp.ts"
import { get } from "../../support/apps/Requests.ts"
import {
  arrivedAt,
  attempted,
  delivered,
  endpointAlone,
  givenUp,
  isSigned,
  issued,
  sampled
} from "../../support/portal/Deliveries.ts"
import { formOf, noticeOf, visitor } from "../../support/portal/Visitor.ts"
import { describeLive } from "../../support/Tests.ts"

const accepted = "invoice.accepted_by_authority"

const fieldsOf = (fields: Readonly<Record<string, string>>, events: ReadonlyArray<string> = [accepted]) =>
  new URLSearchParams([...Object.entries(fields), ...events.map((event): [string, string] => ["event", event])])

const tokenOf = (text: string) => formOf(text, "/portal/leave")["csrf"] ?? ""

type Person = Effect.Success<ReturnType<typeof visitor>>

const add = "/portal/endpoints/new"
/** Adds an endpoint for these events with the page's form. Returns the next page and the sent fields. */
const addAt = Effect.fnUntraced(function* (
  person: Person,
  given: Readonly<Record<string, string>>,
  events: ReadonlyArray<string>
) {
  const hidden = formOf((yield* person.see(add)).text, add)
  const fields = fieldsOf({ ...hidden, description: "", in_flight: "3", ...given }, events)
  return { fields, page: yield* person.post(add, fields) }
})

const shownBy = (id: string) => Effect.map(get(`/v1/webhook-endpoints/${id}`), ({ json }) => json)
const endpointsAt = (url: string) =>
  Effect.map(get("/v1/webhook-endpoints?limit=100"), ({ json }) =>
    json.data.filter((row: { url: string }) => row.url === url)
  )
const countOf = Effect.map(get("/v1/webhook-endpoints?limit=100"), ({ json }) => json.data.length)
const secretIn = (page: string) => /whsec_[\w+/=]+/.exec(page)?.[0] ?? ""

/** A time in Colombia some hours ago, as a field for a date and a time holds it. */
const hoursAgo = (hours: number) => new Date(Date.now() - (hours + 5) * 3_600_000).toISOString().slice(0, 16)

const changes: ReadonlyArray<readonly [command: string, capability: Capability]> = [
  ["edit", "endpoints"],
  ["rotate", "endpoints"],
  ["pause", "endpoints"],
  ["resume", "endpoints"],
  ["delete", "endpoints"],
  ["test", "deliver"],
  ["recover", "deliver"]
]
const everyField = () => ({
  url: "https://hooks.example.com/other",
  description: "",
  in_flight: "8",
  event: accepted,
  type: accepted,
  since: hoursAgo(1)
})

describeLive(app)("the pages of webhook endpoints", (it) => {
  it.effect("add an endpoint once for each form, and show its secret once", function* () {
    const reader = yield* visitor({ capabilities: ["view", "endpoints"] })
    const url = "https://shop.example.com/hook"
    const given = { url, description: "<b>The shop</b>" }
    const { fields, page } = yield* addAt(reader, given, [accepted, "invoice.failed"])
    assert.strictEqual(page.status, 200)
    const [row] = yield* endpointsAt(url)
    assert.deepInclude(row, { description: "<b>The shop</b>", max_in_flight: 3, is_active: true })
    assert.deepStrictEqual(row.subscribed_events, [accepted, "invoice.failed"])
    const secret = secretIn(page.text)
    assert.isTrue(isSigned(secret, yield* sampled(row.id, url)))
    assert.strictEqual(page.headers.get("cache-control"), "no-store")
    // The same form again, as after a double click: one endpoint, and the same response.
    assert.include((yield* reader.post(add, fields)).text, secret)
    assert.lengthOf(yield* endpointsAt(url), 1)
    for (const after of ["/portal/endpoints", `/portal/endpoints/${row.id}`, `/portal/endpoints/${row.id}/edit`]) {
      const shown = yield* reader.see(after)
      assert.strictEqual(shown.status, 200, after)
      assert.notInclude(shown.text, secret)
      assert.include(shown.text, "&lt;b&gt;The shop&lt;/b&gt;")
      assert.notInclude(shown.text, "<b>The shop")
    }
  })

  it.effect("save, show, deliver to and offer samples to an endpoint of all events", function* () {
    const reader = yield* visitor()
    const url = "https://all.example.com/hook"
    // The other boxes are checked too: a person who checks the box for all events need not clear them.
    yield* addAt(reader, { url }, ["*", accepted])
    const [row] = yield* endpointsAt(url)
    assert.deepStrictEqual(row.subscribed_events, ["*"])
    const page = yield* reader.see(`/portal/endpoints/${row.id}`)
    assert.match((yield* reader.see(`/portal/endpoints/${row.id}/edit`)).text, /value="\*"\s+checked/)
    assert.match(page.text, /<option value="debit_note.email.complained"/)
    yield* issued()
    yield* attempted(row.id)
  })

  it.effect("show a rejected form again, with the typed values and its faults", function* () {
    const before = yield* countOf
    const reader = yield* visitor()
    const hidden = formOf((yield* reader.see(add)).text, add)
    const typed = { ...hidden, url: "http://10.0.0.1/<x>", description: "My server", in_flight: "many" }
    const refused = yield* reader.post(add, fieldsOf(typed, ["invoice.failed"]))
    assert.isAtLeast(refused.status, 400)
    assert.include(refused.text, 'role="alert"')
    assert.include(refused.text, 'value="http://10.0.0.1/&lt;x&gt;"')
    assert.include(refused.text, 'value="My server"')
    assert.match(refused.text, /value="invoice.failed"\s+checked/)
    assert.notMatch(refused.text, /value="invoice.accepted_by_authority"\s+checked/)
    assert.match(refused.text, /aria-invalid="true"/)
    const { page: none } = yield* addAt(reader, { once: "other", url: "https://none.example.com/hook" }, [])
    assert.include(none.text, "must name at least one event type")
    assert.strictEqual(yield* countOf, before)
  })

  it.effect("change, pause, resume and delete an endpoint", function* () {
    const { id, url } = yield* endpointAlone
    const reader = yield* visitor()
    const path = `/portal/endpoints/${id}`
    const edit = formOf((yield* reader.see(`${path}/edit`)).text, `${path}/edit`)
    const other = "https://other.example.com/hook"
    const fields = fieldsOf({ ...edit, url: other, description: "", in_flight: "1" })
    assert.strictEqual(noticeOf((yield* reader.post(`${path}/edit`, fields)).text), "changed")
    const { max_in_flight, subscribed_events, url: changed } = yield* shownBy(id)
    assert.deepStrictEqual([changed, max_in_flight, subscribed_events], [other, 1, [accepted]])

    const paused = yield* reader.submit(path, `${path}/pause`)
    assert.strictEqual(noticeOf(paused.text), "paused")
    assert.notInclude(paused.text, `${path}/test"`, "a paused endpoint gets no sample")
    assert.isFalse((yield* shownBy(id)).is_active)
    const resumed = yield* reader.submit(path, `${path}/resume`)
    assert.strictEqual(noticeOf(resumed.text), "resumed")
    assert.isTrue((yield* shownBy(id)).is_active)

    const asked = yield* reader.see(`${path}/delete`)
    assert.strictEqual((yield* shownBy(id)).id, id, "the question deletes nothing")
    const sure = new URLSearchParams(formOf(asked.text, `${path}/delete`))
    assert.strictEqual(noticeOf((yield* reader.post(`${path}/delete`, sure)).text), "deleted")
    assert.strictEqual((yield* get(`/v1/webhook-endpoints/${id}`)).status, 404)
    assert.strictEqual(noticeOf((yield* reader.post(`${path}/delete`, sure)).text), "deleted")
    assert.strictEqual((yield* reader.see(path)).status, 404)
    assert.deepStrictEqual([...(yield* arrivedAt(url)), ...(yield* arrivedAt(other))], [])
  })

  it.effect("rotate a secret once for each form: the old one stops", function* () {
    const { id, secret: old, url } = yield* endpointAlone
    const reader = yield* visitor()
    const path = `/portal/endpoints/${id}/rotate`
    const question = yield* reader.see(path)
    assert.isTrue(isSigned(old, yield* sampled(id, url)), "the question rotates nothing")
    const fields = new URLSearchParams(formOf(question.text, path))
    const rotated = yield* reader.post(path, fields)
    const secret = secretIn(rotated.text)
    assert.notStrictEqual(secret, old)
    assert.include((yield* reader.post(path, fields)).text, secret)
    assert.notInclude((yield* reader.see(path)).text, secret)
    const sent = yield* sampled(id, url)
    assert.isTrue(isSigned(secret, sent), "the second form rotates nothing")
    assert.isFalse(isSigned(old, sent))
  })

  it.effect("send a sample once for each form, and show its outcome", function* () {
    const receiver = yield* FakeReceiver
    receiver.onSend = () => Effect.succeed(answered(500))
    const { id, url } = yield* endpointAlone
    const path = `/portal/endpoints/${id}`
    const reader = yield* visitor({ capabilities: ["view", "deliver"] })
    const page = yield* reader.see(path)
    const fields = new URLSearchParams({ ...formOf(page.text, `${path}/test`), type: "invoice.failed" })
    const sent = yield* reader.post(`${path}/test`, fields)
    assert.strictEqual(sent.status, 200)
    yield* attempted(id)
    const again = yield* reader.post(`${path}/test`, fields)
    assert.include(again.text, reasonWords(en, "status", 500))
    assert.include(again.text, eventWords(en, "invoice.failed"))
    assert.lengthOf(yield* arrivedAt(url), 1)
    // The event of a sample has no document.
    const event = /portal\/events\/(evt_\w+)/.exec(again.text)?.[1] ?? ""
    const shown = yield* reader.see(`/portal/events/${event}`)
    assert.notMatch(shown.text, /portal\/documents\/inv_/)
    const wrong = yield* reader.see(`${path}?tested=whd_${"0".repeat(26)}`)
    assert.strictEqual(wrong.status, 404)
    assert.strictEqual((yield* reader.see(`${path}?tested=%3Cimg%3E`)).status, 200)
  })

  it.effect("list failed deliveries, show the endpoint's health, and recover it since a time", function* () {
    const receiver = yield* FakeReceiver
    receiver.onSend = () => Effect.succeed(answered(503))
    const { id } = yield* endpointAlone
    const path = `/portal/endpoints/${id}`
    yield* issued()
    const failed = yield* attempted(id)
    const early = yield* visitor()
    assert.include((yield* early.see(`${path}?status=pending`)).text, "portal/deliveries/")
    // The first tab shows failed deliveries, with and without further attempts.
    assert.include((yield* early.see(path)).text, "portal/deliveries/")
    assert.include((yield* early.see(`${path}?status=failed`)).text, 'class="empty"')
    yield* givenUp(id)

    const reader = yield* visitor({ capabilities: ["view", "deliver"] })
    const list = yield* reader.see("/portal/endpoints")
    assert.include(list.text, 'class="state bad"')
    assert.include(list.text, reasonWords(en, "status", 503))
    const page = yield* reader.see(path)
    assert.include(page.text, '/redeliver"')
    assert.include(page.text, "<svg")
    assert.notInclude(page.text, "style=")

    // The error for a malformed time appears next to its field.
    const recover = `${path}/recover`
    const hidden = formOf(page.text, recover)
    const wrong = yield* reader.post(recover, new URLSearchParams({ ...hidden, since: "soon" }))
    assert.isAtLeast(wrong.status, 400)
    assert.include(wrong.text, 'value="soon"')
    assert.match(wrong.text, /aria-invalid="true"/)
    const future = new URLSearchParams({ ...hidden, once: "f", since: "2031-01-01T00:00" })
    assert.isDefined(beside((yield* reader.post(recover, future)).text, "since"))

    receiver.onSend = () => Effect.succeed(answered(204))
    const fields = new URLSearchParams({ ...hidden, once: "r", since: hoursAgo(1) })
    const done = yield* reader.post(recover, fields)
    assert.strictEqual(noticeOf(done.text), "recovered")
    yield* delivered(id)
    assert.strictEqual(noticeOf((yield* reader.post(recover, fields)).text), "recovered")
    const { json } = yield* get(`/v1/webhook-deliveries/${failed}`)
    assert.deepStrictEqual([json.status, json.attempts.length], ["succeeded", 5])
    for (const query of ["", "?status=succeeded"]) {
      assert.include((yield* reader.see(path + query)).text, 'class="state ok"')
    }
  })

  it.effect("change no endpoint without the capability, and show none of another account", function* () {
    const { id } = yield* endpointAlone
    const before = { shown: yield* shownBy(id), count: yield* countOf }
    const path = `/portal/endpoints/${id}`
    for (const [command, capability] of [...changes, ["new", "endpoints"] as const]) {
      const others: ReadonlyArray<Capability> = ["view", "deliver", "endpoints", "documents", "keys", "setup"]
      const unable = yield* visitor({ capabilities: others.filter((each) => each !== capability) })
      const shown = yield* unable.see(path)
      assert.strictEqual(shown.status, 200)
      assert.notInclude(shown.text, `${id}/${command}"`, `no form for ${command}`)
      const action = command === "new" ? "/portal/endpoints/new" : `${path}/${command}`
      const fields = new URLSearchParams({ ...everyField(), csrf: tokenOf(shown.text), once: `c-${command}` })
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
        const fields = new URLSearchParams({ ...everyField(), csrf: tokenOf(list.text), once: `o-${command}` })
        const answer = yield* stranger.post(`${path}/${command}`, fields)
        // Deleted and unknown endpoints get the same response.
        assert.strictEqual(answer.status, command === "delete" ? 200 : 404, command)
      }
    }
    const able = yield* visitor()
    for (const [command] of changes) {
      const answer = yield* able.post(
        `${path}/${command}`,
        new URLSearchParams({ ...everyField(), once: `t-${command}` })
      )
      assert.isAtLeast(answer.status, 400, `${command} without the token`)
    }
    assert.deepStrictEqual({ shown: yield* shownBy(id), count: yield* countOf }, before)
  })
})
