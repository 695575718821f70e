import type { GrantedRange } from "../../schemas/Resolution.ts"
import { softwareSecurityCode } from "../domain/Cufe.ts"
import { catalogueUrl } from "../domain/QrText.ts"
import { homeCountry } from "../domain/Territories.ts"
import type { FiscalDocument } from "./FiscalDocument.ts"
import { agency, authority, countryList, namespaces, type profiles } from "./NationalProfile.ts"
import type { Software } from "./Software.ts"
import { attribute, element, leaf, optional } from "./Xml.ts"

const nit = (name: string, number: string, checkDigit: string): string =>
  leaf(name, number, agency + attribute("schemeID", checkDigit) + attribute("schemeName", "31"))

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

/** What the authority adds to UBL: which range a number is from, which program made the document, and where it is found. */
export const authorityExtension = (document: FiscalDocument, software: Software): string =>
  element(
    "sts:DianExtensions",
    document.range === null ? "" : control(document.range),
    element("sts:InvoiceSource", leaf("cbc:IdentificationCode", homeCountry, countryList)),
    element(
      "sts:SoftwareProvider",
      nit("sts:ProviderID", software.provider.number, software.provider.check_digit),
      leaf("sts:SoftwareID", software.id, agency)
    ),
    leaf("sts:SoftwareSecurityCode", softwareSecurityCode(software.id, software.pin, document.full_number), agency),
    element("sts:AuthorizationProvider", nit("sts:AuthorizationProviderID", authority.number, authority.check_digit)),
    leaf("sts:QRCode", catalogueUrl(document.environment, document.cufe))
  )

/** A document without its signature, cut where that goes: after what the authority adds, as an extension of its own. */
export interface Unsigned {
  readonly before: string
  readonly after: string
}

const opening = "<ext:UBLExtension><ext:ExtensionContent>"
const closing = "</ext:ExtensionContent></ext:UBLExtension>"

/** A whole document of this root. `content` is what comes after the extensions. */
export const unsigned = (
  root: keyof typeof profiles,
  extension: string,
  ...content: ReadonlyArray<string>
): Unsigned => ({
  before: `<${root} ${namespaces(root)}><ext:UBLExtensions>${opening}${extension}${closing}${opening}`,
  after: `${closing}</ext:UBLExtensions>${content.join("")}</${root}>`
})
