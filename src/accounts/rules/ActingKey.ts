import { hash } from "node:crypto"
import { ApiKeyId } from "../../../schemas/Id.ts"

// Sorts before the ids of all other keys, and after those of local keys.
const prefix = "key_0000000001"

/** The id that stands for a platform's key in one of the platform's accounts. It has no key of its own. */
export const actingKeyId = (key: ApiKeyId, account: string): ApiKeyId =>
  ApiKeyId.make(prefix + hash("sha256", `${key}|${account}`, "hex").slice(0, 16))

/** Whether an id stands for a platform's key. */
export const isActingKey = (id: string): boolean => id.startsWith(prefix)
