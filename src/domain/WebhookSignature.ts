import { createHmac, timingSafeEqual } from "node:crypto"
import { Result } from "effect"

const secretPrefix = "whsec_"

/** How far `t` may be from the receiver's clock, in either direction. */
const toleranceSecondsDefault = 300

const hexSignature = (secret: string, t: string, body: string | Uint8Array): string =>
  createHmac("sha256", secret).update(`${t}.`).update(body).digest("hex")

/**
 * The headers by which a receiver knows a delivery as ours. `Svc-Signature` is keyed with the whole secret string; the
 * three `webhook-…` headers (Standard Webhooks) with the bytes that its part after `whsec_` encodes, so that the stock
 * verifiers of both kinds accept it. `timestamp` is in Unix seconds, `body` the exact text that is sent.
 */
export const signatureHeaders = (input: {
  readonly secret: string
  readonly messageId: string
  readonly timestamp: number
  readonly body: string
}): Record<string, string> => {
  const t = String(input.timestamp)
  const standardKey = Buffer.from(input.secret.slice(secretPrefix.length), "base64")
  const standard = createHmac("sha256", standardKey).update(`${input.messageId}.${t}.${input.body}`).digest("base64")
  return {
    "Svc-Signature": `t=${t},v1=${hexSignature(input.secret, t, input.body)}`,
    "webhook-id": input.messageId,
    "webhook-timestamp": t,
    "webhook-signature": `v1,${standard}`
  }
}

const parseHeader = (header: string): { readonly t: string; readonly signatures: ReadonlyArray<string> } | null => {
  const fields = header.split(",").map((field) => field.trim())
  const times = fields.filter((field) => field.startsWith("t=")).map((field) => field.slice(2))
  const signatures = fields.filter((field) => field.startsWith("v1=")).map((field) => field.slice(3))
  const [t] = times
  if (t === undefined || times.length > 1 || !/^\d{1,12}$/.test(t) || signatures.length === 0) return null
  return { t, signatures }
}

/**
 * A receiver's check of `Svc-Signature`, which may carry several `v1=`: one right one is enough. `now` is in Unix
 * seconds. The signature is judged before the time, so that only a genuine header is ever called expired.
 */
export const verify = (input: {
  readonly secret: string
  readonly header: string
  readonly body: string | Uint8Array
  readonly now: number
  readonly toleranceSeconds?: number
}): Result.Result<void, "malformed" | "expired" | "mismatch"> => {
  const parsed = parseHeader(input.header)
  if (parsed === null) return Result.fail("malformed")
  const expected = Buffer.from(hexSignature(input.secret, parsed.t, input.body))
  let matches = false
  for (const signature of parsed.signatures) {
    const given = Buffer.from(signature)
    // No early end: the time taken tells nothing about which one matched, or how far.
    if (given.length === expected.length && timingSafeEqual(given, expected)) matches = true
  }
  if (!matches) return Result.fail("mismatch")
  const ageSeconds = Math.abs(input.now - Number(parsed.t))
  return ageSeconds > (input.toleranceSeconds ?? toleranceSecondsDefault) ? Result.fail("expired") : Result.void
}
