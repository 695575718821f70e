import { Schema, Struct } from "effect"
import { DiscountCode, Incoterm, PaymentMeansCode, PaymentType, WithholdingCode } from "./Code.ts"
import { field } from "./Field.ts"
import { atMost } from "./Limits.ts"
import { allowanceFields, allowanceLimit, Period } from "./Line.ts"
import { CashRounding, Decimal, LocalDate, Rate, Rounding } from "./Money.ts"
import { addressFields } from "./Party.ts"
import { text, texts } from "./Text.ts"

/** A discount on a document as a whole, or a charge. */
export class DocumentAllowance extends Schema.Opaque<DocumentAllowance>()(
  Schema.Struct({
    ...allowanceFields,
    code: field(
      Schema.optionalKey(DiscountCode),
      "The kind of discount: `00` unconditional, `01` conditional. Not sent for a charge.",
      "00"
    )
  }).annotate({
    identifier: "DocumentAllowance",
    description: "A discount on the document as a whole, or a charge. It changes what is to be paid, and no tax base.",
    examples: [{ type: "discount", reason: "Promoción", code: "00", base: "119000.00", amount: "9000.00" }]
  })
) {}

export class Prepayment extends Schema.Opaque<Prepayment>()(
  Schema.Struct({
    amount: field(Decimal, "What was paid before, in the currency of the document.", "20000.00"),
    received_date: field(LocalDate, "The day of that payment, as YYYY-MM-DD.", "2026-11-01"),
    id: field(
      Schema.optionalKey(text(64)),
      "The reference of that payment, such as the number of its receipt.",
      "RC-17"
    )
  }).annotate({ identifier: "Prepayment", description: "A payment that was received before the document was issued." })
) {}

/** A tax that the buyer withholds, by code: 05 ReteIVA, 06 ReteRenta, 07 ReteICA. */
export class Withholding extends Schema.Opaque<Withholding>()(
  Schema.Struct({
    code: field(WithholdingCode, "The tax that is withheld: `05` ReteIVA, `06` ReteRenta, `07` ReteICA.", "06"),
    rate: field(Rate, "The rate in percent.", "2.50"),
    base: field(Decimal, "The amount that the rate is of: the value added tax for ReteIVA.", "100000.00"),
    value: field(Decimal, "What is withheld: base × rate / 100.", "2500.00")
  }).annotate({
    identifier: "Withholding",
    description: "A tax that the buyer withholds and pays in the seller's name. It is no part of what is to be paid.",
    examples: [{ code: "06", rate: "2.50", base: "100000.00", value: "2500.00" }]
  })
) {}

/** Another document that the parties know, such as the buyer's order. */
export class DocumentReference extends Schema.Opaque<DocumentReference>()(
  Schema.Struct({
    id: field(text(64), "The number of that document.", "OC-7781"),
    issue_date: field(Schema.optionalKey(LocalDate), "The date of that document, as YYYY-MM-DD.", "2026-11-02")
  }).annotate({ identifier: "DocumentReference", description: "A document of another kind, by its number and date." })
) {}

const { email: _email, ...place } = Struct.map(addressFields, Schema.optionalKey)

export class GoodsDelivery extends Schema.Opaque<GoodsDelivery>()(
  Schema.Struct({
    date: field(Schema.optionalKey(LocalDate), "The day of the delivery, as YYYY-MM-DD.", "2026-11-25"),
    ...place
  }).annotate({
    identifier: "GoodsDelivery",
    description: "When and where the goods are delivered.",
    examples: [{ date: "2026-11-25", address: "Calle 10 # 5-51", city_code: "11001", country_code: "CO" }]
  })
) {}

export class PaymentMeans extends Schema.Opaque<PaymentMeans>()(
  Schema.Struct({
    code: PaymentMeansCode,
    type: PaymentType,
    due_date: Schema.optionalKey(LocalDate),
    reference: field(
      Schema.optionalKey(text(64)),
      "The reference of the payment, such as the number that the buyer states.",
      "PAGO-1001"
    )
  }).annotate({
    identifier: "PaymentMeans",
    description: "How the document is paid. A sale on credit (type 2) has a `due_date`.",
    examples: [{ code: "10", type: "1" }]
  })
) {}

/** The parts that invoices and notes may have beside their lines. */
export const noteDetails = {
  allowance_charges: field(
    Schema.optionalKey(Schema.Array(DocumentAllowance).check(allowanceLimit)),
    "Discounts on the document as a whole and charges, at most 10."
  ),
  payable_rounding_amount: field(
    Schema.optionalKey(Rounding),
    "Amount by which the total is rounded to a whole unit of the currency: up, or down with a sign. The total and the rounded total must be the same whole unit for the authority, which rounds half up.",
    "-0.42"
  ),
  order_reference: field(Schema.optionalKey(DocumentReference), "The buyer's order."),
  despatch_reference: field(Schema.optionalKey(DocumentReference), "The despatch advice of the goods."),
  notes: field(
    Schema.optionalKey(texts(15, 5000, "must hold at most 15 notes")),
    "Notes on the document, at most 15 of up to 5,000 characters.",
    ["Gracias por su compra"]
  ),
  period: field(Schema.optionalKey(Period), "The period that the document is for.")
}

/** The parts that an invoice may have beside its lines, and that only some invoices have. */
export const invoiceDetails = {
  ...noteDetails,
  prepayments: field(
    Schema.optionalKey(Schema.Array(Prepayment).check(atMost(10, "must hold at most 10 prepayments"))),
    "Payments that were received before, at most 10. They lower `due_amount` in the totals, and not `payable_amount`."
  ),
  cash_rounding_amount: field(
    Schema.optionalKey(CashRounding),
    "Amount by which a payment in cash is rounded to coins: up, or down with a sign; at most 500.00. It changes `due_amount` in the totals, and not `payable_amount`; the printed document shows it.",
    "-40.00"
  ),
  withholdings: field(
    Schema.optionalKey(Schema.Array(Withholding).check(atMost(10, "must hold at most 10 withholdings"))),
    "Taxes that the buyer withholds; they are no part of what is to be paid. At most 10."
  ),
  delivery: Schema.optionalKey(GoodsDelivery),
  incoterm: field(
    Schema.optionalKey(Incoterm),
    "The terms of delivery of an export (Incoterm), for operation 11.",
    "FOB"
  ),
  other_payment_means: field(
    Schema.optionalKey(Schema.Array(PaymentMeans).check(atMost(5, "must hold at most 5 further means of payment"))),
    "Further means of payment, beside `payment_means`. At most 5."
  )
}

/** All optional parts of a document, as they are stored. */
export const DocumentDetails = Schema.Struct(invoiceDetails)
export type DocumentDetails = typeof DocumentDetails.Type
