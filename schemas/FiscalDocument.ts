import { Schema } from "effect"
import { LocalDate } from "./Money.ts"

/** The fiscal documents: the law treats them alike, and so does the lifecycle. */
export const DocumentKind = Schema.Literals(["invoice", "credit_note", "debit_note"])
export type DocumentKind = typeof DocumentKind.Type

/** Why a note was issued, by a code of the catalogs, and the invoice that it corrects. */
export const Correction = Schema.Struct({
  code: Schema.String,
  reason: Schema.String,
  invoice: Schema.Struct({ full_number: Schema.String, cufe: Schema.String, issue_date: LocalDate })
})
export type Correction = typeof Correction.Type

/** One rule of the authority that a document broke (`rejection`) or that it only remarks on (`notification`). */
export class AuthorityError extends Schema.Opaque<AuthorityError>()(
  Schema.Struct({
    rule: Schema.String.annotateKey({ description: "The rule of the authority.", examples: ["FAD06"] }),
    severity: Schema.Literals(["rejection", "notification"]),
    message: Schema.String.annotateKey({
      description: "What the authority says.",
      examples: ["El CUFE no está calculado correctamente."]
    }),
    path: Schema.NullOr(Schema.String).annotateKey({
      description: "Where in the document, as an XPath.",
      examples: [null]
    }),
    hint: Schema.NullOr(Schema.String).annotateKey({ description: "What to do about it.", examples: [null] })
  }).annotate({
    identifier: "AuthorityError",
    description:
      "A rule of the authority that a document broke (`rejection`), or that it only remarks on (`notification`)."
  })
) {}

/** Why a document failed inside the service; the authority has not judged it. */
export class Failure extends Schema.Opaque<Failure>()(
  Schema.Struct({
    code: Schema.String.annotateKey({ description: "Machine-readable.", examples: ["range_exhausted"] }),
    message: Schema.String.annotateKey({
      description: "What happened, and what to do.",
      examples: ["The range has no number left; register another one and retry."]
    }),
    retryable: Schema.Boolean.annotateKey({ description: "Whether a retry can help." })
  }).annotate({
    identifier: "Failure",
    description: "Why a document failed inside the service; the authority has not judged it."
  })
) {}
