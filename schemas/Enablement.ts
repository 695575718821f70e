import { Schema } from "effect"
import { field } from "./Field.ts"
import { AuthorityError, DocumentKind, Failure } from "./FiscalDocument.ts"
import { wholeNumber } from "./Limits.ts"
import { LocalDate, Timestamp } from "./Money.ts"
import { Prefix, RangeNumber, RangeTechnicalKey, ResolutionNumber } from "./Resolution.ts"

const invoicesMax = 100
const notesMax = 100

/** The form of a test set's id. */
const TestSetId = Schema.String.check(
  Schema.isPattern(/^[0-9A-Za-z][0-9A-Za-z-]{7,63}$/u, {
    message:
      "must be the id of the test set as the authority's portal shows it (TestSetId), such as b7d1c2a4-93cf-4a9e-8a2f-6c2f5d0e9b11"
  })
)

const testSetExample = "b7d1c2a4-93cf-4a9e-8a2f-6c2f5d0e9b11"

/** The range of the authority's test environment that the invoices of a test set are numbered from. */
export class TestRange extends Schema.Opaque<TestRange>()(
  Schema.Struct({
    number: field(ResolutionNumber, "The number of the resolution that grants the test range.", "18760000001"),
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
    description: "A numbering range of the tax authority's test environment, as its portal shows it."
  })
) {}

export class EnablementRequest extends Schema.Opaque<EnablementRequest>()(
  Schema.Struct({
    test_set_id: field(
      TestSetId,
      "The id of the test set that the tax authority's portal shows (TestSetId).",
      testSetExample
    ),
    invoices: field(
      wholeNumber(1, invoicesMax),
      "How many invoices the authority wants to accept, as its portal shows for the test set: 1 to 100.",
      30
    ),
    credit_notes: field(wholeNumber(0, notesMax), "How many credit notes the authority wants to accept: 0 to 100.", 10),
    debit_notes: field(wholeNumber(0, notesMax), "How many debit notes the authority wants to accept: 0 to 100.", 10),
    range: field(
      Schema.optionalKey(TestRange),
      "The test range of the issuer, where the portal shows another one than the range that the authority gives to all issuers (SETP, 990000000 to 995000000)."
    )
  }).annotate({
    identifier: "EnablementRequest",
    description: "The test set of the tax authority that the account is to pass.",
    examples: [{ test_set_id: testSetExample, invoices: 30, credit_notes: 10, debit_notes: 10 }]
  })
) {}

export const EnablementStatus = Schema.Literals(["running", "passed", "failed"])
export type EnablementStatus = typeof EnablementStatus.Type

const Count = Schema.Struct({
  wanted: field(Schema.Int, "How many the authority wants to accept.", 30),
  accepted: field(Schema.Int, "How many the authority has accepted.", 12),
  missing: field(Schema.Int, "How many are still to be accepted.", 18)
}).annotate({
  identifier: "EnablementCount",
  description: "The documents of one kind: how many are wanted, accepted and missing."
})

/** A document of a test set. */
export class EnablementDocument extends Schema.Opaque<EnablementDocument>()(
  Schema.Struct({
    full_number: field(Schema.String, "The full number of the test document.", "SETP990000001"),
    kind: DocumentKind,
    cufe: field(
      Schema.String,
      "The CUFE of the invoice or the CUDE of the note, by which the authority's portal finds it.",
      "8bb918b19ba22a694f1da11c643b5e9de39adf60311cf179179e9b33381030bcd4c3c3f156c506ed5908f9276f5bd9b4"
    ),
    status: field(
      Schema.Literals(["waiting", "sent", "accepted", "rejected", "number_used", "refused", "unanswered"]),
      "`waiting`: not sent yet. `sent`: sent, without a verdict yet. `accepted`, `rejected`: the verdict. `number_used`: the authority has another document of this number. `refused`: not judged, because of its sender. `unanswered`: given up without a verdict. Another document takes the place of each that was not accepted.",
      "accepted"
    ),
    authority_errors: field(
      Schema.Array(AuthorityError),
      "The rules of the tax authority that the document broke.",
      []
    ),
    authority_notifications: field(
      Schema.Array(AuthorityError),
      "Rules of the tax authority that it remarks on without rejecting the document.",
      []
    ),
    message: field(
      Schema.NullOr(Schema.String),
      "What is known besides: the authority's last words about the document.",
      null
    ),
    created_at: Timestamp,
    sent_at: field(Schema.NullOr(Timestamp), "When the document was sent; null before.", null),
    judged_at: field(Schema.NullOr(Timestamp), "When its outcome was known; null before.", null)
  }).annotate({ identifier: "EnablementDocument", description: "A test document that was made for the enablement." })
) {}

/** The enablement of an account: the test set that it passes, and each document that was made for that. */
export class Enablement extends Schema.Opaque<Enablement>()(
  Schema.Struct({
    object: Schema.Literal("enablement"),
    livemode: field(Schema.Boolean, "`true`: enablement belongs to the live mode.", true),
    test_set_id: field(Schema.String, "The id of the test set.", testSetExample),
    status: field(
      EnablementStatus,
      "`running` until all wanted documents are accepted (`passed`) or somebody has to put something right (`failed`).",
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
            "What keeps documents from their verdicts, for programs: a code that `waiting` of an invoice may have too, or `no_test_service`, or `internal`.",
            "connection_refused"
          ),
          message: field(
            Schema.String,
            "The trouble and what to do, for people.",
            "The authority's test service takes no connections. Nothing is lost: it is asked again by itself."
          ),
          since: Timestamp
        }).annotate({
          identifier: "EnablementTrouble",
          description: "Why nothing is sent for the moment."
        })
      ),
      "Why nothing is sent for the moment, while the status is `running`; null while the authority answers.",
      null
    ),
    failure: field(Schema.NullOr(Failure), "Why it failed and what to do; null unless the status is `failed`.", null),
    message: field(Schema.String, "How it stands, and what to do, for people.", "12 of 50 documents are accepted."),
    documents: field(
      Schema.Array(EnablementDocument),
      "The documents that were made for the test set, in the order in which they were made; the newest 1,000.",
      []
    ),
    started_at: Timestamp,
    finished_at: field(Schema.NullOr(Timestamp), "When it passed or failed; null while it runs.", null)
  }).annotate({
    identifier: "Enablement",
    description:
      "How far the account is with the test set of the tax authority that every issuer passes before it issues (habilitación)."
  })
) {}
