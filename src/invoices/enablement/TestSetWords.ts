import type { AuthorityTrouble } from "../../../schemas/AuthorityTrouble.ts"
import type { DocumentKind, Failure } from "../../../schemas/FiscalDocument.ts"
import { authorityTroubles } from "../rules/AuthorityTroubles.ts"
import type { Obstacle } from "../rules/Plan.ts"

/* The messages of a test set that stops or waits: what happened, and what to do. */

const nouns: Readonly<Record<DocumentKind, string>> = {
  invoice: "invoice",
  credit_note: "credit note",
  debit_note: "debit note"
}

const again =
  "Then send the same request to POST /v1/account/enablement again (folio enable): accepted documents stay counted."

const failure = (code: string, message: string): Failure => ({ code, message, retryable: true })

/** The failure of a test set with this obstacle. */
export const obstacleFailure = (obstacle: Obstacle): Failure => {
  switch (obstacle._tag) {
    case "rejected":
      return failure(
        "documents_rejected",
        `The authority rejects each ${nouns[obstacle.kind]} of the test set, by ${obstacle.rules.join(", ") || "a rule without a code"}: the last ones in documents show the rules with hints. Fix the data that the hints name (the issuer: PATCH /v1/account; software and PIN: PUT /v1/account/software; the test range: range). ${again}`
      )
    case "unanswered":
      return failure(
        "documents_unanswered",
        `The authority returned no outcome of ${obstacle.count} documents in a row (${nouns[obstacle.kind]}). Check in its portal whether the test set is open, and whether its test_set_id is right. ${again}`
      )
    case "numbers_used":
      return failure(
        "numbers_used",
        `The authority already has other documents with the tried numbers of the prefix ${obstacle.prefix || "(none)"}: another system uses the same test range. Stop that system. ${again}`
      )
  }
}

export const noNumberLeft = (prefix: string): Failure =>
  failure(
    "range_exhausted",
    `The test range ${prefix} has no number left. Send range with another test range of the portal. ${again}`
  )

/** The failure of an account that lacks something that it had when the test set began. */
export const lacking = (code: string, message: string): Failure => failure(code, `${message} ${again}`)

/** The failure of a sender whose documents the authority rejects without a verdict. */
export const refusedFailure = (message: string): Failure =>
  failure(
    "authority_refused",
    `The authority's test service rejects the documents (${message.replace(/[.\s]+$/, "")}). Compare test_set_id, software and its PIN with the authority's portal, and check there whether the test set is open for this software. ${again}`
  )

const itself = "Folio loses no document and sends none twice: the test set resumes by itself after the trouble."

const ownTroubles = {
  no_test_service:
    "The service no longer has the address of the authority's test service: the operator must set AUTHORITY_TEST_URL.",
  internal: "The service had an internal error, which its log describes."
} as const

/** The reason why a test set waits: a trouble of the authority's test service, or a trouble of Folio. */
export type TestSetTrouble = AuthorityTrouble | keyof typeof ownTroubles

/** The message of a trouble: what is wrong, what to do, and the text of the call. */
export const troubleWords = (trouble: TestSetTrouble, said: string): string => {
  const words = said === "" ? "" : ` (${said.replace(/\.$/, "")})`
  if (trouble === "no_test_service" || trouble === "internal") return `${ownTroubles[trouble]} ${itself}${words}`
  const { remedy, what } = authorityTroubles[trouble]
  // The message names the setting for live documents. Here it is the setting of the test environment.
  return `${what} ${remedy.replaceAll("AUTHORITY_URL", "AUTHORITY_TEST_URL")} ${itself}${words}`
}
