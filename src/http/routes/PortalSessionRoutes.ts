import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { PortalSessionId } from "../../../schemas/Id.ts"
import { Api } from "../../api/Api.ts"
import { PortalSessions, portalSessionView } from "../../accounts/store/PortalSessions.ts"
import { makeAsk, makeAskAbout } from "../request/Ask.ts"
import { makeFind, makeIdOf, readPage } from "../request/Paging.ts"
import { withBody } from "../request/Pipeline.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "portalSessions",
  Effect.fn(function* (handlers) {
    const sessions = yield* PortalSessions
    const find = makeFind("portal session", sessions.retrieve)
    const ask = yield* makeAsk
    const askAbout = yield* makeAskAbout(makeIdOf("portal session", PortalSessionId))
    return withBody(handlers).handleAll({
      createPortalSession: ({ payload }) =>
        ask((actor, context) => actor.CreatePortalSession({ context, request: payload })),
      listPortalSessions: ({ query }) => readPage("/v1/portal-sessions", query, sessions.list, portalSessionView),
      retrievePortalSession: ({ params }) => Effect.map(find(params.id), portalSessionView),
      endPortalSession: ({ params }) => askAbout(params.id, (actor, about) => actor.EndPortalSession(about))
    })
  })
)
