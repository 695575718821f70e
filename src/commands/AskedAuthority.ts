import { Effect } from "effect"
import { ApiError } from "../../schemas/ApiError.ts"
import { refusalMessage } from "../domain/authority/AuthorityTroubles.ts"
import { storableText } from "../domain/requests/Storable.ts"
import { type AuthorityRefusal, AuthorityUnavailable, troubleOf } from "../outbound/authority/Authority.ts"
import { dieOfInterruption, withDeadline } from "../protocol/PortCall.ts"

/** The longest text of the authority, in characters, that Folio stores or repeats. */
export const wordsMax = 500

/** The error for an account that cannot ask the authority yet. */
export const notLive = (message: string) => new ApiError({ code: "account_not_live", message })

interface Question {
  /** The object of the question, for an error message. */
  readonly what: string
  readonly timeoutMs: number
  /** What the client does if the authority does not answer, for an error message. */
  readonly retry: string
}

/**
 * Waits for the authority's answer within a time. Fails with `account_not_live` if the authority rejects the question,
 * and with `service_unavailable` if no answer comes.
 */
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
