import { Schema } from "effect"
import { AccountMode } from "./Account.ts"
import { field } from "./Field.ts"
import { LocalDate } from "./Money.ts"

/** The kinds of fiscal document. The law and the lifecycle treat all kinds alike. */
export const DocumentKind = Schema.Literals(["invoice", "credit_note", "debit_note"])
export type DocumentKind = typeof DocumentKind.Type

/**
 * The key of a fiscal document. `id` is a string from a client or a row that is not checked; an id of another form matches no
 * document.
 */
export const DocumentKey = Schema.Struct({ ...AccountMode.fields, id: Schema.String })
export type DocumentKey = typeof DocumentKey.Type

/** An invoice as another document names it. */
export const InvoiceReference = Schema.Struct({
  full_number: Schema.String,
  cufe: Schema.String,
  issue_date: LocalDate
})
export type InvoiceReference = typeof InvoiceReference.Type

/**
 * The correction that a note makes: the reason as a code of the catalogs and in words, and the invoice that the note corrects.
 * `invoice` is null for a note without an invoice: the `period` of such a note tells when the corrected sales were made.
 */
export const Correction = Schema.Struct({
  code: Schema.String,
  reason: Schema.String,
  invoice: Schema.NullOr(InvoiceReference)
})
export type Correction = typeof Correction.Type

export class AuthorityError extends Schema.Opaque<AuthorityError>()(
  Schema.Struct({
    rule: field(Schema.String, "The code of the rule, as the tax authority names it.", "FAD06"),
    severity: Schema.Literals(["rejection", "notification"]),
    message: field(
      Schema.String,
      "The text of the rule, as the tax authority gives it.",
      "El CUFE no está calculado correctamente."
    ),
    path: field(
      Schema.NullOr(Schema.String),
      "The place in the XML document that breaks the rule, as an XPath; null when the authority names none.",
      null
    ),
    hint: field(Schema.NullOr(Schema.String), "What to change so that the document keeps the rule.", null)
  }).annotate({
    identifier: "AuthorityError",
    description:
      "A rule of the authority that a document broke (`rejection`), or that it only remarks on (`notification`)."
  })
) {}

export class Failure extends Schema.Opaque<Failure>()(
  Schema.Struct({
    code: field(Schema.String, "The cause of the failure, for programs.", "range_exhausted"),
    message: field(
      Schema.String,
      "What happened, and what to do, for people.",
      "The range has no number left; register another one and retry."
    ),
    retryable: field(Schema.Boolean, "`true` when the document can be retried once the cause is repaired.")
  }).annotate({
    identifier: "Failure",
    description: "Why a document failed inside Folio. The tax authority has not judged it."
  })
) {}

/** What a document shows of the reasons of its outcome. */
export const outcomeFields = {
  authority_errors: field(
    Schema.Array(AuthorityError),
    "The rules of the tax authority that the document broke; empty unless it was rejected.",
    []
  ),
  authority_notifications: field(
    Schema.Array(AuthorityError),
    "Rules of the tax authority that it remarks on without rejecting the document.",
    []
  ),
  failure: field(
    Schema.NullOr(Failure),
    "Why the document failed inside Folio; null unless its status is `failed`.",
    null
  )
}
