import { identificationTypes, taxResponsibilities } from "../../schemas/Code.ts"
import { checkDigit, isNit, sandboxIdentification } from "../../src/documents/rules/parties/CheckDigit.ts"
import type { Rule } from "./Rules.ts"
import { at, attributeOf, textAt, type XmlElement } from "./XmlTree.ts"

const organizations: ReadonlyArray<string> = ["1", "2"]
const types: ReadonlySet<string> = new Set(identificationTypes.map(({ code }) => code))
const responsibilities: ReadonlySet<string> = new Set(taxResponsibilities.map(({ code }) => code))
const nit = "31"

const scheme = ["cac:Party", "cac:PartyTaxScheme"] as const
const company = [...scheme, "cbc:CompanyID"] as const

const digitOf = (id: XmlElement | undefined) => attributeOf(id, "schemeID")
const isCompany = (id: XmlElement | undefined) => attributeOf(id, "schemeName") === nit

const hasNoDigit = (party: XmlElement) => {
  const id = at(party, ...company)
  return isCompany(id) && (digitOf(id) ?? "") === ""
}

/** Whether a check digit is wrong. The sandbox identification passes, because its digit is wrong on purpose. */
export const hasWrongDigit = (id: XmlElement | undefined): boolean => {
  const [number, digit] = [id?.text ?? "", digitOf(id) ?? ""]
  if (digit === "" || (number === sandboxIdentification.number && digit === sandboxIdentification.check_digit))
    return false
  return !isNit(number) || checkDigit(number) !== digit
}

const organization = (rule: string): Rule<XmlElement> => ({
  rule,
  path: "cbc:AdditionalAccountID",
  isBroken: (party) => !organizations.includes(textAt(party, "cbc:AdditionalAccountID") ?? "")
})

const name = (rule: string): Rule<XmlElement> => ({
  rule,
  path: [...scheme, "cbc:RegistrationName"].join("/"),
  isBroken: (party) => !textAt(party, ...scheme, "cbc:RegistrationName")
})

const digit = (missing: string, wrong: string): ReadonlyArray<Rule<XmlElement>> => {
  const path = `${company.join("/")}/@schemeID`
  return [
    { rule: missing, path, isBroken: hasNoDigit },
    {
      rule: wrong,
      path,
      isBroken: (party) => {
        const id = at(party, ...company)
        return isCompany(id) && hasWrongDigit(id)
      }
    }
  ]
}

/** The responsibilities are an optional list, separated by semicolons. */
const known = (rule: string, severity?: "notification"): Rule<XmlElement> => ({
  rule,
  path: [...scheme, "cbc:TaxLevelCode"].join("/"),
  isBroken: (party) => {
    const level = textAt(party, ...scheme, "cbc:TaxLevelCode")
    return level !== undefined && level.split(";").some((code) => !responsibilities.has(code))
  },
  ...(severity === undefined ? {} : { severity })
})

const registered = (rule: string): Rule<XmlElement> => ({
  rule,
  path: [...scheme, "cac:TaxScheme"].join("/"),
  isBroken: (party) => at(party, ...scheme, "cac:TaxScheme") === undefined
})

/** The rules of the issuer. */
export const issuerRules: ReadonlyArray<Rule<XmlElement>> = [
  organization("FAJ02b"),
  name("FAJ20"),
  ...digit("FAJ24a", "FAJ24b"),
  known("FAJ26"),
  registered("FAJ39")
]

/** The rules of the acquirer. */
export const acquirerRules: ReadonlyArray<Rule<XmlElement>> = [
  organization("FAK02"),
  { rule: "FAK19", path: scheme.join("/"), isBroken: (party) => at(party, ...scheme) === undefined },
  name("FAK20"),
  { rule: "FAK21", path: company.join("/"), isBroken: (party) => !textAt(party, ...company) },
  ...digit("FAK24", "FAK25"),
  { ...known("FAK26", "notification"), kinds: ["invoice"] },
  { ...known("FAK26"), kinds: ["credit_note", "debit_note"] },
  {
    rule: "FAK48",
    path: `${company.join("/")}/@schemeName`,
    isBroken: (party) => !types.has(attributeOf(at(party, ...company), "schemeName") ?? "")
  },
  {
    rule: "FAK61",
    path: "cac:Party/cac:PartyIdentification",
    isBroken: (party) =>
      textAt(party, "cbc:AdditionalAccountID") === "2" &&
      at(party, "cac:Party", "cac:PartyIdentification") === undefined
  },
  {
    rule: "FAK62",
    path: "cac:Party/cac:PartyIdentification/cbc:ID",
    isBroken: (party) => textAt(party, "cac:Party", "cac:PartyIdentification", "cbc:ID") === ""
  }
]
