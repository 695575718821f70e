import { Context, Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { hash } from "node:crypto"
import type { ApiError } from "../../../schemas/ApiError.ts"
import type { Principal } from "../../api/Authorization.ts"
import { type Facts, pathOf } from "../request/Exchange.ts"
import { portInTime } from "../../protocol/PortCall.ts"
import { KeyTokens, RateLimit } from "./RateLimit.ts"

// A key that is forgotten is refused after its look-up, as any key is at first.
const keysMax = 1_000

// In nanoseconds. A key is looked up again after this time, so that a revoked key is refused as such within a second.
const creatorKnownFor = 1_000_000_000n

/** A key whose last request was refused. */
interface Spent {
  readonly principal: Principal
  /** Why its next request is refused, with the headers of the response in `exchange`; null if it is not. */
  readonly refusal: (exchange: Facts) => Effect.Effect<ApiError | null>
}

/** The methods with which a path is known. */
export type MethodsOf = (path: string) => ReadonlyArray<string>

const hashed = (text: string) => hash("sha256", text, "base64")

// No key is kept as it was sent, and a long header or path takes no more memory than a short one.
const nameOf = ({ headers }: HttpServerRequest.HttpServerRequest) => hashed(headers["authorization"] ?? "")

const creationOf = (name: string, { method, url }: HttpServerRequest.HttpServerRequest) =>
  hashed(`${name} ${method} ${pathOf(url)}`)

/** Whether a request has a route that needs a key. */
const needsKey = ({ method, url }: HttpServerRequest.HttpServerRequest, methodsOf: MethodsOf) => {
  const path = pathOf(url)
  return path.startsWith("/v1/") && path !== "/v1/openapi.json" && methodsOf(path).includes(method)
}

/**
 * The API keys that were refused last, by the header in which they were sent: by the rate limit, or creations by the
 * turns of their account. The next such request is refused before it is routed and its key is looked up: a flood
 * consists of refusals, and each costs a third of what it would cost there.
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
      /** Remembers the key of a request that the rate limit has refused, and the headers of that response. */
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
       * Remembers the key of a creation that was refused its turn. `refusalAt`: why it would be refused then, in Unix
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
              // The refused creation counts as a request of its key, and the response shows what the key has left.
              return Effect.match(portInTime(limit.ofKey(principal)), {
                onFailure: (limited) => limited,
                onSuccess: () => error
              })
            }
          })
          return Effect.void
        }),
      /**
       * The refusal of a request that was refused before and would be refused now; null if it would not, or was not
       * refused before.
       */
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
