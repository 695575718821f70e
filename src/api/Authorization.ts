import { Context } from "effect"
import { HttpApiMiddleware, HttpApiSecurity, OpenApi } from "effect/http-api"
import type { IpNetwork } from "effect/net"
import type { AccountStatus } from "../../schemas/Account.ts"
import type { AccountId, ApiKeyId } from "../../schemas/Id.ts"
import type { KeyCapability } from "../../schemas/ApiKey.ts"
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
