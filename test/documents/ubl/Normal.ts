import { Struct } from "effect"
import type { Tax } from "../../../schemas/Line.ts"
import type { FiscalDocument } from "../../../src/documents/ubl/FiscalDocument.ts"
import type { DocumentContent } from "../../../src/documents/signature/DocumentContent.ts"

type Party = FiscalDocument["acquirer"]

/** Omits the printed fields, which the XML does not contain. */
const written = (issuer: FiscalDocument["issuer"]) => Struct.omit(issuer, ["color", "logo", "payment_instructions"])

/** An issuer that omits `vat_responsible`, as the document shows it: charging the value added tax. */
const registered = (issuer: FiscalDocument["issuer"], kind: FiscalDocument["kind"]) => {
  const { vat_responsible = true } = issuer
  const tax_scheme = issuer.tax_scheme ?? (vat_responsible ? "01" : "ZZ")
  return {
    ...issuer,
    vat_responsible,
    tax_scheme: kind === "debit_note" && tax_scheme === "ZZ" ? ("01" as const) : tax_scheme
  }
}

/** An acquirer without a tax is written with the tax that "does not apply". */
const untaxed = ({ tax_scheme, ...acquirer }: Party): Party =>
  tax_scheme === undefined || tax_scheme === "ZZ" ? acquirer : { ...acquirer, tax_scheme }

const named = <P extends Party>({ trade_name, ...party }: P) =>
  trade_name === undefined || trade_name === party.legal_name ? party : { ...party, trade_name }

const located = <P extends Party>(party: P): P => {
  const { address, city_code, department_code, postal_code } = party
  const isSomewhere = [address, city_code, department_code, postal_code, party.country_code].some(
    (part) => part !== undefined
  )
  if (!isSomewhere) return party
  const country_code = party.country_code ?? "CO"
  const department = department_code ?? (country_code === "CO" ? city_code?.slice(0, 2) : undefined)
  return { ...party, country_code, ...(department === undefined ? {} : { department_code: department }) }
}

/**
 * The authority's carbon tax is 23 per unit, and the interface's 02 by percentage. Both are one tax of the document.
 */
const carbon = (tax: Tax): Tax =>
  tax.code === "02" || tax.code === "23" ? { ...tax, code: tax.unit_amount === undefined ? "02" : "23" } : tax

const grouped = (taxes: ReadonlyArray<Tax>): ReadonlyArray<Tax> =>
  [...Map.groupBy(taxes.map(carbon), ({ code }) => (code === "02" ? "23" : code)).values()].flat()

/** An invoice in contingency has the type of contingency, and does not show that it is an export. */
const operation = ({ in_contingency, operation_type }: FiscalDocument) =>
  in_contingency && operation_type === "11" ? "10" : operation_type

const head = [
  "kind",
  "in_contingency",
  "full_number",
  "prefix",
  "cufe",
  "issue_date",
  "issue_time",
  "environment",
  "currency",
  "range",
  "correction"
] as const

/** The content that a reader of the document must find: its head unchanged, and the rest as the XML shows it. */
export const normal = (document: FiscalDocument): DocumentContent => ({
  ...Struct.pick(document, head),
  totals: {
    // The XML does not contain the due amount.
    ...Struct.omit(document.totals, ["cash_rounding_amount", "due_amount", "net_amount"]),
    taxes: grouped(document.totals.taxes)
  },
  operation_type: document.kind === "invoice" ? operation(document) : null,
  issuer: located(named(written(registered(document.issuer, document.kind)))),
  acquirer: located(named(untaxed(document.acquirer)))
})
