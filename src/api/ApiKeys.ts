import { ApiKey, ApiKeyRequest, ApiKeyRollRequest, ApiKeyWithKey, DeletedApiKey } from "../../schemas/ApiKey.ts"
import { Page, pageQuery } from "../../schemas/Page.ts"
import { created, get, group, params, post, remove } from "./Endpoint.ts"

const item = "/v1/api-keys/:id"

export class ApiKeysApi extends group(
  "apiKeys",
  "API keys",
  "The API keys of the account, in the mode of the key that asks.",
  post("createApiKey", "/v1/api-keys", {
    payload: ApiKeyRequest,
    success: created(ApiKeyWithKey),
    summary: "Create an API key in the mode of the key that asks",
    description: "The answer shows the API key once. Folio stores a hash of it and cannot show it again."
  }),
  get("listApiKeys", "/v1/api-keys", {
    query: pageQuery("key"),
    success: Page(ApiKey, "ApiKeyPage"),
    summary: "List the API keys of this mode, newest first, expired and revoked ones included",
    description:
      "Each API key is listed with its name, its last four characters and the time of its last use; the key itself is never listed."
  }),
  get("retrieveApiKey", item, {
    params,
    success: ApiKey,
    summary: "Retrieve an API key, without the key itself",
    description:
      "The API key is shown with its name, its last four characters and the time of its last use; the key itself is never shown again."
  }),
  remove("revokeApiKey", item, {
    params,
    success: DeletedApiKey,
    summary: "Revoke an API key within one second; the last key without an expiry date cannot be revoked",
    description: "Requests with the revoked API key are refused with 401. A revocation cannot be undone."
  }),
  post("rollApiKey", `${item}/roll`, {
    params,
    payload: ApiKeyRollRequest,
    success: created(ApiKeyWithKey),
    summary: "Replace an API key by a new one; the old key works for expires_in more seconds",
    description: "The answer shows the new API key once. With `expires_in` 0 the old key stops working at once."
  })
) {}
