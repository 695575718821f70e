import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Account, AccountUpdate } from "../../schemas/Account.ts"
import { CertificateRequest } from "../../schemas/Certificate.ts"
import { Authorization } from "./Authorization.ts"
import { Conventions, honouredKeyHeaders, IdempotencyKey, versionHeader } from "./Conventions.ts"
import { Errors } from "./Errors.ts"

const path = "/v1/account"
const update = { headers: honouredKeyHeaders, payload: AccountUpdate, success: Account }

export class AccountApi extends HttpApiGroup.make("account")
  .add(
    HttpApiEndpoint.get("retrieveAccount", path, { headers: versionHeader, success: Account })
      .annotate(OpenApi.Summary, "The account of the key: a way to check that the key works")
      .annotate(OpenApi.Description, "Answers with the account that the key belongs to, seen in the key's mode.")
  )
  .add(
    HttpApiEndpoint.patch("updateAccount", path, update)
      .annotate(IdempotencyKey, "honoured")
      .annotate(OpenApi.Summary, "Change the account and the issuer of documents that are numbered from now on")
      .annotate(
        OpenApi.Description,
        "What is sent is changed in the mode of the key, the rest stays: a test key changes nothing that is live. Documents that have their number keep the issuer as it was. A live mode without an issuer is sent all of its data at once. The issuer changes at most 100 times within a day (429)."
      )
  )
  .add(
    HttpApiEndpoint.post("updateAccountByPost", path, update)
      .annotate(IdempotencyKey, "honoured")
      .annotate(OpenApi.Summary, "Change the account: the same as PATCH")
      .annotate(OpenApi.Description, "For clients that cannot send PATCH.")
  )
  .add(
    HttpApiEndpoint.post("uploadCertificate", `${path}/certificate`, {
      headers: honouredKeyHeaders,
      payload: CertificateRequest,
      success: Account
    })
      .annotate(IdempotencyKey, "honoured")
      .annotate(OpenApi.Summary, "Hand over the certificate that live documents are signed with")
      .annotate(
        OpenApi.Description,
        "For live keys. The key inside is sealed and never shown again. Documents that are signed from now on carry this certificate."
      )
  )
  .middleware(Conventions)
  .middleware(Authorization)
  .middleware(Errors)
  .annotate(OpenApi.Title, "Account")
  .annotate(OpenApi.Description, "The business account that issues invoices.") {}
