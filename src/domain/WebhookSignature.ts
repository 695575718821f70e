import { createHmac, timingSafeEqual } from "node:crypto"
import { Result } from "effect"

const secretPrefix = "whsec_"

/** How far `t` may be from the receiver's clock, in either direction. */
const toleranceSecondsDefault = 300

const hexSignature = (secret: string, t: string, body: string | Uint8Array): string =>
  createHmac("sha256", secret).update(`${t}.`).update(body).digest("hex")

const base64Signature = (secret: string, id: string, t: string, body: string | Uint8Array): string =>
  createHmac("sha256", Buffer.from(secret.slice(secretPrefix.length), "base64"))
    .update(`${id}.${t}.`)
    .update(body)
    .digest("base64")

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
  const standard = base64Signature(input.secret, input.messageId, t, input.body)
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

type Wrong = "malformed" | "expired" | "mismatch"

/** Whether one of the signatures is right. No early end: the time taken tells nothing about which one matched, or how far. */
const oneMatches = (signatures: ReadonlyArray<string>, right: string): boolean => {
  const expected = Buffer.from(right)
  let matches = false
  for (const signature of signatures) {
    const given = Buffer.from(signature)
    if (given.length === expected.length && timingSafeEqual(given, expected)) matches = true
  }
  return matches
}

// The signature is judged before the time, so that only a genuine header is ever called expired.
const judge = (
  signatures: ReadonlyArray<string>,
  right: string,
  {
    now,
    t,
    toleranceSeconds = toleranceSecondsDefault
  }: { t: string; now: number; toleranceSeconds?: number | undefined }
): Result.Result<void, Wrong> => {
  if (!oneMatches(signatures, right)) return Result.fail("mismatch")
  return Math.abs(now - Number(t)) > toleranceSeconds ? Result.fail("expired") : Result.void
}

/** A receiver's check of `Svc-Signature`, which may carry several `v1=`: one right one is enough. `now` is in Unix seconds. */
export const verify = (input: {
  readonly secret: string
  readonly header: string
  readonly body: string | Uint8Array
  readonly now: number
  readonly toleranceSeconds?: number | undefined
}): Result.Result<void, Wrong> => {
  const parsed = parseHeader(input.header)
  if (parsed === null) return Result.fail("malformed")
  return judge(parsed.signatures, hexSignature(input.secret, parsed.t, input.body), { ...input, t: parsed.t })
}

/** The same for the headers of Standard Webhooks: several `v1,…` stand side by side, between spaces. */
export const verifyStandard = (input: {
  readonly secret: string
  readonly id: string
  readonly timestamp: string
  readonly signature: string
  readonly body: string | Uint8Array
  readonly now: number
  readonly toleranceSeconds?: number | undefined
}): Result.Result<void, Wrong> => {
  const signatures = input.signature
    .split(" ")
    .filter((field) => field.startsWith("v1,"))
    .map((field) => field.slice(3))
  if (input.id === "" || !/^\d{1,12}$/.test(input.timestamp) || signatures.length === 0) return Result.fail("malformed")
  const right = base64Signature(input.secret, input.id, input.timestamp, input.body)
  return judge(signatures, right, { ...input, t: input.timestamp })
}
