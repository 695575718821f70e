import { Array, Context, Effect, Fiber, type Latch } from "effect"
import { ShardId, Sharding, ShardingConfig } from "effect/cluster"
import { HttpApiBuilder } from "effect/http-api"
import { ApiError } from "../../../schemas/ApiError.ts"
import { Api } from "../../api/Api.ts"
import { timestamp } from "../../domain/documents/AuthorityTime.ts"
import { authorityTroubles, statusIn, troubleMessage } from "../../domain/authority/AuthorityTroubles.ts"
import { AuthorityCircuits, troubleIn } from "../../store/documents/AuthorityCircuits.ts"
import { Database } from "../../store/sql/Database.ts"
import { makeProbeLimit } from "../limits/RateLimit.ts"
import { respond } from "../request/Errors.ts"

const ok = { status: "ok" } as const

// The shortest time between two checks of the database, however many clients ask whether the service is ready.
const answersInterval = "250 millis"

// The shortest time between two looks at the live authority's circuit, and the longest time that an answer waits for
// one.
const circuitInterval = "5 seconds"
const circuitTimeout = "1 second"

const unready = (message: string) => new ApiError({ code: "service_unavailable", message })

const stopping = unready("This process is stopping.")
const noDatabase = unready("The database does not answer.")
const noChanges = unready("The database takes no changes: its disk is full, or it only reads.")
const noActors = unready("This process has no actors: it is starting, or has lost them to others.")

// Actors are distributed over shards. A process of the cluster holds some shards; a process that was cut off holds
// none.
const shards = Array.makeBy(ShardingConfig.defaults.shardsPerGroup, (index) => ShardId.make("default", index + 1))

/**
 * Whether the service has been asked to stop (`asked`): it is no longer ready and drains. Requests that wait for events
 * end when `told` opens, at the end of the drain.
 */
export class Stopping extends Context.Service<Stopping, { asked: boolean; readonly told: Latch.Latch }>()(
  "folio/http/Health/Stopping"
) {}

export const layer = HttpApiBuilder.group(
  Api,
  "health",
  Effect.fn(function* (handlers) {
    const database = yield* Database
    const sharding = yield* Sharding.Sharding
    const stop = yield* Stopping
    const circuits = yield* AuthorityCircuits
    // All clients see the same text: the text of the trouble. The authority's own text may name an account.
    const look = Effect.map(circuits.read("live"), (state) => {
      const found = troubleIn(state)
      if (found === null) return ok
      const { since, trouble } = found
      const message = `${troubleMessage(trouble)} ${authorityTroubles[trouble].remedy}`
      return { ...ok, authority: { status: statusIn(trouble), trouble, message, since: timestamp(since.getTime()) } }
    })
    // The query runs in its own fiber and only the wait is timed out: interrupting a query on a dead connection takes
    // seconds.
    const looked = Effect.forkDetach(look).pipe(
      Effect.flatMap(Fiber.join),
      Effect.timeout(circuitTimeout),
      Effect.catchCause(() => Effect.succeed(ok))
    )
    const readiness = yield* Effect.cachedWithTTL(looked, circuitInterval)
    const answers = yield* Effect.cachedWithTTL(database.answers, answersInterval)
    const limited = makeProbeLimit()
    let wasReady = false
    return handlers.handleAll({
      live: () => Effect.as(limited, ok),
      // A balancer asks each second from the start on: until the process was ready once, 503 is no reason for a
      // warning.
      ready: Effect.fnUntraced(
        function* () {
          yield* limited
          if (stop.asked) return yield* stopping
          if (!(yield* answers)) return yield* noDatabase
          if (!(yield* database.takesChanges)) return yield* noChanges
          if (!shards.some((shard) => sharding.hasShardId(shard))) return yield* noActors
          const answer = yield* readiness
          wasReady = true
          return answer
        },
        Effect.catchIf(
          (error) => error.code === "service_unavailable" && !wasReady && !stop.asked,
          (error) => Effect.andThen(Effect.logDebug(error.message), respond(error))
        )
      )
    })
  })
)
