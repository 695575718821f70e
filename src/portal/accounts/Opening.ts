import { Clock, Effect, Layer, Option } from "effect"
import { HttpServerRequest } from "effect/http"
import { ApiError } from "../../../schemas/ApiError.ts"
import { Platforms } from "../../accounts/store/Platforms.ts"
import { PortalSessions } from "../../accounts/store/PortalSessions.ts"
import { Exchange, originOf } from "../../http/request/Exchange.ts"
import { inTime } from "../../runtime/PortCall.ts"
import { change, type Outcome } from "../frame/PortalRoutes.ts"
import type { Visit } from "../frame/Visit.ts"
import { Guard } from "../session/Guard.ts"
import { accountsPath } from "./FleetPage.ts"

/* A platform's session opens sessions of the platform's accounts in the same browser, and the browser returns. */

const secondsUntil = (at: Date) =>
  Effect.map(Clock.currentTimeMillis, (now) => Math.max(1, Math.ceil((at.getTime() - now) / 1000)))

/** Opens the portal of an account. The new cookie also holds the token of the platform's session, for the way back. */
const open = Effect.fnUntraced(function* ({ id, session }: Visit) {
  const { cookieOf, tokenOf } = yield* Guard
  const platforms = yield* Platforms
  const sessions = yield* PortalSessions
  const acting = yield* inTime(platforms.actFor(session.principal, id))
  if (Option.isNone(acting)) return yield* ApiError.missing("account", id)
  const origin = originOf(yield* Exchange)
  const cookie = yield* inTime(sessions.openFrom(session, acting.value, origin))
  const outer = tokenOf(yield* HttpServerRequest.HttpServerRequest)
  const outcome: Outcome = {
    to: "/portal",
    cookie: cookieOf(`${cookie}.${outer}`, yield* secondsUntil(session.expires_at))
  }
  return outcome
})

const noWayBack = new ApiError({
  code: "form_foreign",
  message:
    "This browser did not open the session from a platform's session, or that session has ended. Open a new link of the platform."
})

/** Returns to the platform's session, and ends the account's session. */
const back = Effect.fnUntraced(function* ({ session }: Visit) {
  const { cookieOf, outerOf } = yield* Guard
  const sessions = yield* PortalSessions
  const outer = outerOf(yield* HttpServerRequest.HttpServerRequest)
  const platform = outer === undefined ? Option.none() : yield* inTime(sessions.find(outer))
  if (outer === undefined || Option.isNone(platform) || platform.value.id !== session.opened_from)
    return yield* noWayBack
  yield* inTime(sessions.leave(session, originOf(yield* Exchange)))
  const outcome: Outcome = {
    to: "/portal",
    notice: "back",
    cookie: cookieOf(outer, yield* secondsUntil(platform.value.expires_at))
  }
  return outcome
})

/** The way into the portal of an account, and back. */
export const layer = Layer.mergeAll(change(`${accountsPath}/:id/open`, open), change("/portal/back", back))
