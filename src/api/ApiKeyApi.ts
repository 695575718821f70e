import { ApiKey, ApiKeyRequest, ApiKeyRollRequest, ApiKeyWithKey, DeletedApiKey } from "../../schemas/ApiKey.ts"
import { Page, pageQuery } from "../../schemas/Page.ts"
import { created, get, group, params, post, remove } from "./Endpoint.ts"

const item = "/v1/api-keys/:id"

export class ApiKeysApi extends group(
  "apiKeys",
  "API keys",
  "API keys of the account, in the mode of the key that makes the request.",
  post("createApiKey", "/v1/api-keys", {
    payload: ApiKeyRequest,
    success: created(ApiKeyWithKey),
    summary: "Create an API key",
    description:
      "Creates an API key in the mode of the key that makes the request. The response shows the API key once. Folio stores only a hash of it and cannot show it again. Without `capabilities`, `allowed_ips` and `expires_at`, the key has the rights of the key that makes the request. It never has more."
  }),
  get("listApiKeys", "/v1/api-keys", {
    query: pageQuery("key"),
    success: Page(ApiKey, "ApiKeyPage"),
    summary: "List API keys",
    description:
      "Lists the API keys of this mode, newest first, including expired and revoked keys. Each entry has the name, the last four characters and the time of the last use, but never the key itself."
  }),
  get("retrieveApiKey", item, {
    params,
    success: ApiKey,
    summary: "Retrieve an API key",
    description:
      "Returns the name, the last four characters and the time of the last use of an API key, but never the key itself."
  }),
  remove("revokeApiKey", item, {
    params,
    success: DeletedApiKey,
    summary: "Revoke an API key",
    description:
      "Revokes an API key within one second. Folio then rejects requests with this key with 401. You cannot undo a revocation. You cannot revoke the last key without restrictions and without an expiry date."
  }),
  post("rollApiKey", `${item}/roll`, {
    params,
    payload: ApiKeyRollRequest,
    success: created(ApiKeyWithKey),
    summary: "Roll an API key",
    description:
      "Creates a new API key that replaces the old key. The response shows the new key once. The old key works for `expires_in` more seconds; with 0 it stops working immediately. The new key has the name, the restrictions and the expiry date of the old key, within those of the key that makes the request."
  })
) {}
