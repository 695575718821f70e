import { colombianSandbox } from "../../src/documents/rules/parties/SandboxIds.ts"
import { sandboxSoftware } from "../../src/documents/ubl/UblSoftware.ts"
import { allowanceRules, lineAllowanceRules, type PlacedAllowance } from "./AllowanceRules.ts"
import { codeRules, type Records } from "./CodeRules.ts"
import { brokenFormulas } from "./Formulas.ts"
import { headRules } from "./HeadRules.ts"
import { lineRules, linesRules } from "./LineRules.ts"
import { noteRules } from "./NoteRules.ts"
import { acquirerRules, issuerRules } from "./PartyRules.ts"
import { paymentRules, settlementRules } from "./PaymentRules.ts"
import { broken, type BrokenRule, nth, type Received, received, type Rule } from "./Rules.ts"
import * as Taxes from "./TaxRules.ts"
import { all, at, parsedXml, type XmlElement } from "./XmlTree.ts"

const each = (
  rules: ReadonlyArray<Rule<XmlElement>>,
  parent: XmlElement,
  name: string,
  path: string,
  document: Received
): ReadonlyArray<BrokenRule> =>
  all(parent, name).flatMap((part, index) => broken(rules, part, nth(path, name, index), document))

const allowances = (
  rules: ReadonlyArray<Rule<PlacedAllowance>>,
  parent: XmlElement,
  path: string,
  document: Received
): ReadonlyArray<BrokenRule> =>
  all(parent, "cac:AllowanceCharge").flatMap((allowance, index) =>
    broken(rules, { allowance, index }, nth(path, "cac:AllowanceCharge", index), document)
  )

/** The rules of a required party. If the party is missing, only the rule `missing` is broken. */
const ofParty = (
  rules: ReadonlyArray<Rule<XmlElement>>,
  name: string,
  missing: string,
  path: string,
  document: Received
): ReadonlyArray<BrokenRule> => {
  const party = at(document.root, name)
  return party === undefined
    ? broken([{ rule: missing, path: name, isBroken: () => true }], undefined, path, document)
    : broken(rules, party, `${path}/${name}`, document)
}

const ofTaxes = (document: Received, path: string): ReadonlyArray<BrokenRule> => {
  const { root } = document
  return [
    ...broken(Taxes.taxesRules, root, path, document),
    ...each(Taxes.totalRules, root, "cac:TaxTotal", path, document),
    ...all(root, "cac:TaxTotal").flatMap((total, index) =>
      each(Taxes.subtotalRules, total, "cac:TaxSubtotal", nth(path, "cac:TaxTotal", index), document)
    ),
    ...each(Taxes.withholdingRules, root, "cac:WithholdingTaxTotal", path, document)
  ]
}

const ofLine = (line: XmlElement, index: number, path: string, document: Received): ReadonlyArray<BrokenRule> => [
  ...broken(lineRules, { line, index }, path, document),
  ...allowances(lineAllowanceRules, line, path, document),
  ...broken(Taxes.lineTaxesRules, line, path, document),
  ...each(Taxes.lineTaxRules, line, "cac:TaxTotal", path, document)
]

/** The records of the sandbox authority: the first range of every test account, and the software of test documents. */
const sandboxRecords: Records = {
  technicalKey: (number) =>
    number === colombianSandbox.range.number ? colombianSandbox.range.technical_key : undefined,
  pin: (id) => (id === sandboxSoftware.id ? sandboxSoftware.pin : undefined)
}

/**
 * The rules of the authority that a signed document breaks, as far as the document alone decides them. Reads the XML as
 * received, without any code of its writer, so that a mistake of the writer shows. Verifies no signature.
 */
export const brokenRules = (signed: Uint8Array, records: Records = sandboxRecords): ReadonlyArray<BrokenRule> => {
  const root = parsedXml(Buffer.from(signed.buffer, signed.byteOffset, signed.byteLength).toString())
  const document = root === null ? null : received(root)
  if (root === null || document === null) return [{ rule: "ZB01", severity: "rejection", path: "/" }]
  const path = `/${document.name}`
  const row = `cac:${document.name}Line`
  return [
    ...broken(headRules, root, path, document),
    ...broken(codeRules(records), root, path, document),
    ...broken(noteRules, root, path, document),
    ...ofParty(issuerRules, "cac:AccountingSupplierParty", "FAJ01", path, document),
    ...ofParty(acquirerRules, "cac:AccountingCustomerParty", "FAK01", path, document),
    ...broken(settlementRules, root, path, document),
    ...each(paymentRules, root, "cac:PaymentMeans", path, document),
    ...allowances(allowanceRules, root, path, document),
    ...ofTaxes(document, path),
    ...broken(linesRules, root, path, document),
    ...document.lines.flatMap((line, index) => ofLine(line, index, nth(path, row, index), document)),
    ...brokenFormulas(document)
  ]
}
