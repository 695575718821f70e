import { pageQuery } from "../../schemas/Page.ts"
import {
  DeletedPortalSession,
  PortalSession,
  PortalSessionPage,
  PortalSessionRequest,
  PortalSessionWithUrl
} from "../../schemas/PortalSession.ts"
import { created, get, group, params, post, remove } from "./Endpoint.ts"

const item = "/v1/portal-sessions/:id"

export class PortalSessionsApi extends group(
  "portalSessions",
  "Portal sessions",
  "Sessions of the portal, Folio's pages at `/portal`: each lets one browser in, for some time and with some of the rights of the key that created it.",
  post("createPortalSession", "/v1/portal-sessions", {
    payload: PortalSessionRequest,
    success: created(PortalSessionWithUrl),
    summary: "Create a session of the portal, with an address that lets a browser in",
    description:
      "The answer shows the address once. The address works once, within 60 seconds, and becomes a cookie: send the person there at once, from your own back office by a redirect. The session shows the account in the mode of the key that asks, and ends with that key."
  }),
  get("listPortalSessions", "/v1/portal-sessions", {
    query: pageQuery("ps"),
    success: PortalSessionPage,
    summary: "List the sessions of this mode, newest first, those that ended in the last seven days included",
    description: "Each session is listed with what it may do and whether it still works; its address is never listed."
  }),
  get("retrievePortalSession", item, {
    params,
    success: PortalSession,
    summary: "Retrieve a session of the portal, without its address",
    description:
      "The session is shown with what it may do and whether it still works; its address is never shown again."
  }),
  remove("endPortalSession", item, {
    params,
    success: DeletedPortalSession,
    summary: "End a session of the portal at once",
    description:
      "Neither the address nor the browser's cookie works any more. To end a session that has already ended changes nothing."
  })
) {}
