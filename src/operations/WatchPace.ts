import { Context, Duration } from "effect"

/** How often Folio searches for incidents (`search`) and sends their alerts (`send`). Tests search more often. */
export const WatchPace = Context.Reference<{
  readonly search: Duration.Duration
  readonly send: Duration.Duration
}>("folio/operations/WatchPace", { defaultValue: () => ({ search: Duration.minutes(1), send: Duration.seconds(5) }) })
