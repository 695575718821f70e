import { Arbitrary, Schema } from "effect"
import { DiscountCode, Incoterm, OperationType, PaymentMeansCode } from "../../../schemas/Code.ts"
import type { DocumentDetails } from "../../../schemas/DocumentDetails.ts"
import type { InvoiceRequest } from "../../../schemas/Invoice.ts"
import type { Line } from "../../../schemas/Line.ts"
import { NoteRequest } from "../../../schemas/Note.ts"
import * as Text from "../../../schemas/Text.ts"
import { compare, fraction, money, percent, rounded, ways } from "./Fractions.ts"
import { AllowanceChoice, allowancesOf, between, LineChoice, lineOf, seldom } from "./RightLines.ts"

/*
 * Random valid requests: all fields of an invoice, in all combinations, with figures of any length and every rounding.
 * They are valid on any day from `today` to the end of 2029.
 */

/** The day of the tests that pass a day to the rules. */
export const today = "2026-11-21"

const customer_id = "cust_01k0000000000000000000000a"

const Payment = Schema.Struct({
  code: PaymentMeansCode,
  type: Schema.Literals(["1", "2"]),
  reference: Schema.optionalKey(Text.text(64))
})
const Reference = Schema.Struct({
  id: Text.text(64),
  issue_date: Schema.optionalKey(Schema.Literals(["2026-11-02", "2024-02-29"]))
})

const Choice = Schema.Struct({
  currency: Schema.Literals(["COP", "COP", "USD", "EUR"]),
  rate: between(1, 9_999_999),
  operation_type: OperationType,
  payment_means: Payment,
  other_payment_means: Schema.optionalKey(Schema.Array(Payment).check(Schema.isMaxLength(3))),
  lines: Schema.Array(LineChoice).check(Schema.isMinLength(1), Schema.isMaxLength(5)),
  contract: Schema.Boolean,
  allowances: Schema.Array(Schema.Struct({ ...AllowanceChoice.fields, code: Schema.optionalKey(DiscountCode) })).check(
    Schema.isMaxLength(3)
  ),
  rounding: Schema.optionalKey(between(-99, 99)),
  cash: Schema.optionalKey(between(-500_00, 500_00)),
  prepaid: Schema.Array(Schema.Struct({ part: between(0, 50), id: Schema.optionalKey(Text.text(64)) })).check(
    Schema.isMaxLength(2)
  ),
  withheld: Schema.Array(
    Schema.Struct({
      code: Schema.Literals(["05", "06", "07"]),
      rate: between(1, 4_000),
      part: between(1, 100),
      way: Schema.Literals(ways)
    })
  ).check(Schema.isMaxLength(3)),
  order_reference: Schema.optionalKey(Reference),
  despatch_reference: Schema.optionalKey(Reference),
  notes: Schema.optionalKey(Text.texts(15, 300, "")),
  period: seldom,
  delivery: Schema.Literals(["", "", "a day", "a place", "abroad"]),
  incoterm: Schema.optionalKey(Incoterm)
})
type Choice = typeof Choice.Type

const cents = (text: string): bigint => BigInt(text.replace(".", ""))
const sum = (texts: ReadonlyArray<string>): bigint => texts.reduce((total, text) => total + cents(text), 0n)
const signed = (amount: number) => (amount < 0 ? `-${money(BigInt(-amount))}` : money(BigInt(amount)))
const thousandths = (number: number) => `${Math.floor(number / 1000)}.${String(number % 1000).padStart(3, "0")}`
const given = <K extends string, V>(name: K, value: V | undefined | ReadonlyArray<never>): { readonly [N in K]?: V } =>
  value === undefined || (Array.isArray(value) && value.length === 0) ? {} : ({ [name]: value } as never)

const payment = (choice: typeof Payment.Type) => ({
  ...choice,
  ...(choice.type === "2" ? { due_date: "2030-01-31" } : {})
})

const places = {
  "a day": { date: "2026-11-25" },
  "a place": {
    date: "2026-11-25",
    address: "Calle 10 # 5-51",
    city_code: "11001",
    department_code: "11",
    country_code: "CO"
  },
  abroad: { address: "1007 Mountain Drive", country_code: "US" }
}

const linesOf = ({ contract, lines, operation_type }: Choice): ReadonlyArray<Line> =>
  lines.map((choice, index) => ({
    ...lineOf(choice, operation_type === "09"),
    ...(operation_type === "09" && contract && index === 0
      ? { aiu_contract: "Servicio de aseo y cafetería en las oficinas de Bogotá" }
      : {})
  }))

/** An amount rounded to whole units, as the authority compares totals: a rounded total must be the same whole unit. */
const units = (amount: bigint) => (amount + 50n) / 100n

/** Prepayments and withholdings, which never exceed the payable amount. */
const partsOf = (choice: Choice, lines: ReadonlyArray<Line>): DocumentDetails => {
  const taxes = lines.flatMap((line) => line.taxes)
  const vat = sum(taxes.filter(({ code }) => code === "01").map(({ value }) => value))
  const extension = sum(lines.map((line) => line.line_extension_amount))
  const whole = extension + sum(taxes.map(({ value }) => value))
  const { allowances } = allowancesOf(choice.allowances, whole)
  const kinds = choice.allowances.map(({ code }) => code)
  const allowance_charges = allowances.map((one, index) => {
    const code = one.type === "discount" ? kinds[index] : undefined
    return code === undefined ? one : { ...one, code }
  })
  const of = (type: string) => sum(allowances.filter((one) => one.type === type).map((one) => one.amount))
  let payable = whole - of("discount") + of("charge")
  const { rounding } = choice
  const isRounded =
    rounding !== undefined && payable + BigInt(rounding) >= 0n && units(payable + BigInt(rounding)) === units(payable)
  if (isRounded) payable += BigInt(rounding)
  const prepayments = choice.prepaid.map(({ id, part }) => {
    const amount = (payable * BigInt(part)) / 100n
    payable -= amount
    return { amount: money(amount), received_date: "2026-11-01", ...(id === undefined ? {} : { id }) }
  })
  const { cash } = choice
  const isInCash = cash !== undefined && payable + BigInt(cash) >= 0n
  if (isInCash) payable += BigInt(cash)
  const withholdings: Array<NonNullable<DocumentDetails["withholdings"]>[number]> = []
  for (const { code, part, rate, way } of choice.withheld) {
    const base = money(((code === "05" ? vat : extension) * BigInt(part)) / 100n)
    const value = rounded(percent(fraction(base), fraction(thousandths(rate))), way)
    const isTwice = withholdings.some(
      (one) => one.code === code && compare(fraction(one.rate), fraction(thousandths(rate))) === 0
    )
    if (isTwice || cents(value) > payable) continue
    payable -= cents(value)
    withholdings.push({ code, rate: thousandths(rate), base, value })
  }
  return {
    ...given("allowance_charges", allowance_charges),
    ...(isRounded ? { payable_rounding_amount: signed(rounding) } : {}),
    ...(isInCash ? { cash_rounding_amount: signed(cash) } : {}),
    ...given("prepayments", prepayments),
    ...given("withholdings", withholdings)
  }
}

const requestOf = (choice: Choice): InvoiceRequest => {
  const { currency, delivery, incoterm, notes, operation_type, order_reference, despatch_reference, period } = choice
  const lines = linesOf(choice)
  return {
    customer_id,
    currency,
    ...(currency === "COP" ? {} : { exchange_rate: thousandths(choice.rate) }),
    operation_type,
    payment_means: payment(choice.payment_means),
    lines,
    ...partsOf(choice, lines),
    ...given("other_payment_means", choice.other_payment_means?.map(payment)),
    ...given("order_reference", order_reference),
    ...given("despatch_reference", despatch_reference),
    ...given("notes", notes),
    ...(period ? { period: { start_date: "2026-11-01", end_date: "2026-11-30" } } : {}),
    ...(delivery === "" ? {} : { delivery: places[delivery] }),
    ...(operation_type === "11" && incoterm !== undefined ? { incoterm } : {})
  }
}

/** Valid invoices of any kind. Their customer does not exist: a test that creates the invoice sets its own. */
export const invoiceRequests: Arbitrary.Arbitrary<InvoiceRequest> = Arbitrary.map(Arbitrary.schema(Choice), requestOf)

// A note takes its currency and its payment from its invoice.
const ofInvoice = ["currency", "exchange_rate", "payment_means"]
const noteParts = Object.keys(NoteRequest.fields).filter((name) => !ofInvoice.includes(name))

const withoutPeriod = ({ period: _period, ...line }: Line): Line => line

/** A valid note on the whole of a valid invoice. A line of a debit note has no period. */
export const noteRequestOf = (
  invoice: InvoiceRequest,
  kind: "credit_note" | "debit_note",
  invoice_id = "inv_01k0000000000000000000000a"
): NoteRequest => {
  const { customer_id: _customer, lines, metadata: _metadata, ...rest } = invoice
  const parts = Object.entries(rest).filter(([name]) => noteParts.includes(name))
  return {
    invoice_id,
    correction_code: "1",
    reason: "Devolución",
    lines: kind === "debit_note" ? lines.map(withoutPeriod) : lines,
    ...Object.fromEntries(parts)
  }
}
