import { Effect } from "effect"
import { openSessionsMax } from "../../../src/accounts/store/PortalSessions.ts"
import { send } from "../../support/apps/Requests.ts"
import { get, post, refused, remove } from "./Refused.ts"

const session = (body: unknown) => post("/v1/portal-sessions", body)

/** The faults of portal sessions. */
export const badSessions = [
  ...refused("parameter_invalid", [
    ["a session one second shorter than a minute", session({ expires_in: 59 }), /from 60/, "expires_in"],
    ["a session of more than a week", session({ expires_in: 604_801 }), /seven days/, "expires_in"],
    ["an unknown capability", session({ capabilities: ["view", "fly"] }), /one of view, /, "capabilities[1]"],
    ["a capability twice", session({ capabilities: ["view", "view"] }), /each capability once/, "capabilities"]
  ]),
  ...refused("parameter_invalid_empty", [
    ["a session without a capability", session({ capabilities: [] }), /at least one capability/, "capabilities"]
  ]),
  ...refused("parameter_unknown", [["a chosen address", session({ url: "/" }), /not known/, "url"]]),
  ...refused("resource_missing", [
    ["a missing session", get("/v1/portal-sessions/ps_1"), /no portal session "ps_1"/],
    ["an end of a missing session", remove("/v1/portal-sessions/ps_1"), /no portal session "ps_1"/]
  ]),
  ...refused("invalid_cursor", [
    [
      "a cursor at a missing session",
      get("/v1/portal-sessions?starting_after=ps_1"),
      /begins with ps_/,
      "starting_after"
    ]
  ])
]

export const badSessionMoments = refused("portal_session_limit_reached", [
  ["one session over the limit", session({}), /at most 100/]
]).map((bad) => ({
  ...bad,
  given: Effect.forEach(Array.from({ length: openSessionsMax }), () => send(session({})), { discard: true })
}))
