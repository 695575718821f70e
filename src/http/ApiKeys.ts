import { Effect, Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ApiKeyId } from "../../schemas/Id.ts"
import { Api } from "../api/Api.ts"
import { CurrentPrincipal } from "../api/Authorization.ts"
import { ApiKeys, apiKeyView, missingKey } from "../store/ApiKeys.ts"
import { makeAsk } from "./Ask.ts"
import { pageRequest, pageView } from "./Paging.ts"

// An id of another form names nothing; the actor need not be asked.
const keyId = (id: string) => Effect.mapError(Schema.decodeEffect(ApiKeyId)(id), () => missingKey(id))

export const layer = HttpApiBuilder.group(
  Api,
  "apiKeys",
  Effect.fn(function* (handlers) {
    const keys = yield* ApiKeys
    const ask = yield* makeAsk
    return handlers.handleAll({
      createApiKey: ({ payload }) => ask((account, context) => account.CreateApiKey({ context, request: payload })),
      listApiKeys: Effect.fn("listApiKeys")(function* ({ query }) {
        const rows = yield* keys.list(yield* CurrentPrincipal, yield* pageRequest(query))
        return pageView("/v1/api-keys", rows, apiKeyView)
      }),
      retrieveApiKey: Effect.fn("retrieveApiKey")(function* ({ params }) {
        const row = yield* keys.find(yield* CurrentPrincipal, params.id)
        return apiKeyView(yield* Effect.mapError(Effect.fromOption(row), () => missingKey(params.id)))
      }),
      revokeApiKey: Effect.fn("revokeApiKey")(function* ({ params }) {
        const id = yield* keyId(params.id)
        return yield* ask((account, context) => account.RevokeApiKey({ context, id }))
      }),
      rollApiKey: Effect.fn("rollApiKey")(function* ({ params, payload }) {
        const id = yield* keyId(params.id)
        return yield* ask((account, context) => account.RollApiKey({ context, id, request: payload }))
      })
    })
  })
)
