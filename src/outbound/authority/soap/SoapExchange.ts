import { Clock, Duration, Effect, Result } from "effect"
import type { AuthorityTrouble } from "../../../../schemas/AuthorityTrouble.ts"
import { AuthorityRefusal, AuthorityUnavailable, type CallerCertificate } from "../Authority.ts"
import { agentFor, call, textOf } from "../../HttpCall.ts"
import { connectionTrouble } from "./ConnectionTroubles.ts"
import { type NoResult, resultOf } from "./SoapAnswers.ts"
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

/** An HTTP answer. `date`: the server's clock in Unix milliseconds, NaN if unknown. */
interface Answer {
  readonly status: number
  readonly type: string
  readonly date: number
  readonly text: string
}

// The authority's messages are valid for hours; a greater difference of the clocks is worth telling.
const clockTolerance = Duration.minutes(5)

const unavailable = (trouble: AuthorityTrouble, message: string) => new AuthorityUnavailable({ message, trouble })

/** How far two clocks are apart, in the largest unit that is not zero. */
const apart = (ms: number) => {
  const minutes = Math.round(Math.abs(ms) / 60_000)
  const [count, unit] = minutes < 120 ? [minutes, "minutes"] : [Math.round(minutes / 60), "hours"]
  return `${count} ${unit} ${ms > 0 ? "ahead of" : "behind"} the authority's`
}

/** What a fault that blames the sender says: the message was not processed. */
const refusalOf = ({ blames, message }: NoResult, { date, status }: Answer, now: number) => {
  const said = `The authority answered ${status} with ${message.replace(/[.\s]+$/, "")}.`
  if (blames === "certificate") return new AuthorityRefusal({ message: said, trouble: "certificate_refused" })
  if (blames === "sender") return new AuthorityRefusal({ message: said, trouble: "sender_refused" })
  const isOff = Math.abs(now - date) > Duration.toMillis(clockTolerance)
  return isOff
    ? new AuthorityRefusal({ message: `${said} This machine's clock is ${apart(now - date)}.`, trouble: "clock_off" })
    : new AuthorityRefusal({ message: said, trouble: "security_refused" })
}

/** What an answer that is not of the service says, by its status: a redirect or a 4xx comes from something else than the service. */
const troubleOfStatus = (status: number): AuthorityTrouble =>
  status >= 300 && status < 500 && status !== 408 && status !== 429 ? "not_the_service" : "server_error"

/**
 * Makes the function that calls the authority's service over HTTP/1.1, TLS 1.2 or later with the usual verification. Redirects are
 * not followed, proxies and cookies not used, answers not decompressed. Any answer other than the operation's result fails:
 * with `AuthorityRefusal` if the authority blames the sender and has processed nothing, else with `AuthorityUnavailable`, whose trouble
 * says whether the message may have left.
 */
export const makeSoapExchange = Effect.fnUntraced(function* (options: SoapExchangeOptions) {
  const { maxBytes = 8 * 1024 * 1024, url } = options
  const totalTimeout = Duration.fromInputUnsafe(options.totalTimeout ?? "60 seconds")
  const target = new URL(url)
  const agent = agentFor(target, options.ca)
  // The calls in progress have been interrupted before the scope closes.
  yield* Effect.addFinalizer(() => Effect.sync(() => agent.destroy()))

  const post = (operation: string, body: string) =>
    Effect.tryPromise({
      try: async (signal): Promise<Answer> => {
        const answer = await call(target, {
          method: "POST",
          headers: { "content-type": contentTypeOf(operation), accept: "application/soap+xml" },
          body,
          signal,
          agent,
          connectTimeout: options.connectTimeout ?? "10 seconds"
        })
        return {
          status: answer.statusCode ?? 0,
          type: answer.headers["content-type"] ?? "",
          date: Date.parse(answer.headers.date ?? ""),
          text: await textOf(answer, maxBytes)
        }
      },
      catch: (error) => {
        const { message, trouble } = connectionTrouble(error)
        return unavailable(trouble, `The authority: ${message}.`)
      }
    })

  /** Calls one operation and returns its result element as received. */
  return Effect.fn("SoapExchange.call")(function* (operation: SoapCall, caller: CallerCertificate) {
    const now = yield* Clock.currentTimeMillis
    const envelope = yield* signedEnvelope(operation, url, caller, now)
    const answer = yield* post(operation.operation, envelope).pipe(
      Effect.timeoutOrElse({
        duration: totalTimeout,
        orElse: () =>
          Effect.fail(
            unavailable("no_answer", `The authority: no answer within ${Duration.toSeconds(totalTimeout)} s.`)
          )
      })
    )
    const { status, text, type } = answer
    const trouble = troubleOfStatus(status)
    const isXml = /^(application\/soap\+xml|text\/xml|application\/xml)\b/i.test(type)
    if (!isXml) return yield* unavailable(trouble, `The authority answered ${status} with ${type || "no type"}.`)
    const result = resultOf(text, operation.operation)
    // A SOAP fault arrives with status 400 or 500. A result with any status other than 200 does not count.
    if (Result.isFailure(result)) {
      if (result.failure.blames !== null)
        return yield* refusalOf(result.failure, answer, yield* Clock.currentTimeMillis)
      return yield* unavailable(trouble, `The authority answered ${status} with ${result.failure.message}.`)
    }
    if (status !== 200) return yield* unavailable(trouble, `The authority answered ${status}.`)
    return result.success
  })
})
