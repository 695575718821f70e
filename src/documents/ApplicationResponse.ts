import type { AuthorityError } from "../../schemas/FiscalDocument.ts"
import { issueTime, localDate } from "../domain/AuthorityTime.ts"
import { eventCode } from "../domain/Cufe.ts"
import { documentTypeCode } from "./AuthorityCodes.ts"
import type { FiscalDocument } from "./FiscalDocument.ts"
import { authority, namespaces, profiles, ublVersion } from "./NationalProfile.ts"
import { codeScheme, uuid } from "./UblIdentity.ts"
import { correspondent } from "./UblParties.ts"
import { attribute, element, leaf } from "./Xml.ts"

/** What the authority says of a document. */
export interface Answer {
  readonly accepted: boolean
  readonly errors: ReadonlyArray<AuthorityError>
  readonly notifications: ReadonlyArray<AuthorityError>
}

const responses = {
  accepted: { code: "02", description: "Documento validado por la autoridad" },
  rejected: { code: "04", description: "Documento rechazado por la autoridad" }
} as const

const remark = ({ message, rule }: AuthorityError, index: number): string =>
  element(
    "cac:LineResponse",
    element("cac:LineReference", leaf("cbc:LineID", String(index + 1))),
    element("cac:Response", leaf("cbc:ResponseCode", rule), leaf("cbc:Description", message))
  )

/**
 * The authority's answer as the simulator gives it: the UBL of the real one, without a signature, since there is nobody who
 * could sign it. `at` is in Unix milliseconds.
 */
export const applicationResponse = (
  document: Pick<FiscalDocument, "cufe" | "environment" | "full_number" | "in_contingency" | "issuer" | "kind"> & {
    readonly operation_type: FiscalDocument["operation_type"] | null
  },
  answer: Answer,
  at: number
): Uint8Array => {
  const { cufe, environment, full_number, issuer, kind } = document
  const response = answer.accepted ? responses.accepted : responses.rejected
  const issue_date = localDate(at)
  const issue_time = issueTime(at)
  const type_code = documentTypeCode(document)
  const code = eventCode({
    id: full_number,
    issue_date,
    issue_time,
    sender_nit: authority.number,
    receiver_nit: issuer.identification.number,
    response_code: response.code,
    document: { full_number, type_code },
    // The authority's own, which nobody else knows.
    pin: ""
  })
  const { check_digit, name, number } = authority
  const root = "ApplicationResponse"
  return Buffer.from(
    `<${root} ${namespaces(root)}>` +
      leaf("cbc:UBLVersionID", ublVersion) +
      leaf("cbc:CustomizationID", "1") +
      leaf("cbc:ProfileID", profiles.ApplicationResponse) +
      leaf("cbc:ProfileExecutionID", environment) +
      leaf("cbc:ID", full_number) +
      uuid(code, environment, "CUDE-SHA384") +
      leaf("cbc:IssueDate", issue_date) +
      leaf("cbc:IssueTime", issue_time) +
      correspondent("cac:SenderParty", { type: "31", number, check_digit }, name) +
      correspondent("cac:ReceiverParty", issuer.identification, issuer.legal_name) +
      element(
        "cac:DocumentResponse",
        element("cac:Response", leaf("cbc:ResponseCode", response.code), leaf("cbc:Description", response.description)),
        element(
          "cac:DocumentReference",
          leaf("cbc:ID", full_number),
          leaf("cbc:UUID", cufe, attribute("schemeName", codeScheme(kind))),
          leaf("cbc:DocumentTypeCode", type_code)
        ),
        ...[...answer.errors, ...answer.notifications].map(remark)
      ) +
      `</${root}>`
  )
}
