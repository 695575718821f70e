import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../api/Api.ts"
import { Notices, noticeView } from "../../operations/store/Notices.ts"
import { makeFind, readPage } from "../request/Paging.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "notices",
  Effect.fn(function* (handlers) {
    const notices = yield* Notices
    const find = makeFind("notice", notices.find)
    return handlers.handleAll({
      listNotices: ({ query }) =>
        readPage(
          "/v1/notices",
          query,
          (principal, page) =>
            notices.list(principal, page, { status: query.status ?? null, kind: query.kind ?? null }),
          noticeView
        ),
      retrieveNotice: ({ params }) => Effect.map(find(params.id), noticeView)
    })
  })
)
