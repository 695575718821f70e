import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Event, EventType } from "../../../clients/typescript/Interface.ts"
import { Api } from "../ApiRequests.ts"
import { Connection } from "../Connection.ts"
import { type Failure, Refused } from "../Failures.ts"
import { persistently } from "./Patience.ts"
import type { Position } from "./ListenPosition.ts"

// The service responds after this wait even without events. The time-out is a little longer, to detect a dead
// connection.
const waitSeconds = 20
const timeoutMs = (waitSeconds + 10) * 1_000

/** The filter of the events to follow. With `until`, ends at that time instead of waiting for more. */
export interface Wanted {
  /** All types if undefined. */
  readonly types: ReadonlyArray<EventType> | undefined
  readonly until: string | null
}

/** Whether the service has deleted the event that the position is after. */
const isForgotten = (failure: Failure) =>
  failure instanceof Refused && failure.body.error.code === "invalid_cursor" && failure.body.error.param === "after"

const isMissing = (failure: Failure) => failure instanceof Refused && failure.body.error.code === "resource_missing"

/**
 * Passes the events after a position to `handOn`, oldest first, each as the exact bytes that webhooks send. Reads an
 * event only when the one before it is done.
 */
export const follow = Effect.fnUntraced(function* <E, R>(
  from: Position,
  { types, until }: Wanted,
  handOn: (event: Event, text: string) => Effect.Effect<void, E, R>,
  say: (text: string) => Effect.Effect<void>
) {
  const api = yield* Api
  const { url } = yield* Connection
  const waiting = {
    waits: (failure: Failure) => say(`waiting for ${url}: ${failure.message}`),
    answers: say(`${url} responds again`)
  }
  const textOf = (id: string) =>
    Effect.map(api.send({ method: "GET", path: `/v1/events/${id}`, isOnce: true }), ({ bytes }) =>
      new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes)
    )

  let position = from
  for (;;) {
    const begun = yield* Clock.currentTimeMillis
    const query = {
      limit: 100,
      wait: until === null ? waitSeconds : 0,
      ...(types === undefined ? {} : { "types[]": types }),
      ...(position.after === null ? {} : { after: position.after }),
      ...(position.since === null ? {} : { "created[gte]": position.since }),
      ...(until === null ? {} : { "created[lte]": until })
    }
    const page = yield* persistently(
      api.call("events", "listEvents", { query }, { timeoutMs, isOnce: true }),
      waiting
    ).pipe(Effect.catchIf(isForgotten, () => Effect.undefined))
    if (page === undefined) {
      yield* say(`${url} no longer has ${position.after}: continuing with its oldest event`)
      position = { after: null, since: null }
      continue
    }
    for (const event of page.data) {
      const text = yield* persistently(textOf(event.id), waiting).pipe(
        Effect.catchIf(isMissing, () => Effect.undefined)
      )
      if (text === undefined) yield* say(`${url} no longer has ${event.id}: skipped`)
      else yield* handOn(event, text)
      position = { after: event.id, since: position.since }
    }
    if (until !== null && !page.has_more) return
    // A service that is stopping responds immediately, with no events.
    const isEmptyAtOnce = page.data.length === 0 && (yield* Clock.currentTimeMillis) - begun < 1_000
    if (isEmptyAtOnce) yield* Effect.sleep("1 second")
  }
})
