import { currencyCodes } from "../../src/documents/rules/Currencies.ts"
import { isFigure } from "./Figures.ts"
import { authority, elementNames, profiles, ublVersion } from "../../src/documents/ubl/UblProfile.ts"
import { hasWrongDigit } from "./PartyRules.ts"
import type { Received, Rule } from "./Rules.ts"
import { all, at, attributeOf, textAt, type XmlElement } from "./XmlTree.ts"

const operations: Readonly<Record<Received["kind"], ReadonlyArray<string>>> = {
  invoice: ["09", "10", "11", "12"],
  credit_note: ["20", "22", "23"],
  debit_note: ["30", "32", "33"]
}
const environments: ReadonlyArray<string> = ["1", "2"]
const invoiceTypes: ReadonlyArray<string> = ["01", "02", "03", "04"]
const schemes: Readonly<Record<Received["kind"], ReadonlyArray<string>>> = {
  invoice: ["CUFE-SHA384", "CUDE-SHA384"],
  credit_note: ["CUDE-SHA384"],
  debit_note: ["CUDE-SHA384"]
}

const text = (root: XmlElement, name: string) => textAt(root, `cbc:${name}`) ?? ""

/** The authority's own extension of UBL. */
const extensions = (root: XmlElement): ReadonlyArray<XmlElement> =>
  all(at(root, "ext:UBLExtensions"), "ext:UBLExtension").flatMap((one) =>
    all(at(one, "ext:ExtensionContent"), "sts:DianExtensions")
  )

/** An element of the authority's extension, by its path. */
export const extension = (root: XmlElement, ...path: ReadonlyArray<string>): XmlElement | undefined =>
  at(extensions(root)[0], ...path)

const control = "sts:InvoiceControl"
const range = (root: XmlElement, name: string) => extension(root, control, "sts:AuthorizedInvoices", name)?.text ?? ""
const period = (root: XmlElement, name: string) => extension(root, control, "sts:AuthorizationPeriod", name)?.text ?? ""

/** The number of an invoice without the prefix of its range; undefined if the number does not have the prefix. */
const numberOf = (root: XmlElement): bigint | undefined => {
  const [number, prefix] = [text(root, "ID"), range(root, "sts:Prefix")]
  const digits = number.startsWith(prefix) ? number.slice(prefix.length) : ""
  return /^\d+$/.test(digits) ? BigInt(digits) : undefined
}

const bound = (root: XmlElement, name: string): bigint | undefined => {
  const digits = range(root, name)
  return /^\d+$/.test(digits) ? BigInt(digits) : undefined
}

const ofRange = (rule: string, path: string, isBroken: (root: XmlElement) => boolean): Rule<XmlElement> => ({
  rule,
  path,
  kinds: ["invoice"],
  isBroken
})

const dian = "ext:UBLExtensions/ext:UBLExtension/ext:ExtensionContent/sts:DianExtensions"
const branch = [
  "cac:AccountingSupplierParty",
  "cac:Party",
  "cac:PartyLegalEntity",
  "cac:CorporateRegistrationScheme",
  "cbc:ID"
]

const signed = [
  "ds:Object",
  "xades:QualifyingProperties",
  "xades:SignedProperties",
  "xades:SignedSignatureProperties",
  "xades:SigningTime"
]

const signatures = (root: XmlElement) =>
  all(at(root, "ext:UBLExtensions"), "ext:UBLExtension").flatMap((one) =>
    all(at(one, "ext:ExtensionContent"), "ds:Signature")
  )

/** The rules of a document's head. */
export const headRules: ReadonlyArray<Rule<XmlElement>> = [
  { rule: "ZB01", path: "", isBroken: (_root, { amounts }) => amounts.some(({ text: amount }) => !isFigure(amount)) },
  {
    rule: "VLR01",
    path: "",
    isBroken: (_root, { amounts }) =>
      amounts.some(({ name, text: amount }) => amount.startsWith("-") && name !== "cbc:PayableRoundingAmount")
  },
  { rule: "FAB03", path: dian, isBroken: (root) => extensions(root).length !== 1 },
  ofRange("FAB07a", `${dian}/${control}`, (root) => text(root, "IssueDate") < period(root, "cbc:StartDate")),
  ofRange("FAB08a", `${dian}/${control}`, (root) => text(root, "IssueDate") > period(root, "cbc:EndDate")),
  ofRange("FAB10a", branch.join("/"), (root) => (textAt(root, ...branch) ?? "") !== range(root, "sts:Prefix")),
  ofRange("FAB11a", `${dian}/${control}`, (root) => bound(root, "sts:From") === undefined),
  ofRange("FAB12a", `${dian}/${control}`, (root) => bound(root, "sts:To") === undefined),
  {
    rule: "FAB22b",
    path: `${dian}/sts:SoftwareProvider/sts:ProviderID/@schemeID`,
    isBroken: (root) => hasWrongDigit(extension(root, "sts:SoftwareProvider", "sts:ProviderID"))
  },
  {
    rule: "FAB31",
    path: `${dian}/sts:AuthorizationProvider/sts:AuthorizationProviderID`,
    isBroken: (root) =>
      extension(root, "sts:AuthorizationProvider", "sts:AuthorizationProviderID")?.text !==
      authority.identification.number
  },
  { rule: "FAB36", path: `${dian}/sts:QRCode`, isBroken: (root) => !extension(root, "sts:QRCode")?.text },
  { rule: "FAC03", path: "ext:UBLExtensions", isBroken: (root) => signatures(root).length !== 1 },
  { rule: "FAD01", path: "cbc:UBLVersionID", isBroken: (root) => text(root, "UBLVersionID") !== ublVersion },
  {
    rule: "FAD02",
    path: "cbc:CustomizationID",
    isBroken: (root, { kind }) => !operations[kind].includes(text(root, "CustomizationID"))
  },
  {
    rule: "FAD03",
    path: "cbc:ProfileID",
    isBroken: (root, { kind }) => text(root, "ProfileID") !== profiles[elementNames[kind].root]
  },
  {
    rule: "FAD04",
    path: "cbc:ProfileExecutionID",
    isBroken: (root) => !environments.includes(text(root, "ProfileExecutionID"))
  },
  { rule: "FAD05a", path: "cbc:ID", isBroken: (root) => !/^[A-Za-z0-9]+$/.test(text(root, "ID")) },
  ofRange("FAD05b", "cbc:ID", (root) => (numberOf(root) ?? 0n) < (bound(root, "sts:From") ?? 0n)),
  ofRange("FAD05c", "cbc:ID", (root) => {
    const [number, last] = [numberOf(root), bound(root, "sts:To")]
    return number !== undefined && last !== undefined && number > last
  }),
  {
    rule: "FAD07",
    path: "cbc:UUID/@schemeID",
    isBroken: (root) => attributeOf(at(root, "cbc:UUID"), "schemeID") !== text(root, "ProfileExecutionID")
  },
  {
    rule: "FAD08",
    path: "cbc:UUID/@schemeName",
    isBroken: (root, { kind }) => !schemes[kind].includes(attributeOf(at(root, "cbc:UUID"), "schemeName") ?? "")
  },
  {
    rule: "FAD09e",
    path: "cbc:IssueDate",
    isBroken: (root) => {
      const time = textAt(signatures(root)[0], ...signed)
      return time !== undefined && time.slice(0, 10) !== text(root, "IssueDate")
    }
  },
  ofRange("FAD12a", "cbc:InvoiceTypeCode", (root) => !invoiceTypes.includes(text(root, "InvoiceTypeCode"))),
  { rule: "FAD15a", path: "cbc:DocumentCurrencyCode", isBroken: (_root, { currency }) => !currencyCodes.has(currency) },
  {
    rule: "FAD15b",
    path: "cbc:DocumentCurrencyCode",
    isBroken: (_root, { amounts, currency }) => amounts.some((amount) => attributeOf(amount, "currencyID") !== currency)
  },
  ofRange(
    "FAI01",
    "cac:AdditionalDocumentReference",
    (root) => text(root, "InvoiceTypeCode") === "03" && at(root, "cac:AdditionalDocumentReference") === undefined
  )
]
