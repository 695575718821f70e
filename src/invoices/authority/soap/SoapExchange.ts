import { Clock, Duration, Effect, Result } from "effect"
import type { AuthorityTrouble } from "../../../../schemas/AuthorityTrouble.ts"
import { AuthorityRefusal, AuthorityUnavailable, type CallerCertificate } from "../Authority.ts"
import { agentFor, call, textOf } from "../../../runtime/HttpCall.ts"
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
  /** Limit of a response's size in bytes; default 8 MiB. */
  readonly maxBytes?: number
  /** PEM certificates to trust instead of the system's. */
  readonly ca?: string
}

/** An HTTP response. `date`: the server's clock in Unix milliseconds, NaN if unknown. */
interface Answer {
  readonly status: number
  readonly type: string
  readonly date: number
  readonly text: string
}

// Messages are valid for hours, so only report a larger clock difference.
const clockTolerance = Duration.minutes(5)

const unavailable = (trouble: AuthorityTrouble, message: string) => new AuthorityUnavailable({ message, trouble })

/** The difference of two clocks, in minutes, or in hours from two hours on. */
const apart = (ms: number) => {
  const minutes = Math.round(Math.abs(ms) / 60_000)
  const [count, unit] = minutes < 120 ? [minutes, "minutes"] : [Math.round(minutes / 60), "hours"]
  return `${count} ${unit} ${ms > 0 ? "ahead of" : "behind"} the authority's`
}

/** The error for a fault of the sender, whose message was not processed. */
const refusalOf = ({ blames, message }: NoResult, { date, status }: Answer, now: number) => {
  const said = `The authority returned ${status} with ${message.replace(/[.\s]+$/, "")}.`
  if (blames === "certificate") return new AuthorityRefusal({ message: said, trouble: "certificate_refused" })
  if (blames === "sender") return new AuthorityRefusal({ message: said, trouble: "sender_refused" })
  const isOff = Math.abs(now - date) > Duration.toMillis(clockTolerance)
  return isOff
    ? new AuthorityRefusal({ message: `${said} This machine's clock is ${apart(now - date)}.`, trouble: "clock_off" })
    : new AuthorityRefusal({ message: said, trouble: "security_refused" })
}

/**
 * The trouble for a response that is not from the service. Responses with a redirect or a 4xx status come from another
 * program.
 */
const troubleOfStatus = (status: number): AuthorityTrouble =>
  status >= 300 && status < 500 && status !== 408 && status !== 429 ? "not_the_service" : "server_error"

/**
 * Makes the function that calls the authority's service over HTTP/1.1 and TLS 1.2 or later, with the usual
 * verification. It follows no redirects, uses no proxies or cookies, and decompresses no responses. Any response other
 * than the operation's result fails. If the authority names a fault of the sender and processed nothing, it fails with
 * `AuthorityRefusal`. Otherwise it fails with `AuthorityUnavailable`, whose trouble decides whether the message may
 * have left.
 */
export const makeSoapExchange = Effect.fnUntraced(function* (options: SoapExchangeOptions) {
  const { maxBytes = 8 * 1024 * 1024, url } = options
  const totalTimeout = Duration.fromInputUnsafe(options.totalTimeout ?? "60 seconds")
  const target = new URL(url)
  const agent = agentFor(target, options.ca)
  // The scope's close has already interrupted the calls in progress.
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
            unavailable("no_answer", `The authority: no response within ${Duration.toSeconds(totalTimeout)} s.`)
          )
      })
    )
    const { status, text, type } = answer
    const trouble = troubleOfStatus(status)
    const isXml = /^(application\/soap\+xml|text\/xml|application\/xml)\b/i.test(type)
    if (!isXml) return yield* unavailable(trouble, `The authority returned ${status} with ${type || "no type"}.`)
    const result = resultOf(text, operation.operation)
    // A SOAP fault arrives with status 400 or 500. A result with any status other than 200 does not count.
    if (Result.isFailure(result)) {
      if (result.failure.blames !== null)
        return yield* refusalOf(result.failure, answer, yield* Clock.currentTimeMillis)
      return yield* unavailable(trouble, `The authority returned ${status} with ${result.failure.message}.`)
    }
    if (status !== 200) return yield* unavailable(trouble, `The authority returned ${status}.`)
    return result.success
  })
})
