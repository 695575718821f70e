import { Context, type Effect, Schema } from "effect"
import type { AuthorityError } from "../../schemas/Invoice.ts"

/** A document on its way to the authority. `signed` are the stored bytes: a repetition sends the very same. */
export interface Submission {
  readonly cufe: string
  readonly signed: Uint8Array
}

/** The authority's final word on a document. Notifications are remarks: they never make it rejected. */
export interface Verdict {
  readonly accepted: boolean
  readonly errors: ReadonlyArray<AuthorityError>
  readonly notifications: ReadonlyArray<AuthorityError>
  /** The answer as received, kept beside the document. */
  readonly answer: unknown
}

/** No answer, or none that says anything: whether the document arrived is not known. */
export class AuthorityUnavailable extends Schema.TaggedError<AuthorityUnavailable>()("AuthorityUnavailable", {
  message: Schema.String
}) {}

/** The tax authority. Teams bring their own by providing another layer. */
export class Authority extends Context.Service<
  Authority,
  {
    readonly submit: (submission: Submission) => Effect.Effect<Verdict, AuthorityUnavailable>
    /** What the authority knows of a document: its verdict, or null when it never arrived and may be sent. */
    readonly verdict: (cufe: string) => Effect.Effect<Verdict | null, AuthorityUnavailable>
  }
>()("folio/outbound/Authority") {}
