import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import { Event, eventTypes } from "../../schemas/Event.ts"
import { sampleEvent } from "../../src/domain/SampleEvent.ts"

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
  assert.deepInclude(event.data.object, { id: object_id, object: document })
  if (outcome.length === 1) assert.strictEqual(event.data.object.status, outcome[0])
  if (document === "invoice") Schema.decodeUnknownSync(Event, { onExcessProperty: "error" })(event)
  else assert.isTrue("cude" in event.data.object)
})
