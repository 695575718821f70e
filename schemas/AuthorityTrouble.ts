import { Schema } from "effect"
import { field } from "./Field.ts"
import { Timestamp } from "./Money.ts"

/**
 * Why a call of the authority has brought no verdict. `src/domain/authority/AuthorityTroubles.ts` says of each whose fault it is, whether
 * the document may have left, and what to do.
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
  "certificate_missing",
  "certificate_refused",
  "security_refused",
  "clock_off",
  "sender_refused",
  "another_document",
  "no_verdict"
])
export type AuthorityTrouble = typeof AuthorityTrouble.Type

/** Why a document without an outcome waits: a trouble with the authority, or that its range gives no number after a restore. */
export const WaitingCode = Schema.Literals([...AuthorityTrouble.literals, "numbering_held"])
export type WaitingCode = typeof WaitingCode.Type

/** Why a document without an outcome waits. */
export class Waiting extends Schema.Opaque<Waiting>()(
  Schema.Struct({
    code: WaitingCode.annotate({
      description:
        "What keeps the document from its verdict, for programs. `numbering_held`: the service was restored from a backup, and no number is given before the last one that the tax authority has is confirmed; every other code is a trouble with the tax authority.",
      examples: ["connection_refused"]
    }),
    message: field(
      Schema.String,
      "What happened, what becomes of the document, and what to do, for people.",
      "The authority's service takes no connections."
    ),
    since: Timestamp
  }).annotate({
    identifier: "Waiting",
    description:
      "Why a document waits longer than it has to. It goes on by itself when the cause is gone. Absent while nothing is wrong."
  })
) {}
