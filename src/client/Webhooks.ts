/*
 * `folio/webhooks`: verification for receivers of webhooks. A webhook is genuine if one of its two signatures over the received
 * bytes is right for one of the receiver's secrets, and its time is at most five minutes from the receiver's clock.
 */
import { Effect, Result } from "effect"
import type { Event } from "../../schemas/Event.ts"
import { type SignatureFault, verify as verifySvc, verifyStandard } from "../domain/webhooks/WebhookSignature.ts"

export type { Event }

/** A webhook as received. `headers` are as the receiver's server gives them, with names in upper or lower case. */
export interface ReceivedWebhook {
  /** The raw bytes of the body, or exactly their text: not JSON that was parsed and serialized again. */
  readonly payload: string | Uint8Array
  readonly headers: Headers | Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  /** The endpoint's signing secret, `whsec_…`; several secrets while the secret is being replaced. */
  readonly secret: string | ReadonlyArray<string>
  /** The current time; the clock of this machine by default. */
  readonly now?: Date
  /** How far the webhook's time may be from `now`, in seconds; 300 by default. */
  readonly toleranceSeconds?: number
}

/**
 * The reason for refusing a webhook. `missing`: no signature header. `not_an_event`: the signature is right, but the body is no
 * event of Folio. `unusable`: the receiver's own mistake, such as no secret, or a body that was parsed already.
 */
export type WebhookFault = SignatureFault | "missing" | "not_an_event" | "unusable"

const explained: Record<WebhookFault, string> = {
  missing: "The request carries no Svc-Signature and no webhook-signature header: it is not from Folio.",
  malformed: "A signature header cannot be read.",
  mismatch:
    "No signature is right for this body and secret. Pass the body's bytes as they arrived, and the secret of this endpoint.",
  expired: "The signature is right, but too old or from the future. Check this machine's clock.",
  unusable:
    "Pass a secret that begins with whsec_, the headers, and the body as text or bytes, before anything has parsed it.",
  not_an_event: "The signature is right, but the body is no event."
}

/** A webhook was refused for `reason`. The receiver should answer the request with 400. */
export class WebhookVerificationError extends Error {
  override readonly name = "WebhookVerificationError"
  readonly _tag = "WebhookVerificationError"
  readonly reason: WebhookFault
  constructor(reason: WebhookFault) {
    super(explained[reason])
    this.reason = reason
  }
}

const isBytes = (payload: unknown) => typeof payload === "string" || payload instanceof Uint8Array

const headerOf = (headers: ReceivedWebhook["headers"], name: string): string | undefined => {
  if (headers instanceof Headers) return headers.get(name) ?? undefined
  const value = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  return typeof value === "string" ? value : value?.join(",")
}

// In ascending order of use to the receiver: of several faults, the last in this list is reported.
const weight: ReadonlyArray<SignatureFault> = ["malformed", "mismatch", "expired"]

const judge = ({ headers, now = new Date(), payload, secret, toleranceSeconds = 300 }: ReceivedWebhook) => {
  // Anybody can sign with an empty secret, so a missing setting must not count as a secret.
  const secrets = [secret]
    .flat()
    .filter((one: unknown): one is string => typeof one === "string" && /^whsec_./.test(one))
  if (secrets.length === 0 || !isBytes(payload) || typeof headers !== "object" || headers === null) {
    return Result.fail("unusable" as const)
  }
  const svc = headerOf(headers, "svc-signature")
  const [id, timestamp, signature] = ["id", "timestamp", "signature"].map((name) =>
    headerOf(headers, `webhook-${name}`)
  )
  const checked = { body: payload, now: Math.floor(now.getTime() / 1000), toleranceSeconds }
  const results = secrets.flatMap((one) => {
    const input = { ...checked, secret: one }
    return [
      ...(svc === undefined ? [] : [verifySvc({ ...input, header: svc })]),
      ...(id === undefined || timestamp === undefined || signature === undefined
        ? []
        : [verifyStandard({ ...input, id, timestamp, signature })])
    ]
  })
  if (results.length === 0) return Result.fail("missing" as const)
  if (results.some(Result.isSuccess)) return Result.void
  const faults = results.filter(Result.isFailure).map(({ failure }) => failure)
  return Result.fail(faults.toSorted((a, b) => weight.indexOf(b) - weight.indexOf(a))[0] ?? "mismatch")
}

const isEvent = (value: unknown): value is Event =>
  typeof value === "object" && value !== null && "object" in value && value.object === "event" && "type" in value

const read = (webhook: ReceivedWebhook): Result.Result<Event, WebhookVerificationError> => {
  const judged = judge(webhook)
  if (Result.isFailure(judged)) return Result.fail(new WebhookVerificationError(judged.failure))
  const event = Result.try((): unknown => JSON.parse(Buffer.from(webhook.payload as string).toString()))
  return Result.isSuccess(event) && isEvent(event.success)
    ? Result.succeed(event.success)
    : Result.fail(new WebhookVerificationError("not_an_event"))
}

/**
 * Returns the event of a genuine webhook. The event has the fields of the API version that the endpoint was created with; later
 * versions may have more fields. Throws `WebhookVerificationError`, and nothing else.
 */
export const verify = (webhook: ReceivedWebhook): Event => Result.getOrThrow(read(webhook))

/** Does the same as `verify`, as an Effect. */
export const verifyEffect = (webhook: ReceivedWebhook): Effect.Effect<Event, WebhookVerificationError> =>
  Effect.suspend(() => Effect.fromResult(read(webhook)))
