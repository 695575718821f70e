import { Effect } from "effect"
import { ApiError } from "../../schemas/ApiError.ts"
import { refusalMessage } from "../domain/authority/AuthorityTroubles.ts"
import { storableText } from "../domain/requests/Storable.ts"
import { type AuthorityRefusal, AuthorityUnavailable, troubleOf } from "../outbound/authority/Authority.ts"
import { dieOfInterruption, withDeadline } from "../protocol/PortCall.ts"

/** The most of the authority's words that are kept or repeated. */
export const wordsMax = 500

/** The error for an account that cannot ask the authority yet. */
export const notLive = (message: string) => new ApiError({ code: "account_not_live", message })

interface Question {
  /** What the authority is asked for, in an error. */
  readonly what: string
  readonly timeoutMs: number
  /** What to do when the authority does not answer, in an error. */
  readonly retry: string
}

/** The authority's answer within a time. Fails with `account_not_live` if the authority refuses it, and with `service_unavailable`. */
export const askedAuthority = <A>(
  call: Effect.Effect<A, AuthorityRefusal | AuthorityUnavailable>,
  { retry, timeoutMs, what }: Question
) =>
  withDeadline(call, timeoutMs, () => Effect.fail(new AuthorityUnavailable({ message: "no answer in time" }))).pipe(
    dieOfInterruption,
    Effect.catchTags({
      AuthorityRefusal: (error) =>
        Effect.fail(notLive(`The authority gives no ${what}. ${refusalMessage(troubleOf(error), error.message)}`)),
      AuthorityUnavailable: ({ message }) =>
        Effect.fail(
          new ApiError({
            code: "service_unavailable",
            message: `The authority could not be asked (${storableText(message, wordsMax)}). ${retry}`,
            headers: { "Retry-After": "30", "Svc-Should-Retry": "true" }
          })
        )
    })
  )
