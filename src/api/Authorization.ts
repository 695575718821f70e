import { Context, Effect } from "effect"
import { HttpApiMiddleware, HttpApiSecurity, OpenApi } from "effect/http-api"
import type { ApiError } from "../../schemas/ApiError.ts"
import type { AccountId, ApiKeyId, PortalSessionId } from "../../schemas/Id.ts"
import type { Capability } from "../../schemas/PortalSession.ts"
import type { Version } from "../../schemas/Version.ts"

/** The API key that a request is made with: `account_id` and `livemode` determine everything that the request may see. */
export interface Principal {
  readonly api_key_id: ApiKeyId
  readonly account_id: AccountId
  readonly livemode: boolean
  readonly default_version: Version
  /** What the key may do, or the session of the portal that acts with it; left out for a key that may do everything. */
  readonly capabilities?: ReadonlyArray<Capability>
}

export class CurrentPrincipal extends Context.Service<CurrentPrincipal, Principal>()("folio/api/CurrentPrincipal") {}

/** A session of the portal: a person's browser, let in by an API key for some time and with some of the key's rights. */
export interface PortalSession {
  readonly id: PortalSessionId
  /** The API key that made the session, with its account and mode. */
  readonly principal: Principal
  /** The name of the account, which every page shows. */
  readonly account_name: string
  readonly capabilities: ReadonlyArray<Capability>
  readonly expires_at: Date
}

/**
 * The session of the portal in whose name a request is made inside this process. Null for a request from outside, which has to bring an
 * API key.
 */
export const PortalCaller = Context.Reference<PortalSession | null>("folio/api/PortalCaller", {
  defaultValue: () => null
})

/**
 * Fails with `invalid_api_key` when the request's API key has ended since the headers arrived: the body may arrive half a minute
 * later, and the request may wait for its turn.
 */
export const KeyStillWorks = Context.Reference<Effect.Effect<void, ApiError>>("folio/api/KeyStillWorks", {
  defaultValue: () => Effect.void
})

/**
 * Requires `Authorization: Bearer sk_test_…` or `sk_live_…`, or the key as the user name of Basic. Fails with `invalid_api_key`.
 */
export class Authorization extends HttpApiMiddleware.Service<Authorization, { provides: CurrentPrincipal }>()(
  "folio/api/Authorization",
  {
    security: {
      // In lower case, as generators of clients compare it.
      apiKey: HttpApiSecurity.http({ scheme: "bearer" }).pipe(
        HttpApiSecurity.annotate(
          OpenApi.Description,
          "An API key: sk_test_… for the sandbox, sk_live_… for production."
        )
      )
    }
  }
) {}
