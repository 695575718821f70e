import type { Tax } from "../../../../schemas/Line.ts"
import { amountInWords } from "../../rules/AmountInWords.ts"
import { count, dateWords, less, money, percent } from "./Figures.ts"
import type { FiscalDocument } from "../../ubl/FiscalDocument.ts"
import { allowanceAmount, allowanceWords, isExempt } from "./Items.ts"
import { taxWords, unitName, unitSign, withholdingName } from "./PrintedWords.ts"
import type { Tongue } from "./Tongue.ts"

/**
 * A row of the totals. `all`: the total; `net`: the balance due or the net amount for the issuer; `quiet`: sums and
 * withholdings.
 */
export interface Sum {
  readonly label: string
  readonly amount: string
  readonly tone?: "all" | "net" | "quiet"
}

const taxLabel = (tax: Tax, currency: string, { isBilingual, on }: Tongue): string => {
  if (tax.unit_amount !== undefined) {
    const unit = tax.unit_code === undefined ? "" : ` ${unitSign(tax.unit_code) ?? unitName(tax.unit_code)}`
    return `${taxWords(tax)}, ${count(tax.units ?? "0")}${unit} × ${money(tax.unit_amount, currency)}`
  }
  const exempt = isExempt(tax) && !isBilingual ? " (exento)" : ""
  return `${taxWords(tax)}${exempt}${tax.base === undefined ? "" : `${on} ${money(tax.base, currency)}`}`
}

/** The sum of several rows above; none for a single row, which is the sum itself. */
const sumOf = (rows: ReadonlyArray<unknown>, label: string, amount: string | undefined): ReadonlyArray<Sum> =>
  rows.length < 2 || amount === undefined ? [] : [{ label, amount, tone: "quiet" }]

const hasTax = ({ code }: Tax) => code !== "ZZ"

/** The totals of a document, from the sum of the lines down to the net amount for the issuer. */
export const sumsOf = (document: FiscalDocument, tongue: Tongue): ReadonlyArray<Sum> => {
  const { allowance_charges = [], currency, kind, lines, prepayments = [], totals, withholdings = [] } = document
  const { both, isBilingual, on } = tongue
  const shown = (amount: string) => money(amount, currency)
  const off = (amount: string | undefined) => (amount === undefined ? undefined : less(shown(amount)))
  const [discounts, charges] = [
    allowance_charges.filter(({ type }) => type === "discount"),
    allowance_charges.filter(({ type }) => type === "charge")
  ]
  const taxes = totals.taxes.filter(hasTax)
  const signed = (label: string, amount: string | undefined): ReadonlyArray<Sum> =>
    amount === undefined
      ? []
      : [{ label, amount: amount.startsWith("-") ? less(shown(amount.slice(1))) : shown(amount) }]
  const items = lines.length === 1 ? both("1 ítem", "1 item") : both(`${lines.length} ítems`, `${lines.length} items`)
  const charged = totals.charge_total_amount
  return [
    { label: `Subtotal, ${items}`, amount: shown(totals.line_extension_amount) },
    ...[...discounts, ...charges].map((one) => ({
      label: allowanceWords(one, currency, tongue),
      amount: allowanceAmount(one, currency)
    })),
    ...sumOf(discounts, both("Total descuentos", "Total discounts"), off(totals.allowance_total_amount)),
    ...sumOf(charges, both("Total cargos", "Total charges"), charged === undefined ? undefined : shown(charged)),
    ...taxes.map((tax) => ({ label: taxLabel(tax, currency, tongue), amount: shown(tax.value) })),
    ...sumOf(
      taxes.filter(({ value }) => value !== "0.00"),
      both("Total impuestos", "Total taxes"),
      shown(totals.tax_amount)
    ),
    ...signed(both("Ajuste por redondeo", "Rounding"), totals.payable_rounding_amount),
    {
      label:
        kind === "credit_note"
          ? both("Total nota crédito", "Total credit note")
          : totals.due_amount === undefined
            ? both("Total a pagar", "Amount due")
            : both("Total factura", "Invoice total"),
      amount: shown(totals.payable_amount),
      tone: "all"
    },
    ...prepayments.map(({ amount, id, received_date }) => ({
      label: `${both("Anticipo", "Prepayment")}${isBilingual ? "," : " del"} ${dateWords(received_date)}${id === undefined ? "" : `, ${id}`}`,
      amount: less(shown(amount))
    })),
    ...sumOf(prepayments, both("Total anticipos", "Total prepayments"), off(totals.prepaid_amount)),
    ...signed(both("Redondeo del pago en efectivo", "Cash rounding"), totals.cash_rounding_amount),
    ...(totals.due_amount === undefined
      ? []
      : [{ label: both("Saldo por pagar", "Balance due"), amount: shown(totals.due_amount), tone: "net" as const }]),
    ...withholdings.map(({ base, code, rate, value }) => ({
      label: `${withholdingName(code)} ${percent(rate)}${on} ${shown(base)}`,
      amount: less(shown(value)),
      tone: "quiet" as const
    })),
    ...sumOf(withholdings, both("Total retenciones", "Total withheld"), off(totals.withholding_total_amount)),
    ...(totals.net_amount === undefined
      ? []
      : [
          {
            label: both("Neto a recibir", "Net amount"),
            amount: shown(totals.net_amount),
            tone: "net" as const
          }
        ])
  ]
}

/** "Ciento diecinueve mil pesos" */
export const totalInWords = ({ currency, totals }: FiscalDocument): string =>
  amountInWords(totals.payable_amount, currency)
