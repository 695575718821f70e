import { Notice, NoticePage, NoticeQuery } from "../../schemas/Notice.ts"
import { get, group, nextPage, params } from "./Endpoint.ts"

export class NoticesApi extends group(
  "notices",
  "Notices",
  "Notices to the issuer: certificates, numbering ranges and webhook endpoints that need attention, and the outcome of the enablement. Folio opens a notice within a minute, and ends the notice when its cause is gone. In live mode, Folio also emails each notice to the issuer.",
  get("listNotices", "/v1/notices", {
    query: NoticeQuery,
    success: NoticePage,
    summary: "List notices",
    description: `Lists the notices of the account in this mode, newest first. Use \`status\` to list the open notices only. ${nextPage}`
  }),
  get("retrieveNotice", "/v1/notices/:id", {
    params,
    success: Notice,
    summary: "Retrieve a notice",
    description: "Returns a notice."
  })
) {}
