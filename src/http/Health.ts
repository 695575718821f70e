import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ApiError } from "../../schemas/ApiError.ts"
import { Api } from "../api/Api.ts"
import { Database } from "../store/Database.ts"

const ok = { status: "ok" } as const

const unready = new ApiError({
  code: "service_unavailable",
  message: "The database does not answer.",
  headers: { "Retry-After": "1" }
})

export const layer = HttpApiBuilder.group(
  Api,
  "health",
  Effect.fn(function* (handlers) {
    const database = yield* Database
    return handlers.handleAll({
      live: () => Effect.succeed(ok),
      ready: () => Effect.flatMap(database.answers, (answers) => (answers ? Effect.succeed(ok) : Effect.fail(unready)))
    })
  })
)
