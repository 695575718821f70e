import type { GrantedRange } from "../../../schemas/Resolution.ts"
import { softwareSecurityCode } from "../rules/Cufe.ts"
import { catalogueUrl } from "../rules/QrText.ts"
import { homeCountry } from "../rules/parties/Territories.ts"
import type { FiscalDocument } from "./FiscalDocument.ts"
import { agency, authority, countryList, namespaces, type profiles } from "./UblProfile.ts"
import type { Software } from "./UblSoftware.ts"
import { companyId } from "./UblParties.ts"
import { element, leaf, optional } from "./Xml.ts"

const control = (range: GrantedRange): string =>
  element(
    "sts:InvoiceControl",
    leaf("sts:InvoiceAuthorization", range.number),
    element("sts:AuthorizationPeriod", leaf("cbc:StartDate", range.valid_from), leaf("cbc:EndDate", range.valid_to)),
    element(
      "sts:AuthorizedInvoices",
      optional("sts:Prefix", range.prefix),
      leaf("sts:From", range.from_number),
      leaf("sts:To", range.to_number)
    )
  )

/**
 * The authority's extension of UBL: the range of the document's number, the software that made the document, the public
 * URL.
 */
export const authorityExtension = (document: FiscalDocument, software: Software): string =>
  element(
    "sts:DianExtensions",
    document.range === null ? "" : control(document.range),
    element("sts:InvoiceSource", leaf("cbc:IdentificationCode", homeCountry, countryList)),
    element(
      "sts:SoftwareProvider",
      companyId("sts:ProviderID", { type: "31", ...software.provider }),
      leaf("sts:SoftwareID", software.id, agency)
    ),
    leaf("sts:SoftwareSecurityCode", softwareSecurityCode(software.id, software.pin, document.full_number), agency),
    element("sts:AuthorizationProvider", companyId("sts:AuthorizationProviderID", authority.identification)),
    leaf("sts:QRCode", catalogueUrl(document.environment, document.cufe))
  )

/** The XML of a document before and after its signature. The signature has its own extension after the authority's. */
export interface Unsigned {
  readonly before: string
  readonly after: string
}

const opening = "<ext:UBLExtension><ext:ExtensionContent>"
const closing = "</ext:ExtensionContent></ext:UBLExtension>"

/** Assembles a whole document with the root element `root`. `content` is the XML after the extensions. */
export const unsigned = (
  root: keyof typeof profiles,
  extension: string,
  ...content: ReadonlyArray<string>
): Unsigned => ({
  before: `<${root} ${namespaces(root)}><ext:UBLExtensions>${opening}${extension}${closing}${opening}`,
  after: `${closing}</ext:UBLExtensions>${content.join("")}</${root}>`
})
