import type { Issuer } from "../../../schemas/Account.ts"
import type { Acquirer } from "../../../schemas/Customer.ts"
import type { Identification } from "../../../schemas/Party.ts"
import { departments, homeCountry, municipalities } from "../../domain/accounts/Territories.ts"
import type { FiscalDocument } from "./FiscalDocument.ts"
import { agency } from "./UblProfile.ts"
import { attribute, element, filled, leaf, optional } from "./Xml.ts"

/** The tax registration of a party: its responsibilities, its regime, and the tax that the party is registered for. */
interface Registration {
  readonly responsibilities: ReadonlyArray<string>
  /** "48": the party charges the value added tax; "49": the party does not, or its regime is unknown. */
  readonly regime: "48" | "49"
  readonly tax: { readonly id: string; readonly name: string }
}

const noResponsibility = ["R-99-PN"]

// The API does not ask for an acquirer's registration; these are the values of the authority's list for an unknown registration.
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

/** The identification number of a party, as an element called `name`. */
export const companyId = (name: string, { check_digit, number, type }: Identification): string => {
  const digit = check_digit === undefined ? "" : attribute("schemeID", check_digit)
  return leaf(name, number, agency + digit + attribute("schemeName", type))
}

/**
 * The address of a party, as an element called `name`; an empty string when no part of the address is known. A party without a
 * country code is in the home country, where the municipality's code implies the department. Codes of an address abroad are
 * written without names, since municipalities and departments exist in the home country only.
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
    filled("cac:AddressLine", optional("cbc:Line", street)),
    element("cac:Country", leaf("cbc:IdentificationCode", country))
  )
}

/** A tax by the authority's code and name. */
export const taxScheme = ({ id, name }: Registration["tax"]) =>
  element("cac:TaxScheme", leaf("cbc:ID", id), leaf("cbc:Name", name))

/** A party as a taxpayer. `place` is the XML of the party's registration address, or an empty string. */
const taxRegistration = (party: Acquirer, registration: Registration, place: string): string =>
  element(
    "cac:PartyTaxScheme",
    leaf("cbc:RegistrationName", party.legal_name),
    companyId("cbc:CompanyID", party.identification),
    leaf("cbc:TaxLevelCode", registration.responsibilities.join(";"), attribute("listName", registration.regime)),
    place,
    taxScheme(registration.tax)
  )

const party = (content: Acquirer, registration: Registration, prefix: string): string =>
  element(
    "cac:Party",
    content.organization_type === "2"
      ? element("cac:PartyIdentification", companyId("cbc:ID", content.identification))
      : "",
    element("cac:PartyName", leaf("cbc:Name", content.legal_name)),
    filled("cac:PhysicalLocation", address("cac:Address", content)),
    taxRegistration(content, registration, address("cac:RegistrationAddress", content)),
    element(
      "cac:PartyLegalEntity",
      leaf("cbc:RegistrationName", content.legal_name),
      companyId("cbc:CompanyID", content.identification),
      filled("cac:CorporateRegistrationScheme", optional("cbc:ID", prefix))
    ),
    filled("cac:Contact", optional("cbc:ElectronicMail", content.email))
  )

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

/** The issuer as the sender and the acquirer as the receiver of a document that is not a sale. */
export const correspondents = ({ acquirer, issuer }: Pick<FiscalDocument, "acquirer" | "issuer">): string =>
  element("cac:SenderParty", taxRegistration(issuer, registrationOf(issuer), "")) +
  element("cac:ReceiverParty", taxRegistration(acquirer, unknownRegistration, ""))

/** A party of which only the identification and the legal name are known, as an element called `name`. */
export const correspondent = (name: string, identification: Identification, legalName: string): string =>
  element(
    name,
    taxRegistration({ identification, legal_name: legalName, organization_type: "1" }, unknownRegistration, "")
  )
