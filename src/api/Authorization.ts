import { Context, Effect } from "effect"
import { HttpApiMiddleware, HttpApiSecurity, OpenApi } from "effect/http-api"
import type { ApiError } from "../../schemas/ApiError.ts"
import type { AccountId, ApiKeyId } from "../../schemas/Id.ts"
import type { Version } from "../../schemas/Version.ts"

/** The API key that a request is made with: `account_id` and `livemode` determine everything that the request may see. */
export interface Principal {
  readonly api_key_id: ApiKeyId
  readonly account_id: AccountId
  readonly livemode: boolean
  readonly default_version: Version
}

export class CurrentPrincipal extends Context.Service<CurrentPrincipal, Principal>()("folio/api/CurrentPrincipal") {}

/**
 * Fails with `invalid_api_key` when the request's API key has ended since the headers arrived: the body may arrive half a minute
 * later, and the request may wait for its turn.
 */
export const KeyStillWorks = Context.Reference<Effect.Effect<void, ApiError>>("folio/api/KeyStillWorks", {
  defaultValue: () => Effect.void
})

/** Requires `Authorization: Bearer sk_test_…` or `sk_live_…`. Fails with `invalid_api_key`. */
export class Authorization extends HttpApiMiddleware.Service<Authorization, { provides: CurrentPrincipal }>()(
  "folio/api/Authorization",
  {
    security: {
      apiKey: HttpApiSecurity.bearer.pipe(
        HttpApiSecurity.annotate(
          OpenApi.Description,
          "An API key: sk_test_… for the sandbox, sk_live_… for production."
        )
      )
    }
  }
) {}
