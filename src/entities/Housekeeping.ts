import { Duration, Effect, Metric, Schedule } from "effect"
import { Singleton } from "effect/cluster"
import * as Metrics from "../protocol/Metrics.ts"
import { purgeBatchMax, purges, Retention } from "../store/Retention.ts"

const interval = Duration.minutes(1)

// Between two batches: the purge takes a small part of the database's time, and catches up with any load all the same.
const pause = Duration.millis(50)

const drain = ([table, purge]: readonly [table: string, purge: Effect.Effect<number>]) =>
  purge.pipe(
    Effect.tap((removed) => Metric.update(Metrics.purged(table), removed)),
    Effect.repeat({ while: (removed) => removed === purgeBatchMax, schedule: Schedule.spaced(pause) }),
    Effect.catchCause((cause) => Effect.logWarning("A purge failed; the next one is in a minute", cause))
  )

/** Once a minute removes what is past its time, batch after batch. */
export const layer = Singleton.make(
  "Housekeeping",
  Effect.gen(function* () {
    const retention = yield* Retention

    yield* Effect.forEach(purges(retention), drain, { discard: true }).pipe(Effect.repeat(Schedule.spaced(interval)))
  })
)
