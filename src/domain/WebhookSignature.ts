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

export type SignatureFault = "malformed" | "expired" | "mismatch"

/** No early end: the time taken tells nothing about which one matched, or how far. */
const matchesOne = (given: ReadonlyArray<string>, expected: string): boolean => {
  const right = Buffer.from(expected)
  let matches = false
  for (const signature of given) {
    const bytes = Buffer.from(signature)
    if (bytes.length === right.length && timingSafeEqual(bytes, right)) matches = true
  }
  return matches
}

interface Checked {
  readonly secret: string
  readonly body: string | Uint8Array
  /** In Unix seconds. */
  readonly now: number
  readonly toleranceSeconds?: number
}

// The signature is judged before the time, so that only a genuine header is ever called expired.
const judge = (input: Checked, t: string, given: ReadonlyArray<string>, expected: string) => {
  if (!matchesOne(given, expected)) return Result.fail("mismatch" as const)
  const ageSeconds = Math.abs(input.now - Number(t))
  // An age or a tolerance that is no number lets nothing pass.
  return ageSeconds <= (input.toleranceSeconds ?? toleranceSecondsDefault)
    ? Result.void
    : Result.fail("expired" as const)
}

/** A receiver's check of `Svc-Signature`, which may carry several `v1=`: one right one is enough. */
export const verify = (input: Checked & { readonly header: string }): Result.Result<void, SignatureFault> => {
  const parsed = parseHeader(input.header)
  if (parsed === null) return Result.fail("malformed")
  return judge(input, parsed.t, parsed.signatures, hexSignature(input.secret, parsed.t, input.body))
}

/** The same of the three headers of Standard Webhooks. */
export const verifyStandard = (
  input: Checked & { readonly id: string; readonly timestamp: string; readonly signature: string }
): Result.Result<void, SignatureFault> => {
  const { body, id, timestamp } = input
  const versions = input.signature.split(" ").filter((part) => part.startsWith("v1,"))
  if (!/^\d{1,12}$/.test(timestamp) || versions.length === 0) return Result.fail("malformed")
  const key = Buffer.from(input.secret.slice(secretPrefix.length), "base64")
  const expected = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest("base64")
  const given = versions.map((part) => part.slice("v1,".length))
  return judge(input, timestamp, given, expected)
}
