import { Schema } from "effect"
import { AccountMode } from "./Account.ts"
import { field } from "./Field.ts"
import { LocalDate } from "./Money.ts"

/** The types of fiscal document. The law and the lifecycle treat them alike. */
export const DocumentKind = Schema.Literals(["invoice", "credit_note", "debit_note"])
export type DocumentKind = typeof DocumentKind.Type

/**
 * The key of a fiscal document. `id` is an unchecked string from a client or a row; a malformed id matches no document.
 */
export const DocumentKey = Schema.Struct({ ...AccountMode.fields, id: Schema.String })
export type DocumentKey = typeof DocumentKey.Type

/** A reference from a document to an invoice. */
export const InvoiceReference = Schema.Struct({
  full_number: Schema.String,
  cufe: Schema.String,
  issue_date: LocalDate
})
export type InvoiceReference = typeof InvoiceReference.Type

/**
 * The correction of a note: the reason as a catalog code and in words, and the corrected invoice. `invoice` is null for
 * a note without an invoice, which has the `period` of the corrected sales.
 */
export const Correction = Schema.Struct({
  code: Schema.String,
  reason: Schema.String,
  invoice: Schema.NullOr(InvoiceReference)
})
export type Correction = typeof Correction.Type

export class AuthorityError extends Schema.Opaque<AuthorityError>()(
  Schema.Struct({
    rule: field(Schema.String, "The tax authority's code of the rule.", "FAD06"),
    severity: Schema.Literals(["rejection", "notification"]),
    message: field(Schema.String, "The tax authority's text of the rule.", "El CUFE no está calculado correctamente."),
    path: field(
      Schema.NullOr(Schema.String),
      "XPath of the place in the XML document that breaks the rule. Null if the authority names none.",
      null
    ),
    hint: field(
      Schema.NullOr(Schema.String),
      "Change that makes the document meet the rule. Null if Folio has no hint for the rule.",
      null
    )
  }).annotate({
    identifier: "AuthorityError",
    description:
      "A rule of the tax authority that the document broke. `rejection`: the rule rejects the document. `notification`: the rule only causes a notification."
  })
) {}

export class Failure extends Schema.Opaque<Failure>()(
  Schema.Struct({
    code: field(Schema.String, "Machine-readable cause of the failure.", "range_exhausted"),
    message: field(
      Schema.String,
      "Message for people: what happened and what to do.",
      "The range has no number left; register another one and retry."
    ),
    retryable: field(Schema.Boolean, "`true` if you can retry the document after you fix the cause.")
  }).annotate({
    identifier: "Failure",
    description:
      "The reason why a document failed inside Folio. The tax authority has neither accepted nor rejected it."
  })
) {}

/** The fields of a document that explain its outcome. */
export const outcomeFields = {
  authority_errors: field(
    Schema.Array(AuthorityError),
    "Rules of the tax authority that rejected the document. Empty unless the document was rejected.",
    []
  ),
  authority_notifications: field(
    Schema.Array(AuthorityError),
    "Rules of the tax authority that caused a notification but no rejection.",
    []
  ),
  failure: field(
    Schema.NullOr(Failure),
    "Reason why the document failed inside Folio. Null unless the status is `failed`.",
    null
  )
}
