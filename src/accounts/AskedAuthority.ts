import { Effect } from "effect"
import { ApiError } from "../../schemas/ApiError.ts"
import { refusalMessage } from "../invoices/rules/AuthorityTroubles.ts"
import { storableText } from "../runtime/json/Storable.ts"
import { type AuthorityRefusal, AuthorityUnavailable, troubleOf } from "../invoices/authority/Authority.ts"
import type { Signing } from "../invoices/Signing.ts"
import { dieOfInterruption, withDeadline } from "../runtime/PortCall.ts"

/** The longest text of the authority, in characters, that Folio stores or repeats. */
export const wordsMax = 500

/** The error for an account that cannot call the authority yet. */
export const notLive = (message: string) => new ApiError({ code: "account_not_live", message })

interface Question {
  /** The object of the look-up, for an error message. */
  readonly what: string
  readonly timeoutMs: number
  /** The client's next step if the authority does not respond, for an error message. */
  readonly retry: string
}

const noAnswer =
  ({ retry }: Question) =>
  ({ message }: AuthorityUnavailable) =>
    Effect.fail(
      new ApiError({
        code: "service_unavailable",
        message: `The call to the authority failed (${storableText(message, wordsMax)}). ${retry}`,
        headers: { "Retry-After": "30", "Svc-Should-Retry": "true" }
      })
    )

/** The certificate of the caller. Fails as `askedAuthority` does without a certificate or without its signer. */
export const askedCaller = (caller: ReturnType<typeof Signing.Service.liveCaller>, question: Question) =>
  Effect.catchTags(caller, {
    NoCertificate: ({ message }) => Effect.fail(notLive(message)),
    AuthorityUnavailable: noAnswer(question)
  })

/**
 * Waits for the authority's response within a time limit. Fails with `account_not_live` if the authority rejects the
 * look-up, and with `service_unavailable` without a response.
 */
export const askedAuthority = <A>(
  call: Effect.Effect<A, AuthorityRefusal | AuthorityUnavailable>,
  question: Question
) =>
  withDeadline(call, question.timeoutMs, () =>
    Effect.fail(new AuthorityUnavailable({ message: "no response in time" }))
  ).pipe(
    dieOfInterruption,
    Effect.catchTags({
      AuthorityRefusal: (error) =>
        Effect.fail(
          notLive(`The authority returned no ${question.what}. ${refusalMessage(troubleOf(error), error.message)}`)
        ),
      AuthorityUnavailable: noAnswer(question)
    })
  )
