import { Schema } from "effect"
import { field } from "./Field.ts"
import { Timestamp } from "./Money.ts"

/**
 * The reason why a call to the authority returned no verdict. `src/invoices/rules/AuthorityTroubles.ts` states for
 * each code which party causes it, whether the authority may have the document, and what to do.
 */
export const AuthorityTrouble = Schema.Literals([
  "connection_refused",
  "no_answer",
  "server_error",
  "in_process",
  "name_not_found",
  "no_route",
  "tls_failed",
  "not_the_service",
  "signer_unavailable",
  "certificate_missing",
  "certificate_refused",
  "security_refused",
  "clock_off",
  "sender_refused",
  "another_document",
  "no_verdict"
])
export type AuthorityTrouble = typeof AuthorityTrouble.Type

/** The reason why a document without an outcome waits: an authority trouble, or a range paused after a restore. */
export const WaitingCode = Schema.Literals([...AuthorityTrouble.literals, "numbering_held"])
export type WaitingCode = typeof WaitingCode.Type

/** The cause of a delay of a document without an outcome. */
export class Waiting extends Schema.Opaque<Waiting>()(
  Schema.Struct({
    code: WaitingCode.annotate({
      description:
        "Machine-readable cause of the delay. `numbering_held`: a backup was restored, and Folio assigns no number until the operator confirms the last number that the tax authority has. `signer_unavailable`: the signer with the key of the account's certificate returns no valid signature. All other codes name a problem with the tax authority.",
      examples: ["connection_refused"]
    }),
    message: field(
      Schema.String,
      "Message for people: what happened, what Folio does with the document, and what to do.",
      "The authority's service takes no connections."
    ),
    since: Timestamp
  }).annotate({
    identifier: "Waiting",
    description:
      "Cause of a delay in processing the document. Folio resumes processing when the cause is gone. Absent while there is no problem."
  })
) {}
