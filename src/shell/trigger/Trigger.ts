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
    if (!isEventType(type)) return yield* new Misuse({ message: `No event has the type ${type}.`, hint: hintFor(type) })
    if (mode === "live") {
      return yield* new Misuse({
        message: "Events are made in the sandbox: use a test key, which begins with sk_test_."
      })
    }
    // Later, because no other command needs what makes documents.
    const { awaited, make } = yield* Effect.promise(() => import("./Making.ts"))
    const document = yield* output.during(`making the document of ${type}`)(make(type, set))
    if (!wait) {
      return yield* output.one(document, ({ bold }) => [`${bold(document.id)} is made: ${type} follows in a moment.`])
    }
    const event = yield* output.during(`waiting for ${type}`)(awaited(type, document.id))
    yield* output.one(event, ({ bold, green }) => [
      `${green(event.type)} of ${bold(document.id)} ${shown(event.data.object.full_number)}: ${event.id}`,
      `  folio events get ${event.id} prints the event`
    ])
  })
).pipe(
  Command.withShortDescription("Make a document of the sandbox that ends as asked"),
  Flags.described(
    "Make a document of the sandbox of which this event will tell. Scripts of the sandbox that are left are replaced.",
    "folio trigger invoice.rejected_by_authority --wait",
    "folio trigger credit_note.email.bounced --set metadata.order=7"
  )
)
