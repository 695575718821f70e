import type { FiscalDocument } from "./FiscalDocument.ts"
import { ublVersion } from "./NationalProfile.ts"
import { attribute, leaf } from "./Xml.ts"

/** By which formula the code of a document was made. */
export const codeScheme = (kind: FiscalDocument["kind"]): string => (kind === "invoice" ? "CUFE-SHA384" : "CUDE-SHA384")

/** A code with the environment and the formula it was made for. */
export const uuid = (code: string, environment: FiscalDocument["environment"], scheme: string): string =>
  leaf("cbc:UUID", code, attribute("schemeID", environment) + attribute("schemeName", scheme))

/** What every document begins with: which rules it follows, which one it is, and since when. */
export const identity = (document: FiscalDocument, profile: string, customization: string): string =>
  leaf("cbc:UBLVersionID", ublVersion) +
  leaf("cbc:CustomizationID", customization) +
  leaf("cbc:ProfileID", profile) +
  leaf("cbc:ProfileExecutionID", document.environment) +
  leaf("cbc:ID", document.full_number) +
  uuid(document.cufe, document.environment, codeScheme(document.kind)) +
  leaf("cbc:IssueDate", document.issue_date) +
  leaf("cbc:IssueTime", document.issue_time)
