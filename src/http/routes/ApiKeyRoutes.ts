import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ApiKeyId } from "../../../schemas/Id.ts"
import { Api } from "../../api/Api.ts"
import { ApiKeys, apiKeyView } from "../../accounts/store/ApiKeys.ts"
import { makeAsk, makeAskAbout } from "../request/Ask.ts"
import { makeFind, makeIdOf, readPage } from "../request/Paging.ts"
import { withBody } from "../request/Pipeline.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "apiKeys",
  Effect.fn(function* (handlers) {
    const keys = yield* ApiKeys
    const find = makeFind("API key", keys.find)
    const ask = yield* makeAsk
    const askAbout = yield* makeAskAbout(makeIdOf("API key", ApiKeyId))
    return withBody(handlers).handleAll({
      createApiKey: ({ payload }) => ask((actor, context) => actor.CreateApiKey({ context, request: payload })),
      listApiKeys: ({ query }) => readPage("/v1/api-keys", query, keys.list, apiKeyView),
      retrieveApiKey: ({ params }) => Effect.map(find(params.id), apiKeyView),
      revokeApiKey: ({ params }) => askAbout(params.id, (actor, about) => actor.RevokeApiKey(about)),
      rollApiKey: ({ params, payload }) =>
        askAbout(params.id, (actor, about) => actor.RollApiKey({ ...about, request: payload }))
    })
  })
)
