import type { Issuer } from "../../../schemas/Account.ts"
import type { Acquirer } from "../../../schemas/Customer.ts"
import type { DocumentKind, InvoiceReference } from "../../../schemas/FiscalDocument.ts"
import type { Line } from "../../../schemas/Line.ts"
import { totalsOf } from "../../documents/rules/Totals.ts"

/** The generic consumer that the authority allows for buyers who do not identify themselves. */
const buyer: Acquirer = {
  identification: { type: "13", number: "222222222222" },
  legal_name: "Consumidor final",
  organization_type: "2"
}

const sold = {
  description: "Servicio de consultoría (documento de prueba de habilitación)",
  quantity: "1.00",
  unit_code: "94",
  unit_price: "100000.00",
  line_extension_amount: "100000.00"
} as const

const corrected = { ...sold, unit_price: "10000.00", line_extension_amount: "10000.00" } as const

/** The line with its tax. An issuer that does not charge the value added tax has none. */
const lineOf = (line: Omit<Line, "taxes">, isTaxed: boolean): Line => {
  const base = line.line_extension_amount
  const value = base === "100000.00" ? "19000.00" : "1900.00"
  return {
    ...line,
    item: { code: "HAB-01", scheme: "999" },
    taxes: [
      isTaxed ? { code: "01", rate: "19.00", base, value } : { code: "ZZ", rate: "0.00", base: "0.00", value: "0.00" }
    ]
  }
}

const corrections = {
  credit_note: { code: "3", reason: "Rebaja o descuento parcial o total" },
  debit_note: { code: "3", reason: "Cambio del valor" }
} as const

const referenceOf = ({ cufe, full_number, issue_date }: InvoiceReference) => ({ full_number, cufe, issue_date })

/**
 * The content of a test set's document without its number, date and code: a sale of the issuer, or a note to an
 * accepted one.
 */
export const testDocument = (kind: DocumentKind, issuer: Issuer, invoice: InvoiceReference | null) => {
  const lines = [lineOf(kind === "invoice" ? sold : corrected, issuer.vat_responsible === true)]
  return {
    kind,
    in_contingency: false,
    environment: "2" as const,
    currency: "COP",
    exchange_rate: null,
    operation_type: "10" as const,
    issuer,
    acquirer: buyer,
    payment_means: { code: "10" as const, type: "1" as const },
    lines,
    totals: totalsOf(lines),
    correction: kind === "invoice" ? null : { ...corrections[kind], invoice: invoice && referenceOf(invoice) }
  }
}

/** The prefixes of test sets' notes. An account without a range of notes has the same prefixes. */
export const notePrefixes = { credit_note: "NC", debit_note: "ND" } as const
