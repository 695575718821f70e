import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import type { AccountUpdate } from "../../schemas/Account.ts"
import { Api } from "../api/Api.ts"
import { CurrentPrincipal } from "../api/Authorization.ts"
import { describeCertificate, SandboxCertificate } from "../documents/Certificate.ts"
import { Accounts, accountView } from "../store/Accounts.ts"
import { Certificates, shownCertificate } from "../store/Certificates.ts"
import { makeAsk } from "./Ask.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "account",
  Effect.fn(function* (handlers) {
    const accounts = yield* Accounts
    const certificates = yield* Certificates
    const sandbox = describeCertificate(yield* SandboxCertificate)
    const ask = yield* makeAsk

    const update = ({ payload }: { readonly payload: AccountUpdate }) =>
      ask((account, context) => account.UpdateAccount({ context, patch: payload }))

    return handlers.handleAll({
      retrieveAccount: Effect.fn("retrieveAccount")(function* () {
        const principal = yield* CurrentPrincipal
        const certificate = yield* shownCertificate(certificates, principal, sandbox)
        return accountView(yield* accounts.read(principal), certificate)
      }),
      updateAccount: update,
      updateAccountByPost: update,
      uploadCertificate: ({ payload }) =>
        ask((account, context) => account.UploadCertificate({ context, request: payload }))
    })
  })
)
