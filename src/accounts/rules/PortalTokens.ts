import { hash } from "node:crypto"

const randomBytes = 32
// 32 bytes as base64url, without padding.
const form = /^[\w-]{43}$/u

/**
 * The token of a link to the portal, or the value of a session's cookie. Throws a RangeError if `random` does not hold
 * 32 bytes.
 */
export const makePortalToken = (random: Uint8Array): string => {
  if (random.length !== randomBytes) throw new RangeError(`a token needs ${randomBytes} random bytes`)
  return Buffer.from(random).toString("base64url")
}

/** Whether a text has the form of a token. Any other text is rejected without a look-up. */
export const isPortalToken = (text: string): boolean => form.test(text)

/**
 * The stored form of a token: SHA-256, 64 hex digits. A token holds 256 random bits, so that no slow hash is needed.
 */
export const portalTokenHash = (token: string): string => hash("sha256", token, "hex")
