import { Duration, Effect, Metric, Schedule } from "effect"
import { Singleton } from "effect/cluster"
import * as Metrics from "../runtime/Metrics.ts"
import { purgeBatchMax, Retention } from "./store/Retention.ts"

const interval = Duration.minutes(1)

// The pause between two batches. The purge then uses little of the database's time and still keeps up with any load.
const pause = Duration.millis(50)

const drain = ([table, purge]: readonly [table: string, purge: Effect.Effect<number>]) =>
  purge.pipe(
    Effect.tap((removed) => Metric.update(Metrics.purged(table), removed)),
    Effect.repeat({ while: (removed) => removed === purgeBatchMax, schedule: Schedule.spaced(pause) }),
    Effect.catchCause((cause) => Effect.logWarning("A purge failed; the next one is in a minute", cause))
  )

/** Removes the rows that are past their retention, in batches, every minute. */
export const layer = Singleton.make(
  "Housekeeping",
  Effect.flatMap(Retention, (retention) =>
    Effect.forEach(Object.entries(retention), drain, { discard: true }).pipe(Effect.repeat(Schedule.spaced(interval)))
  )
)
