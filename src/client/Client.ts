/*
 * `folio/client`: the interface as typed functions. What may be repeated without harm is repeated: a request without an answer,
 * one that was too many, one that broke the service. An idempotency key goes with everything that changes something, so that
 * nothing is done twice: your own, which creations require, or one made for the call.
 */
import { Duration, Effect, Option, Random, Redacted, Result, Stream } from "effect"
import { HttpClient, HttpClientRequest, type HttpClientResponse } from "effect/http"
import { HttpApi, HttpApiClient } from "effect/http-api"
import { Api } from "../api/Api.ts"

export { ApiError } from "../../schemas/ApiError.ts"

export interface ClientOptions {
  /** Where the service is: `https://…`. */
  readonly baseUrl: string
  /** `sk_test_…` or `sk_live_…`. */
  readonly apiKey: Redacted.Redacted<string> | string
  /** The dated version of the interface to speak; the account's default if left out. */
  readonly version?: string
}

const waitsMs: ReadonlyArray<number> = [1_000, 2_000, 4_000]
const jitter = 0.1

const retryAfterMs = ({ headers }: HttpClientResponse.HttpClientResponse) => {
  const seconds = Number(headers["retry-after"])
  return Number.isFinite(seconds) ? seconds * 1_000 : 0
}

/** A conflict never ends by itself. A 202 that says when to come back is of a request that is still being executed. */
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
        // An answer that cannot be read, or none at all: nobody knows what was done, and the key sees to it.
        if (Result.isSuccess(result) && isFinal(result.success)) return result.success
        const pause = Math.max(wait, Result.isSuccess(result) ? retryAfterMs(result.success) : 0)
        yield* Effect.sleep(Duration.millis(pause * (1 + jitter * (yield* Random.next))))
      }
      return yield* send
    })
  )

/** A key for one operation, to be given to each attempt at it. What must have a key takes it in its `headers`. */
export const newIdempotencyKey = Effect.sync(() => crypto.randomUUID())

const changes = (method: string) => method === "POST" || method === "PATCH"

/**
 * Functions for every operation, by group: `client.invoices.createInvoice({ headers, payload })`. Fail with `ApiError`, or with
 * `HttpClientError` when no answer came or none of Folio's.
 */
export const make = Effect.fnUntraced(function* ({ apiKey, baseUrl, version }: ClientOptions) {
  const key = typeof apiKey === "string" ? Redacted.make(apiKey) : apiKey
  const withKey = Effect.fnUntraced(function* (request: HttpClientRequest.HttpClientRequest) {
    if (!changes(request.method) || request.headers["idempotency-key"] !== undefined) return request
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
  // A later release may answer with more members than this one knows: they are no mistake of its.
  return yield* HttpApiClient.make(Api.annotate(HttpApi.ParseOptions, { errors: "all" }), { baseUrl, transformClient })
})

export type Client = Effect.Success<ReturnType<typeof make>>

interface Page<A> {
  readonly has_more: boolean
  readonly data: ReadonlyArray<A>
}

/**
 * All objects of a list, page by page, newest first:
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
