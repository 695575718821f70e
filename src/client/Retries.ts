import { Duration, Effect, Random, Schema } from "effect"
import { HttpClient, HttpClientError, type HttpClientResponse } from "effect/http"

/** The first request with this key is still being carried out, after all retries. Ask again with the same key. */
export class StillInProgress extends Schema.TaggedError<StillInProgress>()("StillInProgress", {
  idempotency_key: Schema.String,
  message: Schema.String
}) {}

const delaysMs = [1_000, 2_000, 4_000] as const
// A service that asks for more than this is not waited for.
const retryAfterMaxMs = 60_000

const header = (response: HttpClientResponse.HttpClientResponse, name: string) => response.headers[name] ?? ""

const retryAfterMs = (response: HttpClientResponse.HttpClientResponse) => {
  const text = header(response, "retry-after")
  return /^\d{1,6}$/.test(text) ? Number(text) * 1000 : 0
}

const inProgress = Schema.is(Schema.Struct({ object: Schema.Literal("idempotent_request") }))

const isInProgress = (response: HttpClientResponse.HttpClientResponse) =>
  response.status === 202 && header(response, "retry-after") !== ""
    ? Effect.map(response.json, inProgress)
    : Effect.succeed(false)

const isWorthRetrying = (response: HttpClientResponse.HttpClientResponse) =>
  header(response, "svc-should-retry") !== "false" && (response.status === 429 || response.status >= 500)

/**
 * Sends a request up to four times, with 1 s, 2 s and 4 s between (and up to 10 % more), or what `Retry-After` says where that
 * is longer: when no answer came, and after 429, 5xx and 202 for a request in progress. The key is the same each time, so that
 * nothing is done twice. No other answer is asked for again.
 */
export const retrying = (client: HttpClient.HttpClient, attemptTimeout: Duration.Input) =>
  HttpClient.transform(client, (send, request) => {
    const noAnswer = Effect.fail(
      new HttpClientError.HttpClientError({
        reason: new HttpClientError.TransportError({ request, description: "no answer in time" })
      })
    )
    const attempt = Effect.timeoutOrElse(send, { duration: attemptTimeout, orElse: () => noAnswer })
    return Effect.gen(function* () {
      for (let made = 0; ; made++) {
        const delayMs = delaysMs[made]
        const result = yield* Effect.result(attempt)
        if (result._tag === "Failure") {
          if (result.failure.reason._tag !== "TransportError" || delayMs === undefined) return yield* result.failure
          yield* pause(delayMs)
          continue
        }
        const response = result.success
        const waits = yield* isInProgress(response)
        const afterMs = retryAfterMs(response)
        if (!waits && (!isWorthRetrying(response) || afterMs > retryAfterMaxMs)) return response
        if (delayMs === undefined) {
          if (!waits) return response
          return yield* new StillInProgress({
            idempotency_key: request.headers["idempotency-key"] ?? "",
            message: "The first request with this key is still being carried out. Ask again with the same key."
          })
        }
        yield* pause(Math.max(delayMs, afterMs))
      }
    })
  })

const pause = (delayMs: number) =>
  Effect.flatMap(Random.next, (random) => Effect.sleep(Duration.millis(delayMs * (1 + random / 10))))
