import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../../api/Api.ts"
import { makeAsk } from "../../request/Ask.ts"
import { identificationOf } from "./Identified.ts"
import { withBody } from "../../request/Pipeline.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "acquirers",
  Effect.fn(function* (handlers) {
    const ask = yield* makeAsk
    return withBody(handlers).handleAll({
      retrieveAcquirer: Effect.fn("retrieveAcquirer")(function* ({ params }) {
        const identification = yield* identificationOf("acquirer", params.id)
        return yield* ask((actor, context) => actor.FindAcquirer({ context, identification }))
      })
    })
  })
)
