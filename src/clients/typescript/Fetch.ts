/*
 * `@folio-einvoicing/client`: the API as typed functions on `fetch`, without dependencies. The client retries a request
 * that got no response, exceeded a rate limit (429) or failed inside the service (5xx). The idempotency key of every
 * POST, PUT and PATCH makes the retry safe.
 */
import { type Addressed, urlOf } from "./Addresses.ts"
import { firstQuery, keyOf, nextQuery, type RequestOf } from "./Attempts.ts"
import { ApiError, NoAnswerError } from "./FetchErrors.ts"
import type { Operations } from "./Interface.ts"
import { routes } from "./OperationRoutes.ts"
import { hasItsType, isFile, isObject, parsed } from "./ResponseBody.ts"
import { errorIn, isSuccess, type Outcome, send } from "./Send.ts"

export { ApiError, NoAnswerError }
export type * from "./Interface.ts"

type Signal = typeof globalThis extends { AbortSignal: { prototype: infer S } } ? S : never

/** Settings of a client. */
export interface ClientOptions {
  /** The base URL of the service: `https://…`. */
  readonly baseUrl: string
  /** `sk_test_…` or `sk_live_…`. */
  readonly apiKey: string
  /** The dated version of the API to use. If omitted, the account's default version. */
  readonly version?: string | undefined
  /** The account that a platform's key acts for, `ten_…`. Only for a platform's key. */
  readonly account?: string | undefined
  /** The time-out of one attempt, in milliseconds. If omitted, 60,000. */
  readonly timeoutMs?: number | undefined
  /** The function to use instead of the global `fetch`. */
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

/** The arguments of a call. A request without required members is optional. */
type Arguments<Request> = {} extends Request
  ? [request?: Request, options?: CallOptions]
  : [request: Request, options?: CallOptions]

/**
 * A function for each operation, by group. Each takes the `params`, `query`, `payload` and `headers` of its operation.
 * For each list, another function yields all objects, page by page: `allInvoices` next to `listInvoices`.
 *
 * The functions reject with `ApiError` or `NoAnswerError`.
 */
export type Client = { readonly [Group in keyof Operations]: Calls<Operations[Group]> }

interface Taken extends Addressed {
  readonly payload?: unknown
  readonly headers?: Readonly<Record<string, string | undefined>>
}

const bodyIn = (payload: unknown): string | Uint8Array | undefined =>
  payload === undefined || payload instanceof Uint8Array ? payload : JSON.stringify(payload)

/** The body of a successful response. The errors thrown describe the last attempt only. */
const bodyOf = ({ cause, received }: Outcome, method: string, template: string, key: string | undefined): unknown => {
  if (received === undefined) throw new NoAnswerError(undefined, key, cause)
  const refused = errorIn(received)
  if (refused !== undefined) throw new ApiError(received.status, refused.error)
  const { bytes, header, status } = received
  const body = isFile(method, template) ? bytes : parsed(bytes)
  const isOfFolio = isSuccess(received) && hasItsType(method, template, header("content-type"))
  if (isOfFolio && isObject(body)) return body
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
  const { account, apiKey, baseUrl, fetch = globalThis.fetch, timeoutMs, version } = options

  const call = async (route: string, request: Taken = {}, { signal }: CallOptions = {}): Promise<unknown> => {
    const [method = "", template = ""] = route.split(" ")
    const url = urlOf(baseUrl, template, request)
    const headers: NonNullable<Taken["headers"]> = {
      "svc-version": version,
      "svc-account": account,
      ...request.headers
    }
    const key = keyOf(method, headers["idempotency-key"])
    const body = bodyIn(request.payload)
    const outcome = await send({ method, url, apiKey, key, headers, body }, { fetch, signal, timeoutMs })
    return bodyOf(outcome, method, template, key)
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
