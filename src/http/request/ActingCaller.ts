import { Effect, Option } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import type { HttpApiGroup } from "effect/http-api"
import { ApiError } from "../../../schemas/ApiError.ts"
import { Platforms } from "../../accounts/store/Platforms.ts"
import type { Principal } from "../../api/Authorization.ts"
import { violation } from "../../documents/rules/AuthorityRules.ts"

/** The header with which a platform's key names the account that it acts for. */
const header = "Svc-Account"

const accountRequired = new ApiError({
  code: "account_required",
  message: `This operation needs one of the platform's accounts: send its id in the header ${header}: ten_…`,
  param: header
})
const platformKeyRequired = new ApiError({
  code: "platform_key_required",
  message: `Only a platform's key may do this, and this key belongs to an account. Use a key of the platform. For the account itself, use /v1/account and omit the header ${header}.`
})
const accountMissing = (account: string) =>
  `This platform has no account ${JSON.stringify(account.slice(0, 64))}. Send the id of one of its accounts once: GET /v1/accounts lists them.`
const accountNotTaken = ApiError.fromViolations([
  violation(
    header,
    "parameter_unknown",
    `An operation at /v1/accounts takes no header ${header}. Omit the header.`,
    "own_accounts"
  )
])

/** The groups whose operations a platform's key, or its own portal session, may use for the platform itself. */
const ofPlatform: ReadonlySet<string> = new Set(["apiKeys", "auditLog", "catalogs", "portalSessions", "requests"])

/**
 * Makes the function that returns the principal of a request with an API key or a portal session: of the account that a
 * platform's key acts for, of the platform itself, or of the account of the key. Fails with `account_required`,
 * `platform_key_required`, `parameter_unknown`, or with `resource_missing` for an account that is not the platform's.
 */
export const makeActingCaller = Effect.map(
  Platforms,
  ({ actFor }) =>
    (key: Principal, { group }: { readonly group: HttpApiGroup.Top }) =>
      Effect.gen(function* () {
        const sent = (yield* HttpServerRequest.HttpServerRequest).headers["svc-account"]
        const managesAccounts = group.identifier === "accounts"
        if (key.platform === undefined) {
          return managesAccounts || sent !== undefined ? yield* platformKeyRequired : key
        }
        if (managesAccounts && sent !== undefined) return yield* accountNotTaken
        const named = managesAccounts ? (yield* HttpRouter.RouteContext).params["id"] : sent
        if (named === undefined) {
          return managesAccounts || ofPlatform.has(group.identifier) ? key : yield* accountRequired
        }
        const found = yield* actFor(key, named)
        if (Option.isSome(found)) return found.value
        return yield* new ApiError({
          code: "resource_missing",
          message: accountMissing(named),
          ...(managesAccounts ? {} : { param: header })
        })
      })
)
