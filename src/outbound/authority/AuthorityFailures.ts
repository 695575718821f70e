import { Schema } from "effect"
import { AuthorityTrouble } from "../../../schemas/AuthorityTrouble.ts"
import { AuthorityError } from "../../../schemas/FiscalDocument.ts"

/**
 * The authority gave no answer, or an answer without a verdict. `trouble` says why, and so whether the document may have left: left out,
 * it may (`no_answer`). The service asks the authority for its verdict before it submits such a document again, and never issues it
 * in contingency. A document of which nothing left (`connection_refused`, `name_not_found`, `no_route`, `tls_failed`) is
 * submitted later; if the authority refuses connections for long, the document is issued in contingency.
 */
export class AuthorityUnavailable extends Schema.TaggedError<AuthorityUnavailable>()("AuthorityUnavailable", {
  message: Schema.String,
  trouble: Schema.optionalKey(AuthorityTrouble),
  /** True if only this document gets no answer, so that the failure does not count as an outage of the authority. */
  of_document: Schema.optionalKey(Schema.Boolean),
  /**
   * True if a later call would not reach the authority either. A document of which nothing left is then issued in contingency without
   * the five minutes' wait. The simulated authority says so of a scripted outage.
   */
  lasts: Schema.optionalKey(Schema.Boolean),
  /**
   * The rule by which the authority does not judge a document because it has processed another document of the same number. A document
   * whose code the authority does not know ends as rejected by this rule: one that was corrected after a few attempts, any other after an
   * hour.
   */
  number_processed: Schema.optionalKey(AuthorityError)
}) {}

/**
 * The authority will not judge the document because of its sender or its packaging: a sender that is not authorized for the
 * issuer, a package that the authority cannot read. The same submission would be refused again, so that the document fails until
 * somebody removes the cause.
 */
export class AuthorityRefusal extends Schema.TaggedError<AuthorityRefusal>()("AuthorityRefusal", {
  /** The authority's own message, for the account to read. */
  message: Schema.String,
  /** Why the authority refuses the sender (`sender_refused` if left out): the account reads what to do about it. */
  trouble: Schema.optionalKey(AuthorityTrouble)
}) {}

/** @internal The trouble of a failed call. An authority that gave no answer and names no trouble may have the document. */
export const troubleOf = (error: AuthorityUnavailable | AuthorityRefusal): AuthorityTrouble =>
  error.trouble ?? (error instanceof AuthorityRefusal ? "sender_refused" : "no_answer")

/** @internal Whether an error is one that a call of the authority may end with. */
export const isAuthorityFailure = (error: unknown): error is AuthorityUnavailable | AuthorityRefusal =>
  error instanceof AuthorityUnavailable || error instanceof AuthorityRefusal
