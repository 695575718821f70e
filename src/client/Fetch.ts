/*
 * `@folio-einvoicing/client`: the API as typed functions on `fetch`, without dependencies. The client sends a request again that got
 * no answer, exceeded a rate limit (429) or failed inside the service (5xx). Every POST, PUT and PATCH carries an idempotency key, so
 * that a further attempt does nothing twice.
 */
import { type Addressed, urlOf } from "./Addresses.ts"
import { type Answer, firstQuery, isFinal, isKeyed, nextQuery, pauseMs, type RequestOf, waitsMs } from "./Attempts.ts"
import { ApiError, NoAnswerError } from "./FetchErrors.ts"
import type { ErrorBody, Operations } from "./Interface.ts"
import { routes } from "./OperationRoutes.ts"
import { UnusableBody, bytesOf, hasItsType, isFile, parsed } from "./ResponseBody.ts"

export { ApiError, NoAnswerError }
export type * from "./Interface.ts"

type Signal = typeof globalThis extends { AbortSignal: { prototype: infer S } } ? S : never

/** Settings of a client. */
export interface ClientOptions {
  /** The base URL of the service: `https://…`. */
  readonly baseUrl: string
  /** `sk_test_…` or `sk_live_…`. */
  readonly apiKey: string
  /** The dated version of the API to use; the account's default version if left out. */
  readonly version?: string | undefined
  /** How long one attempt may take, in milliseconds; 60,000 if left out. */
  readonly timeoutMs?: number | undefined
  /** Another function in place of the global `fetch`. */
  readonly fetch?: typeof globalThis extends { fetch: infer Fetch } ? Fetch | undefined : never
}

/** Settings of one call. */
export interface CallOptions {
  /** Ends the call with all its attempts; the call then rejects with the signal's reason. */
  readonly signal?: Signal | undefined
}

type Reply<Operation> = Operation extends { readonly item: infer Item }
  ? AsyncIterable<Item>
  : Operation extends { readonly answer: infer Result }
    ? Promise<Result>
    : never

type Calls<Group> = {
  readonly [Name in keyof Group]: (...call: Arguments<RequestOf<Group[Name]>>) => Reply<Group[Name]>
}

/** A request of which nothing is required may be left out. */
type Arguments<Request> = {} extends Request
  ? [request?: Request, options?: CallOptions]
  : [request: Request, options?: CallOptions]

/**
 * A function for each operation, by group. Each takes `params`, `query`, `payload` and `headers`, where the operation has any. Next
 * to each list is a function that gives all its objects, page by page: `allInvoices` next to `listInvoices`.
 *
 * The functions reject with `ApiError` or `NoAnswerError`.
 */
export type Client = { readonly [Group in keyof Operations]: Calls<Operations[Group]> }

interface Taken extends Addressed {
  readonly payload?: unknown
  readonly headers?: Readonly<Record<string, string | undefined>>
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

interface Received extends Answer {
  readonly bytes: Uint8Array
}

const receivedOf = async (response: Response): Promise<Received> => ({
  status: response.status,
  header: (name) => response.headers.get(name) ?? undefined,
  bytes: await bytesOf(response)
})

const isObject = (body: unknown): body is object => typeof body === "object" && body !== null && !Array.isArray(body)

const isErrorBody = (body: unknown): body is ErrorBody => isObject(body) && "error" in body && isObject(body.error)

const pngStart = 0x89

/** The media type of a body: bytes are a picture, which begins as its format does. */
const typeOf = (payload: unknown): string | undefined => {
  if (payload === undefined) return undefined
  if (!(payload instanceof Uint8Array)) return "application/json"
  return payload[0] === pngStart ? "image/png" : "image/jpeg"
}

const bodyIn = (payload: unknown): string | Uint8Array<ArrayBuffer> | null => {
  if (payload === undefined) return null
  return payload instanceof Uint8Array ? new Uint8Array(payload) : JSON.stringify(payload)
}

/** The body of an answer that is no error. What has come of the last attempt is all that the caller learns. */
const bodyOf = (received: Received | undefined, route: string, key: string | undefined, cause: unknown): unknown => {
  if (received === undefined) throw new NoAnswerError(undefined, key, cause)
  const { bytes, header, status } = received
  const [method = "", template = ""] = route.split(" ")
  const isSuccess = status >= 200 && status < 300
  const body = isSuccess && isFile(method, template) ? bytes : parsed(bytes)
  if (!isSuccess && isErrorBody(body)) throw new ApiError(status, body.error)
  const isOfFolio = isFinal(received, Date.now()) && hasItsType(method, template, header("content-type"))
  if (isSuccess && isOfFolio && isObject(body)) return body
  throw new NoAnswerError(status, key, cause)
}

/**
 * Makes a client.
 *
 * @example
 * ```ts
 * import { createClient } from "@folio-einvoicing/client"
 *
 * const folio = createClient({ baseUrl: "http://127.0.0.1:3000", apiKey: "sk_test_…" })
 * const invoice = await folio.invoices.createInvoice({
 *   headers: { "idempotency-key": "order-1001" },
 *   payload: {
 *     customer_id: "cust_01k9z3v8c2m4n6p8q0r2s4t6v8",
 *     currency: "COP",
 *     operation_type: "10",
 *     payment_means: { code: "10", type: "1" },
 *     lines: [
 *       {
 *         description: "Consultoría",
 *         quantity: "1.00",
 *         unit_code: "94",
 *         unit_price: "100000.00",
 *         line_extension_amount: "100000.00",
 *         taxes: [{ code: "01", rate: "19.00", base: "100000.00", value: "19000.00" }]
 *       }
 *     ]
 *   }
 * })
 * console.log(invoice.id, invoice.status)
 * ```
 */
export const createClient = (options: ClientOptions): Client => {
  const { apiKey, baseUrl, fetch = globalThis.fetch, timeoutMs = 60_000, version } = options

  const call = async (route: string, request: Taken = {}, { signal }: CallOptions = {}): Promise<unknown> => {
    const [method = "", template = ""] = route.split(" ")
    const url = urlOf(baseUrl, template, request)
    const given: NonNullable<Taken["headers"]> = { "svc-version": version, ...request.headers }
    const key = isKeyed(method) ? (given["idempotency-key"] ?? globalThis.crypto.randomUUID()) : undefined
    const lines = {
      ...given,
      authorization: `Bearer ${apiKey}`,
      "idempotency-key": key,
      "content-type": typeOf(request.payload)
    }
    const headers = Object.fromEntries(
      Object.entries(lines).filter((header): header is [string, string] => header[1] !== undefined)
    )
    const body = bodyIn(request.payload)

    for (let attempt = 0; ; attempt++) {
      let received: Received | undefined
      let cause: unknown
      try {
        const timeout = AbortSignal.timeout(timeoutMs)
        const ends = signal === undefined ? timeout : AbortSignal.any([signal, timeout])
        received = await receivedOf(await fetch(url, { method, headers, body, signal: ends, redirect: "manual" }))
      } catch (error) {
        signal?.throwIfAborted()
        if (error instanceof UnusableBody) throw new NoAnswerError(undefined, key, error)
        cause = error
      }
      const wait = waitsMs[attempt]
      const now = Date.now()
      if (wait === undefined || (received !== undefined && isFinal(received, now)))
        return bodyOf(received, route, key, cause)
      await sleep(pauseMs(wait, received, now, Math.random()), signal)
    }
  }

  async function* all(route: string, request: Taken = {}, callOptions?: CallOptions) {
    let query: Taken["query"] | null = firstQuery(request.query)
    while (query !== null) {
      const page = (await call(route, { ...request, query }, callOptions)) as Parameters<typeof nextQuery>[1]
      yield* page.data
      query = nextQuery(query, page)
    }
  }

  const groups = Object.entries(routes).map(([group, operations]) => [
    group,
    Object.fromEntries(
      Object.entries<string>(operations).map(([name, route]) => {
        const run = name.startsWith("all") ? all : call
        return [name, (request?: Taken, callOptions?: CallOptions) => run(route, request, callOptions)]
      })
    )
  ])
  return Object.fromEntries(groups)
}
