import { Schema } from "effect"
import { field } from "./Field.ts"
import { DocumentKind } from "./FiscalDocument.ts"
import { LocalDate } from "./Money.ts"

/** The maximum number of days of one request for usage. */
export const usageDaysMax = 366

/** The number of days if the request names no first day. */
export const usageDaysDefault = 30

/** The statuses that count as usage: Folio has no work left for the document. */
export const usageOutcomes = ["accepted_by_authority", "rejected_by_authority", "failed", "canceled"] as const

export const UsageQuery = {
  from: field(
    Schema.optionalKey(LocalDate),
    `First day, as YYYY-MM-DD. If omitted, the day ${usageDaysDefault - 1} days before \`to\`.`,
    "2026-11-01"
  ),
  to: field(
    Schema.optionalKey(LocalDate),
    `Last day, as YYYY-MM-DD, at most ${usageDaysMax - 1} days after \`from\`. If omitted, today.`,
    "2026-11-30"
  )
}

/** The documents of an account by day, kind and outcome. */
export class Usage extends Schema.Opaque<Usage>()(
  Schema.Struct({
    object: Schema.Literal("usage"),
    livemode: field(Schema.Boolean, "Mode of the documents: `true` for live, `false` for test."),
    from: field(
      Schema.String,
      "First day, as YYYY-MM-DD in the authority's time zone (-05:00 in Colombia).",
      "2026-11-01"
    ),
    to: field(
      Schema.String,
      "Last day, as YYYY-MM-DD in the authority's time zone (-05:00 in Colombia).",
      "2026-11-30"
    ),
    days: field(
      Schema.Array(
        Schema.Struct({
          date: field(LocalDate, "Day on which the documents reached the outcome.", "2026-11-21"),
          kind: field(DocumentKind, "Kind of the documents.", "invoice"),
          outcome: field(
            Schema.Literals(usageOutcomes),
            "Outcome of the documents, as in their `status`.",
            "accepted_by_authority"
          ),
          documents: field(Schema.Int, "Number of documents of this kind with this outcome on this day.", 42)
        })
      ),
      "Counts by day, kind and outcome, in this order. A count of 0 is omitted."
    )
  }).annotate({
    identifier: "Usage",
    description:
      "Documents of an account that reached an outcome, by day, kind and outcome. Each outcome counts on its day: a document that fails and is accepted after a retry counts as failed and as accepted. A document issued in contingency counts when the authority accepts or rejects it."
  })
) {}
