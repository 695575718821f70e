import { Schema } from "effect"
import { field } from "./Field.ts"

/** What an account needs before it issues live documents, in the order in which it is done. */
export const liveStepCodes = [
  "authority",
  "service",
  "live_key",
  "issuer",
  "vat_responsible",
  "certificate",
  "software",
  "enablement",
  "numbering_range"
] as const
export const LiveStepCode = Schema.Literals(liveStepCodes)
export type LiveStepCode = typeof LiveStepCode.Type

/** A step that is left on the way to live documents. */
export class LiveStep extends Schema.Opaque<LiveStep>()(
  Schema.Struct({
    code: field(
      LiveStepCode,
      "Which step: `authority` and `service` are the operator's, `numbering_range` means a range that is valid and has numbers left.",
      "certificate"
    ),
    state: field(
      Schema.Literals(["missing", "running", "failed"]),
      "`missing`: to be done. `running`: under way. `failed`: tried, and to be done again.",
      "missing"
    ),
    message: field(
      Schema.String,
      "What to do, for a person to read.",
      "The account has no signing certificate (send one to POST /v1/account/certificate)."
    ),
    href: field(
      Schema.String,
      "Where the guide describes the step.",
      "http://127.0.0.1:8080/docs/guides/going-live#certificate"
    )
  }).annotate({ identifier: "LiveStep", description: "A step that is left on the way to live documents." })
) {}

/** How far an account is on the way to live documents; the same for its test keys and its live keys. */
export class LiveState extends Schema.Opaque<LiveState>()(
  Schema.Struct({
    ready: field(Schema.Boolean, "Whether no step is left: invoices that are sent with a live key are issued.", false),
    steps: Schema.Array(LiveStep).annotateKey({ description: "What is left to do, in this order; empty when ready." })
  }).annotate({ identifier: "LiveState", description: "How far the account is on the way to live documents." })
) {}
