import { Effect } from "effect"
import { issueTime, localDate } from "../../runtime/AuthorityTime.ts"
import type { Certificate } from "../signature/Certificate.ts"
import { documentTypeCode } from "../ubl/AuthorityCodes.ts"
import type { Accepted } from "../NationalProfile.ts"
import { attachedDocument as profile, authority } from "../ubl/UblProfile.ts"
import type { Software } from "../ubl/UblSoftware.ts"
import { authorityExtension, type Unsigned, unsigned } from "../ubl/UblExtensions.ts"
import { identity, reference } from "../ubl/UblIdentity.ts"
import { correspondents } from "../ubl/UblParties.ts"
import { signXml } from "../signature/XadesSignature.ts"
import { cdata, element, escaped, leaf } from "../ubl/Xml.ts"

/** Normalizes line ends to LF, as an XML parser does, because the signature covers the text as the parser reads it. */
const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes).replaceAll(/\r\n?/g, "\n")

const enclosed = (text: string, enclose: (text: string) => string): string =>
  element(
    "cac:Attachment",
    element(
      "cac:ExternalReference",
      leaf("cbc:MimeCode", "text/xml"),
      leaf("cbc:EncodingCode", "UTF-8"),
      `<cbc:Description>${enclose(text)}</cbc:Description>`
    )
  )

const content = (
  { applicationResponse, document, signed, validatedAt }: Accepted,
  software: Software,
  enclose: (text: string) => string
): Unsigned => {
  const { full_number } = document
  const issue_date = localDate(validatedAt)
  const issue_time = issueTime(validatedAt)
  return unsigned(
    "AttachedDocument",
    authorityExtension({ ...document, range: null }, software),
    identity("AttachedDocument", profile.customization, { ...document, issue_date, issue_time }, ""),
    leaf("cbc:DocumentType", profile.type),
    leaf("cbc:ParentDocumentID", full_number),
    leaf("cbc:ParentDocumentTypeCode", documentTypeCode(document)),
    correspondents(document),
    enclosed(textOf(signed), enclose),
    element(
      "cac:ParentDocumentLineReference",
      leaf("cbc:LineID", "1"),
      element(
        "cac:DocumentReference",
        reference(document, document.kind),
        leaf("cbc:IssueDate", issue_date),
        leaf("cbc:DocumentType", "ApplicationResponse"),
        enclosed(textOf(applicationResponse), enclose),
        element(
          "cac:ResultOfVerification",
          leaf("cbc:ValidatorID", authority.name),
          leaf("cbc:ValidationResultCode", "02"),
          leaf("cbc:ValidationDate", issue_date),
          leaf("cbc:ValidationTime", issue_time)
        )
      )
    )
  )
}

/**
 * Makes the `AttachedDocument` for the acquirer: one signed XML with the document and the authority's response. The
 * signing time is the time of the response. The same input gives the same bytes.
 */
export const attachedDocument = Effect.fn("attachedDocument")(function* (
  accepted: Accepted,
  software: Software,
  certificate: Certificate
) {
  const { document, validatedAt } = accepted
  return yield* signXml(
    content(accepted, software, cdata),
    {
      canonical: content(accepted, software, escaped),
      seed: `${document.cufe} attached`,
      signingTime: `${localDate(validatedAt)}T${issueTime(validatedAt)}`
    },
    certificate
  )
})
