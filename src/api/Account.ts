import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Account, AccountUpdate } from "../../schemas/Account.ts"
import { Authorization } from "./Authorization.ts"
import { Conventions, honouredKeyHeaders, IdempotencyKey, versionHeader } from "./Conventions.ts"
import { Errors } from "./Errors.ts"

const path = "/v1/account"
const update = { headers: honouredKeyHeaders, payload: AccountUpdate, success: Account }

export class AccountApi extends HttpApiGroup.make("account")
  .add(
    HttpApiEndpoint.get("retrieveAccount", path, { headers: versionHeader, success: Account }).annotate(
      OpenApi.Summary,
      "The account of the key: a way to check that the key works"
    )
  )
  .add(
    HttpApiEndpoint.patch("updateAccount", path, update)
      .annotate(IdempotencyKey, "honoured")
      .annotate(OpenApi.Summary, "Change the account and the issuer of documents that are numbered from now on")
  )
  .add(
    HttpApiEndpoint.post("updateAccountByPost", path, update)
      .annotate(IdempotencyKey, "honoured")
      .annotate(OpenApi.Summary, "Change the account: the same as PATCH")
  )
  .middleware(Conventions)
  .middleware(Authorization)
  .middleware(Errors)
  .annotate(OpenApi.Title, "Account") {}
