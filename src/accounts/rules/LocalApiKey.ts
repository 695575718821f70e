import { hkdfSync } from "node:crypto"
import type { AccountMode } from "../../../schemas/Account.ts"
import { ApiKeyId } from "../../../schemas/Id.ts"
import { apiKeyHash, makeApiKey } from "./ApiKeyFormat.ts"

/** The beginning of the id of every local key. It sorts before the ids of all other keys. */
export const localKeyPrefix = "key_0000000000"

/**
 * The API key for Folio's own calls on behalf of an account. It is derived from the key that seals secrets, so that
 * every process has the same key and none stores it.
 */
export const localApiKey = (secret: Uint8Array, { account_id, livemode }: AccountMode) => {
  const mode = livemode ? "live" : "test"
  const key = makeApiKey(
    mode,
    new Uint8Array(hkdfSync("sha256", secret, "", `folio local API key ${account_id} ${mode}`, 32))
  )
  return { key, id: ApiKeyId.make(localKeyPrefix + apiKeyHash(key).slice(0, 16)) }
}
