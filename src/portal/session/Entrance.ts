import { Clock, Effect, Layer, Option, Result } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { RateLimit } from "../../http/limits/RateLimit.ts"
import { languageOf } from "../../http/request/Accept.ts"
import { Exchange, originOf, queryOf } from "../../http/request/Exchange.ts"
import { inTime, portInTime } from "../../runtime/PortCall.ts"
import { type DeadLink, type Linked, PortalSessions } from "../../accounts/store/PortalSessions.ts"
import * as Form from "../forms/SentForm.ts"
import { openingPage } from "../frame/OtherPages.ts"
import { add, shut } from "../frame/PortalRoutes.ts"
import { Guard } from "./Guard.ts"

type Request = HttpServerRequest.HttpServerRequest

const statusOf: Readonly<Record<DeadLink, number>> = { used: 410, expired: 410, unknown: 404 }

/**
 * Whether a person opens the link. A prefetch, a HEAD request, or a page that loads the link as an image or in a frame
 * must not use up the link.
 */
const isOpened = ({ headers, method }: Request): boolean => {
  const purpose = `${headers["sec-purpose"] ?? ""} ${headers["purpose"] ?? ""} ${headers["x-moz"] ?? ""}`
  return method === "GET" && !/pre/iu.test(purpose) && (headers["sec-fetch-dest"] ?? "document") === "document"
}

/** The portal page after the link, relative to the link: the page in `to`, or Home. */
const targetOf = (url: string): string => {
  const to = new URLSearchParams(queryOf(url)).get("to") ?? ""
  return /^[a-z]+(?:\/\w+)?$/u.test(to) ? `../${to}` : "../../portal"
}

const asking = (
  request: Request,
  linked: Linked,
  other: string | undefined,
  headers: Readonly<Record<string, string>>
) =>
  HttpServerResponse.text(openingPage(languageOf(request.headers["accept-language"]), request.url, linked, other), {
    contentType: "text/html; charset=utf-8",
    headers: { ...headers, Vary: "Accept-Language, Cookie, Sec-Fetch-Mode" }
  })

const refused = Effect.fnUntraced(function* (request: Request, why: DeadLink) {
  const { headers } = yield* Guard
  const limit = yield* RateLimit
  yield* portInTime(limit.ofAddress)
  return shut(request, why, statusOf[why], headers)
})

/** Uses a link and sets the session cookie. A link works once. */
const use = Effect.fnUntraced(function* (request: Request, token: string) {
  const { cookieOf, headers, lookUp } = yield* Guard
  const sessions = yield* PortalSessions
  const entered = yield* lookUp(sessions.enter(token, originOf(yield* Exchange)))
  if (Result.isFailure(entered)) return yield* refused(request, entered.failure)
  const { cookie, session } = entered.success
  const seconds = Math.ceil((session.expires_at.getTime() - (yield* Clock.currentTimeMillis)) / 1000)
  return HttpServerResponse.empty({
    status: 303,
    headers: { ...headers, Location: targetOf(request.url), "Set-Cookie": cookieOf(cookie, Math.max(seconds, 1)) }
  })
})

/** Whether the headers show that a person follows a link. Chat previews and mail scanners don't send this header. */
const isFollowed = ({ headers }: Request): boolean => headers["sec-fetch-mode"] === "navigate"

/**
 * Opens a link. A browser with a session of another account, and a possible preview or scanner, gets a page with a
 * button; the link stays unused. If the link already opened this browser's session, redirects to the portal, because a
 * person may click twice.
 */
const open = Effect.gen(function* () {
  const { current, headers, lookUp } = yield* Guard
  const sessions = yield* PortalSessions
  const request = yield* HttpServerRequest.HttpServerRequest
  // A browser discards a prefetched response with this status, and repeats the request when the person follows the
  // link.
  if (!isOpened(request)) return HttpServerResponse.empty({ status: request.method === "HEAD" ? 204 : 425, headers })
  const { token = "" } = yield* HttpRouter.params
  const linked = Option.getOrUndefined(yield* lookUp(sessions.look(token)))
  if (linked === undefined) return yield* refused(request, "unknown")
  const session = Option.getOrUndefined(yield* current(request))?.session
  if (session?.id === linked.id) {
    return HttpServerResponse.empty({ status: 303, headers: { ...headers, Location: targetOf(request.url) } })
  }
  if (linked.dead !== null) return yield* refused(request, linked.dead)
  const other = session?.principal.account_id === linked.account_id ? undefined : session
  return isFollowed(request) && other === undefined
    ? yield* use(request, token)
    : asking(request, linked, other?.account_name, headers)
})

/** Uses a link after the button of the page that `open` returns. */
const enter = Effect.gen(function* () {
  const { checkForm } = yield* Guard
  const request = yield* HttpServerRequest.HttpServerRequest
  yield* checkForm(request)
  const { token = "" } = yield* HttpRouter.params
  return yield* use(request, token)
})

/** Ends the session of the browser, and removes its cookie. */
const leave = Effect.gen(function* () {
  const { admit, checkChange, cookieOf, hasCookie, headers, outerOf } = yield* Guard
  const sessions = yield* PortalSessions
  const request = yield* HttpServerRequest.HttpServerRequest
  const found = yield* admit(request)
  if (Option.isSome(found)) {
    const form = yield* Form.read
    yield* checkChange(request, found.value, form.raw("csrf"))
    const { session } = found.value
    // The end of a platform's session also ends the sessions that were opened from it.
    const outer = session.opened_from === null ? Option.none() : yield* inTime(sessions.find(outerOf(request) ?? ""))
    yield* inTime(
      sessions.leave(
        Option.getOrElse(outer, () => session),
        originOf(yield* Exchange)
      )
    )
  }
  // A form of another site arrives without the cookie. The browser must keep its cookie then.
  const isKnown = hasCookie(request)
  return shut(request, "left", 200, { ...headers, ...(isKnown ? { "Set-Cookie": cookieOf("", 0) } : {}) })
})

/** The routes that open and end a session. */
export const layer = Layer.mergeAll(
  add("GET", "/portal/enter/:token", open),
  add("POST", "/portal/enter/:token", enter),
  add("POST", "/portal/leave", leave)
)
