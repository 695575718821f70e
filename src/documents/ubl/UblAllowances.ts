import type { DocumentAllowance, Prepayment } from "../../../schemas/DocumentDetails.ts"
import { percentageOf } from "../rules/Decimal.ts"
import { amount } from "./UblAmounts.ts"
import { element, leaf, optional } from "./Xml.ts"

type Allowance = Omit<DocumentAllowance, "code"> & Pick<DocumentAllowance, "code">

const allowance = ({ base, percent, reason, type, ...rest }: Allowance, code: string, id: string, currency: string) =>
  element(
    "cac:AllowanceCharge",
    leaf("cbc:ID", id),
    leaf("cbc:ChargeIndicator", String(type === "charge")),
    optional("cbc:AllowanceChargeReasonCode", code),
    leaf("cbc:AllowanceChargeReason", reason),
    // The authority also requires the percentage of an amount, and rejects a base of zero.
    leaf("cbc:MultiplierFactorNumeric", percent ?? percentageOf(rest.amount, base)),
    amount("cbc:Amount", rest.amount, currency),
    amount("cbc:BaseAmount", base, currency)
  )

/** The discounts and charges of a line, numbered from 1. */
export const lineAllowances = (allowances: ReadonlyArray<Allowance> = [], currency: string): string =>
  allowances.map((one, index) => allowance(one, "", String(index + 1), currency)).join("")

const unconditional = "00"

/** The discounts and charges of a whole document, numbered from 1. A discount without a code is unconditional. */
export const documentAllowances = (allowances: ReadonlyArray<Allowance> = [], currency: string): string =>
  allowances
    .map((one, index) => {
      const code = one.type === "discount" ? (one.code ?? unconditional) : ""
      return allowance(one, code, String(index + 1), currency)
    })
    .join("")

/** The payments received before a document was issued. A payment without a reference has its position as ID. */
export const prepayments = (payments: ReadonlyArray<Prepayment> = [], currency: string): string =>
  payments
    .map((payment, index) =>
      element(
        "cac:PrepaidPayment",
        leaf("cbc:ID", payment.id ?? String(index + 1)),
        amount("cbc:PaidAmount", payment.amount, currency),
        leaf("cbc:ReceivedDate", payment.received_date)
      )
    )
    .join("")
