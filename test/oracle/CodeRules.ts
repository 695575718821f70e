import { cufe, cufeTail, softwareSecurityCode } from "../../src/documents/rules/Cufe.ts"
import { extension } from "./HeadRules.ts"
import type { Received, Rule } from "./Rules.ts"
import { all, at, textAt, type XmlElement } from "./XmlTree.ts"
import { figureAt, sum } from "./Figures.ts"

/** The authority's records of issuers and their software, with which it computes the codes of documents again. */
export interface Records {
  /** The technical key of a range, by the number of its resolution; undefined if the range is not on record. */
  readonly technicalKey: (resolution: string) => string | undefined
  /** The PIN of a software, by the id of the software; undefined if the software is not on record. */
  readonly pin: (software: string) => string | undefined
}

const softwareOf = (root: XmlElement) => extension(root, "sts:SoftwareProvider", "sts:SoftwareID")?.text ?? ""

/** The key of a code: the technical key of an invoice's range, or the PIN of a note's software. */
const keyOf = ({ kind, root }: Received, records: Records) =>
  kind === "invoice"
    ? records.technicalKey(extension(root, "sts:InvoiceControl", "sts:InvoiceAuthorization")?.text ?? "")
    : records.pin(softwareOf(root))

/** An amount in millionths, truncated to two fraction digits. */
const money = (amount: bigint) => {
  const digits = (amount / 10_000n).toString().padStart(3, "0")
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`
}

const taxOf = (root: XmlElement, code: string) =>
  sum(
    all(root, "cac:TaxTotal")
      .filter((total) => textAt(total, "cac:TaxSubtotal", "cac:TaxCategory", "cac:TaxScheme", "cbc:ID") === code)
      .map((total) => figureAt(total, "cbc:TaxAmount"))
  )

const company = ["cac:Party", "cac:PartyTaxScheme", "cbc:CompanyID"] as const

/** The CUFE of an invoice, or the CUDE of a note, computed from the fields of the document. */
const codeOf = ({ root, total }: Received, key: string) =>
  cufe(
    textAt(root, "cbc:ID") ?? "",
    cufeTail({
      issue_date: textAt(root, "cbc:IssueDate") ?? "",
      issue_time: textAt(root, "cbc:IssueTime") ?? "",
      line_extension_amount: money(figureAt(total, "cbc:LineExtensionAmount")),
      tax_01: money(taxOf(root, "01")),
      tax_04: money(taxOf(root, "04")),
      tax_03: money(taxOf(root, "03")),
      payable_amount: money(figureAt(total, "cbc:PayableAmount")),
      supplier_nit: textAt(root, "cac:AccountingSupplierParty", ...company) ?? "",
      customer_id: textAt(root, "cac:AccountingCustomerParty", ...company) ?? "",
      key,
      environment: textAt(root, "cbc:ProfileExecutionID") === "1" ? "1" : "2"
    })
  )

/** The rules of a document's codes, for ranges and software on record. */
export const codeRules = (records: Records): ReadonlyArray<Rule<XmlElement>> => [
  {
    rule: "FAD06",
    path: "cbc:UUID",
    isBroken: (root, document) => {
      const key = keyOf(document, records)
      return key !== undefined && codeOf(document, key) !== at(root, "cbc:UUID")?.text
    }
  },
  {
    rule: "FAB27b",
    path: "ext:UBLExtensions/ext:UBLExtension/ext:ExtensionContent/sts:DianExtensions/sts:SoftwareSecurityCode",
    isBroken: (root) => {
      const software = softwareOf(root)
      const pin = records.pin(software)
      const expected = pin === undefined ? undefined : softwareSecurityCode(software, pin, textAt(root, "cbc:ID") ?? "")
      return expected !== undefined && extension(root, "sts:SoftwareSecurityCode")?.text !== expected
    }
  }
]
