import { hash, hkdfSync } from "node:crypto"
import { crc32 } from "node:zlib"
import { Result } from "effect"
import type { AccountMode } from "../../../schemas/Account.ts"
import { ApiKeyId } from "../../../schemas/Id.ts"

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
const randomBytes = 32
// The fewest base62 characters that hold 32 bytes (62^43 > 2^256) and a CRC32 (62^6 > 2^32).
const randomCharacters = 43
const checksumCharacters = 6

const base62 = (value: bigint, characters: number): string => {
  let text = ""
  for (let rest = value; text.length < characters; rest /= 62n) text = alphabet.charAt(Number(rest % 62n)) + text
  return text
}

const checksum = (text: string): string => base62(BigInt(crc32(text)), checksumCharacters)

const requireRandom = (random: Uint8Array): Buffer => {
  if (random.length !== randomBytes) throw new RangeError(`a secret needs ${randomBytes} random bytes`)
  return Buffer.from(random)
}

/**
 * A new API key: `sk_test_` or `sk_live_`, the 32 bytes of `random` as 43 base62 characters, and the CRC32 of this text
 * as 6 base62 characters. Throws a RangeError if `random` does not hold 32 bytes.
 */
export const makeApiKey = (mode: "test" | "live", random: Uint8Array): string => {
  const number = BigInt(`0x${requireRandom(random).toString("hex")}`)
  const text = `sk_${mode}_${base62(number, randomCharacters)}`
  return text + checksum(text)
}

/**
 * The mode of an API key; null if the form or the checksum is wrong, so that a mistyped key is rejected without a
 * look-up.
 */
export const apiKeyMode = (key: string): "test" | "live" | null => {
  const mode = /^sk_(test|live)_[0-9A-Za-z]{49}$/.exec(key)?.[1]
  if (mode !== "test" && mode !== "live") return null
  return checksum(key.slice(0, -checksumCharacters)) === key.slice(-checksumCharacters) ? mode : null
}

/**
 * The stored form of an API key: SHA-256, 64 hex digits. A key holds 256 random bits, so that no slow hash is needed.
 */
export const apiKeyHash = (key: string): string => hash("sha256", key, "hex")

/**
 * A new webhook signing secret: `whsec_` and 32 random bytes in standard base64. Throws a RangeError for another
 * length.
 */
export const makeWebhookSecret = (random: Uint8Array): string => `whsec_${requireRandom(random).toString("base64")}`

/**
 * The fault of the key in a request's `Authorization` header, without a look-up.
 *
 * - `absent`: there is no header, or an empty one.
 * - `bare`: the key has no scheme.
 * - `scheme`: the scheme is neither Bearer nor Basic.
 * - `encoding`: the text after Basic is not the base64 of `user name:password`.
 * - `swapped`: the key is the password.
 * - `password`: there is a password in addition to the key.
 * - `secret`: it is the secret of a webhook endpoint.
 * - `form`: it does not begin like a key.
 */
export type KeyFault = "absent" | "bare" | "scheme" | "encoding" | "swapped" | "password" | "secret" | "form"

/** The beginning of every API key. */
const prefix = /^sk_(?:test|live)_/

const whole = (key: string): Result.Result<string, KeyFault> => {
  if (key === "") return Result.fail("absent")
  if (key.startsWith("whsec_")) return Result.fail("secret")
  return prefix.test(key) ? Result.succeed(key) : Result.fail("form")
}

const ofBasic = (encoded: string): Result.Result<string, KeyFault> => {
  if (!/^[\w+/-]+={0,2}$/.test(encoded)) return Result.fail("encoding")
  const text = Buffer.from(encoded, "base64").toString("utf8")
  // The first colon ends the user name (RFC 7617).
  const colon = text.indexOf(":")
  if (colon === -1) return Result.fail("encoding")
  const [name, password] = [text.slice(0, colon), text.slice(colon + 1)]
  if (prefix.test(password) && !prefix.test(name)) return Result.fail("swapped")
  return password === "" ? whole(name) : Result.fail("password")
}

/**
 * The API key in a request's `Authorization` header: `Bearer KEY`, or the user name of `Basic` without a password, as
 * `curl -u KEY:` sends it. The key may be mistyped, unknown or expired.
 */
export const sentApiKey = (authorization = ""): Result.Result<string, KeyFault> => {
  const text = authorization.trim()
  if (prefix.test(text)) return Result.fail("bare")
  const [, scheme = "", credential = ""] = /^(\S+) *(.*)$/s.exec(text) ?? []
  if (scheme === "") return Result.fail("absent")
  if (scheme.toLowerCase() === "bearer") return whole(credential)
  return scheme.toLowerCase() === "basic" ? ofBasic(credential) : Result.fail("scheme")
}

/** The beginning of the id of every local key. It sorts before the ids of all other keys. */
export const localKeyPrefix = "key_0000000000"

/**
 * The API key for Folio's own calls on behalf of an account. It is derived from the key that encrypts secrets, so that
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

/** Start of the ids of acting keys. It sorts before the ids of all other keys, and after those of local keys. */
export const actingPrefix = "key_0000000001"

/** The id that stands for a platform's key in one of the platform's accounts. It has no key of its own. */
export const actingKeyId = (key: string, account: string): ApiKeyId =>
  ApiKeyId.make(actingPrefix + hash("sha256", `${key}|${account}`, "hex").slice(0, 16))

/** Whether an id stands for a platform's key. */
export const isActingKey = (id: string): boolean => id.startsWith(actingPrefix)
