import { Context, Duration } from "effect"

/** How often the service looks for incidents, and for what is to be told of them. Tests look more often. */
export const WatchPace = Context.Reference<{ readonly look: Duration.Duration; readonly tell: Duration.Duration }>(
  "folio/actors/WatchPace",
  { defaultValue: () => ({ look: Duration.minutes(1), tell: Duration.seconds(5) }) }
)
