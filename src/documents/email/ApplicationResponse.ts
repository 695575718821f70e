import type { AuthorityError } from "../../../schemas/FiscalDocument.ts"
import { issueTime, localDate } from "../../runtime/AuthorityTime.ts"
import { eventCode } from "../rules/Cufe.ts"
import { documentTypeCode } from "../ubl/AuthorityCodes.ts"
import type { FiscalDocument } from "../ubl/FiscalDocument.ts"
import { authority, namespaces } from "../ubl/UblProfile.ts"
import { identity, reference, uuid } from "../ubl/UblIdentity.ts"
import { correspondent } from "../ubl/UblParties.ts"
import { element, leaf } from "../ubl/Xml.ts"

/** The authority's verdict on a document, with the errors and notifications of the authority's rules. */
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
 * The simulator's response of the authority: the same UBL as the real response, but unsigned, because the sandbox has
 * no signature of the authority. `at` is in Unix milliseconds.
 */
export const applicationResponse = (
  document: Pick<FiscalDocument, "cufe" | "environment" | "full_number" | "in_contingency" | "issuer" | "kind"> & {
    readonly operation_type: FiscalDocument["operation_type"] | null
  },
  answer: Answer,
  at: number
): Uint8Array => {
  const { environment, full_number, issuer } = document
  const response = answer.accepted ? responses.accepted : responses.rejected
  const issue_date = localDate(at)
  const issue_time = issueTime(at)
  const type_code = documentTypeCode(document)
  const code = eventCode({
    id: full_number,
    issue_date,
    issue_time,
    sender_nit: authority.identification.number,
    receiver_nit: issuer.identification.number,
    response_code: response.code,
    document: { full_number, type_code },
    // The PIN of the authority's own software, which only the authority knows.
    pin: ""
  })
  const root = "ApplicationResponse"
  return Buffer.from(
    `<${root} ${namespaces(root)}>` +
      identity(
        root,
        "1",
        { environment, full_number, issue_date, issue_time },
        uuid(code, environment, "CUDE-SHA384")
      ) +
      correspondent("cac:SenderParty", authority.identification, authority.name) +
      correspondent("cac:ReceiverParty", issuer.identification, issuer.legal_name) +
      element(
        "cac:DocumentResponse",
        element("cac:Response", leaf("cbc:ResponseCode", response.code), leaf("cbc:Description", response.description)),
        element("cac:DocumentReference", reference(document, document.kind), leaf("cbc:DocumentTypeCode", type_code)),
        ...[...answer.errors, ...answer.notifications].map(remark)
      ) +
      `</${root}>`
  )
}
