import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Flags from "../Flags.ts"

const flags = {
  forwardTo: Flags.required("forward-to", "ADDRESS", "URL that receives the events: :9099/hook, 9099, or a URL"),
  events: Flag.String("events").pipe(
    Flag.withMetavar("PATTERN"),
    Flag.withDescription("Only these types: 'invoice.*', '*.failed,*.email.bounced'"),
    Flag.withDefault("*")
  ),
  since: Flags.text("since", "TIME", "Begin at this age (10m, 2h), or after the event evt_…"),
  between: Flags.text("between", "T1 T2", "Send the events of this period again, then end"),
  end: Flags.argumentOrNone("T2", "End of --between"),
  envFile: Flags.text("env-file", "FILE", "Write FOLIO_WEBHOOK_SECRET into this file").pipe(Flag.withAlias("e"))
}

export const listen = Command.make(
  "listen",
  flags,
  Effect.fnUntraced(function* (given) {
    // Imported on demand: no other command needs this module.
    const { listenTo } = yield* Effect.promise(() => import("./Listening.ts"))
    yield* listenTo(given)
  })
).pipe(
  Command.withShortDescription("Receive the account's events on this machine, as webhooks"),
  Flags.described(
    "Receive the account's events on this machine, as webhooks, in order. Folio retries an event without a 2xx response within 15 s; later events wait. Events that happen while no listener runs arrive when the next listener starts.",
    "folio listen --forward-to :9099/hook -e .env",
    "folio listen --forward-to :9099/hook --between 2h 1h"
  )
)
