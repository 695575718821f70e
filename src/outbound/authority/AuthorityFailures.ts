import { Schema } from "effect"
import { AuthorityTrouble } from "../../../schemas/AuthorityTrouble.ts"
import { AuthorityError } from "../../../schemas/FiscalDocument.ts"

/**
 * The authority gave no response, or a response without a verdict. `trouble` is the reason, and decides whether the
 * document may have left; if omitted, it may (`no_answer`). Before the service submits such a document again, it asks
 * for the verdict, and it never issues the document in contingency. A document that did not leave
 * (`connection_refused`, `name_not_found`, `no_route`, `tls_failed`) is submitted later. If the authority refuses
 * connections for long, the document is issued in contingency.
 */
export class AuthorityUnavailable extends Schema.TaggedError<AuthorityUnavailable>()("AuthorityUnavailable", {
  message: Schema.String,
  trouble: Schema.optionalKey(AuthorityTrouble),
  /** True if the failure concerns this document only, so that it does not count as an outage of the authority. */
  of_document: Schema.optionalKey(Schema.Boolean),
  /**
   * True if a later call would not reach the authority either. An unsent document is then issued in contingency without
   * the wait of five minutes. The simulated authority sets it for a scripted outage.
   */
  lasts: Schema.optionalKey(Schema.Boolean),
  /**
   * The rule by which the authority rejects a number that it has processed with another document. If the authority does
   * not know the document's code, the document is finally rejected by this rule: a corrected document after a few
   * attempts, any other after an hour.
   */
  number_processed: Schema.optionalKey(AuthorityError)
}) {}

/**
 * The authority refuses the document because of its sender or its package: the sender is not authorized for the issuer,
 * or the package is unreadable. A repeated submission would fail too, so the document fails until the cause is removed.
 */
export class AuthorityRefusal extends Schema.TaggedError<AuthorityRefusal>()("AuthorityRefusal", {
  /** The authority's own message, for the account to read. */
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
