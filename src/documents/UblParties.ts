import type { Issuer } from "../../schemas/Account.ts"
import type { Acquirer } from "../../schemas/Customer.ts"
import type { Identification } from "../../schemas/Party.ts"
import { municipalities } from "../domain/Municipalities.ts"
import { departments, homeCountry } from "../domain/Territories.ts"
import type { FiscalDocument } from "./FiscalDocument.ts"
import { agency } from "./NationalProfile.ts"
import { attribute, element, leaf, optional } from "./Xml.ts"

/** What stands for a taxpayer: what it answers for, its regime, and the tax it is registered for. */
interface Registration {
  readonly responsibilities: ReadonlyArray<string>
  /** "48" charges the value added tax, "49" does not, or it is not known. */
  readonly regime: "48" | "49"
  readonly tax: { readonly id: string; readonly name: string }
}

const noResponsibility = ["R-99-PN"]

// Nobody asks acquirers for their registration: the authority's list has these values for whom they are not known of.
const unknownRegistration: Registration = {
  responsibilities: noResponsibility,
  regime: "49",
  tax: { id: "ZZ", name: "No aplica" }
}

const registrationOf = (issuer: Issuer): Registration => ({
  responsibilities: issuer.tax_responsibilities.length === 0 ? noResponsibility : issuer.tax_responsibilities,
  regime: "48",
  tax: { id: "01", name: "IVA" }
})

/** The attributes of an identification's number. */
const identified = ({ check_digit, type }: Identification): string =>
  agency + (check_digit === undefined ? "" : attribute("schemeID", check_digit)) + attribute("schemeName", type)

/** The number of a party, as `name`. */
export const companyId = (name: string, identification: Identification): string =>
  leaf(name, identification.number, identified(identification))

/**
 * Where a party is, as `name`; nothing when nothing is known. Without a country it is at home, and a municipality says its
 * department. Abroad there are neither, and codes stay without names.
 */
export const address = (name: string, party: Acquirer): string => {
  const { address: street, city_code, country_code, department_code } = party
  if ([street, city_code, country_code, department_code].every((part) => part === undefined)) return ""
  const country = country_code ?? homeCountry
  const isHome = country === homeCountry
  const department = department_code ?? (isHome ? city_code?.slice(0, 2) : undefined)
  return element(
    name,
    optional("cbc:ID", city_code),
    isHome ? optional("cbc:CityName", municipalities.get(city_code ?? "")) : "",
    isHome ? optional("cbc:CountrySubentity", departments.get(department ?? "")) : "",
    optional("cbc:CountrySubentityCode", department),
    street === undefined ? "" : element("cac:AddressLine", leaf("cbc:Line", street)),
    element("cac:Country", leaf("cbc:IdentificationCode", country))
  )
}

const taxScheme = ({ id, name }: Registration["tax"]) =>
  element("cac:TaxScheme", leaf("cbc:ID", id), leaf("cbc:Name", name))

/** A party as one who pays taxes, with where it is registered. */
const taxRegistration = (party: Acquirer, registration: Registration, place: string): string =>
  element(
    "cac:PartyTaxScheme",
    leaf("cbc:RegistrationName", party.legal_name),
    companyId("cbc:CompanyID", party.identification),
    leaf("cbc:TaxLevelCode", registration.responsibilities.join(";"), attribute("listName", registration.regime)),
    place,
    taxScheme(registration.tax)
  )

const isNaturalPerson = (party: Acquirer) => party.organization_type === "2"

const party = (content: Acquirer, registration: Registration, prefix: string): string =>
  element(
    "cac:Party",
    isNaturalPerson(content) ? element("cac:PartyIdentification", companyId("cbc:ID", content.identification)) : "",
    element("cac:PartyName", leaf("cbc:Name", content.legal_name)),
    located(content),
    taxRegistration(content, registration, address("cac:RegistrationAddress", content)),
    element(
      "cac:PartyLegalEntity",
      leaf("cbc:RegistrationName", content.legal_name),
      companyId("cbc:CompanyID", content.identification),
      prefix === "" ? "" : element("cac:CorporateRegistrationScheme", leaf("cbc:ID", prefix))
    ),
    content.email === undefined ? "" : element("cac:Contact", leaf("cbc:ElectronicMail", content.email))
  )

const located = (content: Acquirer): string => {
  const place = address("cac:Address", content)
  return place === "" ? "" : element("cac:PhysicalLocation", place)
}

/** Issuer and acquirer of an invoice or a note. */
export const parties = ({ acquirer, issuer, prefix }: FiscalDocument): string =>
  element(
    "cac:AccountingSupplierParty",
    leaf("cbc:AdditionalAccountID", issuer.organization_type),
    party(issuer, registrationOf(issuer), prefix)
  ) +
  element(
    "cac:AccountingCustomerParty",
    leaf("cbc:AdditionalAccountID", acquirer.organization_type),
    party(acquirer, unknownRegistration, "")
  )

/** The same two, as sender and receiver of what is not a sale: from the issuer to the acquirer. */
export const correspondents = ({ acquirer, issuer }: Pick<FiscalDocument, "acquirer" | "issuer">): string =>
  element("cac:SenderParty", taxRegistration(issuer, registrationOf(issuer), "")) +
  element("cac:ReceiverParty", taxRegistration(acquirer, unknownRegistration, ""))

/** One party known by its number and name alone, as `name`. */
export const correspondent = (name: string, identification: Identification, legalName: string): string =>
  element(
    name,
    taxRegistration({ identification, legal_name: legalName, organization_type: "1" }, unknownRegistration, "")
  )
