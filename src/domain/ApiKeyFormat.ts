import { hash } from "node:crypto"
import { crc32 } from "node:zlib"

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
const randomBytes = 32
// 62^43 > 2^256 and 62^6 > 2^32: the fewest characters that hold 32 bytes and a CRC32.
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

/** A new API key of 32 random bytes: `sk_test_` or `sk_live_`, 43 base62 characters, and 6 of the CRC32 of all before. */
export const makeApiKey = (mode: "test" | "live", random: Uint8Array): string => {
  const number = BigInt(`0x${requireRandom(random).toString("hex")}`)
  const text = `sk_${mode}_${base62(number, randomCharacters)}`
  return text + checksum(text)
}

/** The mode of a key, or null when its form or checksum is wrong: a mistyped key is refused without a look-up. */
export const apiKeyMode = (key: string): "test" | "live" | null => {
  const mode = /^sk_(test|live)_[0-9A-Za-z]{49}$/.exec(key)?.[1]
  if (mode !== "test" && mode !== "live") return null
  return checksum(key.slice(0, -checksumCharacters)) === key.slice(-checksumCharacters) ? mode : null
}

/** What is stored of a key: its SHA-256, 64 hex digits. The key holds 256 random bits, so no slow hash is needed. */
export const apiKeyHash = (key: string): string => hash("sha256", key, "hex")

/** A new signing secret of 32 random bytes: `whsec_` and their standard base64. */
export const makeWebhookSecret = (random: Uint8Array): string => `whsec_${requireRandom(random).toString("base64")}`
