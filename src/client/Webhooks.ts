import { Clock, Effect, Result, Schema } from "effect"
import { Event } from "../../schemas/Event.ts"
import * as WebhookSignature from "../domain/WebhookSignature.ts"

/*
 * `folio/webhooks`: for those who receive webhooks.
 *
 * - `verify`: the event of a delivery, or an error that is thrown; without Effect
 * - `verifyEffect`: the same as an Effect, by its clock
 */
export type { Event, EventType } from "../../schemas/Event.ts"

/**
 * Why a delivery is not taken; answer it with 400.
 * - `malformed`: the headers of a signature are missing or cannot be read, or the body is not the raw one
 * - `mismatch`: no signature fits the body and the secret
 * - `expired`: genuine, but its time is further from the clock than is tolerated
 * - `unknown_event`: genuine, but not an event of this version of the interface
 */
export class WebhookRefused extends Schema.TaggedError<WebhookRefused>()("WebhookRefused", {
  code: Schema.Literals(["malformed", "mismatch", "expired", "unknown_event"]),
  message: Schema.String
}) {}

/** Headers as any server has them: the `Headers` of fetch, or a record in which case does not matter. */
export type WebhookHeaders =
  | { readonly get: (name: string) => string | null }
  | Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

export interface Delivery {
  /** The raw body, as it came: not parsed and written again. */
  readonly body: string | Uint8Array
  readonly headers: WebhookHeaders
  /** The endpoint's `whsec_…`. */
  readonly secret: string
  /** How far the delivery's time may be from the clock, in seconds; 300 by default. */
  readonly toleranceSeconds?: number | undefined
}

const messages = {
  malformed:
    "The delivery has no signature that can be read, or its body is not the raw one: pass on the bytes as they came.",
  mismatch: "No signature fits the body and the secret. Is it the secret of this endpoint, and the body as it came?",
  expired: "The delivery is genuine, but too far from the clock of this machine: it may be a repetition.",
  unknown_event: "The delivery is genuine, but is no event of this version of the interface."
} as const

const refused = (code: WebhookRefused["code"]) => new WebhookRefused({ code, message: messages[code] })

const isFetched = (headers: WebhookHeaders): headers is { readonly get: (name: string) => string | null } =>
  typeof headers["get"] === "function"

/** The value of a header, or empty text. */
const headerOf = (headers: WebhookHeaders, name: string): string => {
  if (isFetched(headers)) return headers.get(name) ?? ""
  const [, value = ""] = Object.entries(headers).find(([key]) => key.toLowerCase() === name) ?? []
  return typeof value === "string" ? value : value.join(",")
}

const decode = Schema.decodeUnknownResult(Schema.fromJsonString(Event))

/** Judges what is there: `Svc-Signature` where the delivery has one, else the headers of Standard Webhooks. */
const judge = (
  { body, headers, secret, toleranceSeconds }: Delivery,
  now: number
): Result.Result<Event, WebhookRefused> => {
  const isRaw = typeof body === "string" || body instanceof Uint8Array
  if (!isRaw || typeof headers !== "object" || headers === null) return Result.fail(refused("malformed"))
  // Anybody can sign with a secret that is empty: a setting that was forgotten must not let everything in.
  if (typeof secret !== "string" || !/^whsec_./.test(secret)) return Result.fail(refused("mismatch"))
  const header = headerOf(headers, "svc-signature")
  const given = { secret, body, now, toleranceSeconds }
  const verdict =
    header === ""
      ? WebhookSignature.verifyStandard({
          ...given,
          id: headerOf(headers, "webhook-id"),
          timestamp: headerOf(headers, "webhook-timestamp"),
          signature: headerOf(headers, "webhook-signature")
        })
      : WebhookSignature.verify({ ...given, header })
  if (Result.isFailure(verdict)) return Result.fail(refused(verdict.failure))
  const text = typeof body === "string" ? body : new TextDecoder().decode(body)
  return Result.mapError(decode(text), () => refused("unknown_event"))
}

/** The event of a delivery. Throws `WebhookRefused`, and nothing else. `now` is in Unix seconds, by default the clock's. */
export const verify = (delivery: Delivery & { readonly now?: number | undefined }): Event =>
  Result.getOrThrow(judge(delivery, delivery.now ?? Date.now() / 1000))

/** The event of a delivery, judged by the clock of the Effect. */
export const verifyEffect = (delivery: Delivery): Effect.Effect<Event, WebhookRefused> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => Effect.fromResult(judge(delivery, now / 1000)))
