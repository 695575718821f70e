import { Duration, Effect, Metric, Schedule } from "effect"
import { Singleton } from "effect/cluster"
import * as Metrics from "../protocol/Metrics.ts"
import { purgeBatchMax, Retention } from "../store/sql/Retention.ts"

const interval = Duration.minutes(1)

// The pause between two batches, so that the purge takes a small part of the database's time and still catches up with any load.
const pause = Duration.millis(50)

const drain = ([table, purge]: readonly [table: string, purge: Effect.Effect<number>]) =>
  purge.pipe(
    Effect.tap((removed) => Metric.update(Metrics.purged(table), removed)),
    Effect.repeat({ while: (removed) => removed === purgeBatchMax, schedule: Schedule.spaced(pause) }),
    Effect.catchCause((cause) => Effect.logWarning("A purge failed; the next one is in a minute", cause))
  )

/** Once a minute removes the rows that are past their retention, batch after batch. */
export const layer = Singleton.make(
  "Housekeeping",
  Effect.flatMap(Retention, (retention) =>
    Effect.forEach(Object.entries(retention), drain, { discard: true }).pipe(Effect.repeat(Schedule.spaced(interval)))
  )
)
