import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ApiError } from "../../../schemas/ApiError.ts"
import { Api } from "../../api/Api.ts"
import { CurrentPrincipal } from "../../api/Authorization.ts"
import { makeAsk } from "../request/Ask.ts"
import { withBody } from "../request/Pipeline.ts"

const notLive = new ApiError({ code: "account_not_live", message: "This needs a test key: sk_test_…." })

const inTestMode = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(CurrentPrincipal, ({ livemode }): Effect.Effect<A, E | ApiError, R> => (livemode ? notLive : effect))

export const layer = HttpApiBuilder.group(
  Api,
  "testHelpers",
  Effect.fn(function* (handlers) {
    const ask = yield* makeAsk

    return withBody(handlers).handleAll({
      setSandboxAuthority: ({ payload }) =>
        inTestMode(ask((actor, context) => actor.SetSandboxAuthority({ context, request: payload }))),
      advanceClock: ({ payload }) =>
        inTestMode(ask((actor, context) => actor.AdvanceClock({ context, request: payload })))
    })
  })
)
