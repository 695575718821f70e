import { Clock, Effect, Layer, Option, Result } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { RateLimit } from "../../http/limits/RateLimit.ts"
import { languageOf } from "../../http/request/Accept.ts"
import { Exchange, originOf } from "../../http/request/Exchange.ts"
import { queryOf } from "../../http/request/Path.ts"
import { admitted, inTime } from "../../http/request/Timeouts.ts"
import { type DeadLink, PortalSessions } from "../../store/accounts/PortalSessions.ts"
import * as Form from "../forms/SentForm.ts"
import { shutPage, type Why } from "../frame/OtherPages.ts"
import { add } from "../frame/Routes.ts"
import { Guard } from "./Guard.ts"

type Request = HttpServerRequest.HttpServerRequest

const statusOf: Readonly<Record<DeadLink, number>> = { used: 410, expired: 410, unknown: 404 }

/**
 * Whether somebody opens the link. A browser that looks ahead, a program that asks for the headers alone and a page that loads the link as
 * a picture or in a frame do not, and must not use up the link.
 */
const isOpened = ({ headers, method }: Request): boolean => {
  const purpose = `${headers["sec-purpose"] ?? ""} ${headers["purpose"] ?? ""} ${headers["x-moz"] ?? ""}`
  return method === "GET" && !/pre/iu.test(purpose) && (headers["sec-fetch-dest"] ?? "document") === "document"
}

/** The page of the portal to go on to, relative to that of the link: the one that `to` names, or Home. */
const targetOf = (url: string): string => {
  const to = new URLSearchParams(queryOf(url)).get("to") ?? ""
  return /^[a-z]+(?:\/\w+)?$/u.test(to) ? `../${to}` : "../../portal"
}

const shut = (request: Request, why: Why, status: number, headers: Readonly<Record<string, string>>) =>
  HttpServerResponse.text(shutPage(languageOf(request.headers["accept-language"]), request.url, why), {
    status,
    contentType: "text/html; charset=utf-8",
    headers: { ...headers, Vary: "Accept-Language, Cookie" }
  })

/** Lets a browser in by a link, which works once: the link becomes a cookie. */
const enter = Effect.gen(function* () {
  const { cookieOf, headers, lookUp } = yield* Guard
  const limit = yield* RateLimit
  const sessions = yield* PortalSessions
  const request = yield* HttpServerRequest.HttpServerRequest
  // A browser discards what it was answered ahead with such a status, and asks again when the person follows the link.
  if (!isOpened(request)) return HttpServerResponse.empty({ status: request.method === "HEAD" ? 204 : 425, headers })
  const { token = "" } = yield* HttpRouter.params
  const entered = yield* lookUp(sessions.enter(token, originOf(yield* Exchange)))
  if (Result.isFailure(entered)) {
    yield* admitted(limit.ofAddress)
    return shut(request, entered.failure, statusOf[entered.failure], headers)
  }
  const { cookie, session } = entered.success
  const seconds = Math.ceil((session.expires_at.getTime() - (yield* Clock.currentTimeMillis)) / 1000)
  return HttpServerResponse.empty({
    status: 303,
    headers: { ...headers, Location: targetOf(request.url), "Set-Cookie": cookieOf(cookie, Math.max(seconds, 1)) }
  })
})

/** Ends the session of the browser, and takes its cookie. */
const leave = Effect.gen(function* () {
  const { admit, checkChange, cookieOf, hasCookie, headers } = yield* Guard
  const sessions = yield* PortalSessions
  const request = yield* HttpServerRequest.HttpServerRequest
  const found = yield* admit(request)
  if (Option.isSome(found)) {
    const form = yield* Form.read
    yield* checkChange(request, found.value, form.raw("csrf"))
    yield* inTime(sessions.leave(found.value.session, originOf(yield* Exchange)))
  }
  // With the form of another site a browser sends no cookie, and must not lose the one that it has.
  const isKnown = hasCookie(request)
  return shut(request, "left", 200, { ...headers, ...(isKnown ? { "Set-Cookie": cookieOf("", 0) } : {}) })
})

/** The ways in and out. */
export const layer = Layer.mergeAll(add("GET", "/portal/enter/:token", enter), add("POST", "/portal/leave", leave))
