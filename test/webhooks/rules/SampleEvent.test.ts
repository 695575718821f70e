import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import { Event, eventTypes } from "../../../schemas/Event.ts"
import { sampleEvent } from "../../../src/webhooks/rules/SampleEvent.ts"

const ulid = "01k0000000000000000000000a"

it.each(eventTypes)("a sample of %s is an event of that type", (type) => {
  const id = `evt_${ulid}`
  const { body, object_id } = sampleEvent({
    id,
    type,
    account_id: `ten_${ulid}`,
    livemode: true,
    created: "2026-11-21T10:00:00.000-05:00",
    ulid
  })
  const event = JSON.parse(body)
  const [document, ...outcome] = type.split(".")
  assert.deepInclude(event, { id, object: "event", type, livemode: true })
  const { object } = event.data
  if (outcome[0] === "email") {
    assert.deepInclude(object, { object: "email", document_id: object_id, document_type: document, status: outcome[1] })
  } else {
    assert.deepInclude(object, { id: object_id, object: document, status: outcome[0] })
  }
  if (document === "invoice" || outcome[0] === "email") {
    Schema.decodeUnknownSync(Event, { onExcessProperty: "error" })(event)
  } else {
    assert.isTrue("cude" in object)
  }
})
