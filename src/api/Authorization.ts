import { Context, Effect } from "effect"
import { HttpApiMiddleware, HttpApiSecurity, OpenApi } from "effect/http-api"
import type { ApiError } from "../../schemas/ApiError.ts"
import type { AccountId, ApiKeyId } from "../../schemas/Id.ts"
import type { Version } from "../../schemas/Version.ts"

/** Who is asking: everything a request may see hangs on `account_id` and `livemode` of its key. */
export interface Principal {
  readonly api_key_id: ApiKeyId
  readonly account_id: AccountId
  readonly livemode: boolean
  readonly default_version: Version
}

export class CurrentPrincipal extends Context.Service<CurrentPrincipal, Principal>()("folio/api/CurrentPrincipal") {}

/**
 * Fails with `invalid_api_key` when the key of the request has ended since its headers came: a body may come half a minute later, and
 * a request may wait for its turn.
 */
export const KeyStillWorks = Context.Reference<Effect.Effect<void, ApiError>>("folio/api/KeyStillWorks", {
  defaultValue: () => Effect.void
})

/** `Authorization: Bearer sk_test_…` or `sk_live_…`. Fails with `invalid_api_key`. */
export class Authorization extends HttpApiMiddleware.Service<Authorization, { provides: CurrentPrincipal }>()(
  "folio/api/Authorization",
  {
    security: {
      apiKey: HttpApiSecurity.bearer.pipe(
        HttpApiSecurity.annotate(
          OpenApi.Description,
          "A secret key: sk_test_… for the sandbox, sk_live_… for production."
        )
      )
    }
  }
) {}
