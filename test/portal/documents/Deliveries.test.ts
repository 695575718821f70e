import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { answered, FakeReceiver } from "../../support/apps/Fakes.ts"
import { layer as app } from "../../support/apps/MemoryApp.ts"
import { addEndpoint } from "../../support/apps/MemoryRows.ts"
import { MemoryTables } from "../../support/memory/MemoryTables.ts"
import { noticeOf, visitor } from "../../support/portal/Visitor.ts"
import { describeOn } from "../../support/Tests.ts"
import { customerNamed, invoiceOf } from "./Rows.ts"

const pathOf = (id: string, step = "") => `/portal/documents/${id}${step}`

describeOn(app)("the page of a document whose events are delivered", (it) => {
  it.effect("shows each delivery of its events, and sends one again for a session that may", function* () {
    const { tables, until } = yield* MemoryTables
    const endpoint = yield* addEndpoint()
    const customer = yield* customerNamed("Con Destino")
    const invoice = yield* invoiceOf(customer)
    const attemptsOf = (wanted: typeof tables) =>
      wanted.attempts.filter(({ delivery }) => wanted.deliveries.get(delivery.id)?.object_id === invoice.id)
    yield* until((all) => attemptsOf(all).length === 1)
    const person = yield* visitor()
    const { text } = yield* person.see(pathOf(invoice.id))
    assert.include(text, `href="../../portal/endpoints/${endpoint.id}">hooks.example.com</a>`)
    assert.match(
      text,
      /\/portal\/events\/evt_\w+"><code>invoice\.accepted_by_authority<\/code>|>invoice\.accepted_by_authority</
    )
    assert.match(text, /hooks\.example\.com<\/a>:\s+200 in/)
    const again = `/redeliver/${attemptsOf(tables)[0]?.delivery.id}`
    const sent = yield* person.submit(pathOf(invoice.id), pathOf(invoice.id, again))
    assert.strictEqual(noticeOf(sent.text), "redelivered")
    yield* until((all) => attemptsOf(all).length === 2)
    const reader = yield* visitor({ capabilities: ["view", "documents"] })
    assert.notInclude((yield* reader.see(pathOf(invoice.id))).text, "/redeliver/")
  })

  it.effect("counts the endpoints that took an event, and puts the attempts at each in one row", function* () {
    const { tables, until } = yield* MemoryTables
    const receiver = yield* FakeReceiver
    receiver.onSend = ({ url }) => Effect.succeed(answered(url.includes("hooks.example.com") ? 204 : 503))
    yield* addEndpoint()
    const failing = yield* addEndpoint({ url: "https://down.example.com/hook" })
    const invoice = yield* invoiceOf(yield* customerNamed("Con Dos Destinos"))
    const all = tables.endpoints.size
    const madeAt = (wanted: typeof tables, endpoint?: string) =>
      wanted.attempts.filter(
        ({ delivery }) =>
          wanted.deliveries.get(delivery.id)?.object_id === invoice.id &&
          (endpoint === undefined || delivery.endpoint.id === endpoint)
      ).length
    yield* until((wanted) => madeAt(wanted) === all)
    const path = pathOf(invoice.id)
    assert.match((yield* (yield* visitor()).see(path)).text, new RegExp(`<li class="">[^]*?\\b${all - 1} of ${all}`))
    yield* TestClock.adjust("40 minutes")
    yield* until((wanted) => madeAt(wanted, failing.id) === 4)
    const { text } = yield* (yield* visitor()).see(path)
    assert.match(text, /down\.example\.com<\/a>:[^<]*\b4\b[^<]*<time[^]*?503 in/)
    assert.strictEqual(text.split("down.example.com</a>").length, 2)
    const { text: pagina } = yield* (yield* visitor({ language: "es" })).see(path)
    assert.include(pagina, `${all - 1} de ${all}`)
    assert.match(pagina, /down\.example\.com<\/a>:[^<]*\b4\b/)
  })
})
