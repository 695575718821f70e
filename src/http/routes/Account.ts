import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import type { AccountUpdate } from "../../../schemas/Account.ts"
import { Api } from "../../api/Api.ts"
import { CurrentPrincipal } from "../../api/Authorization.ts"
import { describeCertificate, SandboxCertificate } from "../../documents/signature/Certificate.ts"
import { Accounts, accountView } from "../../store/accounts/Accounts.ts"
import { Certificates, shownCertificate } from "../../store/accounts/Certificates.ts"
import { makeAsk } from "../request/Ask.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "account",
  Effect.fn(function* (handlers) {
    const accounts = yield* Accounts
    const certificates = yield* Certificates
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
        ask((actor, context) => actor.UploadCertificate({ context, request: payload }))
    })
  })
)
