import { Schema } from "effect"
import { field } from "./Field.ts"
import { NoticeId } from "./Id.ts"
import { Timestamp } from "./Money.ts"
import { Page, pageQuery } from "./Page.ts"

/** The kinds of notices, each with the type of its object. `src/operations/rules/Findings.ts` has their texts. */
export const noticeObjects = {
  certificate_expiring: "certificate",
  certificate_expiring_soon: "certificate",
  certificate_expired: "certificate",
  range_filling: "resolution",
  range_exhausted: "resolution",
  range_expiring: "resolution",
  range_expired: "resolution",
  endpoint_failing: "webhook_endpoint",
  endpoint_full: "webhook_endpoint",
  enablement_passed: "enablement",
  enablement_failed: "enablement"
} as const
export type NoticeKind = keyof typeof noticeObjects

export const noticeKinds = Object.keys(noticeObjects) as ReadonlyArray<NoticeKind>

const kinds = Schema.Literals(noticeKinds)

export const NoticeKind = kinds.annotate({
  identifier: "NoticeKind",
  description:
    "Kind of the notice. Certificates and ranges are reported 30 days before their end; certificates again 7 days before. `range_filling`: at most a tenth of the numbers is left. `endpoint_failing`: the endpoint has accepted no delivery for an hour. `endpoint_full`: its delivery queue is full. `enablement_passed`: the account can import its numbering ranges."
})

/** A notice to the issuer. */
export class Notice extends Schema.Opaque<Notice>()(
  Schema.Struct({
    id: NoticeId,
    object: Schema.Literal("notice"),
    livemode: field(Schema.Boolean, "Mode of the notice: `true` for live, `false` for test."),
    kind: NoticeKind,
    object_type: field(
      Schema.Literals(["certificate", "resolution", "webhook_endpoint", "enablement"]),
      "Type of the object that the notice is about.",
      "resolution"
    ),
    object_id: field(
      Schema.String,
      "Id of the object that the notice is about. For an enablement, the id of the test set.",
      "res_01k9z3v8c2m4n6p8q0r2s4t6v8"
    ),
    message: field(
      Schema.String,
      "Message for people: the problem and what to do.",
      "Range FE for invoices has 12 numbers of 5000 left. Ask the authority for another range and register it: POST /v1/resolutions."
    ),
    opened_at: field(Timestamp, "Time at which Folio found the problem."),
    ended_at: field(
      Schema.NullOr(Timestamp),
      "Time at which the problem was gone, or a more severe notice about the object replaced this notice. Null while the notice is open.",
      null
    ),
    emailed_at: field(
      Schema.NullOr(Timestamp),
      "Time at which Folio emailed the notice to the issuer. Null if Folio has not emailed the notice. Folio emails no notice in test mode.",
      null
    )
  }).annotate({
    identifier: "Notice",
    description: "A notice to the issuer: a problem or an event of the account that needs attention."
  })
) {}

export const NoticePage = Page(Notice, "NoticePage")

/** The query of notices. */
export const NoticeQuery = {
  ...pageQuery("ntc"),
  status: field(
    Schema.optionalKey(Schema.Literals(["open", "ended"]).annotate({ message: "must be one of open, ended" })),
    "Filter by status: `open` while the problem exists, then `ended`.",
    "open"
  ),
  kind: field(
    Schema.optionalKey(kinds.annotate({ message: `must be one of ${noticeKinds.join(", ")}` })),
    "Filter by kind.",
    "certificate_expiring"
  )
}
