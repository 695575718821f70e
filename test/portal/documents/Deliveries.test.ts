import { assert } from "@effect/vitest"
import { layer as app } from "../../support/apps/MemoryApp.ts"
import { addEndpoint } from "../../support/apps/MemoryRows.ts"
import { MemoryTables } from "../../support/memory/MemoryTables.ts"
import { visitor } from "../../support/portal/Visitor.ts"
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
    assert.include(text, "attempt 1")
    const again = `/redeliver/${attemptsOf(tables)[0]?.delivery.id}`
    const sent = yield* person.submit(pathOf(invoice.id), pathOf(invoice.id, again))
    assert.include(sent.text, "It is being sent again.")
    yield* until((all) => attemptsOf(all).length === 2)
    const reader = yield* visitor({ capabilities: ["view", "documents"] })
    assert.notInclude((yield* reader.see(pathOf(invoice.id))).text, "/redeliver/")
  })
})
