import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Account } from "../../schemas/Account.ts"
import { Authorization } from "./Authorization.ts"
import { Conventions, versionHeader } from "./Conventions.ts"
import { Errors } from "./Errors.ts"

export class AccountApi extends HttpApiGroup.make("account")
  .add(
    HttpApiEndpoint.get("retrieveAccount", "/v1/account", { headers: versionHeader, success: Account }).annotate(
      OpenApi.Summary,
      "The account of the key: a way to check that the key works"
    )
  )
  .middleware(Conventions)
  .middleware(Authorization)
  .middleware(Errors)
  .annotate(OpenApi.Title, "Account") {}
