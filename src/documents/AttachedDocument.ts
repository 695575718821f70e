import { Effect } from "effect"
import { issueTime, localDate } from "../domain/AuthorityTime.ts"
import type { Certificate } from "./Certificate.ts"
import { documentTypeCode } from "./AuthorityCodes.ts"
import type { FiscalDocument } from "./FiscalDocument.ts"
import { attachedDocument as profile, authority, profiles, ublVersion } from "./NationalProfile.ts"
import type { Software } from "./Software.ts"
import { authorityExtension, type Unsigned, unsigned } from "./UblExtensions.ts"
import { codeScheme } from "./UblIdentity.ts"
import { correspondents } from "./UblParties.ts"
import { signXml } from "./XadesSignature.ts"
import { attribute, cdata, element, escaped, leaf } from "./Xml.ts"

/** A document that the authority has accepted. */
export interface Accepted {
  readonly document: FiscalDocument
  /** Its bytes, as the authority has got them. */
  readonly signed: Uint8Array
  /** The authority's answer in XML. */
  readonly applicationResponse: Uint8Array
  /** When it was accepted, in Unix milliseconds. */
  readonly validatedAt: number
}

/** Whoever reads it sees one kind of line end, and the signature is over what is read. */
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
  const { cufe, environment, full_number, kind } = document
  const date = localDate(validatedAt)
  const time = issueTime(validatedAt)
  return unsigned(
    "AttachedDocument",
    authorityExtension({ ...document, range: null }, software),
    leaf("cbc:UBLVersionID", ublVersion),
    leaf("cbc:CustomizationID", profile.customization),
    leaf("cbc:ProfileID", profiles.AttachedDocument),
    leaf("cbc:ProfileExecutionID", environment),
    leaf("cbc:ID", full_number),
    leaf("cbc:IssueDate", date),
    leaf("cbc:IssueTime", time),
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
        leaf("cbc:ID", full_number),
        leaf("cbc:UUID", cufe, attribute("schemeName", codeScheme(kind))),
        leaf("cbc:IssueDate", date),
        leaf("cbc:DocumentType", "ApplicationResponse"),
        enclosed(textOf(applicationResponse), enclose),
        element(
          "cac:ResultOfVerification",
          leaf("cbc:ValidatorID", authority.name),
          leaf("cbc:ValidationResultCode", "02"),
          leaf("cbc:ValidationDate", date),
          leaf("cbc:ValidationTime", time)
        )
      )
    )
  )
}

/**
 * The bytes of what an acquirer is sent: the document and the authority's answer in one, signed at the time of the answer. The
 * same input gives the same bytes.
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
