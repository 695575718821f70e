import { Effect } from "effect"
import { processes } from "../../runtime/process/Settings.ts"
import { Supervised } from "../../runtime/process/Supervised.ts"

/** Runs `serve` as this process. If `PROCESSES` is more than one, runs a supervisor of that many processes instead. */
export const asManyAsSet = <A, E, R>(serve: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    if ((yield* Supervised) !== undefined) return yield* serve
    const count = yield* processes
    if (count === 1) return yield* serve
    const { supervise } = yield* Effect.promise(() => import("./Supervisor.ts"))
    return yield* supervise(count)
  })
