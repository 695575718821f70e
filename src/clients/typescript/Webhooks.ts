/*
 * `@folio-einvoicing/client/webhooks`: the webhook verifier for receivers. A webhook is genuine if one of its two
 * signatures over the received bytes is right for one of the receiver's secrets, and its time is within five minutes of
 * the receiver's clock.
 *
 * This file imports only types and needs only Web Crypto, so it runs in every JavaScript runtime.
 */
import type { Event } from "./Interface.ts"

export type { Event }

/** The headers of a request: Node's `request.headers`, or the web's `Headers`. The case of names does not matter. */
export type ReceivedHeaders =
  | { readonly get: (name: string) => string | null }
  | { readonly [name: string]: string | ReadonlyArray<string> | undefined }

/** A webhook as received. */
export interface ReceivedWebhook {
  /** The raw bytes of the body, or their exact text, not JSON that was parsed and serialized again. */
  readonly payload: string | Uint8Array | ArrayBuffer
  /** The headers of the request. */
  readonly headers: ReceivedHeaders
  /** The endpoint's signing secret, `whsec_…`; both secrets while you rotate it. */
  readonly secret: string | ReadonlyArray<string>
  /** The current time. Default: the clock of this machine. */
  readonly now?: Date | undefined
  /** The tolerance between the webhook's time and `now`, in seconds. Default: 300. */
  readonly toleranceSeconds?: number | undefined
}

/**
 * The reason for rejecting a webhook. `missing`: no signature header. `malformed`: a signature header is unreadable.
 * `mismatch`: no signature is right. `expired`: the signature is right, but its time is outside the tolerance.
 * `not_an_event`: the signature is right, but the body is not an event. `unusable`: a mistake of the receiver, such as
 * no secret or a parsed body.
 */
export type WebhookFault = "missing" | "malformed" | "mismatch" | "expired" | "not_an_event" | "unusable"

const explained: Record<WebhookFault, string> = {
  missing: "The request has no Svc-Signature and no webhook-signature header: it is not from Folio.",
  malformed: "A signature header cannot be read.",
  mismatch:
    "No signature is right for this body and secret. Pass the raw bytes of the body, and the secret of this endpoint.",
  expired: "The signature is right, but its time is too old or in the future. Check this machine's clock.",
  unusable:
    "Pass a secret that begins with whsec_, the headers, and the raw body as text or bytes, before it is parsed.",
  not_an_event: "The signature is right, but the body is not an event."
}

/** The verifier rejected a webhook. Respond to the request with 400. */
export class WebhookVerificationError extends Error {
  override readonly name = "WebhookVerificationError"
  readonly _tag = "WebhookVerificationError"
  /** The reason of the rejection. */
  readonly reason: WebhookFault
  /** @internal */
  constructor(reason: WebhookFault, cause?: unknown) {
    super(explained[reason], cause === undefined ? undefined : { cause })
    this.reason = reason
  }
}

type Bytes = Uint8Array<ArrayBuffer>

const secretPrefix = "whsec_"

// Each signature costs a hash of the body, and a header can hold hundreds. A sender has one signature for each of its
// secrets.
const signaturesMax = 8

const encoder = new TextEncoder()

/** A copy of the body, so that a change during the check cannot replace the bytes that were checked. */
const bytesOf = (payload: unknown): Bytes | null => {
  if (typeof payload === "string") return encoder.encode(payload)
  if (payload instanceof Uint8Array) return Uint8Array.from(payload)
  return payload instanceof ArrayBuffer ? new Uint8Array(payload.slice(0)) : null
}

const headerOf = (headers: ReceivedHeaders, name: string): string | undefined => {
  if (typeof headers.get === "function") return headers.get(name) ?? undefined
  const value = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  return typeof value === "string" ? value : value?.join(",")
}

const fromHex = (text: string): Bytes | null =>
  /^[0-9a-f]{64}$/.test(text)
    ? Uint8Array.from({ length: 32 }, (_, index) => Number.parseInt(text.slice(2 * index, 2 * index + 2), 16))
    : null

/** The bytes of a base64 text; null if the text is not in Folio's form. */
const fromBase64 = (text: string): Bytes | null => {
  try {
    const decoded = atob(text)
    // Texts with spaces or other final bits decode to the same bytes, but are not signatures of Folio.
    return btoa(decoded) === text ? Uint8Array.from(decoded, (character) => character.charCodeAt(0)) : null
  } catch {
    return null
  }
}

/**
 * A parsed signature header: the text that it signs before the body, and the signatures, one of which must be right.
 */
interface Signed {
  readonly time: string
  readonly before: string
  readonly signatures: ReadonlyArray<Bytes | null>
  readonly keyOf: (secret: string) => Bytes | null
}

const isTime = (text: string | undefined): text is string => text !== undefined && /^\d{1,12}$/.test(text)

/** `Svc-Signature: t=…,v1=…`, keyed with the whole secret. */
const svcSigned = (header: string): Signed | null => {
  const fields = header.split(",").map((field) => field.trim())
  const [time, ...otherTimes] = fields.filter((field) => field.startsWith("t=")).map((field) => field.slice(2))
  const given = fields.filter((field) => field.startsWith("v1=")).map((field) => field.slice(3))
  if (!isTime(time) || otherTimes.length > 0 || given.length === 0) return null
  return { time, before: `${time}.`, signatures: given.map(fromHex), keyOf: (secret) => encoder.encode(secret) }
}

const standardKey = (secret: string) => fromBase64(secret.slice(secretPrefix.length))

/** The headers of Standard Webhooks, keyed with the bytes that the secret's part after `whsec_` encodes. */
const standardSigned = (id: string, time: string, header: string): Signed | null => {
  const given = header.split(" ").filter((part) => part.startsWith("v1,"))
  if (!isTime(time) || given.length === 0) return null
  const signatures = given.map((part) => fromBase64(part.slice("v1,".length)))
  return { time, before: `${id}.${time}.`, signatures, keyOf: standardKey }
}

/** Whether one of the signatures is right. Web Crypto compares each of them in constant time. */
const isRight = async ({ before, keyOf, signatures }: Signed, secret: string, body: Bytes): Promise<boolean> => {
  const bytes = keyOf(secret)
  if (bytes === null) return false
  const { subtle } = globalThis.crypto
  const key = await subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["verify"])
  const prefix = encoder.encode(before)
  const message = new Uint8Array(prefix.length + body.length)
  message.set(prefix)
  message.set(body, prefix.length)
  const compared = signatures
    .slice(0, signaturesMax)
    .map(async (signature) => signature !== null && (await subtle.verify("HMAC", key, signature, message)))
  return (await Promise.all(compared)).includes(true)
}

/**
 * The fault of a signature header with a secret. The signature is checked first, so only a genuine header is `expired`.
 */
const faultOf = async (signed: Signed | null, secret: string, body: Bytes, nowSeconds: number, tolerance: number) => {
  if (signed === null) return "malformed"
  if (!(await isRight(signed, secret, body))) return "mismatch"
  // An age or a tolerance of NaN makes the comparison false, so the webhook is rejected.
  return Math.abs(nowSeconds - Number(signed.time)) <= tolerance ? null : "expired"
}

// The faults, the least useful to the receiver first. If there are several, the last in this list is reported.
const weight = ["malformed", "mismatch", "expired"] as const

/** Returns the body of a genuine webhook, or fails with the fault. */
const genuineBody = async (webhook: ReceivedWebhook): Promise<Bytes> => {
  const { headers, now = new Date(), payload, secret, toleranceSeconds = 300 } = webhook
  // Anyone can sign with an empty secret, so a missing setting must not count as a secret.
  const secrets = [secret]
    .flat()
    .filter((one: unknown): one is string => typeof one === "string" && /^whsec_./.test(one))
  const body = bytesOf(payload)
  if (secrets.length === 0 || body === null || typeof headers !== "object" || headers === null) {
    throw new WebhookVerificationError("unusable")
  }
  const svc = headerOf(headers, "svc-signature")
  const id = headerOf(headers, "webhook-id")
  const time = headerOf(headers, "webhook-timestamp")
  const standard = headerOf(headers, "webhook-signature")
  const found = [
    ...(svc === undefined ? [] : [svcSigned(svc)]),
    ...(id === undefined || time === undefined || standard === undefined ? [] : [standardSigned(id, time, standard)])
  ]
  if (found.length === 0) throw new WebhookVerificationError("missing")
  const nowSeconds = Math.floor(now.getTime() / 1000)
  const faults = await Promise.all(
    secrets.flatMap((one) => found.map((signed) => faultOf(signed, one, body, nowSeconds, toleranceSeconds)))
  )
  if (faults.includes(null)) return body
  throw new WebhookVerificationError(weight.findLast((fault) => faults.includes(fault)) ?? "mismatch")
}

const isEvent = (value: unknown): value is Event =>
  typeof value === "object" && value !== null && "object" in value && value.object === "event" && "type" in value

const eventOf = (body: Bytes): Event => {
  let event: unknown
  try {
    event = JSON.parse(new TextDecoder("utf-8", { ignoreBOM: true }).decode(body))
  } catch (cause) {
    throw new WebhookVerificationError("not_an_event", cause)
  }
  if (!isEvent(event)) throw new WebhookVerificationError("not_an_event")
  return event
}

/**
 * Returns the event of a genuine webhook. The event has the fields of the API version of the endpoint; later versions
 * may have more fields. Rejects only with `WebhookVerificationError`.
 *
 * @example
 * ```ts
 * import { verify, WebhookVerificationError } from "@folio-einvoicing/client/webhooks"
 *
 * // A route for any runtime with the web's Request and Response: Bun, Deno, Hono, Next.js, an edge runtime.
 * const receive = async (request: Request, secret: string): Promise<Response> => {
 *   try {
 *     const event = await verify({ payload: await request.text(), headers: request.headers, secret })
 *     if (event.type === "invoice.accepted_by_authority") console.log(event.data.object.id)
 *     return new Response(null, { status: 204 })
 *   } catch (error) {
 *     if (error instanceof WebhookVerificationError) return new Response(error.message, { status: 400 })
 *     throw error
 *   }
 * }
 * ```
 */
export const verify = async (webhook: ReceivedWebhook): Promise<Event> => {
  try {
    return eventOf(await genuineBody(webhook))
  } catch (cause) {
    throw cause instanceof WebhookVerificationError ? cause : new WebhookVerificationError("unusable", cause)
  }
}
