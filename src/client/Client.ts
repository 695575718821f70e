/*
 * `folio/client`: the API as typed functions. The client retries a request that got no answer, exceeded a rate limit (429) or
 * failed inside the service (5xx). Every POST and PATCH carries an idempotency key, so that a retry does nothing twice: the
 * caller's own key, which creating operations require, or a key made for the call.
 */
import { Duration, Effect, Option, Random, Redacted, Result, Stream } from "effect"
import { HttpClient, HttpClientRequest, type HttpClientResponse } from "effect/http"
import { HttpApi, HttpApiClient } from "effect/http-api"
import { Api } from "../api/Api.ts"

export { ApiError } from "../../schemas/ApiError.ts"

export interface ClientOptions {
  /** The base URL of the service: `https://…`. */
  readonly baseUrl: string
  /** `sk_test_…` or `sk_live_…`. */
  readonly apiKey: Redacted.Redacted<string> | string
  /** The dated version of the API to use; the account's default version if left out. */
  readonly version?: string
}

const waitsMs: ReadonlyArray<number> = [1_000, 2_000, 4_000]
const jitter = 0.1

const retryAfterMs = ({ headers }: HttpClientResponse.HttpClientResponse) => {
  const seconds = Number(headers["retry-after"])
  return Number.isFinite(seconds) ? seconds * 1_000 : 0
}

/** Whether to return a response without a retry. A conflict never ends by itself; a 202 with `retry-after` is still executing. */
const isFinal = (response: HttpClientResponse.HttpClientResponse): boolean => {
  const { headers, status } = response
  if (status === 409) return true
  if (headers["svc-should-retry"] !== undefined) return headers["svc-should-retry"] !== "true"
  return status === 202 ? headers["retry-after"] === undefined : status !== 429 && status < 500
}

/** Sends a request up to four times: at once, and after 1 s, 2 s and 4 s, or later when the service asks for that. */
const repeating = (client: HttpClient.HttpClient): HttpClient.HttpClient =>
  HttpClient.transform(client, (send) =>
    Effect.gen(function* () {
      for (const wait of waitsMs) {
        const result = yield* Effect.result(send)
        // Without a readable answer the outcome is unknown; the idempotency key makes another attempt safe.
        if (Result.isSuccess(result) && isFinal(result.success)) return result.success
        const pause = Math.max(wait, Result.isSuccess(result) ? retryAfterMs(result.success) : 0)
        yield* Effect.sleep(Duration.millis(pause * (1 + jitter * (yield* Random.next))))
      }
      return yield* send
    })
  )

/** Makes an idempotency key for all attempts at one operation. Operations that require a key take it in their `headers`. */
export const newIdempotencyKey = Effect.sync(() => crypto.randomUUID())

/**
 * Makes a client with a function for every operation, by group: `client.invoices.createInvoice({ headers, payload })`. The
 * functions fail with `ApiError`, or with `HttpClientError` if no answer arrived or the answer is not Folio's.
 */
export const make = Effect.fnUntraced(function* ({ apiKey, baseUrl, version }: ClientOptions) {
  const key = typeof apiKey === "string" ? Redacted.make(apiKey) : apiKey
  const withKey = Effect.fnUntraced(function* (request: HttpClientRequest.HttpClientRequest) {
    if (!["POST", "PATCH"].includes(request.method) || request.headers["idempotency-key"] !== undefined) return request
    return HttpClientRequest.setHeader(request, "idempotency-key", yield* newIdempotencyKey)
  })
  const transformClient = (client: HttpClient.HttpClient) =>
    client.pipe(
      HttpClient.mapRequest(HttpClientRequest.bearerToken(Redacted.value(key))),
      HttpClient.mapRequest(
        version === undefined ? (request) => request : HttpClientRequest.setHeader("svc-version", version)
      ),
      HttpClient.mapRequestEffect(withKey),
      repeating
    )
  // Accepts unknown members in answers, because a later release of the service may answer with more members.
  return yield* HttpApiClient.make(Api.annotate(HttpApi.ParseOptions, { errors: "all" }), { baseUrl, transformClient })
})

export type Client = Effect.Success<ReturnType<typeof make>>

type Page<A> = { readonly has_more: boolean; readonly data: ReadonlyArray<A> }

/**
 * Streams all objects of a list, page by page, newest first:
 * `all((query) => client.customers.listCustomers({ headers: {}, query }))`.
 */
export const all = <A extends { readonly id: string }, E, R>(
  list: (query: { readonly limit: string; readonly starting_after?: string }) => Effect.Effect<Page<A>, E, R>
): Stream.Stream<A, E, R> =>
  Stream.paginate(null as string | null, (after) =>
    Effect.map(list({ limit: "100", ...(after === null ? {} : { starting_after: after }) }), ({ data, has_more }) => {
      const last = data.at(-1)
      return [data, has_more && last !== undefined ? Option.some<string | null>(last.id) : Option.none()] as const
    })
  )
