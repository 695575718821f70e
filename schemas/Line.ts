import { Schema } from "effect"
import { ItemScheme, ReferencePriceType, TaxCode, UnitCode } from "./Code.ts"
import { field } from "./Field.ts"
import { atMost, notEmpty } from "./Limits.ts"
import { CashRounding, Decimal, Figure, LocalDate, Rate, Rounding } from "./Money.ts"
import { Identification } from "./Party.ts"
import { text, texts } from "./Text.ts"

const taxExample = { code: "01", rate: "19.00", base: "100000.00", value: "19000.00" } as const
const unitTaxExample = { code: "22", unit_amount: "70.00", units: "2.00", unit_code: "94", value: "140.00" } as const

/** The taxes that are always a fixed amount per unit. */
export const unitTaxes: ReadonlySet<unknown> = new Set(["22", "23", "24", "32", "33", "34"])

/** Whether a tax, or an invalid value in its place, is meant as a fixed amount per unit. */
export const isPerUnit = ({
  code,
  unit_amount
}: {
  readonly code?: unknown
  readonly unit_amount?: unknown
}): boolean => unitTaxes.has(code) || unit_amount !== undefined

/**
 * A tax of a line: by percentage (`rate`, `base`), or a fixed amount per unit (`unit_amount`, `units`, `unit_code`).
 * `needs` reports missing fields of a tax by percentage. The local rules require exactly one of the two forms.
 */
export class Tax extends Schema.Opaque<Tax>()(
  Schema.Struct({
    code: field(TaxCode, "Tax, as a code of the catalog tributos.", "01"),
    rate: field(Schema.optionalKey(Rate), "Rate in percent. Required for a tax by percentage.", "19.00"),
    base: field(
      Schema.optionalKey(Decimal),
      "Taxed amount. It must be the line's amount, unless `special_base` gives a reason for another amount. Required for a tax by percentage.",
      "100000.00"
    ),
    unit_amount: field(
      Schema.optionalKey(Figure),
      "Tax on one unit, for a tax per unit. For sugary drinks (34), the tax on 100 millilitres."
    ),
    units: field(
      Schema.optionalKey(Figure),
      "Number of taxed units, for a tax per unit. For sugary drinks (34), the millilitres. For bags, carbon and fuels (22, 23, 24), the line's quantity."
    ),
    unit_code: field(
      Schema.optionalKey(UnitCode),
      "Taxed unit as a code of the catalog unidad-medida, for a tax per unit."
    ),
    value: field(
      Decimal,
      "Amount of the tax: base × rate / 100 for a tax by percentage, or unit_amount × units for a tax per unit. For sugary drinks (34), unit_amount × units / 100.",
      "19000.00"
    )
  }).annotate({
    identifier: "Tax",
    needs: (tax: object) => (isPerUnit(tax) ? [] : ["rate", "base"]),
    description:
      "A tax by percentage (base × rate / 100 = value) or per unit (unit_amount × units = value). Taxes per unit are those on bags, carbon, fuels, liquors, single-use plastics and sugary drinks. For sugary drinks, unit_amount × units / 100 = value. Code ZZ means no tax: all amounts are zero.",
    examples: [taxExample, unitTaxExample]
  })
) {}

/** A code of the sold item in a list of goods. */
export class Item extends Schema.Opaque<Item>()(
  Schema.Struct({
    code: field(text(50), "Code of the item.", "CONS-01"),
    scheme: field(
      ItemScheme,
      "List of the code: `999` your own codes, `001` UNSPSC, `010` GTIN, `020` tariff headings.",
      "999"
    ),
    brand: field(Schema.optionalKey(text(100)), "Brand of the item.", "Andina"),
    model: field(Schema.optionalKey(text(100)), "Model of the item.", "A-100")
  }).annotate({
    identifier: "Item",
    description: "A code of the item in a list of goods, with brand and model.",
    examples: [{ code: "CONS-01", scheme: "999" }]
  })
) {}

export const allowanceFields = {
  type: field(
    Schema.Literals(["discount", "charge"]).annotate({ message: 'must be "discount" or "charge"' }),
    "Type: `discount` subtracts the amount, `charge` adds it.",
    "discount"
  ),
  reason: field(text(300), "Reason for the discount or charge. The document shows this text.", "Promoción"),
  percent: field(Schema.optionalKey(Rate), "Percentage of `base`, if the amount is a percentage.", "10.00"),
  base: field(Decimal, "Amount to which the discount or charge applies.", "100000.00"),
  amount: field(Decimal, "Amount of the discount or charge.", "10000.00")
}

const discountExample = {
  type: "discount",
  reason: "Promoción",
  percent: "10.00",
  base: "100000.00",
  amount: "10000.00"
} as const

/** A discount or charge on a line. */
export class LineAllowance extends Schema.Opaque<LineAllowance>()(
  Schema.Struct(allowanceFields).annotate({
    identifier: "LineAllowance",
    description: "A discount or charge on the line. `line_extension_amount` includes its amount.",
    examples: [discountExample]
  })
) {}

/** A delivery or accounting period. */
export class Period extends Schema.Opaque<Period>()(
  Schema.Struct({
    start_date: field(LocalDate, "First day, as YYYY-MM-DD.", "2026-11-01"),
    end_date: field(LocalDate, "Last day, as YYYY-MM-DD.", "2026-11-30")
  }).annotate({
    identifier: "Period",
    description: "A period of days, including the first and the last day.",
    examples: [{ start_date: "2026-11-01", end_date: "2026-11-30" }]
  })
) {}

/** The reference price of a free item. */
export class ReferencePrice extends Schema.Opaque<ReferencePrice>()(
  Schema.Struct({
    amount: field(Figure, "Price of one unit.", "5000.00"),
    type: field(
      ReferencePriceType,
      "Type of price: `01` commercial value, `02` value in the inventory, `03` another value.",
      "01"
    )
  }).annotate({
    identifier: "ReferencePrice",
    description: "The reference price of one unit of a free item.",
    examples: [{ amount: "5000.00", type: "01" }]
  })
) {}

/** The principal of a mandate: the issuer sells on its behalf. */
export class Principal extends Schema.Opaque<Principal>()(
  Schema.Struct({
    identification: Identification,
    legal_name: field(text(450), "Registered name of the principal.", "Productor Andino S.A.S.")
  }).annotate({
    identifier: "Principal",
    description: "The principal of a mandate: the issuer sells the line on its behalf.",
    examples: [
      {
        identification: { type: "31", number: "800197268", check_digit: "4" },
        legal_name: "Productor Andino S.A.S."
      }
    ]
  })
) {}

const allowancesMax = 10
export const allowanceLimit = atMost(allowancesMax, `must hold at most ${allowancesMax} discounts and charges`)

/** The line of the example documents. */
export const lineExample = {
  description: "Consultoría",
  quantity: "1.00",
  unit_code: "94",
  unit_price: "100000.00",
  line_extension_amount: "100000.00",
  taxes: [taxExample]
} as const

export class Line extends Schema.Opaque<Line>()(
  Schema.Struct({
    description: field(text(300), "Description of the goods or service.", "Consultoría"),
    quantity: field(Figure, "Quantity in units of `unit_code`, with two to six fraction digits.", "1.00"),
    unit_code: field(UnitCode, "Unit of the quantity, as a code of the catalog unidad-medida.", "94"),
    unit_price: field(Figure, "Price of one unit before taxes, with two to six fraction digits.", "100000.00"),
    line_extension_amount: field(
      Decimal,
      "Amount of the line before taxes: quantity × unit price - discounts + charges.",
      "100000.00"
    ),
    taxes: Schema.Array(Tax)
      .check(
        notEmpty(
          'must hold at least one tax; a line without tax carries one entry with code "ZZ" and all amounts "0.00"'
        ),
        atMost(10, "must hold at most 10 taxes")
      )
      .annotateKey({
        description: "Taxes of the line, at least one. A line without tax has one entry with code ZZ and zero amounts."
      }),
    item: Schema.optionalKey(Item),
    allowance_charges: field(
      Schema.optionalKey(Schema.Array(LineAllowance).check(allowanceLimit)),
      "Discounts and charges on the line, at most 10."
    ),
    special_base: field(
      Schema.optionalKey(text(500)),
      "Reason why the `base` of a tax differs from the line's amount. The document shows this text in a note of the line. Not needed for operation 09.",
      "Base gravable especial: artículo 447 del Estatuto Tributario"
    ),
    reference_price: field(
      Schema.optionalKey(ReferencePrice),
      "Reference price of a free item, on which its taxes are computed. Required if `unit_price` is zero. Omit it otherwise."
    ),
    notes: field(
      Schema.optionalKey(texts(5, 5000, "must hold at most 5 notes")),
      "Notes on the line: at most 5 notes of up to 5,000 characters.",
      ["Garantía de un año"]
    ),
    period: field(Schema.optionalKey(Period), "Period of the delivery of the goods or service."),
    aiu_contract: field(
      Schema.optionalKey(
        text(5000).check(
          Schema.isMinCodePoints(20, { message: "must say what the contract is for in at least 20 characters" })
        )
      ),
      "Object of the contract, 20 to 5,000 characters. Send it on the administration line of an operation 09 (AIU).",
      "Servicio de aseo y cafetería en las oficinas de Bogotá"
    ),
    principal: Schema.optionalKey(Principal)
  }).annotate({ identifier: "Line", description: "A line of an invoice or a note.", examples: [lineExample] })
) {}

/** The totals of the example documents. */
export const totalsExample = {
  line_extension_amount: "100000.00",
  tax_amount: "19000.00",
  payable_amount: "119000.00",
  taxes: [taxExample]
}

const part = (description: string, example: string) => field(Schema.optionalKey(Decimal), description, example)

export class Totals extends Schema.Opaque<Totals>()(
  Schema.Struct({
    line_extension_amount: field(Decimal, "Sum of the lines before taxes.", "100000.00"),
    allowance_total_amount: part("Sum of the discounts on the whole document. Absent without discounts.", "0.00"),
    charge_total_amount: part("Sum of the charges on the whole document. Absent without charges.", "0.00"),
    tax_amount: field(Decimal, "Sum of all taxes.", "19000.00"),
    payable_rounding_amount: field(
      Schema.optionalKey(Rounding),
      "Amount that rounds the total. Absent if the total is not rounded.",
      "0.00"
    ),
    payable_amount: field(
      Decimal,
      "Value of the document: lines + taxes - discounts + charges + rounding. The authority checks it. It excludes prepayments and cash rounding.",
      "119000.00"
    ),
    prepaid_amount: part("Sum of the prepayments. Absent without prepayments.", "0.00"),
    cash_rounding_amount: field(
      Schema.optionalKey(CashRounding),
      "Amount that rounds a cash payment to the available coins. Absent if the payment is not rounded.",
      "0.00"
    ),
    due_amount: part(
      "Balance due: `payable_amount` - prepayments, at least 0.00, + cash rounding. Absent without prepayments and cash rounding: the balance due is then `payable_amount`.",
      "119000.00"
    ),
    withholding_total_amount: part(
      "Sum of the withholdings. `payable_amount` does not include it. Absent without withholdings.",
      "0.00"
    ),
    net_amount: part(
      "Amount that the issuer receives: the balance due less the withholdings. Absent without withholdings.",
      "119000.00"
    ),
    taxes: field(
      Schema.Array(Tax),
      "Sums of the taxes: an entry for each tax and rate, or for each tax per unit, amount and unit."
    )
  }).annotate({
    identifier: "Totals",
    description: "The totals of a document: sums over all lines, and an entry for each tax and rate.",
    examples: [totalsExample]
  })
) {}
