import { diagnose, type Diagnosis } from "../../clients/typescript/Diagnosis.ts"
import type { Fault } from "../../clients/typescript/Faults.ts"
import type { SigningSecret } from "../../webhooks/store/WebhookEndpoints.ts"
import { differences } from "./Differences.ts"

/*
 * Finds the fault of a webhook. Uses the receiver's data and the account's data: the secrets of all endpoints, and the
 * bytes of the event in the body. The result names the endpoint whose secret signed, but never a secret.
 */

/** Faults that need the account's data, in addition to `Fault`. */
export type AccountFault = "secret_of_another" | "secret_not_current" | "secret_old" | "body_altered"

/** A pasted webhook that fails verification. */
export interface PastedWebhook {
  /** The body with the form's CR LF line breaks. */
  readonly body: string
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  /** The receiver's secret. If empty, the check tries the secrets of all endpoints. */
  readonly secret: string
  readonly now: Date
}

/** The account's data. */
export interface Known {
  readonly endpoints: ReadonlyArray<SigningSecret>
  /** The delivered bytes of the event in the body. Null if the event does not exist. */
  readonly event: string | null
}

export interface Verdict {
  /** The faults. Empty if the webhook is genuine. */
  readonly faults: ReadonlyArray<Fault | AccountFault>
  /** Whether a secret signed these bytes or the event's bytes, apart from the faults. */
  readonly isSigned: boolean
  readonly scheme: Diagnosis["scheme"]
  readonly ageSeconds: number | null
  /** The endpoint whose current secret signed the webhook. */
  readonly signer: Pick<SigningSecret, "id" | "url"> | null
  /** The endpoint whose current secret was pasted. */
  readonly pasted: Pick<SigningSecret, "id" | "url"> | null
  /** The JSON paths at which the body differs from the sent event. */
  readonly differing: ReadonlyArray<string>
}

const encoder = new TextEncoder()

/** The event id in the body. Null if the body has none. */
export const eventIdOf = (body: string): string | null => /"id"\s*:\s*"(evt_[0-9a-z]{1,40})"/.exec(body)?.[1] ?? null

/** The possible original texts. A form converts every line break to CR LF. */
const readingsOf = (body: string) => {
  const plain = body.replaceAll("\r\n", "\n")
  return plain === body ? [body] : [plain, body]
}

const prefix = "whsec_"
const padding = /=+$/

/** The endpoint with this current secret. Ignores white space, quotes, the prefix and the padding. */
const endpointOf = (endpoints: ReadonlyArray<SigningSecret>, text: string) => {
  const bare = text.replaceAll(/[\s"'`]/g, "").replace(padding, "")
  const whole = bare.startsWith(prefix) ? bare : prefix + bare
  return endpoints.find(({ secret }) => secret.replace(padding, "") === whole) ?? null
}

// 22 characters after `whsec_` are impossible to guess, so confirming the beginning of a secret reveals nothing to an
// attacker.
const beginningMin = prefix.length + 22

/** Whether a text is a truncated secret. */
const isBeginning = (text: string, secret: string) =>
  text.length >= beginningMin && text.length < secret.length && secret.startsWith(text)

const isJson = (text: string) => {
  try {
    return JSON.parse(text) !== undefined
  } catch {
    return false
  }
}

const fewest = (all: ReadonlyArray<Diagnosis>): Diagnosis | undefined =>
  all.filter(({ isSigned }) => isSigned).toSorted((one, other) => one.faults.length - other.faults.length)[0]

/** Finds the faults of a pasted webhook. */
export const check = async (webhook: PastedWebhook, { endpoints, event }: Known): Promise<Verdict> => {
  const { headers, now, secret } = webhook
  const bodies = readingsOf(webhook.body)
  const tried = (texts: ReadonlyArray<string>, secrets: ReadonlyArray<string>) =>
    Promise.all(texts.map((text) => diagnose({ body: encoder.encode(text), headers, secrets, now })))
  const stored = event === null || eventIdOf(webhook.body) === null || bodies.includes(event) ? [] : [event]
  const given = secret.trim() === "" ? [] : [secret]
  const current = endpoints.map((one) => one.secret)
  const pasted = endpointOf(endpoints, secret)
  const differing = stored.length === 0 ? [] : differences(stored[0] ?? "", bodies[0] ?? "")
  const altered: Fault | AccountFault = isJson(bodies[0] ?? "") ? "body_altered" : "body_changed"
  const ofBody: Fault | AccountFault = differing.length === 0 ? "body_reserialized" : altered

  const verdict = (
    found: Diagnosis,
    more: ReadonlyArray<Fault | AccountFault>,
    signer: SigningSecret | null
  ): Verdict => ({
    faults: [...new Set([...more, ...found.faults])],
    isSigned: found.isSigned,
    scheme: found.scheme,
    ageSeconds: found.ageSeconds,
    signer,
    pasted,
    differing: more.includes("body_altered") ? differing : []
  })
  const signerOf = ({ secret: index }: Diagnosis) => (index === null ? null : (endpoints[index] ?? null))

  if (given.length > 0) {
    // If a secret signed the webhook but no endpoint has it now, the secret was replaced later.
    const own: ReadonlyArray<AccountFault> = pasted === null ? ["secret_old"] : []
    const signed = fewest(await tried(bodies, given))
    if (signed !== undefined) return verdict(signed, own, pasted)
    const restored = fewest(await tried(stored, given))
    if (restored !== undefined) return verdict(restored, [...own, ofBody], pasted)
  }
  if (current.length > 0) {
    const wrongFor = (signer: SigningSecret | null): ReadonlyArray<Fault | AccountFault> => {
      if (given.length === 0) return []
      if (pasted !== null) return ["secret_of_another"]
      return [signer !== null && isBeginning(secret.trim(), signer.secret) ? "secret_cut" : "secret_not_current"]
    }
    const signed = fewest(await tried(bodies, current))
    if (signed !== undefined) return verdict(signed, wrongFor(signerOf(signed)), signerOf(signed))
    const restored = fewest(await tried(stored, current))
    if (restored !== undefined) {
      return verdict(restored, [...wrongFor(signerOf(restored)), ofBody], signerOf(restored))
    }
  }
  const tries = given.length > 0 ? given : current.length > 0 ? current : [""]
  const [unsigned] = await tried(bodies.slice(0, 1), tries)
  const seen: ReadonlyArray<Fault | AccountFault> = [
    ...(stored.length === 0 ? [] : [ofBody]),
    ...(unsigned?.faults ?? (["mismatch"] as const))
  ]
  return {
    faults: [...new Set(seen)],
    isSigned: false,
    scheme: null,
    ageSeconds: null,
    signer: null,
    pasted,
    differing
  }
}
