import { Effect } from "effect"
import { openSessionsMax } from "../../../src/store/accounts/PortalSessions.ts"
import { send } from "../../support/apps/Requests.ts"
import { get, post, refused, remove } from "./Refused.ts"

const session = (body: unknown) => post("/v1/portal-sessions", body)

/** What is wrong with sessions of the portal. */
export const badSessions = [
  ...refused("parameter_invalid", [
    ["a session of a minute less a second", session({ expires_in: 59 }), /from 60/, "expires_in"],
    ["a session of more than a week", session({ expires_in: 604_801 }), /seven days/, "expires_in"],
    ["a capability that there is not", session({ capabilities: ["view", "fly"] }), /one of view, /, "capabilities[1]"],
    ["a capability twice", session({ capabilities: ["view", "view"] }), /each capability once/, "capabilities"]
  ]),
  ...refused("parameter_invalid_empty", [
    ["a session that may do nothing", session({ capabilities: [] }), /at least one capability/, "capabilities"]
  ]),
  ...refused("parameter_unknown", [["an address of one's own", session({ url: "/" }), /not known/, "url"]]),
  ...refused("resource_missing", [
    ["no such session", get("/v1/portal-sessions/ps_1"), /no portal session "ps_1"/],
    ["no session to end", remove("/v1/portal-sessions/ps_1"), /no portal session "ps_1"/]
  ]),
  ...refused("invalid_cursor", [
    ["a cursor after no session", get("/v1/portal-sessions?starting_after=ps_1"), /begins with ps_/, "starting_after"]
  ])
]

export const badSessionMoments = refused("portal_session_limit_reached", [
  ["a session too many", session({}), /at most 100/]
]).map((bad) => ({
  ...bad,
  given: Effect.forEach(Array.from({ length: openSessionsMax }), () => send(session({})), { discard: true })
}))
