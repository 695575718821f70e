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
  "Sessions of the portal, Folio's pages at `/portal`. A session gives one browser access for a limited time, with some of the rights of the API key that created it.",
  post("createPortalSession", "/v1/portal-sessions", {
    payload: PortalSessionRequest,
    success: created(PortalSessionWithUrl),
    summary: "Create a portal session",
    description:
      "Creates a session with a link that opens the portal in a browser. The response shows the link once. The link works once, within 60 seconds, and sets a cookie: redirect the person from your back office to it immediately. The session shows the account in the mode of the key that makes the request, and ends with that key. A restricted key needs the capability `keys`, and gives only capabilities that it has. The session works from any address, even if the key has `allowed_ips`. For an account of a platform, `return_url` adds a button to the portal that leads back to the platform. A platform's key without the header `Svc-Account` creates a session of the platform itself, which lists and opens the platform's accounts."
  }),
  get("listPortalSessions", "/v1/portal-sessions", {
    query: pageQuery("ps"),
    success: PortalSessionPage,
    summary: "List portal sessions",
    description:
      "Lists the sessions of this mode, newest first, including those that ended in the last seven days. Each entry has the capabilities and the status of the session, but never its link."
  }),
  get("retrievePortalSession", item, {
    params,
    success: PortalSession,
    summary: "Retrieve a portal session",
    description: "Returns the capabilities and the status of a session, but never its link."
  }),
  remove("endPortalSession", item, {
    params,
    success: DeletedPortalSession,
    summary: "End a portal session",
    description:
      "Ends a session immediately: its link and the browser's cookie stop working. The request has no effect on a session that has already ended."
  })
) {}
