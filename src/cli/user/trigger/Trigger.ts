import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import { Connection } from "../Connection.ts"
import { documents, happenings, hintFor, isEventType } from "../EventTypes.ts"
import { Misuse } from "../Failures.ts"
import { Output } from "../Output.ts"
import { shown } from "../Table.ts"
import * as Flags from "../Flags.ts"

export const trigger = Command.make(
  "trigger",
  {
    type: Flags.argument("event type", `${documents.join(", ")}, each with .${happenings.join(" .")}`),
    set: Flags.texts("set", "PATH=VALUE", "Set a field of the document; may be repeated"),
    wait: Flags.toggle("wait", "Wait for the event and print it")
  },
  Effect.fnUntraced(function* ({ set, type, wait }) {
    const output = yield* Output
    const { mode } = yield* Connection
    if (!isEventType(type)) return yield* new Misuse({ message: `${type} is not an event type.`, hint: hintFor(type) })
    if (mode === "live") {
      return yield* new Misuse({
        message: "folio trigger works in the sandbox only: use a test key, which begins with sk_test_."
      })
    }
    // Imported on demand: no other command needs this module.
    const { awaited, make } = yield* Effect.promise(() => import("./Making.ts"))
    const document = yield* output.during(`creating the document for ${type}`)(make(type, set))
    if (!wait) {
      return yield* output.one(document, ({ bold }) => [
        `${bold(document.id)} is created. The event ${type} follows in a moment.`
      ])
    }
    const event = yield* output.during(`waiting for ${type}`)(awaited(type, document.id))
    yield* output.one(event, ({ bold, green }) => [
      `${green(event.type)} of ${bold(document.id)} ${shown(event.data.object.full_number)}: ${event.id}`,
      `  folio events get ${event.id} prints the event`
    ])
  })
).pipe(
  Command.withShortDescription("Create a sandbox document that leads to an event"),
  Flags.described(
    "Create a sandbox document that leads to this event. Replaces the sandbox's remaining scripts.",
    "folio trigger invoice.rejected_by_authority --wait",
    "folio trigger credit_note.email.bounced --set metadata.order=7"
  )
)
