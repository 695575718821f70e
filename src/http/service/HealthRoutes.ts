import { Array, Context, Effect, Fiber, type Latch } from "effect"
import { ShardId, Sharding, ShardingConfig } from "effect/cluster"
import { HttpApiBuilder } from "effect/http-api"
import { ApiError } from "../../../schemas/ApiError.ts"
import { Api } from "../../api/Api.ts"
import { timestamp } from "../../runtime/AuthorityTime.ts"
import { authorityTroubles, statusIn, troubleMessage } from "../../invoices/rules/AuthorityTroubles.ts"
import { AuthorityCircuits, troubleIn } from "../../invoices/store/AuthorityCircuits.ts"
import { Database } from "../../database/Database.ts"
import { makeProbeLimit } from "../limits/RateLimit.ts"
import { respond } from "../request/ErrorResponses.ts"

const ok = { status: "ok" } as const

// Shortest time between two checks of the database, however many clients request readiness.
const answersInterval = "250 millis"

// Shortest time between two reads of the live authority's circuit, and the longest wait of a response for a read.
const circuitInterval = "5 seconds"
const circuitTimeout = "1 second"

const unready = (message: string) => new ApiError({ code: "service_unavailable", message })

const stopping = unready("This process is stopping.")
const noDatabase = unready("The database does not respond.")
const noChanges = unready("The database accepts no changes: its disk is full, or it is read-only.")
const noActors = unready("This process has no actors: it is starting, or its actors moved to other processes.")

// The shards of the actors. A process of the cluster has some shards, and a process without connection to the cluster
// has none.
const shards = Array.makeBy(ShardingConfig.defaults.shardsPerGroup, (index) => ShardId.make("default", index + 1))

/**
 * Whether the service stops (`isStopping`): it isn't ready and drains. Requests that wait for events end when `drained`
 * opens, at the end of the drain.
 */
export class Stopping extends Context.Service<Stopping, { isStopping: boolean; readonly drained: Latch.Latch }>()(
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
    // All clients get the text of the trouble, because the authority's own text may name an account.
    const look = Effect.map(circuits.read("live"), (state) => {
      const found = troubleIn(state)
      if (found === null) return ok
      const { since, trouble } = found
      const message = `${troubleMessage(trouble)} ${authorityTroubles[trouble].remedy}`
      return { ...ok, authority: { status: statusIn(trouble), trouble, message, since: timestamp(since.getTime()) } }
    })
    // The query runs in its own fiber and only the wait has a time-out, because an interruption of a query on a dead
    // connection takes seconds.
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
      // A balancer requests readiness every second from the start, so 503 before the first success needs no warning.
      ready: Effect.fnUntraced(
        function* () {
          yield* limited
          if (stop.isStopping) return yield* stopping
          if (!(yield* answers)) return yield* noDatabase
          if (!(yield* database.takesChanges)) return yield* noChanges
          if (!shards.some((shard) => sharding.hasShardId(shard))) return yield* noActors
          const answer = yield* readiness
          wasReady = true
          return answer
        },
        Effect.catchIf(
          (error) => error.code === "service_unavailable" && !wasReady && !stop.isStopping,
          (error) => Effect.andThen(Effect.logDebug(error.message), respond(error))
        )
      )
    })
  })
)
