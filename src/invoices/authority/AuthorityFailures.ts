import { Schema } from "effect"
import { AuthorityTrouble } from "../../../schemas/AuthorityTrouble.ts"
import { AuthorityError } from "../../../schemas/FiscalDocument.ts"

/**
 * Failure of a call without a verdict. `trouble` is the reason, and decides whether the document may have left; if
 * omitted, it may (`no_answer`).
 *
 * If the document may have left, the service looks up its verdict before it submits the document again, and never
 * issues it in contingency. If it did not leave (`connection_refused`, `name_not_found`, `no_route`, `tls_failed`), the
 * service submits it later. After a long outage of this kind, the service issues the document in contingency.
 */
export class AuthorityUnavailable extends Schema.TaggedError<AuthorityUnavailable>()("AuthorityUnavailable", {
  message: Schema.String,
  trouble: Schema.optionalKey(AuthorityTrouble),
  /** True if the failure concerns this document only, so that it does not count as an outage of the authority. */
  of_document: Schema.optionalKey(Schema.Boolean),
  /**
   * True if a later call would not reach the authority either. The service then issues an unsent document in
   * contingency without the wait of five minutes. The simulated authority sets it for a scripted outage.
   */
  lasts: Schema.optionalKey(Schema.Boolean),
  /**
   * The rule by which the authority rejects a number that it has processed with another document. If the authority has
   * no document with this code, the rule finally rejects the document: a corrected document after a few attempts, any
   * other after an hour.
   */
  number_processed: Schema.optionalKey(AuthorityError)
}) {}

/**
 * Rejection of a document because of its sender or its package: the sender is not authorized for the issuer, or the
 * package is unreadable. A repeated submission would fail too, so the document fails until someone fixes the cause.
 */
export class AuthorityRefusal extends Schema.TaggedError<AuthorityRefusal>()("AuthorityRefusal", {
  /** The authority's own message, for the account. */
  message: Schema.String,
  /** The reason (`sender_refused` if omitted), from which the account gets its advice. */
  trouble: Schema.optionalKey(AuthorityTrouble)
}) {}

/**
 * The trouble of a failed call. Without a named trouble, the authority may have the document.
 *
 * @internal
 */
export const troubleOf = (error: AuthorityUnavailable | AuthorityRefusal): AuthorityTrouble =>
  error.trouble ?? (error instanceof AuthorityRefusal ? "sender_refused" : "no_answer")

/**
 * Whether an error is a failure of a call to the authority.
 *
 * @internal
 */
export const isAuthorityFailure = (error: unknown): error is AuthorityUnavailable | AuthorityRefusal =>
  error instanceof AuthorityUnavailable || error instanceof AuthorityRefusal
