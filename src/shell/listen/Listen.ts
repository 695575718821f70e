import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"

const flags = {
  forwardTo: Flag.String("forward-to").pipe(
    Flag.withMetavar("ADDRESS"),
    Flag.withDescription("Where events are posted: :9099/hook, 9099, or a URL")
  ),
  events: Flag.String("events").pipe(
    Flag.withMetavar("PATTERN"),
    Flag.withDescription("Only these: 'invoice.*', '*.failed,*.email.bounced'"),
    Flag.withDefault("*")
  ),
  since: Flag.String("since").pipe(
    Flag.withMetavar("TIME"),
    Flag.withDescription("Begin so long ago (10m, 2h), or after the event evt_…"),
    Flag.optional
  ),
  between: Flag.String("between").pipe(
    Flag.withMetavar("T1 T2"),
    Flag.withDescription("Send the events of this period once more, and end"),
    Flag.optional
  ),
  end: Argument.String("T2").pipe(Argument.withDescription("The end of --between"), Argument.optional),
  envFile: Flag.String("env-file").pipe(
    Flag.withAlias("e"),
    Flag.withMetavar("FILE"),
    Flag.withDescription("Write FOLIO_WEBHOOK_SECRET into this file"),
    Flag.optional
  )
}

export const listen = Command.make(
  "listen",
  flags,
  Effect.fnUntraced(function* (given) {
    // Later, because no other command needs what a listener does.
    const { listenTo } = yield* Effect.promise(() => import("./Listening.ts"))
    yield* listenTo(given)
  })
).pipe(
  Command.withShortDescription("Receive the account's events on this machine, as webhooks"),
  Command.withDescription(
    "Receive the account's events on this machine, as webhooks, in their order. An event that is not answered 2xx within 15 s is tried again; later ones wait. The place is kept: what happens while nothing listens comes later."
  ),
  Command.withExamples([
    {
      command: "folio listen --forward-to :9099/hook -e .env",
      description: "Send events to localhost:9099/hook"
    },
    { command: "folio listen --forward-to :9099/hook --between 2h 1h", description: "Repeat an hour" }
  ])
)
