import { hkdfSync } from "node:crypto"
import type { AccountMode } from "../../../schemas/Account.ts"
import { ApiKeyId } from "../../../schemas/Id.ts"
import { apiKeyHash, makeApiKey } from "./ApiKeyFormat.ts"

/** What the id of every such key begins with: it sorts before those of all other keys. */
export const localKeyPrefix = "key_0000000000"

/**
 * The API key that this service uses for its own calls in the name of an account. Derived from the key that seals secrets, so that every
 * process has the same key and none stores it.
 */
export const localApiKey = (secret: Uint8Array, { account_id, livemode }: AccountMode) => {
  const mode = livemode ? "live" : "test"
  const key = makeApiKey(
    mode,
    new Uint8Array(hkdfSync("sha256", secret, "", `folio local API key ${account_id} ${mode}`, 32))
  )
  return { key, id: ApiKeyId.make(localKeyPrefix + apiKeyHash(key).slice(0, 16)) }
}
