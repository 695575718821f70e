import { type Answer, isFinal, pauseMs, waitsMs } from "./Attempts.ts"
import type { ErrorBody } from "./Interface.ts"
import { bytesOf, isObject, parsed, UnusableBody } from "./ResponseBody.ts"

/* Sends a request and retries it until a response is final: for the client on `fetch` and for the CLI. */

export interface Outgoing {
  readonly method: string
  readonly url: URL
  readonly apiKey: string
  /** The idempotency key of all attempts. */
  readonly key?: string | undefined
  readonly headers?: Readonly<Record<string, string | undefined>>
  /** JSON, or a picture. */
  readonly body?: string | Uint8Array | undefined
}

export interface Sending {
  readonly fetch?: typeof globalThis.fetch
  readonly signal?: AbortSignal | undefined
  /** The time-out of an attempt. */
  readonly timeoutMs?: number | undefined
  /** The pauses before the retries, in milliseconds. */
  readonly waits?: ReadonlyArray<number>
  /** Whether a retry would fail in the same way. */
  readonly isPermanent?: (cause: unknown) => boolean
  /** Called before each pause. `attempts`: the number of attempts so far. */
  readonly onWait?: (attempts: number, milliseconds: number) => void
}

export interface Received extends Answer {
  readonly bytes: Uint8Array
}

/** The outcome of the last attempt: a response, or the cause of the failure. */
export interface Outcome {
  readonly attempts: number
  readonly received: Received | undefined
  readonly cause: unknown
}

/** Waits, unless the signal ends the wait. */
const sleep = (milliseconds: number, signal: AbortSignal | undefined) =>
  new Promise<void>((resolve, reject) => {
    signal?.throwIfAborted()
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop)
      resolve()
    }, milliseconds)
    signal?.addEventListener("abort", stop, { once: true })
  })

const pngStart = 0x89

/** The media type of a body. Bytes are a picture, whose first byte shows its format. */
const typeOf = (body: Outgoing["body"]): string | undefined => {
  if (body === undefined) return undefined
  if (typeof body === "string") return "application/json"
  return body[0] === pngStart ? "image/png" : "image/jpeg"
}

const initOf = ({ apiKey, body, headers, key, method }: Outgoing) => {
  const lines = {
    ...headers,
    authorization: `Bearer ${apiKey}`,
    "idempotency-key": key,
    "content-type": typeOf(body)
  }
  return {
    method,
    headers: Object.fromEntries(
      Object.entries(lines).filter((header): header is [string, string] => header[1] !== undefined)
    ),
    body: body instanceof Uint8Array ? new Uint8Array(body) : (body ?? null),
    redirect: "manual"
  } as const
}

/** Sends a request up to four times. Rejects only with the reason of `signal`. */
export const send = async (request: Outgoing, sending: Sending = {}): Promise<Outcome> => {
  const { fetch = globalThis.fetch, isPermanent, onWait, signal, timeoutMs = 60_000, waits = waitsMs } = sending
  const init = initOf(request)
  for (let attempts = 1; ; attempts++) {
    let received: Received | undefined
    let cause: unknown
    try {
      const timeout = AbortSignal.timeout(timeoutMs)
      const ends = signal === undefined ? timeout : AbortSignal.any([signal, timeout])
      const response = await fetch(request.url, { ...init, signal: ends })
      const header = (name: string) => response.headers.get(name) ?? undefined
      received = { status: response.status, header, bytes: await bytesOf(response) }
    } catch (error) {
      signal?.throwIfAborted()
      cause = error
    }
    const wait = waits[attempts - 1]
    const now = Date.now()
    const isLast =
      received === undefined ? cause instanceof UnusableBody || isPermanent?.(cause) === true : isFinal(received, now)
    if (isLast || wait === undefined) return { attempts, received, cause }
    const pause = pauseMs(wait, received, now, Math.random())
    onWait?.(attempts, pause)
    await sleep(pause, signal)
  }
}

/** Whether a response is a success, and not a 202 of a request that is still executing. */
export const isSuccess = (received: Received): boolean =>
  received.status >= 200 && received.status < 300 && isFinal(received, Date.now())

const hasMessage = (value: unknown) => isObject(value) && "message" in value && typeof value.message === "string"

const isErrorBody = (body: unknown): body is ErrorBody => {
  if (!isObject(body) || !("error" in body) || !isObject(body.error) || !hasMessage(body.error)) return false
  const errors = "errors" in body.error ? body.error.errors : []
  return Array.isArray(errors) && errors.every(hasMessage)
}

/** The error that the service reports; undefined for a success, and for a response that is not Folio's. */
export const errorIn = ({ bytes, status }: Received): ErrorBody | undefined => {
  const body = status >= 200 && status < 300 ? undefined : parsed(bytes)
  return isErrorBody(body) ? body : undefined
}
