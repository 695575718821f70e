import { Context, Effect } from "effect"
import type { ApiError } from "../../../schemas/ApiError.ts"
import type { PortalSession } from "../../accounts/store/PortalSessions.ts"

/**
 * The portal session of a request that this process makes itself. Null for an external request, which needs an API key.
 */
export const PortalCaller = Context.Reference<PortalSession | null>("folio/http/PortalCaller", {
  defaultValue: () => null
})

/**
 * Fails with `invalid_api_key` if the request's API key has ended since the headers arrived. Otherwise returns
 * `account_suspended` or `account_closed` if the status of the account does not allow the operation, or null. The body
 * can arrive half a minute later, and the request can wait for its turn.
 */
export const KeyStillWorks = Context.Reference<Effect.Effect<ApiError | null, ApiError>>("folio/http/KeyStillWorks", {
  defaultValue: () => Effect.succeed(null)
})
