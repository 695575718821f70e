import { Context, Effect } from "effect"
import { HttpApiMiddleware, HttpApiSecurity, OpenApi } from "effect/http-api"
import type { IpNetwork } from "effect/net"
import type { ApiError } from "../../schemas/ApiError.ts"
import type { AccountStatus } from "../../schemas/Account.ts"
import type { AccountId, ApiKeyId, PortalSessionId } from "../../schemas/Id.ts"
import type { KeyCapability } from "../../schemas/ApiKey.ts"
import type { Capability } from "../../schemas/PortalSession.ts"
import type { Version } from "../../schemas/Version.ts"

/** The API key of a request. `account_id` and `livemode` determine everything that the request may see. */
export interface Principal {
  readonly api_key_id: ApiKeyId
  readonly account_id: AccountId
  readonly livemode: boolean
  readonly default_version: Version
  /** The capabilities of the key, or of the portal session that uses it. Absent for a key without restrictions. */
  readonly capabilities?: ReadonlyArray<KeyCapability>
  /** The networks from which the key works. Absent for a key that works from any address, and for a portal session. */
  readonly networks?: ReadonlyArray<IpNetwork.IpNetwork>
  /** The status of the account, at most a second old. */
  readonly account_status: AccountStatus
  /**
   * The own account of the platform whose key makes the request. Equal to `account_id` for a request about the platform
   * itself. Absent for an account's own key.
   */
  readonly platform?: AccountId
}

export class CurrentPrincipal extends Context.Service<CurrentPrincipal, Principal>()("folio/api/CurrentPrincipal") {}

/** A portal session: gives a browser access for a limited time, with some of the rights of an API key. */
export interface PortalSession {
  readonly id: PortalSessionId
  /** The API key that created the session, with its account and mode. */
  readonly principal: Principal
  /** The name of the account, which every page shows. */
  readonly account_name: string
  readonly capabilities: ReadonlyArray<Capability>
  readonly expires_at: Date
  /** The page of the platform to which the portal returns. Null without a page. */
  readonly return_url: string | null
  /** The session of a platform from which a person opened this session. Null for all other sessions. */
  readonly opened_from: PortalSessionId | null
}

/**
 * The portal session of a request that this process makes itself. Null for an external request, which needs an API key.
 */
export const PortalCaller = Context.Reference<PortalSession | null>("folio/api/PortalCaller", {
  defaultValue: () => null
})

/**
 * Fails with `invalid_api_key` if the request's API key has ended since the headers arrived. Otherwise returns
 * `account_suspended` or `account_closed` if the status of the account does not allow the operation, or null. The body
 * can arrive half a minute later, and the request can wait for its turn.
 */
export const KeyStillWorks = Context.Reference<Effect.Effect<ApiError | null, ApiError>>("folio/api/KeyStillWorks", {
  defaultValue: () => Effect.succeed(null)
})

/**
 * Requires `Authorization: Bearer sk_test_…` or `sk_live_…`, or the key as the user name of Basic. Fails with
 * `invalid_api_key`.
 */
export class Authorization extends HttpApiMiddleware.Service<Authorization, { provides: CurrentPrincipal }>()(
  "folio/api/Authorization",
  {
    security: {
      // Client generators compare the scheme in lower case.
      apiKey: HttpApiSecurity.http({ scheme: "bearer" }).pipe(
        HttpApiSecurity.annotate(
          OpenApi.Description,
          "An API key: sk_test_… for the sandbox, sk_live_… for production."
        )
      )
    }
  }
) {}
