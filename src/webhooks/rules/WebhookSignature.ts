import { createHmac, timingSafeEqual } from "node:crypto"
import * as Result from "effect/Result"

const secretPrefix = "whsec_"

/** The largest difference between `t` and the receiver's clock, in either direction, in seconds. */
const toleranceSecondsDefault = 300

const hexSignature = (secret: string, t: string, body: string | Uint8Array): string =>
  createHmac("sha256", secret).update(`${t}.`).update(body).digest("hex")

/**
 * The headers with which a receiver verifies that a delivery comes from Folio. The key of `Svc-Signature` is the whole
 * secret string. The key of the three `webhook-…` headers (Standard Webhooks) is the bytes encoded after `whsec_`. The
 * standard verifiers of both kinds therefore accept the delivery. `timestamp` is in Unix seconds; `body` is the exact
 * text that is sent.
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

/** The headers of a delivery that name its event. They are the same at every attempt. */
export const eventHeaders = (input: {
  readonly event_id: string
  readonly event_type: string
  readonly endpoint_id: string
}): Record<string, string> => ({
  "Svc-Event-Id": input.event_id,
  "Svc-Event-Type": input.event_type,
  "Svc-Webhook-Id": input.endpoint_id,
  "Content-Type": "application/json"
})

const parseHeader = (header: string): { readonly t: string; readonly signatures: ReadonlyArray<string> } | null => {
  const fields = header.split(",").map((field) => field.trim())
  const times = fields.filter((field) => field.startsWith("t=")).map((field) => field.slice(2))
  const signatures = fields.filter((field) => field.startsWith("v1=")).map((field) => field.slice(3))
  const [t] = times
  if (t === undefined || times.length > 1 || !/^\d{1,12}$/.test(t) || signatures.length === 0) return null
  return { t, signatures }
}

type SignatureFault = "malformed" | "expired" | "mismatch"

/**
 * Whether a signature matches. The loop has no early end, so that its duration reveals neither which signature matched
 * nor how far.
 */
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
  /** The receiver's time, in Unix seconds. */
  readonly now: number
  readonly toleranceSeconds?: number
}

/** A receiver's check of `Svc-Signature`, which may have several `v1=` signatures: one of them must match. */
export const verify = (input: Checked & { readonly header: string }): Result.Result<void, SignatureFault> => {
  const parsed = parseHeader(input.header)
  if (parsed === null) return Result.fail("malformed")
  const { signatures, t } = parsed
  // The signature is checked before the time, so that only a genuine header is ever reported as expired.
  if (!matchesOne(signatures, hexSignature(input.secret, t, input.body))) return Result.fail("mismatch")
  const ageSeconds = Math.abs(input.now - Number(t))
  // An age or a tolerance of NaN makes the comparison false, so that the delivery is rejected.
  return ageSeconds <= (input.toleranceSeconds ?? toleranceSecondsDefault) ? Result.void : Result.fail("expired")
}
