import { Effect } from "effect"
import { openSessionsMax } from "../../../src/accounts/store/PortalSessions.ts"
import { send } from "../../support/apps/Requests.ts"
import { get, post, refused, remove } from "./Refused.ts"

const session = (body: unknown) => post("/v1/portal-sessions", body)
const returning = (return_url: unknown) => session({ return_url })

/** The faults of portal sessions. */
export const badSessions = [
  ...refused("parameter_invalid", [
    ["a session one second shorter than a minute", session({ expires_in: 59 }), /from 60/, "expires_in"],
    ["a session of more than a week", session({ expires_in: 604_801 }), /seven days/, "expires_in"],
    ["an unknown capability", session({ capabilities: ["view", "fly"] }), /one of view, /, "capabilities[1]"],
    ["a capability twice", session({ capabilities: ["view", "view"] }), /each capability once/, "capabilities"],
    ...(
      [
        ["a return over http", "http://app.example.com/done"],
        ["a return that runs a script", "javascript:alert(1)"],
        ["a return with a user name", "https://app.example.com@evil.example/"],
        ["a return to a port", "https://app.example.com:8443/done"],
        ["a return to the default port", "https://app.example.com:443/done"],
        ["a return with a fragment", "https://app.example.com/done#part"],
        ["a return with an empty fragment", "https://app.example.com/done#"],
        ["a return to a host outside ASCII", "https://añil.example/done"],
        ["a return with a path outside ASCII", "https://app.example.com/añil"],
        ["a return with a space", "https://app.example.com/a b"],
        ["a return with a line break", "https://app.example.com/\nx"],
        ["a return with a backslash", "https://app.example.com\\@evil.example/"],
        ["a return to a number as a host", "https://2130706433/"],
        ["a relative return", "/done"],
        ["a return without a scheme", "//app.example.com/done"],
        ["an empty return", ""]
      ] as const
    ).map(([name, url]) => [name, returning(url), /must be an https URL such as/, "return_url"] as const)
  ]),
  ...refused("parameter_invalid_empty", [
    ["a session without a capability", session({ capabilities: [] }), /at least one capability/, "capabilities"]
  ]),
  ...refused("parameter_too_long", [
    ["a long return", returning(`https://app.example.com/${"a".repeat(1_977)}`), /2000/, "return_url"]
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
