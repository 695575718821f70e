/*
 * Diagnosis of a rejected webhook. `verify` decides whether the webhook is genuine. If it is not, the diagnosis tries
 * the known faults, alone and combined, until the signature is right. It needs only Web Crypto, so it runs in every
 * JavaScript runtime.
 */
import type { Fault } from "./Faults.ts"
import { jsonOf } from "./ResponseBody.ts"
import { readingsOf, type Reading, type Scheme } from "./SignatureReadings.ts"
import { verify, WebhookVerificationError } from "./Webhooks.ts"

/** A webhook to diagnose: its raw body, its headers, and the secrets, one of which should have signed it. */
export interface SuspectWebhook {
  readonly body: Uint8Array
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  readonly secrets: ReadonlyArray<string>
  readonly now: Date
  /** The tolerance between the webhook's time and `now`, in seconds. If omitted, 300. */
  readonly toleranceSeconds?: number | undefined
}

/** The faults of a webhook. A genuine webhook has none. */
export interface Diagnosis {
  readonly faults: ReadonlyArray<Fault>
  /** Whether a secret signed the body, apart from the faults. */
  readonly isSigned: boolean
  readonly scheme: Scheme | null
  /** The index of the secret that signed the body. */
  readonly secret: number | null
  /** The age of the webhook as of `now`, in seconds. */
  readonly ageSeconds: number | null
}

type Bytes = Uint8Array<ArrayBuffer>

/** A reading of a part of the webhook, and the faults that the part has in this reading. */
interface Candidate<A> {
  readonly value: A
  readonly faults: ReadonlyArray<Fault>
}

const encoder = new TextEncoder()
const plain = <A>(value: A): Candidate<A> => ({ value, faults: [] })
const prefix = "whsec_"

const secretsOf = (given: string): ReadonlyArray<Candidate<string>> => {
  const found: Array<Fault> = []
  let secret = given
  const unquoted = secret.trim().replace(/^(["'`])(.*)\1$/su, "$2")
  if (unquoted !== secret.trim()) found.push("secret_quoted")
  const bare = unquoted.replaceAll(/\s/g, "")
  if (bare !== unquoted || secret !== secret.trim()) found.push("secret_white_space")
  secret = bare
  if (secret !== "" && !secret.startsWith(prefix)) {
    found.push("secret_no_prefix")
    secret = prefix + secret
  }
  // Folio's secrets have 32 bytes: 44 characters. A shorter secret may be cut or from another sender, so it is tried
  // unchanged too.
  if (secret.length >= prefix.length + 44) return [{ value: secret, faults: found }]
  const cut = [...found, "secret_cut" as const]
  return [
    { value: secret, faults: cut },
    { value: `${secret}=`, faults: cut }
  ]
}

const textOf = (bytes: Uint8Array) => {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return null
  }
}

const decodedBase64 = (text: string | null): Bytes | null => {
  try {
    return text === null || !/^\s*[\w+/-]{16,}={0,2}\s*$/.test(text)
      ? null
      : Uint8Array.from(atob(text.trim().replaceAll("-", "+").replaceAll("_", "/")), (one) => one.charCodeAt(0))
  } catch {
    return null
  }
}

/** The bytes of a text in ISO 8859-1; null if a character is not in that encoding. */
const fromLatin = (text: string): Bytes | null =>
  /^[\u0000-\u00ff]*$/.test(text) ? Uint8Array.from(text, (one) => one.charCodeAt(0)) : null

/** An event with its keys in Folio's order. */
const inOrder = (event: object) => {
  const { id, object, type, created, livemode, account, data, ...others }: Record<string, unknown> = { ...event }
  return { id, object, type, created, livemode, account, data, ...others }
}

// More levels than any event has. Serializing deeper JSON could produce mostly white space, or overflow the stack.
const levelsMax = 16

const isShallow = (value: unknown, levels = levelsMax): boolean =>
  typeof value !== "object" ||
  value === null ||
  (levels > 0 && Object.values(value).every((one) => isShallow(one, levels - 1)))

/** A text without the line breaks at its end. A loop, because a pattern takes quadratic time with many line breaks. */
const withoutEnd = (text: string): string => {
  let end = text.length
  while (end > 0 && (text[end - 1] === "\n" || text[end - 1] === "\r")) end--
  return text.slice(0, end)
}

/** The received body, and the bodies that Folio may have sent if something changed them on the way. */
const bodiesOf = (body: Uint8Array): ReadonlyArray<Candidate<Bytes>> => {
  const given = Uint8Array.from(body)
  const candidates: Array<Candidate<Bytes>> = [plain(given)]
  const add = (value: Bytes | string | null, ...faults: ReadonlyArray<Fault>) => {
    if (value !== null) candidates.push({ value: typeof value === "string" ? encoder.encode(value) : value, faults })
  }
  const text = textOf(given)
  if (text === null) {
    // The bytes are not UTF-8, so each may be a character of ISO 8859-1.
    add(Array.from(given, (byte) => String.fromCharCode(byte)).join(""), "body_encoding")
    return candidates
  }
  const marked = text.startsWith("\ufeff")
  const unmarked = marked ? text.slice(1) : text
  const mark: ReadonlyArray<Fault> = marked ? ["body_byte_order_mark"] : []
  if (marked) add(unmarked, ...mark)
  const ended = withoutEnd(unmarked)
  if (ended !== unmarked) add(ended, ...mark, "body_final_newline")
  add(decodedBase64(ended), ...mark, "body_base64")
  add(fromLatin(ended), "body_encoding")
  const value = jsonOf(unmarked)
  if (typeof value === "string") add(value, "body_reserialized")
  if (typeof value === "object" && value !== null && isShallow(value)) {
    for (const one of [value, inOrder(value)]) {
      add(JSON.stringify(one), "body_reserialized")
      add(JSON.stringify(one, null, 2), "body_reserialized")
    }
  }
  return candidates
}

/** The fault of a body that needs no signature to be found. */
const visibleFault = (body: Uint8Array): Fault | null => {
  if (body.length === 0) return "body_empty"
  const text = textOf(body)
  if (text === null) return "body_encoding"
  if (/^\[object \w+\]\s*$/.test(text)) return "body_parsed"
  if (text.startsWith("\ufeff")) return "body_byte_order_mark"
  const value = jsonOf(text)
  if (value === undefined) return decodedBase64(text) === null ? "body_changed" : "body_base64"
  if (typeof value !== "object" || value === null) return "body_reserialized"
  if (!isShallow(value)) return null
  const isAsWritten = JSON.stringify(value) === text && (!("id" in value) || Object.keys(value)[0] === "id")
  return isAsWritten ? null : "body_reserialized"
}

/** The key in the part of a secret after `whsec_`; null if that part is not in Folio's base64 form. */
const standardKey = (secret: string) => {
  try {
    const decoded = atob(secret.slice(prefix.length))
    return btoa(decoded) === secret.slice(prefix.length) ? Uint8Array.from(decoded, (one) => one.charCodeAt(0)) : null
  } catch {
    return null
  }
}

const fits = async (reading: Reading, secret: string, body: Bytes): Promise<boolean> => {
  const bytes = reading.scheme === "svc" ? encoder.encode(secret) : standardKey(secret)
  if (bytes === null || bytes.length === 0) return false
  const { subtle } = globalThis.crypto
  const key = await subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["verify"])
  const before = encoder.encode(reading.before)
  const message = new Uint8Array(before.length + body.length)
  message.set(before)
  message.set(body, before.length)
  const found = await Promise.all(reading.signatures.map((one) => subtle.verify("HMAC", key, one, message)))
  return found.includes(true)
}

const idOf = (body: Uint8Array): string | null => {
  const value = jsonOf(textOf(body) ?? "")
  return typeof value === "object" && value !== null && "id" in value && typeof value.id === "string" ? value.id : null
}

/** The result of `verify` with one secret: `valid`, or the reason of the rejection. */
const verdictOf = async ({ body, headers, now, toleranceSeconds }: SuspectWebhook, secret: string) => {
  try {
    const all = Object.fromEntries(headers.map(([name, value]) => [name.trim(), value.trim()]))
    await verify({ payload: body, headers: all, secret, now, toleranceSeconds })
    return "valid"
  } catch (error) {
    return error instanceof WebhookVerificationError ? error.reason : "malformed"
  }
}

/** Returns the faults of a webhook, the most important one first. A genuine webhook has none. */
export const diagnose = async (webhook: SuspectWebhook): Promise<Diagnosis> => {
  const { body, headers, now, secrets, toleranceSeconds = 300 } = webhook
  const nothing: Diagnosis = { faults: [], isSigned: false, scheme: null, secret: null, ageSeconds: null }
  if (secrets.every((secret) => secret.trim() === "")) return { ...nothing, faults: ["secret_missing"] }
  const verdicts = await Promise.all(secrets.map((secret) => verdictOf(webhook, secret)))
  const genuine = verdicts.findIndex((verdict) => verdict === "valid" || verdict === "not_an_event")

  const { faults: headerFaults, readings } = readingsOf(headers, idOf(body))
  const bodies = bodiesOf(body)
  const tried = secrets
    .flatMap((secret, index) => secretsOf(secret).map((one) => ({ ...one, index })))
    .flatMap((secret) =>
      readings.flatMap((reading) => bodies.map((candidate) => ({ secret, reading, body: candidate })))
    )
    .map((one) => {
      // A secret that is right unchanged was not cut, even if it is short.
      const isWhole = one.secret.value === secrets[one.secret.index]
      const ofSecret = one.secret.faults.filter((fault) => !isWhole || fault !== "secret_cut")
      return { ...one, found: [...ofSecret, ...one.reading.faults, ...one.body.faults] }
    })
    .toSorted((one, other) => one.found.length - other.found.length)
  for (const { body: candidate, found, reading, secret } of tried) {
    if (genuine !== -1 && secret.index !== genuine) continue
    if (!(await fits(reading, secret.value, candidate.value))) continue
    const ageSeconds = Math.floor(now.getTime() / 1000) - reading.seconds
    const late: ReadonlyArray<Fault> =
      Math.abs(ageSeconds) <= toleranceSeconds ? [] : [ageSeconds > 0 ? "too_old" : "in_the_future"]
    const strange: ReadonlyArray<Fault> = verdicts[secret.index] === "not_an_event" ? ["not_an_event"] : []
    // A webhook that `verify` accepts has no fault, even if a part of it looks unusual.
    const faults = genuine === -1 ? [...new Set([...found, ...late])] : strange
    return {
      faults: faults.length === 0 && genuine === -1 ? ["mismatch"] : faults,
      isSigned: true,
      scheme: reading.scheme,
      secret: secret.index,
      ageSeconds
    }
  }
  const visible = visibleFault(body)
  const ofSecrets = secrets.length === 1 ? (secretsOf(secrets[0] ?? "")[0]?.faults ?? []) : []
  const known = [...new Set([...headerFaults, ...ofSecrets, ...(visible === null ? [] : [visible])])]
  return { ...nothing, faults: known.length === 0 ? ["mismatch"] : known }
}
