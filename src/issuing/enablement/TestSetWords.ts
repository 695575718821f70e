import type { AuthorityTrouble } from "../../../schemas/AuthorityTrouble.ts"
import type { DocumentKind, Failure } from "../../../schemas/FiscalDocument.ts"
import { authorityTroubles } from "../../domain/authority/AuthorityTroubles.ts"
import type { Obstacle } from "../../domain/enablement/Plan.ts"

/* What a test set that stops, or waits, says to a person: what happened, and what to do. */

const nouns: Readonly<Record<DocumentKind, string>> = {
  invoice: "invoice",
  credit_note: "credit note",
  debit_note: "debit note"
}

const again =
  "Then send the same request to POST /v1/account/enablement again (folio enable): what is accepted stays counted."

const failure = (code: string, message: string): Failure => ({ code, message, retryable: true })

/** Why a test set fails that meets this obstacle. */
export const obstacleFailure = (obstacle: Obstacle): Failure => {
  switch (obstacle._tag) {
    case "rejected":
      return failure(
        "documents_rejected",
        `The authority rejects each ${nouns[obstacle.kind]} of the test set, by ${obstacle.rules.join(", ") || "a rule without a code"}: the last ones in documents show the rules with hints. Put right what they name (the issuer: PATCH /v1/account; software and PIN: PUT /v1/account/software; the test range: range). ${again}`
      )
    case "unanswered":
      return failure(
        "documents_unanswered",
        `The authority gave no verdict on ${obstacle.count} documents one after the other (${nouns[obstacle.kind]}). See in its portal whether the test set is open, and whether its test_set_id is right. ${again}`
      )
    case "numbers_used":
      return failure(
        "numbers_used",
        `The authority has other documents of the numbers that were tried with the prefix ${obstacle.prefix || "(none)"}: another system uses the same test range. Stop that system. ${again}`
      )
  }
}

export const noNumberLeft = (prefix: string): Failure =>
  failure(
    "range_exhausted",
    `The test range ${prefix} has no number left. Send range with another test range of the portal. ${again}`
  )

/** The account lacks something that it had when the test set began. */
export const lacking = (code: string, message: string): Failure => failure(code, `${message} ${again}`)

/** The authority takes no document of this sender. */
export const refusedFailure = (message: string): Failure =>
  failure(
    "authority_refused",
    `The authority's test service refuses the documents (${message.replace(/[.\s]+$/, "")}). Compare test_set_id, software and its PIN with its portal, and see whether the test set is open for this software. ${again}`
  )

const itself = "Nothing is lost, and nothing is sent twice: the test set goes on by itself once this is over."

const ownTroubles = {
  no_test_service: "The service no longer knows the authority's test service: its operator sets AUTHORITY_TEST_URL.",
  internal: "The service met a fault of its own, which its log describes."
} as const

/** Why a test set waits: a trouble with the authority's test service, or one of this service. */
export type TestSetTrouble = AuthorityTrouble | keyof typeof ownTroubles

/** The text about a trouble for a person: what is wrong, what to do, and the words of the call. */
export const troubleWords = (trouble: TestSetTrouble, said: string): string => {
  const words = said === "" ? "" : ` (${said.replace(/\.$/, "")})`
  if (trouble === "no_test_service" || trouble === "internal") return `${ownTroubles[trouble]} ${itself}${words}`
  const { remedy, what } = authorityTroubles[trouble]
  // The setting that the words name is that of the test service.
  return `${what} ${remedy.replaceAll("AUTHORITY_URL", "AUTHORITY_TEST_URL")} ${itself}${words}`
}
