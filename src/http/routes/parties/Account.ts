import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import type { AccountUpdate } from "../../../../schemas/Account.ts"
import { ApiError } from "../../../../schemas/ApiError.ts"
import { Api } from "../../../api/Api.ts"
import { CurrentPrincipal } from "../../../api/Authorization.ts"
import { describeCertificate, SandboxCertificate } from "../../../documents/signature/Certificate.ts"
import { Accounts, accountView } from "../../../store/accounts/Accounts.ts"
import { Certificates, shownCertificate } from "../../../store/accounts/Certificates.ts"
import { Logos } from "../../../store/accounts/Logos.ts"
import { holds } from "../../request/Accept.ts"
import { makeAsk } from "../../request/Ask.ts"

const noLogo = new ApiError({
  code: "resource_missing",
  message: "The account has no logo in this mode: send one to PUT /v1/account/logo."
})

export const layer = HttpApiBuilder.group(
  Api,
  "account",
  Effect.fn(function* (handlers) {
    const accounts = yield* Accounts
    const certificates = yield* Certificates
    const logos = yield* Logos
    const sandbox = describeCertificate(yield* SandboxCertificate)
    const ask = yield* makeAsk

    const update = ({ payload }: { readonly payload: AccountUpdate }) =>
      ask((actor, context) => actor.UpdateAccount({ context, patch: payload }))

    return handlers.handleAll({
      retrieveAccount: Effect.fn("retrieveAccount")(function* () {
        const principal = yield* CurrentPrincipal
        const certificate = yield* shownCertificate(certificates, principal, sandbox)
        return accountView(yield* accounts.read(principal), certificate)
      }),
      updateAccount: update,
      updateAccountByPost: update,
      uploadCertificate: ({ payload }) =>
        ask((actor, context) => actor.UploadCertificate({ context, request: payload })),
      putLogo: ({ payload }) => ask((actor, context) => actor.PutLogo({ context, bytes: payload })),
      retrieveLogo: Effect.fn("retrieveLogo")(function* ({ headers }) {
        const principal = yield* CurrentPrincipal
        const { issuer } = yield* accounts.read(principal)
        const bytes = issuer === null ? null : yield* logos.read(principal, issuer)
        if (issuer?.logo === undefined || bytes === null) return yield* noLogo
        const { media_type, sha256 } = issuer.logo
        const etag = `"${sha256.slice(0, 32)}"`
        const cache = { ETag: etag, "Cache-Control": "private, no-cache" }
        return holds(headers["if-none-match"], etag)
          ? HttpServerResponse.empty({ status: 304, headers: cache })
          : HttpServerResponse.uint8Array(bytes, { contentType: media_type, headers: cache })
      }),
      deleteLogo: () => ask((actor, context) => actor.DeleteLogo({ context }))
    })
  })
)
