/* Rules of both TypeScript clients: which requests are retried and when, idempotency keys, and pagination. */

/** The waits before the second, third and fourth attempt, in milliseconds. */
export const waitsMs: ReadonlyArray<number> = [1_000, 2_000, 4_000]

const jitter = 0.1

/** The longest pause before a retry, in seconds. A response with a longer `Retry-After` goes to the caller. */
const longestPause = 60

/** The idempotency key of a request that changes something: it makes a retry safe. */
export const keyOf = (method: string, given?: string): string | undefined =>
  ["POST", "PUT", "PATCH"].includes(method) ? (given ?? globalThis.crypto.randomUUID()) : undefined

/** The status code and the headers of a response. Header names are in lower case. */
export interface Answer {
  readonly status: number
  readonly header: (name: string) => string | undefined
}

const date = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/

/** The pause of `Retry-After`, in seconds: from a number of seconds or from a date. 0 without either. */
const askedPause = ({ header }: Answer, nowMs: number): number => {
  const value = header("retry-after") ?? ""
  if (/^\d{1,9}(?:\.\d{1,9})?$/.test(value)) return Number(value)
  return date.test(value) ? Math.max(0, (Date.parse(value) - nowMs) / 1_000) || 0 : 0
}

/**
 * Whether a response is final, so that the client does not retry. A conflict (409) never ends by itself, and a pause of
 * more than a minute is for the caller to decide. A 202 with `retry-after` is still executing.
 */
export const isFinal = (answer: Answer, nowMs: number): boolean => {
  const { header, status } = answer
  if (status === 409 || (status >= 400 && askedPause(answer, nowMs) > longestPause)) return true
  const said = header("svc-should-retry")
  if (said !== undefined) return said !== "true"
  return status === 202 ? header("retry-after") === undefined : status !== 429 && status < 500
}

/**
 * The pause before the next attempt, in milliseconds: `waitMs`, or the longer `Retry-After`. `random` is from 0 to 1.
 * `answer` is undefined when no response arrived.
 */
export const pauseMs = (waitMs: number, answer: Answer | undefined, nowMs: number, random: number): number =>
  Math.max(waitMs, answer === undefined ? 0 : askedPause(answer, nowMs) * 1_000) * (1 + jitter * random)

/** The query of a list. */
export type Query = Readonly<Record<string, unknown>>

/** The query of a list's first page. Without a size from the caller, the page has the largest size. */
export const firstQuery = (query: Query | undefined): Query => ({ limit: 100, ...query })

/** The query of the next page; null after the last page. Followed events come oldest first. */
export const nextQuery = (
  query: Query,
  { data, has_more }: { readonly has_more: boolean; readonly data: ReadonlyArray<{ readonly id: string }> }
): Query | null => {
  const last = data.at(-1)
  if (!has_more || last === undefined) return null
  const { starting_after: _, ...others } = query
  const isFollowed = others["after"] !== undefined || others["wait"] !== undefined
  return isFollowed ? { ...others, after: last.id } : { ...others, starting_after: last.id }
}

/** The request of an operation. */
export type RequestOf<Operation> = Operation extends { readonly request: infer Request } ? Request : never
