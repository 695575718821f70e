/*
 * `@folio-einvoicing/client/effect`: the API as typed functions on Effect. The client retries a request that got no
 * response, exceeded a rate limit (429) or failed inside the service (5xx). The idempotency key of every POST, PUT and
 * PATCH makes the retry safe.
 */
import {
  Clock,
  Config,
  Context,
  Duration,
  Effect,
  Layer,
  Option,
  Predicate,
  Random,
  Record,
  Redacted,
  Result,
  type Schema,
  Stream
} from "effect"
import { HttpClient, HttpClientError, HttpClientRequest, HttpClientResponse } from "effect/http"
import { HttpApi, HttpApiClient } from "effect/http-api"
import type { ApiError } from "../../../schemas/ApiError.ts"
import { Api } from "../../api/Api.ts"
import { firstQuery, isFinal, keyOf, nextQuery, pauseMs, type Query, type RequestOf, waitsMs } from "./Attempts.ts"
import type { Operations } from "./Interface.ts"
import { routes } from "./OperationRoutes.ts"
import { gathering, hasItsType, UnusableBody } from "./ResponseBody.ts"
import { type Event, type ReceivedWebhook, verify, WebhookVerificationError } from "./Webhooks.ts"

export { ApiError } from "../../../schemas/ApiError.ts"
export { WebhookVerificationError }
export type { ReceivedWebhook }
export type * from "./Interface.ts"

/** Settings of a client. */
export interface ClientOptions {
  /** The base URL of the service: `https://…`. */
  readonly baseUrl: string
  /** `sk_test_…` or `sk_live_…`. */
  readonly apiKey: Redacted.Redacted<string> | string
  /** The dated version of the API to use. If omitted, the account's default version. */
  readonly version?: string | undefined
  /** The account that a platform's key acts for, `ten_…`. Only for a platform's key. */
  readonly account?: string | undefined
}

/**
 * The errors of a call. `ApiError`: the service rejected or failed the request. `HttpClientError`: no response arrived
 * in four attempts, or the response is not Folio's. `SchemaError`: the request or the response doesn't match its
 * schema.
 */
export type ClientError = ApiError | HttpClientError.HttpClientError | Schema.SchemaError

type Arguments<Request> = {} extends Request ? [request?: Request] : [request: Request]

type Reply<Operation> = Operation extends { readonly item: infer Item }
  ? Stream.Stream<Item, ClientError>
  : Operation extends { readonly answer: infer Answer }
    ? Effect.Effect<Answer, ClientError>
    : never

type Calls<Group> = {
  readonly [Name in keyof Group]: (...call: Arguments<RequestOf<Group[Name]>>) => Reply<Group[Name]>
}

/**
 * A function for each operation, by group. Each takes the `params`, `query`, `payload` and `headers` of its operation.
 * For each list, another function streams all objects, page by page: `allInvoices` next to `listInvoices`.
 */
export type ClientShape = { readonly [Group in keyof Operations]: Calls<Operations[Group]> }

const answerOf = ({ headers, status }: HttpClientResponse.HttpClientResponse) => ({
  status,
  header: (name: string) => headers[name]
})

type Send = Effect.Effect<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError>

/** Reads the whole response. Fails with the cause `UnusableBody` if the response is too large or isn't Folio's. */
const reading = (send: Send): Send =>
  Effect.gen(function* () {
    const response = yield* send
    const { headers, request, status } = response
    const refuse = (cause: unknown) =>
      new HttpClientError.HttpClientError({
        reason: new HttpClientError.DecodeError({ request, response, cause, description: String(cause) })
      })
    const [path = ""] = request.url.split("?")
    const isFinalSuccess = status >= 200 && status < 300 && isFinal(answerOf(response), yield* Clock.currentTimeMillis)
    const type = headers["content-type"]
    if (isFinalSuccess && !hasItsType(request.method, path, type)) {
      return yield* refuse(
        new UnusableBody(`The response has the type ${type}, so it isn't Folio's. Check the base URL.`)
      )
    }
    const body = gathering()
    yield* Stream.runForEach(response.stream, (chunk) =>
      Effect.try({ try: () => body.add(chunk), catch: refuse })
    ).pipe(
      Effect.catchIf(
        ({ reason }) => reason._tag === "EmptyBodyError",
        () => Effect.void
      )
    )
    const bytes = body.bytes()
    const init = { status, headers: { ...headers } }
    return HttpClientResponse.fromWeb(request, new Response(bytes.length === 0 ? null : bytes, init))
  })

/** Sends a request up to four times: immediately, then after 1 s, 2 s and 4 s, or later if `Retry-After` is longer. */
const repeating = (send: Send): Send =>
  Effect.gen(function* () {
    for (const wait of waitsMs) {
      const result = yield* Effect.result(send)
      const now = yield* Clock.currentTimeMillis
      const answer = Result.isSuccess(result) ? answerOf(result.success) : undefined
      if (Result.isSuccess(result) && answer !== undefined && isFinal(answer, now)) return result.success
      if (Result.isFailure(result) && result.failure.cause instanceof UnusableBody) return yield* result.failure
      // Without a readable response the outcome is unknown. The idempotency key makes a retry safe.
      yield* Effect.sleep(Duration.millis(pauseMs(wait, answer, now, yield* Random.next)))
    }
    return yield* send
  })

interface Taken {
  readonly query?: Query
  readonly headers?: Readonly<Record<string, unknown>>
}

type Call = (request: Taken) => Effect.Effect<unknown, ClientError>

const given = (parts: Query = {}) => Object.entries(parts).filter(([, value]) => value !== undefined)

/** The query with strings, as a URL needs them. */
const textsOf = (query: Query | undefined) =>
  Object.fromEntries(given(query).map(([name, value]) => [name, typeof value === "object" ? value : String(value)]))

/**
 * Adds a new idempotency key to each run of an operation that changes something. All attempts of a run share the key.
 */
const withKey =
  (route: string, call: Call) =>
  (request: Taken = {}) =>
    Effect.suspend(() => {
      const key = { "idempotency-key": keyOf(route.slice(0, route.indexOf(" "))) }
      const headers = Object.fromEntries([...given(key), ...given(request.headers)])
      return call({ ...request, query: textsOf(request.query), headers })
    })

const streaming =
  (call: Call) =>
  (request: Taken = {}) =>
    Stream.paginate(firstQuery(request.query), (query) =>
      Effect.map(call({ ...request, query }), (answer) => {
        const page = answer as Parameters<typeof nextQuery>[1]
        return [page.data, Option.fromNullOr(nextQuery(query, page))] as const
      })
    )

/** Makes a client. */
export const make = (options: ClientOptions): Effect.Effect<ClientShape, never, HttpClient.HttpClient> =>
  Effect.gen(function* () {
    const { account, apiKey, baseUrl, version } = options
    const settings = { "svc-version": version, "svc-account": account }
    const key = typeof apiKey === "string" ? Redacted.make(apiKey) : apiKey
    const transformClient = (client: HttpClient.HttpClient) =>
      client.pipe(
        HttpClient.mapRequest(HttpClientRequest.bearerToken(Redacted.value(key))),
        HttpClient.mapRequest((request) =>
          HttpClientRequest.setHeaders(request, {
            ...Record.filter(settings, Predicate.isNotUndefined),
            ...request.headers
          })
        ),
        HttpClient.transform((send) => repeating(reading(send)))
      )
    // Responses may have unknown members, because a later release of the service may add some.
    const api = Api.annotate(HttpApi.ParseOptions, { errors: "all" }).annotate(HttpApi.SuccessParseOptions, {
      errors: "all"
    })
    const calls: Record<string, Record<string, unknown>> = yield* HttpApiClient.make(api, { baseUrl, transformClient })
    const groups = Object.entries(routes).map(([group, operations]) => [
      group,
      Object.fromEntries(
        Object.entries<string>(operations).map(([name, route]) => {
          const call = withKey(route, calls[group]?.[name.replace(/^all/, "list")] as Call)
          return [name, name.startsWith("all") ? streaming(call) : call]
        })
      )
    ])
    return Object.fromEntries(groups)
  })

/**
 * The client as a service.
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import { FetchHttpClient } from "effect/http"
 * import { Client } from "@folio-einvoicing/client/effect"
 *
 * const program = Effect.gen(function* () {
 *   const folio = yield* Client
 *   const { data } = yield* folio.invoices.listInvoices({ query: { limit: 5 } })
 *   for (const { full_number, status } of data) yield* Effect.log(full_number, status)
 * })
 *
 * const main = program.pipe(
 *   Effect.provide(Client.layer({ baseUrl: "http://127.0.0.1:3000", apiKey: "sk_test_…" })),
 *   Effect.provide(FetchHttpClient.layer)
 * )
 * ```
 */
export class Client extends Context.Service<Client, ClientShape>()("@folio-einvoicing/client/Client") {
  /** The client with these settings. */
  static readonly layer = (options: ClientOptions): Layer.Layer<Client, never, HttpClient.HttpClient> =>
    Layer.effect(Client, make(options))

  /**
   * The client with the settings of the environment: `FOLIO_URL`, `FOLIO_API_KEY`, and the optional
   * `FOLIO_VERSION` and `FOLIO_ACCOUNT`.
   */
  static readonly layerConfig: Layer.Layer<Client, Config.ConfigError, HttpClient.HttpClient> = Layer.unwrap(
    Effect.map(
      Config.all({
        baseUrl: Config.NonEmptyString("FOLIO_URL"),
        apiKey: Config.Redacted("FOLIO_API_KEY"),
        version: Config.withDefault(Config.NonEmptyString("FOLIO_VERSION"), undefined),
        account: Config.withDefault(Config.NonEmptyString("FOLIO_ACCOUNT"), undefined)
      }),
      (options) => Client.layer(options)
    )
  )
}

/**
 * Returns the event of a genuine webhook, by the clock of the program. The event has the fields of the API version of
 * the endpoint; later versions may have more fields.
 */
export const verifyWebhook = (webhook: ReceivedWebhook): Effect.Effect<Event, WebhookVerificationError> =>
  Effect.flatMap(Clock.currentTimeMillis, (millis) =>
    Effect.tryPromise({
      try: () => verify({ ...webhook, now: webhook.now ?? new Date(millis) }),
      // `verify` rejects with nothing else.
      catch: (error) => error as WebhookVerificationError
    })
  )
