import { Clock, Effect, Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ApiError } from "../../schemas/ApiError.ts"
import { ResolutionId } from "../../schemas/Id.ts"
import type { ResolutionUpdate } from "../../schemas/Resolution.ts"
import { Api } from "../api/Api.ts"
import { CurrentPrincipal } from "../api/Authorization.ts"
import { localDate } from "../domain/AuthorityTime.ts"
import { Resolutions, resolutionView } from "../store/Resolutions.ts"
import { makeAsk } from "./Ask.ts"
import { pageRequest, pageView } from "./Paging.ts"

const missing = (id: string) => ApiError.missing("resolution", id)
const today = Effect.map(Clock.currentTimeMillis, localDate)

export const layer = HttpApiBuilder.group(
  Api,
  "resolutions",
  Effect.fn(function* (handlers) {
    const resolutions = yield* Resolutions
    const ask = yield* makeAsk

    const update = Effect.fn("updateResolution")(function* (request: {
      readonly params: { readonly id: string }
      readonly payload: ResolutionUpdate
    }) {
      const id = yield* Effect.mapError(Schema.decodeEffect(ResolutionId)(request.params.id), () =>
        missing(request.params.id)
      )
      return yield* ask((account, context) => account.UpdateResolution({ context, id, patch: request.payload }))
    })

    return handlers.handleAll({
      createResolution: ({ payload }) =>
        ask((account, context) => account.CreateResolution({ context, request: payload })),
      importResolutions: () => ask((account, context) => account.ImportResolutions({ context })),
      listResolutions: Effect.fn("listResolutions")(function* ({ query }) {
        const rows = yield* resolutions.list(yield* CurrentPrincipal, yield* pageRequest(query))
        const date = yield* today
        return pageView("/v1/resolutions", rows, (row) => resolutionView(row, date))
      }),
      retrieveResolution: Effect.fn("retrieveResolution")(function* ({ params }) {
        const row = yield* resolutions.find(yield* CurrentPrincipal, params.id)
        return resolutionView(yield* Effect.mapError(Effect.fromOption(row), () => missing(params.id)), yield* today)
      }),
      updateResolution: update,
      updateResolutionByPost: update
    })
  })
)
