import type { Issuer } from "../../../schemas/Account.ts"
import { type PartyTaxScheme, partyTaxSchemes } from "../../../schemas/Code.ts"
import type { Acquirer } from "../../../schemas/Customer.ts"
import type { DocumentKind } from "../../../schemas/FiscalDocument.ts"
import type { Identification } from "../../../schemas/Party.ts"
import { departments, homeCountry, municipalities } from "../rules/parties/Territories.ts"
import type { FiscalDocument } from "./FiscalDocument.ts"
import { agency } from "./UblProfile.ts"
import { attribute, element, filled, leaf, optional } from "./Xml.ts"

/** The tax registration of a party: its responsibilities, its regime, and the tax that the party is registered for. */
interface Registration {
  /** Empty if unknown: the document then does not state them. */
  readonly responsibilities: ReadonlyArray<string>
  /** "48": the party charges the value added tax; "49": the party does not; null if unknown. */
  readonly regime: "48" | "49" | null
  readonly tax: PartyTaxScheme
}

const noResponsibility = ["R-99-PN"]

const vatSchemes: ReadonlyArray<PartyTaxScheme> = ["01", "ZA"]

/**
 * The registration of an acquirer. The authority requires a tax (FAK19 requires the group, the XML schema the tax in
 * it): ZZ, "does not apply", for an acquirer that states none. Responsibilities and regime are optional (FAK26), so the
 * document states nothing that is unknown.
 */
const registrationOf = ({ tax_responsibilities = [], tax_scheme }: Acquirer): Registration => ({
  responsibilities: tax_responsibilities,
  regime: tax_scheme === undefined ? null : vatSchemes.includes(tax_scheme) ? "48" : "49",
  tax: tax_scheme ?? "ZZ"
})

/**
 * The registration of an issuer. An issuer that states nothing about the value added tax is in test mode, or issued
 * before Folio required it. The authority rejects a debit note whose issuer has no tax (DAJ39), so a debit note has IVA
 * instead of ZZ.
 */
const issuerRegistrationOf = (issuer: Issuer, kind: DocumentKind): Registration => {
  const { tax_responsibilities, tax_scheme, vat_responsible = true } = issuer
  const tax = tax_scheme ?? (vat_responsible ? "01" : "ZZ")
  return {
    responsibilities: tax_responsibilities.length === 0 ? noResponsibility : tax_responsibilities,
    regime: vat_responsible ? "48" : "49",
    tax: kind === "debit_note" && tax === "ZZ" ? "01" : tax
  }
}

/** The identification number of a party, as an element called `name`. */
export const companyId = (name: string, { check_digit, number, type }: Identification): string => {
  const digit = check_digit === undefined ? "" : attribute("schemeID", check_digit)
  return leaf(name, number, agency + digit + attribute("schemeName", type))
}

/**
 * The address of a party, as an element called `name`; an empty string if no part of it is known. A party without a
 * country code is in the home country, where the municipality's code implies the department. Codes of an address abroad
 * are written without names, because only the home country has municipalities and departments.
 */
export const address = (name: string, party: Acquirer): string => {
  const { address: street, city_code, country_code, department_code, postal_code } = party
  if ([street, city_code, country_code, department_code, postal_code].every((part) => part === undefined)) return ""
  const country = country_code ?? homeCountry
  const isHome = country === homeCountry
  const department = department_code ?? (isHome ? city_code?.slice(0, 2) : undefined)
  return element(
    name,
    optional("cbc:ID", city_code),
    isHome ? optional("cbc:CityName", municipalities.get(city_code ?? "")) : "",
    optional("cbc:PostalZone", postal_code),
    isHome ? optional("cbc:CountrySubentity", departments.get(department ?? "")) : "",
    optional("cbc:CountrySubentityCode", department),
    filled("cac:AddressLine", optional("cbc:Line", street)),
    element("cac:Country", leaf("cbc:IdentificationCode", country))
  )
}

/** A tax by the authority's code and name. */
export const taxScheme = ({ id, name }: { readonly id: string; readonly name: string }) =>
  element("cac:TaxScheme", leaf("cbc:ID", id), leaf("cbc:Name", name))

const partyTaxNames: ReadonlyMap<string, string> = new Map(partyTaxSchemes.map(({ code, name }) => [code, name]))

const taxLevel = ({ regime, responsibilities }: Registration) =>
  optional("cbc:TaxLevelCode", responsibilities.join(";"), regime === null ? "" : attribute("listName", regime))

/** A party as a taxpayer. `place` is the XML of the party's registration address, or an empty string. */
const taxRegistration = (party: Acquirer, registration: Registration, place: string): string =>
  element(
    "cac:PartyTaxScheme",
    leaf("cbc:RegistrationName", party.legal_name),
    companyId("cbc:CompanyID", party.identification),
    taxLevel(registration),
    place,
    taxScheme({ id: registration.tax, name: partyTaxNames.get(registration.tax) ?? "" })
  )

/** The fields of a business that only an issuer has, and the prefix of the document's number. */
type Business = Pick<Issuer, "economic_activities" | "merchant_registration"> & { readonly prefix: string }

const party = (content: Acquirer, registration: Registration, business: Business): string =>
  element(
    "cac:Party",
    optional("cbc:IndustryClassificationCode", business.economic_activities?.join(";")),
    content.organization_type === "2"
      ? element("cac:PartyIdentification", companyId("cbc:ID", content.identification))
      : "",
    element("cac:PartyName", leaf("cbc:Name", content.trade_name ?? content.legal_name)),
    filled("cac:PhysicalLocation", address("cac:Address", content)),
    taxRegistration(content, registration, address("cac:RegistrationAddress", content)),
    element(
      "cac:PartyLegalEntity",
      leaf("cbc:RegistrationName", content.legal_name),
      companyId("cbc:CompanyID", content.identification),
      filled(
        "cac:CorporateRegistrationScheme",
        optional("cbc:ID", business.prefix) + optional("cbc:Name", business.merchant_registration)
      )
    ),
    filled("cac:Contact", optional("cbc:Telephone", content.phone) + optional("cbc:ElectronicMail", content.email))
  )

/** The issuer and the acquirer of an invoice or a note. */
export const parties = ({ acquirer, issuer, kind, prefix }: FiscalDocument): string =>
  element(
    "cac:AccountingSupplierParty",
    leaf("cbc:AdditionalAccountID", issuer.organization_type),
    party(issuer, issuerRegistrationOf(issuer, kind), { ...issuer, prefix })
  ) +
  element(
    "cac:AccountingCustomerParty",
    leaf("cbc:AdditionalAccountID", acquirer.organization_type),
    party(acquirer, registrationOf(acquirer), { prefix: "" })
  )

type Correspondence = Pick<FiscalDocument, "acquirer" | "issuer" | "kind">

/** The issuer as the sender and the acquirer as the receiver of a document that is not a sale. */
export const correspondents = ({ acquirer, issuer, kind }: Correspondence): string =>
  element("cac:SenderParty", taxRegistration(issuer, issuerRegistrationOf(issuer, kind), "")) +
  element("cac:ReceiverParty", taxRegistration(acquirer, registrationOf(acquirer), ""))

/** A party with only a known identification and legal name, as an element called `name`. */
export const correspondent = (name: string, identification: Identification, legalName: string): string => {
  const known: Acquirer = { identification, legal_name: legalName, organization_type: "1" }
  return element(name, taxRegistration(known, registrationOf(known), ""))
}
