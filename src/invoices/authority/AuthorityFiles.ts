import { zipSync } from "fflate"
import { createHash } from "node:crypto"
import type { DocumentKind } from "../../../schemas/FiscalDocument.ts"
import type { DocumentName, Submission } from "./Authority.ts"

const letters: Readonly<Record<DocumentKind, string>> = { invoice: "fv", credit_note: "nc", debit_note: "nd" }

/** The code for documents of an issuer's own software, not of a software provider. */
const ownSoftware = "000"

// A fixed modification time in the archive, so that the same document gives the same bytes.
const zipTime = "1980-01-01T12:00:00"

/**
 * The eight hex digits that number an issuer's files of a year: the document's number, offset by a hash of its prefix.
 * Two prefixes hardly ever collide. A repeated submission has the same digits.
 */
const consecutiveOf = (fullNumber: string) => {
  const [, prefix = "", number = "0"] = /^(.*?)(\d*)$/.exec(fullNumber) ?? []
  const offset = createHash("sha256").update(prefix).digest().readUInt32BE(0)
  return ((BigInt(offset) + BigInt(number || "0")) % 2n ** 32n).toString(16).padStart(8, "0")
}

/** The file names that the authority requires for the document and its archive. */
export const fileNames = ({ full_number, issue_date, issuer_nit, kind }: DocumentName) => {
  const rest = `${issuer_nit.padStart(10, "0")}${ownSoftware}${issue_date.slice(2, 4)}${consecutiveOf(full_number)}`
  return { xml: `${letters[kind]}${rest}.xml`, zip: `z${rest}.zip` }
}

/** The ZIP archive of one document, with the same bytes for every repeated submission. */
export const zipped = (submission: Submission): Uint8Array =>
  zipSync({ [fileNames(submission).xml]: [submission.signed, { mtime: zipTime }] })
