import { Context, Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { hash } from "node:crypto"
import type { ApiError } from "../../../schemas/ApiError.ts"
import type { Principal } from "../../api/Authorization.ts"
import type { Facts } from "../request/Exchange.ts"
import { pathOf } from "../request/Path.ts"
import { KeyTokens } from "./RateLimit.ts"

// A key that is forgotten is refused after its look-up, as any key is at first.
const keysMax = 1_000

export interface Spent {
  readonly principal: Principal
  readonly error: ApiError
  /** Those of the refused answer. */
  readonly headers: Facts["headers"]
}

/** The methods with which a path is known. */
export type MethodsOf = (path: string) => ReadonlyArray<string>

// No key is kept as it was sent, and a long header takes no more memory than a short one.
const nameOf = (header: string) => hash("sha256", header, "base64")

/** Whether a request has a route that needs a key. */
const needsKey = ({ method, url }: HttpServerRequest.HttpServerRequest, methodsOf: MethodsOf) => {
  const path = pathOf(url)
  return path.startsWith("/v1/") && path !== "/v1/openapi.json" && methodsOf(path).includes(method)
}

/**
 * The API keys that the rate limit has refused last, by the header in which they were sent, so that the next request of such a key is
 * refused before it is routed and its key is looked up: a flood consists of refusals, and each costs a third of what it would cost there.
 */
export class SpentKeys extends Context.Service<SpentKeys>()("folio/http/SpentKeys", {
  make: Effect.map(KeyTokens, ({ isSpent }) => {
    const spent = new Map<string, Spent>()
    return {
      /** Remembers the key that an `Authorization` header has, after the rate limit has refused it. */
      note: (header: string, key: Spent): void => {
        const name = nameOf(header)
        spent.delete(name)
        spent.set(name, key)
        const [oldest] = spent.keys()
        if (spent.size > keysMax && oldest !== undefined) spent.delete(oldest)
      },
      /** The refusal of a request whose key has no token now; null if the key has one, or was not refused before. */
      refusalOf: (request: HttpServerRequest.HttpServerRequest, exchange: Facts, methodsOf: MethodsOf) => {
        if (spent.size === 0) return Effect.succeed(null)
        const name = nameOf(request.headers["authorization"] ?? "")
        const key = spent.get(name)
        if (key === undefined || !needsKey(request, methodsOf)) return Effect.succeed(null)
        return Effect.map(isSpent(key.principal), (isStillSpent) => {
          if (!isStillSpent) {
            spent.delete(name)
            return null
          }
          exchange.account_id = key.principal.account_id
          exchange.principal = key.principal
          exchange.headers = key.headers
          return key.error
        })
      }
    }
  })
}) {}
