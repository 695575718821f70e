import type { DocumentKind } from "../../schemas/FiscalDocument.ts"
import { colombianSandbox } from "./rules/parties/SandboxIds.ts"
import { cufe, documentTail } from "./rules/Cufe.ts"
import { cents } from "./rules/Decimal.ts"
import { isTolerated } from "./rules/amounts/Amounts.ts"
import { sumOf } from "./rules/amounts/TaxRules.ts"
import { type DocumentContent, lineTaxes } from "./signature/DocumentContent.ts"
import { elementNames } from "./ubl/UblProfile.ts"

/*
 * The authority's rules that a test document can still break after the local rules have accepted its request. The
 * simulated authority checks them by the head of the document. The tests check all rules of the authority on the XML
 * (test/oracle).
 */

/** A rule of the authority that a document breaks, with its XPath in the document. */
interface BrokenRule {
  readonly rule: string
  readonly severity: "rejection" | "notification"
  readonly path: string
}

type Document = Pick<
  DocumentContent,
  | "acquirer"
  | "cufe"
  | "environment"
  | "full_number"
  | "issue_date"
  | "issue_time"
  | "issuer"
  | "kind"
  | "range"
  | "totals"
>

const letters: Readonly<Record<DocumentKind, string>> = { invoice: "F", credit_note: "C", debit_note: "D" }

/** A broken rule of a document, by the number of the rule for invoices and the path below the root element. */
const broken = ({ kind }: Document, rule: string, path: string, severity: BrokenRule["severity"] = "rejection") => ({
  rule: letters[kind] + rule.slice(1),
  severity,
  path: `/${elementNames[kind].root}/${path}`
})

const control = "ext:UBLExtensions/ext:UBLExtension/ext:ExtensionContent/sts:DianExtensions/sts:InvoiceControl"

/** A client can end a range before the issue date of a document that already has its number. */
const rangeRules = (document: Document): ReadonlyArray<BrokenRule> => {
  const { issue_date, range } = document
  return range !== null && issue_date > range.valid_to ? [broken(document, "FAB08a", control)] : []
}

/** A client can register the range of the sandbox with another technical key. */
const codeRules = (document: Document): ReadonlyArray<BrokenRule> => {
  const { acquirer, environment, full_number, issuer, range, ...rest } = document
  const { number, technical_key = "" } = colombianSandbox.range
  if (range === null || range.number !== number) return []
  const tail = documentTail({
    ...rest,
    livemode: environment === "1",
    supplier_nit: issuer.identification.number,
    customer_id: acquirer.identification.number,
    key: technical_key
  })
  return cufe(full_number, tail) === document.cufe ? [] : [broken(document, "FAD06", "cbc:UUID")]
}

const carbon = "02"

/** The local rules accept the carbon tax by percentage, with a warning. */
const carbonRules = (document: Document, signed: Uint8Array): ReadonlyArray<BrokenRule> => {
  const { kind, totals } = document
  if (totals.taxes.every(({ code }) => code !== carbon)) return []
  const line = `cac:${elementNames[kind].root}Line`
  return lineTaxes(signed, kind).flatMap((groups, index) =>
    groups.flatMap((taxes, group) => {
      if (taxes.every(({ code }) => code !== carbon)) return []
      const path = `${line}[${index + 1}]/cac:TaxTotal[${group + 1}]/cac:TaxSubtotal/cbc:BaseUnitMeasure`
      return [broken(document, "FAX09", path, "notification")]
    })
  )
}

/** An amount in hundredths, rounded to whole units. A half is rounded away from zero. */
const wholeUnits = (amount: bigint): bigint => (amount < 0n ? -wholeUnits(-amount) : (amount + 50n) / 100n)

/** The rounding can bring a total from below zero to zero. Prepayments can be more than the document. */
const totalRules = (document: Document): ReadonlyArray<BrokenRule> => {
  const { kind, totals } = document
  const { allowance_total_amount = "0.00", charge_total_amount = "0.00", prepaid_amount = "0.00" } = totals
  const exact =
    cents(totals.line_extension_amount) +
    cents(totals.tax_amount) -
    cents(allowance_total_amount) +
    cents(charge_total_amount)
  const isRounded = wholeUnits(cents(totals.payable_amount)) !== wholeUnits(exact)
  const { total } = elementNames[kind]
  return [
    ...(isRounded ? [broken(document, "FAU14", `${total}/cbc:PayableAmount`)] : []),
    ...(kind === "invoice" && cents(prepaid_amount) > exact
      ? [broken(document, "FBD03", `${total}/cbc:PrepaidAmount`, "notification")]
      : [])
  ]
}

const nth = (name: string, index: number, { length }: ReadonlyArray<unknown>) =>
  length > 1 ? `${name}[${index + 1}]` : name

/** The local rules skip the sum of a tax if the exact sum has more digits than an amount can have. */
const taxRules = (document: Document): ReadonlyArray<BrokenRule> => {
  // The document has one group for the carbon tax by percentage and per unit.
  const groups = [...Map.groupBy(document.totals.taxes, ({ code }) => (code === carbon ? "23" : code)).values()]
  return groups.flatMap((taxes, group) =>
    taxes.flatMap((tax, index) => {
      if (isTolerated(cents(tax.value), sumOf(tax).exact)) return []
      const path = `${nth("cac:TaxTotal", group, groups)}/${nth("cac:TaxSubtotal", index, taxes)}/cbc:TaxAmount`
      return [broken(document, "FAS07", path)]
    })
  )
}

/** The rules that a signed document breaks. `document`: the content of its head. */
export const sandboxRules = (signed: Uint8Array, document: Document): ReadonlyArray<BrokenRule> => [
  ...rangeRules(document),
  ...codeRules(document),
  ...carbonRules(document, signed),
  ...totalRules(document),
  ...taxRules(document)
]
