import { Array, Context, Effect, type Latch } from "effect"
import { ShardId, Sharding, ShardingConfig } from "effect/cluster"
import { HttpApiBuilder } from "effect/http-api"
import { ApiError } from "../../../schemas/ApiError.ts"
import { Api } from "../../api/Api.ts"
import { Database } from "../../store/sql/Database.ts"

const ok = { status: "ok" } as const

// The shortest time between two checks of the database, however many clients ask whether the service is ready.
const answersInterval = "250 millis"

const unready = (message: string) => new ApiError({ code: "service_unavailable", message })

const stopping = unready("This process is stopping.")
const noDatabase = unready("The database does not answer.")
const noChanges = unready("The database takes no changes: its disk is full, or it only reads.")
const noActors = unready("This process has no actors: it is starting, or has lost them to others.")

// Actors are distributed over shards. A process of the cluster holds some shards; a process that was cut off holds none.
const shards = Array.makeBy(ShardingConfig.defaults.shardsPerGroup, (index) => ShardId.make("default", index + 1))

/**
 * Whether the service has been asked to stop. Connections that are open at that time may still ask whether the service is ready;
 * requests that wait for events end when `told` opens.
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
