import { Schema, Struct } from "effect"
import { DiscountCode, Incoterm, PaymentMeansCode, PaymentType, WithholdingCode } from "./Code.ts"
import { field } from "./Field.ts"
import { atMost } from "./Limits.ts"
import { allowanceFields, allowanceLimit, Period } from "./Line.ts"
import { CashRounding, Decimal, LocalDate, Rate, Rounding } from "./Money.ts"
import { addressFields } from "./Party.ts"
import { text, texts } from "./Text.ts"

/** A discount or charge on the whole document. */
export class DocumentAllowance extends Schema.Opaque<DocumentAllowance>()(
  Schema.Struct({
    ...allowanceFields,
    code: field(
      Schema.optionalKey(DiscountCode),
      "Type of discount: `00` unconditional, `01` conditional. Omit it for a charge.",
      "00"
    )
  }).annotate({
    identifier: "DocumentAllowance",
    description: "A discount or charge on the whole document, which changes the amount to pay, but no tax base.",
    examples: [{ type: "discount", reason: "Promoción", code: "00", base: "119000.00", amount: "9000.00" }]
  })
) {}

export class Prepayment extends Schema.Opaque<Prepayment>()(
  Schema.Struct({
    amount: field(Decimal, "Amount of the prepayment, in the currency of the document.", "20000.00"),
    received_date: field(LocalDate, "Date of the prepayment, as YYYY-MM-DD.", "2026-11-01"),
    id: field(Schema.optionalKey(text(64)), "Reference of the prepayment, such as the receipt number.", "RC-17")
  }).annotate({ identifier: "Prepayment", description: "A payment that was received before the document was issued." })
) {}

/** A tax that the buyer withholds, by code: 05 ReteIVA, 06 ReteRenta, 07 ReteICA. */
export class Withholding extends Schema.Opaque<Withholding>()(
  Schema.Struct({
    code: field(WithholdingCode, "The tax that is withheld: `05` ReteIVA, `06` ReteRenta, `07` ReteICA.", "06"),
    rate: field(Rate, "Rate of the withholding, in percent.", "2.50"),
    base: field(
      Decimal,
      "Amount to which the rate applies. For ReteIVA, the amount of the value added tax.",
      "100000.00"
    ),
    value: field(Decimal, "Withheld amount: base × rate / 100.", "2500.00")
  }).annotate({
    identifier: "Withholding",
    description:
      "A tax that the buyer withholds and pays in the issuer's name. A withholding does not change the amount to pay.",
    examples: [{ code: "06", rate: "2.50", base: "100000.00", value: "2500.00" }]
  })
) {}

/** A reference to another document of the parties, such as the buyer's order. */
export class DocumentReference extends Schema.Opaque<DocumentReference>()(
  Schema.Struct({
    id: field(text(64), "Number of the referenced document.", "OC-7781"),
    issue_date: field(Schema.optionalKey(LocalDate), "Date of the referenced document, as YYYY-MM-DD.", "2026-11-02")
  }).annotate({
    identifier: "DocumentReference",
    description: "A reference to another document by its number and date."
  })
) {}

const { email: _email, ...place } = Struct.map(addressFields, Schema.optionalKey)

export class GoodsDelivery extends Schema.Opaque<GoodsDelivery>()(
  Schema.Struct({
    date: field(Schema.optionalKey(LocalDate), "Date of the delivery, as YYYY-MM-DD.", "2026-11-25"),
    ...place
  }).annotate({
    identifier: "GoodsDelivery",
    description: "Date and place of the delivery of the goods.",
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
      "Payment reference, such as a number that the buyer states with the payment.",
      "PAGO-1001"
    )
  }).annotate({
    identifier: "PaymentMeans",
    description: "Means and terms of payment. A sale on credit (type 2) has a `due_date`.",
    examples: [{ code: "10", type: "1" }]
  })
) {}

/** The optional parts that invoices and notes share. */
export const noteDetails = {
  allowance_charges: field(
    Schema.optionalKey(Schema.Array(DocumentAllowance).check(allowanceLimit)),
    "Discounts and charges on the whole document, at most 10."
  ),
  payable_rounding_amount: field(
    Schema.optionalKey(Rounding),
    "Amount that rounds the total to a whole unit of the currency. Negative to round down. The authority rounds half up to whole units: the total must give the same whole unit before and after this rounding.",
    "-0.42"
  ),
  order_reference: field(Schema.optionalKey(DocumentReference), "Reference to the buyer's order."),
  despatch_reference: field(Schema.optionalKey(DocumentReference), "Reference to the despatch advice of the goods."),
  notes: field(
    Schema.optionalKey(texts(15, 5000, "must hold at most 15 notes")),
    "Notes on the document: at most 15 notes of up to 5,000 characters.",
    ["Gracias por su compra"]
  ),
  period: field(Schema.optionalKey(Period), "Period that the document covers.")
}

/** The optional parts of an invoice. */
export const invoiceDetails = {
  ...noteDetails,
  prepayments: field(
    Schema.optionalKey(Schema.Array(Prepayment).check(atMost(10, "must hold at most 10 prepayments"))),
    "Payments that the issuer received before the document, at most 10. Prepayments lower `due_amount` in the totals, but not `payable_amount`."
  ),
  cash_rounding_amount: field(
    Schema.optionalKey(CashRounding),
    "Amount that rounds a cash payment to the available coins, at most 500.00. Negative to round down. Cash rounding changes `due_amount` in the totals, but not `payable_amount`. The printed document shows the amount.",
    "-40.00"
  ),
  withholdings: field(
    Schema.optionalKey(Schema.Array(Withholding).check(atMost(10, "must hold at most 10 withholdings"))),
    "Taxes that the buyer withholds, at most 10. Withholdings do not change the amount to pay."
  ),
  delivery: Schema.optionalKey(GoodsDelivery),
  incoterm: field(Schema.optionalKey(Incoterm), "Terms of delivery of an export (Incoterm), for operation 11.", "FOB"),
  other_payment_means: field(
    Schema.optionalKey(Schema.Array(PaymentMeans).check(atMost(5, "must hold at most 5 further means of payment"))),
    "Means of payment in addition to `payment_means`, at most 5."
  )
}

/** All optional parts of a document, as they are stored. */
export const DocumentDetails = Schema.Struct(invoiceDetails)
export type DocumentDetails = typeof DocumentDetails.Type
