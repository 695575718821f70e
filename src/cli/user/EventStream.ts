import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { Event, EventType } from "../../clients/typescript/Interface.ts"
import { Api } from "./ApiRequests.ts"
import { given } from "./Flags.ts"
import { patiently } from "./listen/Patience.ts"
import type { Output } from "./Output.ts"

/** The filter of the events to follow. */
export interface Followed {
  readonly types?: ReadonlyArray<EventType> | undefined
  readonly object_id?: string | undefined
}

const longestWait = 20

/** The id of the latest event, or of the latest event before a time; undefined if there is none. */
export const latestEvent = Effect.fnUntraced(function* (before?: string) {
  const api = yield* Api
  // The list's times are inclusive.
  const until = before === undefined ? undefined : new Date(Date.parse(before) - 1).toISOString()
  const query = { limit: 1, ...given({ "created[lte]": until }) }
  const { data } = yield* api.call("events", "listEvents", { query })
  return data[0]?.id
})

/**
 * The events after one event, oldest first, and then new events as they happen. If `after` is undefined, all events.
 * Retries while the service does not respond.
 */
export const eventsAfter = (
  after: string | undefined,
  { object_id, types }: Followed
): Stream.Stream<Event, Effect.Error<ReturnType<Api["Service"]["send"]>>, Api | Output> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const api = yield* Api
      const query = {
        limit: 100,
        wait: longestWait,
        ...given({ "types[]": types, object_id })
      }
      let isKnown = false
      const look = (from: string | undefined) =>
        api.call("events", "listEvents", { query: { ...query, ...given({ after: from }) } })
      const page = (from: string | undefined) =>
        // Retries only after a first response: until then the address may be wrong.
        Effect.tap(isKnown ? patiently(look(from)) : look(from), () => Effect.sync(() => (isKnown = true)))
      return Stream.paginate(after, (from) =>
        Effect.map(page(from), ({ data }) => [data, Option.some(data.at(-1)?.id ?? from)] as const)
      )
    })
  )
