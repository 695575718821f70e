import { Clock, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ResolutionId } from "../../../schemas/Id.ts"
import type { ResolutionUpdate } from "../../../schemas/Resolution.ts"
import { Api } from "../../api/Api.ts"
import { NationalProfile } from "../../documents/NationalProfile.ts"
import { Resolutions, resolutionView } from "../../accounts/store/Resolutions.ts"
import { makeAsk, makeAskAbout } from "../request/Ask.ts"
import { makeFind, makeIdOf, type Named, readPage } from "../request/Paging.ts"
import { withBody } from "../request/Pipeline.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "resolutions",
  Effect.fn(function* (handlers) {
    const resolutions = yield* Resolutions
    const { localDate } = yield* NationalProfile
    const today = Effect.map(Clock.currentTimeMillis, localDate)
    const find = makeFind("resolution", resolutions.find)
    const ask = yield* makeAsk
    const askAbout = yield* makeAskAbout(makeIdOf("resolution", ResolutionId))

    const update = ({ params, payload }: Named & { readonly payload: ResolutionUpdate }) =>
      askAbout(params.id, (actor, about) => actor.UpdateResolution({ ...about, patch: payload }))

    return withBody(handlers).handleAll({
      createResolution: ({ payload }) => ask((actor, context) => actor.CreateResolution({ context, request: payload })),
      importResolutions: () => ask((actor, context) => actor.ImportResolutions({ context })),
      listResolutions: ({ query }) =>
        Effect.flatMap(today, (date) =>
          readPage(
            "/v1/resolutions",
            query,
            (account, request) => resolutions.list(account, request, query.document_type ?? null),
            (row) => resolutionView(row, date)
          )
        ),
      retrieveResolution: ({ params }) => Effect.zipWith(find(params.id), today, resolutionView),
      updateResolution: update,
      updateResolutionByPost: update
    })
  })
)
