import { Context, Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { hash } from "node:crypto"
import type { ApiError } from "../../../schemas/ApiError.ts"
import type { Principal } from "../../api/Authorization.ts"
import type { Facts } from "../request/Exchange.ts"
import { pathOf } from "../request/Path.ts"
import { admitted } from "../request/Timeouts.ts"
import { KeyTokens, RateLimit } from "./RateLimit.ts"

// A key that is forgotten is refused after its look-up, as any key is at first.
const keysMax = 1_000

// In nanoseconds. A key is looked up again after this time, so that a revoked key is refused as such within a second.
const creatorKnownFor = 1_000_000_000n

export interface Spent {
  readonly principal: Principal
  readonly error: ApiError
  /** Those of the refused answer. */
  readonly headers: Facts["headers"]
}

/** Who was refused a creation last. */
interface Creator {
  readonly principal: Principal
  /** Why a creation would be refused `now`, in Unix milliseconds; undefined if it would not. */
  readonly refusal: (now: number) => ApiError | undefined
  /** On the monotonic clock. */
  readonly at: bigint
}

/** The methods with which a path is known. */
export type MethodsOf = (path: string) => ReadonlyArray<string>

// No key is kept as it was sent, and a long header takes no more memory than a short one.
const nameOf = (header: string) => hash("sha256", header, "base64")

/** Remembers an entry, and forgets the oldest of too many. */
const remember = <A>(entries: Map<string, A>, name: string, entry: A) => {
  entries.delete(name)
  entries.set(name, entry)
  const [oldest] = entries.keys()
  if (entries.size > keysMax && oldest !== undefined) entries.delete(oldest)
}

const creationOf = (name: string, { method, url }: HttpServerRequest.HttpServerRequest) =>
  `${name} ${method} ${pathOf(url)}`

/** Whether a request has a route that needs a key. */
const needsKey = ({ method, url }: HttpServerRequest.HttpServerRequest, methodsOf: MethodsOf) => {
  const path = pathOf(url)
  return path.startsWith("/v1/") && path !== "/v1/openapi.json" && methodsOf(path).includes(method)
}

/**
 * The API keys that were refused last, by the header in which they were sent: by the rate limit, or creations by the turns of their account.
 * The next such request is refused before it is routed and its key is looked up: a flood consists of refusals, and each costs a third of what
 * it would cost there.
 */
export class SpentKeys extends Context.Service<SpentKeys>()("folio/http/SpentKeys", {
  make: Effect.gen(function* () {
    const { isSpent } = yield* KeyTokens
    const limit = yield* RateLimit
    const spent = new Map<string, Spent>()
    const creators = new Map<string, Creator>()

    const ofSpent = (name: string, { error, headers, principal }: Spent, exchange: Facts) =>
      Effect.map(isSpent(principal), (isStillSpent) => {
        if (!isStillSpent) {
          spent.delete(name)
          return null
        }
        exchange.account_id = principal.account_id
        exchange.principal = principal
        exchange.headers = headers
        return error
      })

    const ofCreator = ({ at, principal, refusal }: Creator, exchange: Facts) =>
      Effect.clockWith((clock) => {
        const isKnown = clock.monotonicTimeNanosUnsafe() - at <= creatorKnownFor
        const error = isKnown ? refusal(clock.currentTimeMillisUnsafe()) : undefined
        if (error === undefined) return Effect.succeed(null)
        exchange.account_id = principal.account_id
        exchange.principal = principal
        // The refused creation counts as a request of its key, and the response shows what the key has left.
        return Effect.match(admitted(limit.ofKey(principal)), {
          onFailure: (limited) => limited,
          onSuccess: () => error
        })
      })

    return {
      /** Remembers the key that an `Authorization` header has, after the rate limit has refused it. */
      note: (header: string, key: Spent): void => remember(spent, nameOf(header), key),
      /** Remembers the key of a creation that was refused its turn. */
      noteCreator: (
        request: HttpServerRequest.HttpServerRequest,
        principal: Principal,
        refusal: Creator["refusal"]
      ): Effect.Effect<void> =>
        Effect.clockWith((clock) => {
          const header = request.headers["authorization"]
          const at = clock.monotonicTimeNanosUnsafe()
          if (header !== undefined) remember(creators, creationOf(nameOf(header), request), { principal, refusal, at })
          return Effect.void
        }),
      /** The refusal of a request that was refused before and would be refused now; null if it would not, or was not refused before. */
      refusalOf: (
        request: HttpServerRequest.HttpServerRequest,
        exchange: Facts,
        methodsOf: MethodsOf
      ): Effect.Effect<ApiError | null> => {
        if (spent.size + creators.size === 0) return Effect.succeed(null)
        const name = nameOf(request.headers["authorization"] ?? "")
        const key = spent.get(name)
        if (key !== undefined && needsKey(request, methodsOf)) return ofSpent(name, key, exchange)
        const creator = creators.get(creationOf(name, request))
        return creator === undefined ? Effect.succeed(null) : ofCreator(creator, exchange)
      }
    }
  })
}) {}
