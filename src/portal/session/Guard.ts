import { Context, Effect, Layer, Option } from "effect"
import { HttpServerRequest } from "effect/http"
import { ApiError } from "../../../schemas/ApiError.ts"
import type { PortalSession } from "../../api/Authorization.ts"
import { ServiceInfo } from "../../api/ServiceInfo.ts"
import { network, RateLimit } from "../../http/limits/RateLimit.ts"
import { inTime, portInTime } from "../../protocol/PortCall.ts"
import * as Turns from "../../protocol/Turns.ts"
import { PortalSessions } from "../../store/accounts/PortalSessions.ts"
import { csrfToken, isSame, isSentFromHere, referrerPolicy } from "./OwnForms.ts"

/** A request that a session has let in. */
export interface Admitted {
  readonly session: PortalSession
  /** The token that every form of the session's pages sends back, which another site cannot know. */
  readonly csrf: string
}

type Request = HttpServerRequest.HttpServerRequest

/** The name of the cookie. Over https a browser takes the cookie from this host alone, and sends it to no other. */
export const cookieName = (baseUrl: string) => (baseUrl.startsWith("https:") ? "__Host-folio_portal" : "folio_portal")

const foreign = new ApiError({
  code: "form_foreign",
  message:
    "This form was not sent from a page of your session, at the address of this service (BASE_URL). Open the page again and repeat the change."
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

// Look-ups for addresses that have just sent too much that fits nothing: a client that guesses keys does not take the database from others.
const suspectsAtOnce = 2

/** The wall around every page of the portal. */
export class Guard extends Context.Service<
  Guard,
  {
    /**
     * The session of the request's cookie; none without a cookie, or when the session or its API key has ended. Fails with `rate_limited`
     * when the address has sent too many requests without a session.
     */
    readonly admit: (request: Request) => Effect.Effect<Option.Option<Admitted>, ApiError>
    /** The session of the request's cookie, without a limit for requests that have none. */
    readonly current: (request: Request) => Effect.Effect<Option.Option<Admitted>, ApiError>
    /**
     * Looks in the database for what a browser shows, a cookie or a link. Addresses that have sent too much that fits nothing take turns. Fails
     * with `service_unavailable` after 15 s.
     */
    readonly lookUp: <A>(find: Effect.Effect<A>) => Effect.Effect<A, ApiError, Request>
    /** Counts a form as a request of the session's API key, before it is read. Fails with `rate_limited`. */
    readonly count: (admitted: Admitted) => Effect.Effect<void, ApiError>
    /** Fails when a change does not come from a form of the session's own pages. `token`: what the form sent as its token. */
    readonly checkChange: (request: Request, admitted: Admitted, token: string) => Effect.Effect<void, ApiError>
    /** Fails when a form does not come from a page of this service: for a form of a browser without a session, which has no token. */
    readonly checkForm: (request: Request) => Effect.Effect<void, ApiError>
    readonly hasCookie: (request: Request) => boolean
    /** The value of `Set-Cookie` that lets a browser in for some seconds, or takes the cookie from it. */
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
      const current = Effect.fnUntraced(function* (request: Request) {
        const cookie = request.cookies[name]
        if (cookie === undefined) return Option.none<Admitted>()
        const session = yield* lookUp(sessions.find(cookie))
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
