import { Array, Context, Effect, type Latch } from "effect"
import { ShardId, Sharding, ShardingConfig } from "effect/cluster"
import { HttpApiBuilder } from "effect/http-api"
import { ApiError } from "../../schemas/ApiError.ts"
import { Api } from "../api/Api.ts"
import { Database } from "../store/Database.ts"

const ok = { status: "ok" } as const

// The database is asked no more often than this, however many clients ask whether the service is ready.
const answersInterval = "250 millis"

const unready = (message: string) =>
  new ApiError({ code: "service_unavailable", message, headers: { "Retry-After": "1" } })

const stopping = unready("This process is stopping.")
const noDatabase = unready("The database does not answer.")
const noChanges = unready("The database takes no changes: its disk is full, or it only reads.")
const noActors = unready("This process has no actors: it is starting, or has lost them to others.")

// The actors are dealt out in shards. A process that takes part holds some of them; one that was cut off holds none.
const shards = Array.makeBy(ShardingConfig.defaults.shardsPerGroup, (index) => ShardId.make("default", index + 1))

/**
 * Whether the service has been asked to stop: connections that are open then may still ask whether it is ready, and requests
 * that wait for something to happen end when `told` opens.
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
    const answers = yield* Effect.cachedWithTTL(database.answers, answersInterval)
    return handlers.handleAll({
      live: () => Effect.succeed(ok),
      ready: Effect.fnUntraced(function* () {
        if (stop.asked) return yield* stopping
        if (!(yield* answers)) return yield* noDatabase
        if (!(yield* database.takesChanges)) return yield* noChanges
        if (!shards.some((shard) => sharding.hasShardId(shard))) return yield* noActors
        return ok
      })
    })
  })
)
