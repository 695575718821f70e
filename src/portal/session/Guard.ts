import { Context, Effect, Layer, Option } from "effect"
import { HttpServerRequest } from "effect/http"
import { ApiError } from "../../../schemas/ApiError.ts"
import { ServiceInfo } from "../../runtime/ServiceInfo.ts"
import { network, RateLimit } from "../../http/limits/RateLimit.ts"
import { inTime, portInTime } from "../../runtime/PortCall.ts"
import * as Turns from "../../runtime/turns/Turns.ts"
import { type PortalSession, PortalSessions } from "../../accounts/store/PortalSessions.ts"
import { csrfToken, isSame, isSentFromHere, referrerPolicy } from "./OwnForms.ts"

/** A request with a valid session. */
export interface Admitted {
  readonly session: PortalSession
  /** The token that every form of the session's pages sends back. Another site cannot know it. */
  readonly csrf: string
}

type Request = HttpServerRequest.HttpServerRequest

/**
 * The name of the cookie. Over https, a browser accepts the cookie only from this host and sends it to no other host.
 */
export const cookieName = (baseUrl: string) => (baseUrl.startsWith("https:") ? "__Host-folio_portal" : "folio_portal")

const foreign = new ApiError({
  code: "form_foreign",
  message:
    "This form does not come from a page of your session at the address of this service (BASE_URL). Open the page again and repeat the change."
})

const headersFor = (baseUrl: string) => ({
  "Cache-Control": "no-store",
  "Content-Security-Policy":
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Referrer-Policy": referrerPolicy(baseUrl),
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY"
})

const provideRequest = <A, E, R>(effect: Effect.Effect<A, E, R>, request: Request) =>
  Effect.provideService(effect, HttpServerRequest.HttpServerRequest, request)

// Concurrent look-ups for addresses that sent too many unknown cookies or links. Keeps clients that guess keys from
// using up the database.
const suspectsAtOnce = 2

/** The access control of every portal page. */
export class Guard extends Context.Service<
  Guard,
  {
    /**
     * The session of the request's cookie. None without a cookie, or if the session or its API key has ended. Fails
     * with `rate_limited` if the address sent too many requests without a session.
     */
    readonly admit: (request: Request) => Effect.Effect<Option.Option<Admitted>, ApiError>
    /** The session of the request's cookie. Doesn't limit requests without a session. */
    readonly current: (request: Request) => Effect.Effect<Option.Option<Admitted>, ApiError>
    /**
     * Looks up a cookie or a link in the database. Addresses that sent too many unknown ones take turns. Fails with
     * `service_unavailable` after 15 s.
     */
    readonly lookUp: <A>(find: Effect.Effect<A>) => Effect.Effect<A, ApiError, Request>
    /** Counts a form as a request of the session's API key, before Folio reads it. Fails with `rate_limited`. */
    readonly count: (admitted: Admitted) => Effect.Effect<void, ApiError>
    /** Fails if a change does not come from a form of the session's own pages. `token`: the token in the form. */
    readonly checkChange: (request: Request, admitted: Admitted, token: string) => Effect.Effect<void, ApiError>
    /**
     * Fails if a form does not come from a page of this service: for browsers without a session, whose forms have no
     * token.
     */
    readonly checkForm: (request: Request) => Effect.Effect<void, ApiError>
    readonly hasCookie: (request: Request) => boolean
    /** The token of the request's session. Empty without a cookie. */
    readonly tokenOf: (request: Request) => string
    /** The token of the platform's session from which the request's session was opened. */
    readonly outerOf: (request: Request) => string | undefined
    /** The value of `Set-Cookie` that sets the cookie for some seconds, or removes it. */
    readonly cookieOf: (value: string, seconds: number) => string
    /** The headers of every page and file of the portal. */
    readonly headers: Readonly<Record<string, string>>
  }
>()("folio/portal/Guard") {
  static readonly layer = Layer.effect(
    Guard,
    Effect.gen(function* () {
      const sessions = yield* PortalSessions
      const limit = yield* RateLimit
      const { baseUrl } = yield* ServiceInfo
      const name = cookieName(baseUrl)
      const suspects = Turns.make({ atOnce: suspectsAtOnce, ofOwnerAtOnce: suspectsAtOnce })

      const lookUp = <A>(find: Effect.Effect<A>) =>
        Effect.flatMap(Effect.zip(limit.isAddressSpent, network), ([isSpent, address]) =>
          inTime(isSpent ? suspects.inTurn({ owner: address, asker: address }, find) : find)
        )
      // The cookie of a session that was opened from a platform's session also holds the platform's token, after a dot.
      const tokensOf = ({ cookies }: Request) => (cookies[name] ?? "").split(".")
      const current = Effect.fnUntraced(function* (request: Request) {
        const cookie = request.cookies[name]
        if (cookie === undefined) return Option.none<Admitted>()
        const session = yield* lookUp(sessions.find(tokensOf(request)[0] ?? ""))
        return Option.map(session, (found): Admitted => ({ session: found, csrf: csrfToken(cookie) }))
      }, provideRequest)
      const admit = Effect.fnUntraced(function* (request: Request) {
        const found = yield* current(request)
        if (Option.isNone(found)) yield* portInTime(limit.ofAddress)
        return found
      }, provideRequest)
      return {
        lookUp,
        count: ({ session }: Admitted) => portInTime(limit.ofKey(session.principal)),
        current,
        admit,
        checkForm: ({ headers }: Request) => (isSentFromHere(headers, baseUrl) ? Effect.void : Effect.fail(foreign)),
        checkChange: ({ headers }: Request, { csrf }: Admitted, token: string) =>
          isSame(csrf, token) && isSentFromHere(headers, baseUrl) ? Effect.void : Effect.fail(foreign),
        tokenOf: (request: Request) => tokensOf(request)[0] ?? "",
        outerOf: (request: Request) => tokensOf(request)[1],
        hasCookie: ({ cookies }: Request) => cookies[name] !== undefined,
        cookieOf: (value: string, seconds: number) =>
          [
            `${name}=${value}`,
            "Path=/",
            `Max-Age=${seconds}`,
            "HttpOnly",
            "SameSite=Lax",
            ...(baseUrl.startsWith("https:") ? ["Secure"] : [])
          ].join("; "),
        headers: headersFor(baseUrl)
      }
    })
  )
}
