import type { FiscalDocument } from "./FiscalDocument.ts"
import { profiles, ublVersion } from "./UblProfile.ts"
import { attribute, leaf } from "./Xml.ts"

/** The name of the formula for the code of a document (CUFE or CUDE). */
export const codeScheme = (kind: FiscalDocument["kind"]): string => (kind === "invoice" ? "CUFE-SHA384" : "CUDE-SHA384")

/** A CUFE or CUDE as an element, with the environment and the name of the code's formula as attributes. */
export const uuid = (code: string, environment: FiscalDocument["environment"], scheme: string): string =>
  leaf("cbc:UUID", code, attribute("schemeID", environment) + attribute("schemeName", scheme))

/** The number and the code of a document, in the form of a reference from another document. */
export const reference = (document: Pick<FiscalDocument, "full_number" | "cufe">, kind: FiscalDocument["kind"]) =>
  leaf("cbc:ID", document.full_number) + leaf("cbc:UUID", document.cufe, attribute("schemeName", codeScheme(kind)))

/**
 * The first elements of a document after the extensions. `code`: the element of its CUFE or CUDE, or an empty string.
 */
export const identity = (
  profile: keyof typeof profiles,
  customization: string,
  document: Pick<FiscalDocument, "environment" | "full_number" | "issue_date" | "issue_time">,
  code: string
): string =>
  leaf("cbc:UBLVersionID", ublVersion) +
  leaf("cbc:CustomizationID", customization) +
  leaf("cbc:ProfileID", profiles[profile]) +
  leaf("cbc:ProfileExecutionID", document.environment) +
  leaf("cbc:ID", document.full_number) +
  code +
  leaf("cbc:IssueDate", document.issue_date) +
  leaf("cbc:IssueTime", document.issue_time)
