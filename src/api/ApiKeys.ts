import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { ApiKey, ApiKeyRequest, ApiKeyRollRequest, ApiKeyWithKey, DeletedApiKey } from "../../schemas/ApiKey.ts"
import { Page, PageQuery } from "../../schemas/Page.ts"
import { Authorization } from "./Authorization.ts"
import { Conventions, honouredKeyHeaders, IdempotencyKey, versionHeader } from "./Conventions.ts"
import { Errors } from "./Errors.ts"

const item = "/v1/api-keys/:id"
const params = { id: Schema.String.annotate({ description: "The id of the object." }) }

export class ApiKeysApi extends HttpApiGroup.make("apiKeys")
  .add(
    HttpApiEndpoint.post("createApiKey", "/v1/api-keys", {
      headers: honouredKeyHeaders,
      payload: ApiKeyRequest,
      success: ApiKeyWithKey.pipe(HttpApiSchema.status(201))
    })
      .annotate(IdempotencyKey, "honoured")
      .annotate(OpenApi.Summary, "Make another key of this mode; the answer shows it, this once")
      .annotate(OpenApi.Description, "The key is stored as a hash: nobody can show it again.")
  )
  .add(
    HttpApiEndpoint.get("listApiKeys", "/v1/api-keys", {
      headers: versionHeader,
      query: PageQuery,
      success: Page(ApiKey, "ApiKeyPage")
    })
      .annotate(OpenApi.Summary, "List the keys of this mode, newest first, those that have ended among them")
      .annotate(OpenApi.Description, "Shows the last four characters of each key, and when it was last used.")
  )
  .add(
    HttpApiEndpoint.get("retrieveApiKey", item, { headers: versionHeader, params, success: ApiKey })
      .annotate(OpenApi.Summary, "Retrieve what is known of a key")
      .annotate(OpenApi.Description, "Shows the last four characters of the key, and when it was last used.")
  )
  .add(
    HttpApiEndpoint.delete("revokeApiKey", item, { headers: versionHeader, params, success: DeletedApiKey })
      .annotate(
        OpenApi.Summary,
        "Revoke a key: within a second it works no more. The last one that does not expire stays"
      )
      .annotate(OpenApi.Description, "Requests with the key are refused from then on, with 401. It cannot be undone.")
  )
  .add(
    HttpApiEndpoint.post("rollApiKey", `${item}/roll`, {
      headers: honouredKeyHeaders,
      params,
      payload: ApiKeyRollRequest,
      success: ApiKeyWithKey.pipe(HttpApiSchema.status(201))
    })
      .annotate(IdempotencyKey, "honoured")
      .annotate(OpenApi.Summary, "Put a new key in the place of this one, which goes on working for expires_in seconds")
      .annotate(OpenApi.Description, "With `expires_in` 0 the old key ends at once.")
  )
  .middleware(Conventions)
  .middleware(Authorization)
  .middleware(Errors)
  .annotate(OpenApi.Title, "API keys")
  .annotate(OpenApi.Description, "Keys of the account, in the mode of the key that asks.") {}
