import { Context, Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { hash } from "node:crypto"
import type { ApiError } from "../../../schemas/ApiError.ts"
import type { Principal } from "../../api/Authorization.ts"
import { type Facts, pathOf } from "../request/Exchange.ts"
import { portInTime } from "../../runtime/PortCall.ts"
import { KeyTokens, RateLimit } from "./RateLimit.ts"
import { isWithin } from "../../runtime/TrustedProxies.ts"

// If this cache has dropped a key, Folio rejects the key's request after the look-up, as for the first rejection.
const keysMax = 1_000

// In nanoseconds. Folio looks up the key again after this time, so that a revoked key gets its own error within a
// second.
const creatorKnownFor = 1_000_000_000n

/** An API key whose last request Folio rejected. */
interface Spent {
  readonly principal: Principal
  /**
   * Error of the key's next request, with the headers of the response in `exchange`; null if Folio accepts the request.
   */
  readonly refusal: (exchange: Facts) => Effect.Effect<ApiError | null>
}

/** The methods of a path; none if the path is unknown. */
export type MethodsOf = (path: string) => ReadonlyArray<string>

const hashed = (text: string) => hash("sha256", text, "base64")

/** The account that a platform's key acts for: in the header, or in the path of an operation on accounts. */
const actsFor = ({ headers, url }: HttpServerRequest.HttpServerRequest) =>
  headers["svc-account"] ?? /^\/v1\/accounts\/([^/?]+)/.exec(url)?.[1] ?? ""

// A hash, so that memory holds no key in clear and long headers and paths take no more memory than short ones. A
// platform's key has its own limits in each account that it acts for.
const nameOf = (request: HttpServerRequest.HttpServerRequest) =>
  hashed(`${request.headers["authorization"] ?? ""} ${actsFor(request)}`)

const creationOf = (name: string, { method, url }: HttpServerRequest.HttpServerRequest) =>
  hashed(`${name} ${method} ${pathOf(url)}`)

/** Whether a request has a route that needs a key. */
const needsKey = ({ method, url }: HttpServerRequest.HttpServerRequest, methodsOf: MethodsOf) => {
  const path = pathOf(url)
  return path.startsWith("/v1/") && path !== "/v1/openapi.json" && methodsOf(path).includes(method)
}

/**
 * The API keys of the latest rejections, by their `Authorization` header: rejections by the rate limit, and rejections
 * of creations by the turns of their account.
 *
 * Folio rejects the next such request before routing and key look-up, because a flood consists of rejections. A
 * rejection here costs a third of a later rejection.
 */
export class SpentKeys extends Context.Service<SpentKeys>()("folio/http/SpentKeys", {
  make: Effect.gen(function* () {
    const { isSpent } = yield* KeyTokens
    const limit = yield* RateLimit
    const spent = new Map<string, Spent>()
    const note = (name: string, key: Spent) => {
      spent.delete(name)
      spent.set(name, key)
      const [oldest] = spent.keys()
      if (spent.size > keysMax && oldest !== undefined) spent.delete(oldest)
    }
    return {
      /** Records the key of a request that the rate limit has rejected, and the headers of that response. */
      noteRate: (
        request: HttpServerRequest.HttpServerRequest,
        principal: Principal,
        error: ApiError,
        headers: Facts["headers"]
      ): void =>
        note(nameOf(request), {
          principal,
          refusal: (exchange) =>
            Effect.map(isSpent(principal), (isStillSpent) => {
              if (!isStillSpent) return null
              exchange.headers = headers
              return error
            })
        }),
      /**
       * Records the key of a creation that got no turn. `refusalAt` returns the error for a later time, in Unix
       * milliseconds.
       */
      noteCreator: (
        request: HttpServerRequest.HttpServerRequest,
        principal: Principal,
        refusalAt: (now: number) => ApiError | undefined
      ): Effect.Effect<void> =>
        Effect.clockWith((clock) => {
          const at = clock.monotonicTimeNanosUnsafe()
          note(creationOf(nameOf(request), request), {
            principal,
            refusal: () => {
              const isKnown = clock.monotonicTimeNanosUnsafe() - at <= creatorKnownFor
              const error = isKnown ? refusalAt(clock.currentTimeMillisUnsafe()) : undefined
              if (error === undefined) return Effect.succeed(null)
              // A rejected creation counts as a request of its key, and the response shows the remaining tokens of the
              // key.
              return Effect.match(portInTime(limit.ofKey(principal)), {
                onFailure: (limited) => limited,
                onSuccess: () => error
              })
            }
          })
          return Effect.void
        }),
      /** The error of a request that Folio rejected before and would reject now; otherwise null. */
      refusalOf: (
        request: HttpServerRequest.HttpServerRequest,
        exchange: Facts,
        methodsOf: MethodsOf
      ): Effect.Effect<ApiError | null> => {
        if (spent.size === 0) return Effect.succeed(null)
        const ofKey = nameOf(request)
        const name = spent.has(ofKey) ? ofKey : creationOf(ofKey, request)
        const key = spent.get(name)
        if (key === undefined || !needsKey(request, methodsOf)) return Effect.succeed(null)
        // A request from elsewhere gets the error of its address, and counts against it.
        const { networks } = key.principal
        if (networks !== undefined && !isWithin(networks, exchange.ip ?? "")) return Effect.succeed(null)
        return Effect.map(key.refusal(exchange), (error) => {
          if (error === null) {
            spent.delete(name)
            return null
          }
          exchange.account_id = key.principal.account_id
          exchange.principal = key.principal
          return error
        })
      }
    }
  })
}) {}
