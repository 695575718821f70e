import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { answered, FakeReceiver } from "../../support/apps/Fakes.ts"
import { layer as app } from "../../support/apps/PostgresApp.ts"
import { attempted, endpointAlone, givenUp } from "../../support/portal/Deliveries.ts"
import { noticeOf, visitor } from "../../support/portal/Visitor.ts"
import { describeLive } from "../../support/Tests.ts"
import { customerNamed, invoiceOf } from "./Rows.ts"

const pathOf = (id: string, step = "") => `/portal/documents/${id}${step}`

describeLive(app)("the page of a document whose events are delivered", (it) => {
  it.effect("shows each delivery of its events, and repeats one for a session with the capability", function* () {
    const endpoint = yield* endpointAlone
    const invoice = yield* invoiceOf(yield* customerNamed("Con Destino"))
    const delivery = yield* attempted(endpoint.id)
    const person = yield* visitor()
    const { text } = yield* person.see(pathOf(invoice.id))
    assert.include(text, `href="../../portal/endpoints/${endpoint.id}">hooks.example.com</a>`)
    assert.match(
      text,
      /\/portal\/events\/evt_\w+"><code>invoice\.accepted_by_authority<\/code>|>invoice\.accepted_by_authority</
    )
    assert.match(text, /hooks\.example\.com<\/a>:\s+200 in/)
    const sent = yield* person.submit(pathOf(invoice.id), pathOf(invoice.id, `/redeliver/${delivery}`))
    assert.strictEqual(noticeOf(sent.text), "redelivered")
    yield* attempted(endpoint.id, 2)
    const reader = yield* visitor({ capabilities: ["view", "documents"] })
    assert.notInclude((yield* reader.see(pathOf(invoice.id))).text, "/redeliver/")
  })

  it.effect("counts the endpoints that accepted an event, and shows the attempts at each in one row", function* () {
    const receiver = yield* FakeReceiver
    const [healthy, failing] = [yield* endpointAlone, yield* endpointAlone]
    receiver.onSend = ({ url }) => Effect.succeed(answered(url === failing.url ? 503 : 204))
    const invoice = yield* invoiceOf(yield* customerNamed("Con Dos Destinos"))
    yield* attempted(healthy.id)
    yield* attempted(failing.id)
    const path = pathOf(invoice.id)
    assert.match((yield* (yield* visitor()).see(path)).text, /<li class="">[^]*?\b1 of 2/)
    yield* givenUp(failing.id)
    const { text } = yield* (yield* visitor()).see(path)
    const link = new RegExp(`endpoints/${failing.id}">hooks\\.example\\.com</a>:[^<]*\\b4\\b[^<]*<time[^]*?503 in`)
    assert.match(text, link)
    assert.strictEqual(text.split(`endpoints/${failing.id}"`).length, 2)
    const { text: pagina } = yield* (yield* visitor({ language: "es" })).see(path)
    assert.include(pagina, "1 de 2")
    assert.match(pagina, new RegExp(`endpoints/${failing.id}">hooks\\.example\\.com</a>:[^<]*\\b4\\b`))
  })
})
