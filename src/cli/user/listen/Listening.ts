import * as TerminalCapabilities from "effect/cli/TerminalCapabilities"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Semaphore from "effect/Semaphore"
import type { Event, EventType } from "../../../clients/typescript/Interface.ts"
import { Api } from "../ApiRequests.ts"
import { Connection } from "../Connection.ts"
import { eventTypesOf } from "../EventTypes.ts"
import { Misuse } from "../Failures.ts"
import { Output } from "../Output.ts"
import { pauseAfter } from "./Patience.ts"
import { timeOf } from "../Times.ts"
import { writeSetting } from "./EnvFile.ts"
import { follow } from "./Follow.ts"
import { post, targetOf } from "./Forward.ts"
import * as Keys from "./ListenKeys.ts"
import * as Lines from "./Lines.ts"
import { type Listener, lockPosition, type Position, readPosition, secretOf, writePosition } from "./ListenPosition.ts"
import { shown } from "../Table.ts"

/** The position for `--since`: after an existing event, or at a time. */
const positionSince = Effect.fnUntraced(function* (since: string) {
  if (!since.startsWith("evt_")) return { after: null, since: yield* timeOf(since) } satisfies Position
  const api = yield* Api
  yield* api.call("events", "retrieveEvent", { params: { id: since } })
  return { after: since, since: null } satisfies Position
})

/** The time as the person wrote it: `10m` becomes `10m ago`. */
const said = (time: string) => (/^\d+[a-z]$/.test(time) ? `${time} ago` : time)

/** The position after the newest event. */
const positionNow = Effect.gen(function* () {
  const api = yield* Api
  const { data } = yield* api.call("events", "listEvents", { query: { limit: 1 } })
  return { after: data[0]?.id ?? null, since: null } satisfies Position
})

/** The position to begin at, and its description. */
const beginning = Effect.fnUntraced(function* (listener: Listener, since: string | undefined) {
  if (since !== undefined)
    return {
      position: yield* positionSince(since),
      words: since.startsWith("evt_") ? `after ${since}` : `since ${said(since)}`
    }
  const kept = yield* readPosition(listener)
  return kept === undefined
    ? { position: yield* positionNow, words: "from now on" }
    : { position: kept, words: "from where the last listener ended" }
})

interface Options {
  readonly listener: Listener
  readonly secret: string
  readonly types: ReadonlyArray<EventType> | undefined
}

/** Sends events to the local URL one by one. Retries each until it is acknowledged or skipped. */
const makeSender = Effect.fnUntraced(function* ({ listener, secret }: Options) {
  const lines = yield* Lines.make
  const skip = yield* Latch.make()
  const turn = yield* Semaphore.make(1)
  let last: { readonly event: Event; readonly text: string } | undefined

  const attemptOf = (event: Event, text: string) =>
    post(listener.forwardTo, secret, { id: event.id, type: event.type, text })

  /**
   * Runs `done` directly after an acknowledgement. Ending the listener interrupts neither an attempt nor its `done`, so
   * that the next listener does not send the same event again.
   */
  const send = Effect.fnUntraced(function* <E, R>(event: Event, text: string, done: Effect.Effect<void, E, R>) {
    last = { event, text }
    for (let attempt = 1; ; attempt++) {
      const one = Effect.tap(attemptOf(event, text), ({ acknowledged }) => (acknowledged ? done : Effect.void))
      const sent = yield* turn.withPermit(Effect.uninterruptible(one))
      const next = sent.acknowledged ? null : pauseAfter(attempt)
      yield* lines.show({ ...sent, event, attempt, next, isAgain: false })
      if (next === null) return
      const isSkipped = yield* Effect.as(skip.await, true).pipe(
        Effect.timeoutOrElse({ duration: next * 1_000, orElse: () => Effect.succeed(false) })
      )
      if (isSkipped) {
        yield* lines.say("skipped")
        return yield* done
      }
    }
  })

  const again = Effect.gen(function* () {
    if (last === undefined) return yield* lines.say("no event was sent yet")
    const { event, text } = last
    const sent = yield* turn.withPermit(attemptOf(event, text))
    yield* lines.close
    yield* lines.show({ ...sent, event, attempt: 1, next: null, isAgain: true })
  })

  return { send, again, skip: skip.release, lines }
})

const help = "r resends the last event · s skips the waiting event · ? help · q quits"

/** Follows events until a key ends it, or until the end of a period. */
const run = Effect.fnUntraced(function* (options: Options, from: Position, until: string | null) {
  const { again, lines, send, skip } = yield* makeSender(options)
  const { canPrompt } = yield* TerminalCapabilities.TerminalCapabilities
  const output = yield* Output
  // A closed period repeats events, so the saved position does not move.
  const keep = (event: Event) =>
    until === null ? writePosition(options.listener, { after: event.id, since: null }) : Effect.void
  const following = follow(
    from,
    { types: options.types, until },
    (event, text) => send(event, text, keep(event)),
    lines.say
  )
  const keys = Keys.follow({ r: again, s: skip, "?": lines.say(help) })
  yield* canPrompt && !output.isJson ? Effect.raceFirst(following, keys) : following
  yield* lines.close
})

/** The command's arguments. */
interface Given {
  readonly forwardTo: string
  readonly events: string
  readonly since: string | undefined
  readonly between: string | undefined
  readonly end: string | undefined
  readonly envFile: string | undefined
}

const secretName = "FOLIO_WEBHOOK_SECRET"

export const listenTo = Effect.fnUntraced(function* ({ between, end, envFile, events, forwardTo, since }: Given) {
  const output = yield* Output
  const target = targetOf(forwardTo)
  if (target === undefined) {
    return yield* new Misuse({
      message: `--forward-to ${forwardTo} is not a URL.`,
      hint: "Write :9099/hook, localhost:9099/hook or http://localhost:9099/hook."
    })
  }
  if ((between === undefined) !== (end === undefined) || (between !== undefined && since !== undefined)) {
    return yield* new Misuse({
      message: "A period needs a beginning and an end, and no --since: --between T1 T2.",
      hint: "For example: --between 2h 1h"
    })
  }
  const types = yield* eventTypesOf([events])
  const period =
    between !== undefined && end !== undefined
      ? { since: yield* timeOf(between), until: yield* timeOf(end) }
      : undefined

  const { mode, url } = yield* Connection
  const api = yield* Api
  const account = yield* api.call("account", "retrieveAccount", {})
  const listener: Listener = { url, account: account.id, mode, forwardTo: target }
  const secret = yield* secretOf(listener)
  const isWritten = envFile !== undefined && (yield* writeSetting(envFile, secretName, secret))

  yield* Effect.scoped(
    Effect.gen(function* () {
      if (period === undefined) yield* lockPosition(listener)
      const { position, words } =
        period === undefined
          ? yield* beginning(listener, since)
          : { position: { after: null, since: period.since }, words: `from ${period.since} to ${period.until}` }
      if (period === undefined) yield* writePosition(listener, position)
      const started = { object: "listener", url, account: account.id, livemode: mode === "live", forward_to: target }
      if (output.isJson) yield* output.one({ ...started, secret, ...position, until: period?.until ?? null }, () => [])
      yield* output.say(({ bold, dim, red }) =>
        [
          `${mode === "live" ? red(bold("LIVE events")) : "Test events"} of ${shown(account.name)} at ${url} go to ${bold(target)}, ${words}.`,
          `Signed with ${secret}${isWritten ? `, which is now ${secretName} in ${envFile}` : ""}.`,
          dim(`Keys: ${help}`)
        ].join("\n")
      )
      yield* run({ listener, secret, types }, position, period?.until ?? null)
    })
  )
})
