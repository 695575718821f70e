import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Event } from "../../../clients/typescript/Interface.ts"
import { Api } from "../ApiRequests.ts"
import { eventsAfter, latestEvent } from "../EventStream.ts"
import { eventTypesOf } from "../EventTypes.ts"
import { Failed } from "../Failures.ts"
import { writeOut } from "../FileOutput.ts"
import * as Flags from "../Flags.ts"
import { Output } from "../Output.ts"
import type { Column } from "../Table.ts"
import { timeOf, timeOfDay } from "../Times.ts"
import { deliveryColumns } from "./DeliveriesCommand.ts"

const event = Flags.argument("event", "Event id, evt_…")

const columns: ReadonlyArray<Column<Event>> = [
  ["TIME", ({ created }) => timeOfDay(created)],
  [
    "TYPE",
    ({ type }, { green, red, yellow }) => {
      const paint = /failed|rejected|bounced|complained/.test(type) ? red : /contingency/.test(type) ? yellow : green
      return paint(type)
    }
  ],
  ["ID", ({ id }) => id, "whole"],
  ["NUMBER", ({ data }) => data.object.full_number, "whole"]
]

const tail = Command.make(
  "tail",
  {
    events: Flags.texts("events", "TYPES", "Only this type or pattern, such as 'invoice.*'"),
    object: Flags.text("object", "ID", "Only about this document"),
    since: Flags.since,
    limit: Flags.end
  },
  Effect.fnUntraced(function* (flags) {
    const output = yield* Output
    const types = yield* eventTypesOf(flags.events)
    const before = flags.since === undefined ? undefined : yield* timeOf(flags.since)
    const after = yield* latestEvent(before)
    yield* output.say(({ dim }) => dim("Following events. Press Ctrl-C to end."))
    const followed = eventsAfter(after, { types, object_id: flags.object })
    yield* output.list(Stream.take(followed, flags.limit), columns)
  })
).pipe(Flags.described("Follow events as they happen", "folio events tail --events 'invoice.*' --since 10m"))

const get = Command.make(
  "get",
  { event },
  Effect.fnUntraced(function* (flags) {
    const api = yield* Api
    const { bytes } = yield* api.send({ method: "GET", path: `/v1/events/${encodeURIComponent(flags.event)}` })
    // Exactly the bytes that deliveries sign. The newline at a terminal is not part of them.
    yield* writeOut(bytes, { isText: true })
  })
).pipe(
  Flags.described(
    "Print the exact bytes of an event, as its deliveries send them",
    "folio events get evt_… > body.json"
  )
)

const resend = Command.make(
  "resend",
  { event, endpoint: Flags.text("endpoint", "we_…", "Only to this webhook endpoint"), key: Flags.idempotencyKey },
  Effect.fnUntraced(function* (flags) {
    const api = yield* Api
    const output = yield* Output
    const found = yield* Stream.runCollect(
      api
        .all("events", "allEventDeliveries", { params: { id: flags.event } })
        .pipe(
          Stream.filter(
            ({ webhook_endpoint_id }) => flags.endpoint === undefined || webhook_endpoint_id === flags.endpoint
          )
        )
    )
    if (found.length === 0) {
      return yield* new Failed({
        message: `${flags.event} has no delivery to repeat.`,
        hint: "Only endpoints that were subscribed when the event happened have a delivery. For other endpoints: folio recover we_… --since TIME"
      })
    }
    const resent = yield* Effect.forEach(found, ({ id }) =>
      api.call(
        "webhookDeliveries",
        "redeliverWebhook",
        { params: { id } },
        // A key per delivery, so that repeating the command sends no delivery twice.
        flags.key === undefined ? {} : { key: `${flags.key}-${id}` }
      )
    )
    yield* output.rows(resent, deliveryColumns)
  })
).pipe(Flags.described("Redeliver an event to its webhook endpoints", "folio events resend evt_…"))

export const events = Command.make("events").pipe(
  Command.withDescription("Follow, show and redeliver events"),
  Command.withSubcommands([tail, get, resend]),
  Command.withExamples([{ command: "folio events tail" }])
)
