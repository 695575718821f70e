import { Context, Duration } from "effect"

/** How often Folio searches for incidents (`look`) and sends their alerts (`tell`). Tests search more often. */
export const WatchPace = Context.Reference<{ readonly look: Duration.Duration; readonly tell: Duration.Duration }>(
  "folio/actors/WatchPace",
  { defaultValue: () => ({ look: Duration.minutes(1), tell: Duration.seconds(5) }) }
)
