import { Schema } from "effect"
import { field } from "./Field.ts"
import { AuthorityError, DocumentKind, Failure } from "./FiscalDocument.ts"
import { wholeNumber } from "./Limits.ts"
import { LocalDate, Timestamp } from "./Money.ts"
import { Prefix, RangeNumber, RangeTechnicalKey, ResolutionNumber } from "./Resolution.ts"

const invoicesMax = 100
const notesMax = 100

/** The id of a test set. */
const TestSetId = Schema.String.check(
  Schema.isPattern(/^[0-9A-Za-z][0-9A-Za-z-]{7,63}$/u, {
    message:
      "must be the id of the test set as the authority's portal shows it (TestSetId), such as b7d1c2a4-93cf-4a9e-8a2f-6c2f5d0e9b11"
  })
)

const testSetExample = "b7d1c2a4-93cf-4a9e-8a2f-6c2f5d0e9b11"

/** The numbering range of the authority's test environment for the invoices of a test set. */
export class TestRange extends Schema.Opaque<TestRange>()(
  Schema.Struct({
    number: field(ResolutionNumber, "Number of the resolution that grants the test range.", "18760000001"),
    prefix: field(Prefix, "The prefix of the test range.", "SETP"),
    from_number: field(RangeNumber, "The first number of the test range.", 990_000_000),
    to_number: field(RangeNumber, "The last number of the test range.", 995_000_000),
    valid_from: field(LocalDate, "The first day of the test range, as YYYY-MM-DD.", "2019-01-19"),
    valid_to: field(LocalDate, "The last day of the test range, as YYYY-MM-DD.", "2030-01-19"),
    technical_key: field(
      RangeTechnicalKey,
      "The technical key of the test range, 40 hexadecimal digits.",
      "fc8eac422eba16e22ffd8c6f94b3f40a6e38162c"
    )
  }).annotate({
    identifier: "TestRange",
    description: "A numbering range of the tax authority's test environment, as the authority's portal shows it."
  })
) {}

export class EnablementRequest extends Schema.Opaque<EnablementRequest>()(
  Schema.Struct({
    test_set_id: field(
      TestSetId,
      "Id of the test set (TestSetId), as the tax authority's portal shows it.",
      testSetExample
    ),
    invoices: field(
      wholeNumber(1, invoicesMax),
      "Number of invoices that the authority must accept, 1 to 100. The authority's portal shows it for the test set.",
      30
    ),
    credit_notes: field(
      wholeNumber(0, notesMax),
      "Number of credit notes that the authority must accept, 0 to 100.",
      10
    ),
    debit_notes: field(wholeNumber(0, notesMax), "Number of debit notes that the authority must accept, 0 to 100.", 10),
    range: field(
      Schema.optionalKey(TestRange),
      "Test range of the issuer. If omitted, the range that the authority gives to all issuers: SETP, 990000000 to 995000000. Send the field if the authority's portal shows another range."
    )
  }).annotate({
    identifier: "EnablementRequest",
    description: "The tax authority's test set for the account.",
    examples: [{ test_set_id: testSetExample, invoices: 30, credit_notes: 10, debit_notes: 10 }]
  })
) {}

export const EnablementStatus = Schema.Literals(["running", "passed", "failed"])
export type EnablementStatus = typeof EnablementStatus.Type

const Count = Schema.Struct({
  wanted: field(Schema.Int, "Number of documents that the authority must accept.", 30),
  accepted: field(Schema.Int, "Number of documents that the authority has accepted.", 12),
  missing: field(Schema.Int, "Number of documents that the authority must still accept.", 18)
}).annotate({
  identifier: "EnablementCount",
  description: "Required, accepted and missing documents of one type."
})

/** A document of a test set. */
export class EnablementDocument extends Schema.Opaque<EnablementDocument>()(
  Schema.Struct({
    full_number: field(Schema.String, "Full number of the test document.", "SETP990000001"),
    kind: DocumentKind,
    cufe: field(
      Schema.String,
      "CUFE of the invoice or CUDE of the note. Use it to find the document in the authority's portal.",
      "8bb918b19ba22a694f1da11c643b5e9de39adf60311cf179179e9b33381030bcd4c3c3f156c506ed5908f9276f5bd9b4"
    ),
    status: field(
      Schema.Literals(["waiting", "sent", "accepted", "rejected", "number_used", "refused", "unanswered"]),
      "Status of the test document. `waiting`: not sent yet. `sent`: sent, without an outcome yet. `accepted`, `rejected`: the outcome at the authority. `number_used`: the authority has another document with this number. `refused`: the authority did not validate the document because of its sender. `unanswered`: Folio stopped waiting for an outcome. Folio replaces each document that was not accepted.",
      "accepted"
    ),
    authority_errors: field(Schema.Array(AuthorityError), "Rules of the tax authority that the document broke.", []),
    authority_notifications: field(
      Schema.Array(AuthorityError),
      "Rules of the tax authority that caused a notification but no rejection.",
      []
    ),
    message: field(
      Schema.NullOr(Schema.String),
      "Last message of the authority about the document. Null if there is none.",
      null
    ),
    created_at: Timestamp,
    sent_at: field(
      Schema.NullOr(Timestamp),
      "Time at which Folio sent the document. Null if the document is not sent yet.",
      null
    ),
    judged_at: field(
      Schema.NullOr(Timestamp),
      "Time at which the document reached its outcome. Null without an outcome.",
      null
    )
  }).annotate({ identifier: "EnablementDocument", description: "A test document of the enablement." })
) {}

/** The enablement of an account: its test set, and each document of the test set. */
export class Enablement extends Schema.Opaque<Enablement>()(
  Schema.Struct({
    object: Schema.Literal("enablement"),
    livemode: field(
      Schema.Boolean,
      "Mode of the test set: always `true`, because enablement belongs to live mode.",
      true
    ),
    test_set_id: field(Schema.String, "The id of the test set.", testSetExample),
    status: field(
      EnablementStatus,
      "Status of the test set. `running`: documents are missing. `passed`: the authority accepted all required documents. `failed`: a problem needs your attention.",
      "running"
    ),
    invoices: Count,
    credit_notes: Count,
    debit_notes: Count,
    range: TestRange,
    waiting: field(
      Schema.NullOr(
        Schema.Struct({
          code: field(
            Schema.String,
            "Machine-readable cause of the delay: a code that `waiting` of an invoice can have, `no_test_service` or `internal`.",
            "connection_refused"
          ),
          message: field(
            Schema.String,
            "Message for people: the problem and what to do.",
            "The authority's test service takes no connections. Folio retries the call automatically."
          ),
          since: Timestamp
        }).annotate({
          identifier: "EnablementTrouble",
          description: "The problem that delays the test set."
        })
      ),
      "Problem that delays the test set while its status is `running`. Null while the authority responds.",
      null
    ),
    failure: field(
      Schema.NullOr(Failure),
      "Reason for the failure, and what to do. Null unless the status is `failed`.",
      null
    ),
    message: field(
      Schema.String,
      "Message for people: the progress and what to do.",
      "12 of 50 documents are accepted."
    ),
    documents: field(
      Schema.Array(EnablementDocument),
      "Documents of the test set, in the order of their creation. The newest 1,000 are listed.",
      []
    ),
    started_at: Timestamp,
    finished_at: field(
      Schema.NullOr(Timestamp),
      "Time at which the test set passed or failed. Null while it runs.",
      null
    )
  }).annotate({
    identifier: "Enablement",
    description:
      "Progress of the account's test set (habilitación). Every issuer must pass the tax authority's test set before it issues live documents."
  })
) {}
