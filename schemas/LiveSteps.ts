import { Schema } from "effect"
import { field } from "./Field.ts"

/** The steps before an account can issue live documents, in order. */
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

/** A remaining step before the account can issue live documents. */
export class LiveStep extends Schema.Opaque<LiveStep>()(
  Schema.Struct({
    code: field(
      LiveStepCode,
      "Code of the step. The operator completes `authority` and `service`. `numbering_range` requires a valid range with numbers left.",
      "certificate"
    ),
    state: field(
      Schema.Literals(["missing", "running", "failed"]),
      "State of the step. `missing`: not done. `running`: in progress. `failed`: attempted without success; repeat the step.",
      "missing"
    ),
    message: field(
      Schema.String,
      "Message for people: what to do.",
      "The account has no signing certificate (send one to POST /v1/account/certificate)."
    ),
    href: field(
      Schema.String,
      "Link to the description of the step in the guide.",
      "http://127.0.0.1:3000/docs/guides/going-live#certificate"
    )
  }).annotate({
    identifier: "LiveStep",
    description: "A remaining step before the account can issue live documents."
  })
) {}

/** The progress towards live documents; the same for test keys and live keys. */
export class LiveState extends Schema.Opaque<LiveState>()(
  Schema.Struct({
    ready: field(Schema.Boolean, "`true` if no step remains: the account can issue documents with a live key.", false),
    steps: Schema.Array(LiveStep).annotateKey({ description: "Remaining steps, in order. Empty if `ready` is true." })
  }).annotate({ identifier: "LiveState", description: "The account's progress towards live documents." })
) {}
