import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { signatureHeaders } from "../../../webhooks/rules/WebhookSignature.ts"

/** The URL that `:9099/hook`, `9099`, `localhost:9099/x` or a full URL names; undefined for another text. */
export const targetOf = (text: string): string | undefined => {
  if (/^[a-z][a-z0-9+.-]*:\/\/|^\//i.test(text) && !/^https?:\/\//i.test(text)) return undefined
  const [, port, path = "/"] = /^:?(\d{1,5})(\/.*)?$/.exec(text) ?? []
  const full = port !== undefined ? `http://localhost:${port}${path}` : /^https?:/i.test(text) ? text : `http://${text}`
  if (!URL.canParse(full)) return undefined
  const url = new URL(full)
  return url.username === "" && url.password === "" && url.port !== "0" ? url.href : undefined
}

/** An event to send: the text has the exact bytes, which are signed. */
export interface Sent {
  readonly id: string
  readonly type: string
  readonly text: string
}

/** The result of an attempt: the response's status, or the reason for no response. */
export interface Attempt {
  readonly status: number | null
  readonly reason: string | null
  readonly duration_ms: number
  readonly acknowledged: boolean
}

const reasonOf = (error: unknown): string => {
  const cause = error instanceof Error ? error.cause : undefined
  if (cause instanceof Error && "code" in cause && typeof cause.code === "string") return cause.code
  return cause instanceof Error ? cause.message : error instanceof Error ? error.message : String(error)
}

/**
 * Waits this many seconds while the machine is awake, with one timer per second. After the machine slept, only one
 * timer has expired, and a response that arrived meanwhile is read before the next.
 */
const awake = (seconds: number) => Effect.repeat(Effect.sleep("1 second"), { times: seconds - 1 })

/** The receiver's time-out in seconds, the same as for the service's webhooks. */
const patienceSeconds = 15

/** The reason of an attempt that timed out. */
export const noAnswer = `no response in ${patienceSeconds} s`

/** Posts an event to the target as the service posts a webhook, with both signatures. */
export const post = Effect.fnUntraced(function* (target: string, secret: string, { id, text, type }: Sent) {
  const begun = yield* Clock.currentTimeMillis
  const signed = signatureHeaders({ secret, messageId: id, timestamp: Math.floor(begun / 1_000), body: text })
  const answered = Effect.tryPromise({
    try: async (signal) => {
      const response = await fetch(target, {
        method: "POST",
        headers: {
          ...signed,
          "Svc-Event-Id": id,
          "Svc-Event-Type": type,
          "User-Agent": "Folio (folio listen)",
          "Content-Type": "application/json"
        },
        body: text,
        redirect: "manual",
        signal
      })
      // Only a complete response counts.
      for await (const _ of response.body ?? []);
      return { status: response.status, reason: null }
    },
    catch: reasonOf
  }).pipe(Effect.catch((reason) => Effect.succeed({ status: null, reason })))
  const late = Effect.as(awake(patienceSeconds), { status: null, reason: noAnswer })
  const outcome = yield* Effect.raceFirst(answered, late)
  const { status } = outcome
  return {
    ...outcome,
    duration_ms: (yield* Clock.currentTimeMillis) - begun,
    acknowledged: status !== null && status >= 200 && status < 300
  } satisfies Attempt
})
