import { Effect, Option } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import type { AccountUpdate } from "../../../../schemas/Account.ts"
import { ApiError } from "../../../../schemas/ApiError.ts"
import { Api } from "../../../api/Api.ts"
import { CurrentPrincipal } from "../../../api/Authorization.ts"
import * as ShownAccounts from "../../../accounts/ShownAccounts.ts"
import { Accounts } from "../../../accounts/store/Accounts.ts"
import { Enablements } from "../../../invoices/store/Enablements.ts"
import { enablementView } from "../../../invoices/store/EnablementView.ts"
import { holds } from "../../request/Accept.ts"
import { makeAsk } from "../../request/Ask.ts"
import { withBody } from "../../request/Pipeline.ts"

const noLogo = new ApiError({
  code: "resource_missing",
  message: "The account has no logo in this mode: send one to PUT /v1/account/logo."
})

const noEnablement = new ApiError({
  code: "resource_missing",
  message: "This mode has no test set: send its id to POST /v1/account/enablement with a live key, sk_live_…."
})

export const layer = HttpApiBuilder.group(
  Api,
  "account",
  Effect.fn(function* (handlers) {
    const accounts = yield* Accounts
    const enablements = yield* Enablements
    const shown = yield* ShownAccounts.make
    const ask = yield* makeAsk

    const update = ({ payload }: { readonly payload: AccountUpdate }) =>
      ask((actor, context) => actor.UpdateAccount({ context, patch: payload }))

    return withBody(handlers).handleAll({
      retrieveAccount: Effect.fn("retrieveAccount")(function* () {
        const principal = yield* CurrentPrincipal
        const beside = yield* shown.beside(principal)
        return shown.view(yield* accounts.read(principal), beside)
      }),
      updateAccount: update,
      updateAccountByPost: update,
      uploadCertificate: ({ payload }) =>
        ask((actor, context) => actor.UploadCertificate({ context, request: payload })),
      startEnablement: ({ payload }) => ask((actor, context) => actor.StartEnablement({ context, request: payload })),
      retrieveEnablement: Effect.fn("retrieveEnablement")(function* () {
        const { account_id, livemode } = yield* CurrentPrincipal
        const found = livemode ? yield* enablements.newest(account_id) : Option.none()
        if (Option.isNone(found)) return yield* noEnablement
        return enablementView(found.value, yield* enablements.documents.ofAccount(found.value))
      }),
      putLogo: ({ payload }) => ask((actor, context) => actor.PutLogo({ context, bytes: payload })),
      retrieveLogo: Effect.fn("retrieveLogo")(function* ({ headers }) {
        const principal = yield* CurrentPrincipal
        const { issuer } = yield* accounts.read(principal)
        const bytes = issuer === null ? null : yield* accounts.readLogo(principal, issuer)
        if (issuer?.logo === undefined || bytes === null) return yield* noLogo
        const { media_type, sha256 } = issuer.logo
        const etag = `"${sha256.slice(0, 32)}"`
        const cache = { ETag: etag, "Cache-Control": "private, no-cache" }
        return holds(headers["if-none-match"], etag)
          ? HttpServerResponse.empty({ status: 304, headers: cache })
          : HttpServerResponse.uint8Array(bytes, { contentType: media_type, headers: cache })
      }),
      putSoftware: ({ payload }) => ask((actor, context) => actor.PutSoftware({ context, request: payload })),
      deleteSoftware: () => ask((actor, context) => actor.DeleteSoftware({ context })),
      deleteLogo: () => ask((actor, context) => actor.DeleteLogo({ context }))
    })
  })
)
