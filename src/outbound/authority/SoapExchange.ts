import { Clock, Duration, Effect, Result } from "effect"
import { Agent } from "undici"
import { AuthorityUnavailable, type CallerCertificate } from "./Authority.ts"
import { resultOf } from "./SoapAnswers.ts"
import { contentTypeOf, signedEnvelope, type SoapCall } from "./WsSecurity.ts"

export interface SoapExchangeOptions {
  /** The URL of the authority's service. */
  readonly url: string
  /** Limit of connecting, TLS included; default 10 s. */
  readonly connectTimeout?: Duration.Input
  /** Limit of a call from the first to the last byte; default 60 s. */
  readonly totalTimeout?: Duration.Input
  /** Limit of an answer's size in bytes; default 8 MiB. */
  readonly maxBytes?: number
  /** PEM certificates to trust instead of the system's. */
  readonly ca?: string
}

const unavailable = (message: string) => new AuthorityUnavailable({ message })

const reasons: Readonly<Record<string, string>> = {
  UND_ERR_CONNECT_TIMEOUT: "it did not take the connection in time",
  UND_ERR_RES_EXCEEDED_MAX_SIZE: "its answer is too large",
  UND_ERR_HEADERS_OVERFLOW: "its answer is too large",
  UND_ERR_SOCKET: "the connection broke before its answer was here",
  ECONNRESET: "the connection broke before its answer was here",
  ECONNREFUSED: "it takes no connections",
  ENOTFOUND: "its host has no address"
}

const reasonOf = (error: unknown) => {
  const { code, message } = error as { readonly code?: string; readonly message?: string }
  return reasons[code ?? ""] ?? `no answer (${code ?? message ?? "unknown"})`
}

/**
 * Makes the function that calls the authority's service over HTTP/1.1, TLS 1.2 or later with the usual verification. Redirects are
 * not followed, proxies and cookies not used, answers not decompressed. Any answer other than the operation's result leaves the
 * outcome unknown: the call fails with `AuthorityUnavailable`.
 */
export const makeSoapExchange = Effect.fnUntraced(function* (options: SoapExchangeOptions) {
  const { maxBytes = 8 * 1024 * 1024, url } = options
  const totalTimeout = Duration.fromInputUnsafe(options.totalTimeout ?? "60 seconds")
  const total = Duration.toMillis(totalTimeout)
  const { origin, pathname, search } = new URL(url)
  const agent = new Agent({
    allowH2: false,
    connect: {
      timeout: Duration.toMillis(Duration.fromInputUnsafe(options.connectTimeout ?? "10 seconds")),
      minVersion: "TLSv1.2",
      ...(options.ca === undefined ? {} : { ca: options.ca })
    },
    headersTimeout: total,
    bodyTimeout: total,
    maxResponseSize: maxBytes
  })
  // Not `close`, which waits for answers: the calls in progress have been interrupted before the scope closes.
  yield* Effect.addFinalizer(() => Effect.promise(() => agent.destroy()))

  const post = (operation: string, body: string) =>
    Effect.tryPromise({
      try: async (signal) => {
        const answer = await agent.request({
          origin,
          path: pathname + search,
          method: "POST",
          headers: { "content-type": contentTypeOf(operation), accept: "application/soap+xml" },
          body,
          signal
        })
        return {
          status: answer.statusCode,
          type: String(answer.headers["content-type"] ?? ""),
          text: await answer.body.text()
        }
      },
      catch: (error) => unavailable(`The authority: ${reasonOf(error)}.`)
    })

  /** Calls one operation and returns its result element as received. */
  return Effect.fn("SoapExchange.call")(function* (call: SoapCall, caller: CallerCertificate) {
    const now = yield* Clock.currentTimeMillis
    const envelope = yield* signedEnvelope(call, url, caller, now)
    const { status, text, type } = yield* post(call.operation, envelope).pipe(
      Effect.timeoutOrElse({
        duration: totalTimeout,
        orElse: () => Effect.fail(unavailable(`The authority: no answer within ${Duration.toSeconds(totalTimeout)} s.`))
      })
    )
    const isXml = /^(application\/soap\+xml|text\/xml|application\/xml)\b/i.test(type)
    if (!isXml) return yield* unavailable(`The authority answered ${status} with ${type || "no type"}.`)
    const result = resultOf(text, call.operation)
    // A SOAP fault arrives with status 400 or 500. A result with any status other than 200 does not count.
    if (Result.isFailure(result)) return yield* unavailable(`The authority answered ${status} with ${result.failure}.`)
    if (status !== 200) return yield* unavailable(`The authority answered ${status}.`)
    return result.success
  })
})
