import { Context, type Duration, Effect, Layer, Option, type Redacted, type Schema, Stream } from "effect"
import { HttpClient, type HttpClientError, HttpClientRequest } from "effect/http"
import { HttpApiClient } from "effect/http-api"
import type { ApiError } from "../../schemas/ApiError.ts"
import { currentVersion, type Version } from "../../schemas/Version.ts"
import { Api } from "../api/Api.ts"
import { IdempotencyKey } from "../api/Conventions.ts"
import { retrying, type StillInProgress } from "./Retries.ts"

/*
 * `folio/client`: the interface as methods, by group and operation. Asks for an `HttpClient`, such as `FetchHttpClient.layer`.
 *
 *     const folio = yield* Client.make({ apiKey: Redacted.make("sk_test_…"), baseUrl: "https://…" })
 *     const customer = yield* folio.customers.createCustomer({ payload })
 *     const all = Client.all(folio.customers.listCustomers)
 */
export { ApiError } from "../../schemas/ApiError.ts"
export { StillInProgress } from "./Retries.ts"

export interface ClientOptions {
  readonly apiKey: Redacted.Redacted<string>
  /** Where the service is, such as `http://127.0.0.1:3000`. */
  readonly baseUrl: string | URL
  /** The dated version that answers are read in; by default the one that this client was made for. */
  readonly version?: Version
  /** Limit of one attempt; default 30 s. A request that is not answered by then is sent again. */
  readonly attemptTimeout?: Duration.Input
}

/**
 * How a call fails: `ApiError` is what the service says; `HttpClientError` that no answer came; `SchemaError` that one of
 * them does not have the form it should.
 */
export type ClientError = ApiError | HttpClientError.HttpClientError | Schema.SchemaError | StillInProgress

type Groups = (typeof Api)["groups"]

type Part<Key extends string, S> = [S] extends [never]
  ? unknown
  : S extends { readonly Type: infer T }
    ? [T] extends [never]
      ? unknown
      : {} extends T
        ? { readonly [K in Key]?: T }
        : { readonly [K in Key]: T }
    : unknown

interface Parts {
  readonly "~Params": unknown
  readonly "~Query": unknown
  readonly "~Payload": unknown
  readonly "~Headers": unknown
  readonly "~Success": unknown
}

/** What a call takes. The key of a write is made anew for each call, unless it is given. */
type Request<E extends Parts> = Part<"params", E["~Params"]> &
  Part<"query", E["~Query"]> &
  Part<"payload", E["~Payload"]> &
  (E["~Headers"] extends { readonly Type: { readonly "idempotency-key"?: string } }
    ? { readonly idempotencyKey?: string }
    : unknown)

type Call<E> = E extends Parts
  ? (
      ...request: {} extends Request<E> ? [request?: Request<E>] : [request: Request<E>]
    ) => Effect.Effect<HttpApiClient.SuccessType<E["~Success"]>, ClientError>
  : never

export type Client = {
  readonly [G in keyof Groups]: { readonly [E in keyof Groups[G]["endpoints"]]: Call<Groups[G]["endpoints"][E]> }
}

type Raw = Readonly<Record<string, Readonly<Record<string, (request: object) => Effect.Effect<unknown, ClientError>>>>>

interface Given {
  readonly idempotencyKey?: string
}

/** The client of an account's key. */
export const make = Effect.fn("folio/client/make")(function* (options: ClientOptions) {
  const authorized = HttpClient.mapRequest(yield* HttpClient.HttpClient, HttpClientRequest.bearerToken(options.apiKey))
  const httpClient = retrying(authorized, options.attemptTimeout ?? "30 seconds")
  const raw = (yield* HttpApiClient.makeWith(Api, { httpClient, baseUrl: options.baseUrl })) as unknown as Raw
  const version = { "svc-version": options.version ?? currentVersion }
  const groups = Object.entries(Api.groups).map(([name, group]) => {
    const calls = Object.entries(group.endpoints).map(([operation, { annotations }]) => {
      const isKeyed = Context.get(annotations, IdempotencyKey) !== "ignored"
      const call = ({ idempotencyKey, ...parts }: Given = {}) =>
        Effect.suspend(() => {
          const key = isKeyed ? { "idempotency-key": idempotencyKey ?? globalThis.crypto.randomUUID() } : {}
          const request = { query: {}, payload: {}, ...parts, headers: { ...version, ...key } }
          return raw[name]![operation]!(request)
        })
      return [operation, call]
    })
    return [name, Object.fromEntries(calls)]
  })
  return Object.fromEntries(groups) as Client
})

/** The client as a service. */
export class Folio extends Context.Service<Folio, Client>()("folio/client/Folio") {
  static readonly layer = (options: ClientOptions): Layer.Layer<Folio, never, HttpClient.HttpClient> =>
    Layer.effect(Folio, make(options))
}

interface ListRequest {
  readonly query?: { readonly limit?: string; readonly starting_after?: string; readonly ending_before?: string }
}

/** All objects of a list, newest first, page by page as they are asked for: `all(folio.customers.listCustomers)`. */
export const all = <A extends { readonly id: string }, E, R extends ListRequest = ListRequest>(
  list: (request: R) => Effect.Effect<{ readonly data: ReadonlyArray<A>; readonly has_more: boolean }, E>,
  request: R = {} as R
): Stream.Stream<A, E> =>
  Stream.paginate(request, (page) =>
    Effect.map(list(page), ({ data, has_more }) => {
      const last = data.at(-1)
      const next =
        has_more && last !== undefined
          ? Option.some({ ...page, query: { ...page.query, starting_after: last.id } })
          : Option.none<R>()
      return [data, next] as const
    })
  )
