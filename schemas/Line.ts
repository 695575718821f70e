import { Schema } from "effect"
import { ItemScheme, ReferencePriceType, TaxCode, UnitCode } from "./Code.ts"
import { field } from "./Field.ts"
import { atMost, notEmpty } from "./Limits.ts"
import { CashRounding, Decimal, Figure, LocalDate, Rate, Rounding } from "./Money.ts"
import { Identification } from "./Party.ts"
import { text, texts } from "./Text.ts"

const taxExample = { code: "01", rate: "19.00", base: "100000.00", value: "19000.00" } as const
const unitTaxExample = { code: "22", unit_amount: "70.00", units: "2.00", unit_code: "94", value: "140.00" } as const

/** The taxes that are a fixed amount per unit and never a percentage. */
export const unitTaxes: ReadonlySet<unknown> = new Set(["22", "23", "24", "32", "33", "34"])

/** Whether a tax, or what was sent in its place, is meant as a fixed amount per unit. */
export const isPerUnit = ({
  code,
  unit_amount
}: {
  readonly code?: unknown
  readonly unit_amount?: unknown
}): boolean => unitTaxes.has(code) || unit_amount !== undefined

/**
 * A tax of a line: by percentage (`rate`, `base`), or a fixed amount per unit (`unit_amount`, `units`, `unit_code`). The form of a
 * request tells that a tax by percentage lacks one of its fields (`needs`); the local rules hold each tax to one of the two forms.
 */
export class Tax extends Schema.Opaque<Tax>()(
  Schema.Struct({
    code: field(TaxCode, "The tax, as a code of the catalog tributos.", "01"),
    rate: field(Schema.optionalKey(Rate), "The rate in percent. Required for a tax by percentage.", "19.00"),
    base: field(
      Schema.optionalKey(Decimal),
      "The amount that is taxed: that of the line, unless `special_base` says why it is another one. Required for a tax by percentage.",
      "100000.00"
    ),
    unit_amount: field(
      Schema.optionalKey(Figure),
      "The tax on one unit, for a tax per unit; on 100 millilitres for sugary drinks (34)."
    ),
    units: field(
      Schema.optionalKey(Figure),
      "Units that are taxed, for a tax per unit: millilitres for sugary drinks (34). For bags, carbon and fuels (22, 23, 24) the units are the quantity of the line."
    ),
    unit_code: field(
      Schema.optionalKey(UnitCode),
      "The unit that is taxed, as a code of the catalog unidad-medida, for a tax per unit."
    ),
    value: field(
      Decimal,
      "Amount of the tax: base × rate / 100, or unit_amount × units; for sugary drinks (34) unit_amount × units / 100.",
      "19000.00"
    )
  }).annotate({
    identifier: "Tax",
    needs: (tax: object) => (isPerUnit(tax) ? [] : ["rate", "base"]),
    description:
      "One tax: by percentage, base × rate / 100 = value, or per unit (bags, carbon, fuels, liquors, single-use plastics, sugary drinks), unit_amount × units = value, and unit_amount × units / 100 for sugary drinks. Code ZZ means that there is no tax, and has zeros.",
    examples: [taxExample, unitTaxExample]
  })
) {}

/** What is sold, as it is named in a list of goods. */
export class Item extends Schema.Opaque<Item>()(
  Schema.Struct({
    code: field(text(50), "The code of the item.", "CONS-01"),
    scheme: field(
      ItemScheme,
      "The list that the code is from: `999` a code of your own, `001` UNSPSC, `010` GTIN, `020` tariff heading.",
      "999"
    ),
    brand: field(Schema.optionalKey(text(100)), "The brand of the item.", "Andina"),
    model: field(Schema.optionalKey(text(100)), "The model of the item.", "A-100")
  }).annotate({
    identifier: "Item",
    description: "The item by its code in a list of goods, with its brand and model.",
    examples: [{ code: "CONS-01", scheme: "999" }]
  })
) {}

export const allowanceFields = {
  type: field(
    Schema.Literals(["discount", "charge"]).annotate({ message: 'must be "discount" or "charge"' }),
    "`discount` takes the amount off, `charge` adds the amount.",
    "discount"
  ),
  reason: field(text(300), "Why there is a discount or charge, in words; the document carries this text.", "Promoción"),
  percent: field(
    Schema.optionalKey(Rate),
    "The percentage of `base` that the amount is, if the amount is a percentage.",
    "10.00"
  ),
  base: field(Decimal, "The amount that the discount or charge is made on.", "100000.00"),
  amount: field(Decimal, "The amount of the discount or charge.", "10000.00")
}

const discountExample = {
  type: "discount",
  reason: "Promoción",
  percent: "10.00",
  base: "100000.00",
  amount: "10000.00"
} as const

/** A discount on a line, or a charge. */
export class LineAllowance extends Schema.Opaque<LineAllowance>()(
  Schema.Struct(allowanceFields).annotate({
    identifier: "LineAllowance",
    description: "A discount on the line, or a charge. Its amount is part of `line_extension_amount`.",
    examples: [discountExample]
  })
) {}

/** The days that something is delivered over or accounted for. */
export class Period extends Schema.Opaque<Period>()(
  Schema.Struct({
    start_date: field(LocalDate, "The first day, as YYYY-MM-DD.", "2026-11-01"),
    end_date: field(LocalDate, "The last day, as YYYY-MM-DD.", "2026-11-30")
  }).annotate({
    identifier: "Period",
    description: "A period of days, the first and the last included.",
    examples: [{ start_date: "2026-11-01", end_date: "2026-11-30" }]
  })
) {}

/** The price that a thing given away would have. */
export class ReferencePrice extends Schema.Opaque<ReferencePrice>()(
  Schema.Struct({
    amount: field(Figure, "The price of one unit.", "5000.00"),
    type: field(
      ReferencePriceType,
      "What the price stands for: `01` the commercial value, `02` the value in the inventory, `03` another value.",
      "01"
    )
  }).annotate({
    identifier: "ReferencePrice",
    description: "The price that one unit of a thing given away would have.",
    examples: [{ amount: "5000.00", type: "01" }]
  })
) {}

/** Somebody on whose behalf the issuer sells. */
export class Principal extends Schema.Opaque<Principal>()(
  Schema.Struct({
    identification: Identification,
    legal_name: field(text(450), "The registered name of the principal.", "Productor Andino S.A.S.")
  }).annotate({
    identifier: "Principal",
    description: "The person or company on whose behalf the line is sold (a mandate).",
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
    description: field(text(300), "What is sold, in words.", "Consultoría"),
    quantity: field(Figure, "The quantity, in units of `unit_code`, with two to six fraction digits.", "1.00"),
    unit_code: field(UnitCode, "The unit of the quantity, as a code of the catalog unidad-medida.", "94"),
    unit_price: field(Figure, "The price of one unit before taxes, with two to six fraction digits.", "100000.00"),
    line_extension_amount: field(
      Decimal,
      "The amount of the line before taxes: quantity × unit price - discounts + charges.",
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
        description: "The taxes of the line, at least one; a line without tax has one entry with code ZZ and zeros."
      }),
    item: Schema.optionalKey(Item),
    allowance_charges: field(
      Schema.optionalKey(Schema.Array(LineAllowance).check(allowanceLimit)),
      "Discounts on the line and charges, at most 10."
    ),
    special_base: field(
      Schema.optionalKey(text(500)),
      "Why the `base` of a tax is not the amount of the line; the document carries this text in a note of the line. Not needed for operation 09.",
      "Base gravable especial: artículo 447 del Estatuto Tributario"
    ),
    reference_price: field(
      Schema.optionalKey(ReferencePrice),
      "The price that the thing would have. Required with a `unit_price` of zero, and not sent otherwise; taxes on a thing given away are computed on this price."
    ),
    notes: field(
      Schema.optionalKey(texts(5, 5000, "must hold at most 5 notes")),
      "Notes on the line, at most 5 of up to 5,000 characters.",
      ["Garantía de un año"]
    ),
    period: field(Schema.optionalKey(Period), "The period in which the thing was delivered or the service rendered."),
    aiu_contract: field(
      Schema.optionalKey(
        text(5000).check(
          Schema.isMinCodePoints(20, { message: "must say what the contract is for in at least 20 characters" })
        )
      ),
      "The object of the contract, on the line that is the administration of an operation 09 (AIU); 20 to 5,000 characters.",
      "Servicio de aseo y cafetería en las oficinas de Bogotá"
    ),
    principal: Schema.optionalKey(Principal)
  }).annotate({ identifier: "Line", description: "One line of an invoice or a note.", examples: [lineExample] })
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
    line_extension_amount: field(Decimal, "The sum of the lines before taxes.", "100000.00"),
    allowance_total_amount: part("The sum of the discounts of the document; absent without such a discount.", "0.00"),
    charge_total_amount: part("The sum of the charges of the document; absent without such a charge.", "0.00"),
    tax_amount: field(Decimal, "The sum of all taxes.", "19000.00"),
    payable_rounding_amount: field(
      Schema.optionalKey(Rounding),
      "The amount by which the total is rounded; absent where the total is not rounded.",
      "0.00"
    ),
    payable_amount: field(
      Decimal,
      "Value of the document, which the authority checks: lines + taxes - discounts + charges + rounding. Prepayments and cash rounding are not part of it.",
      "119000.00"
    ),
    prepaid_amount: part("The sum of the prepayments; absent without a prepayment.", "0.00"),
    cash_rounding_amount: field(
      Schema.optionalKey(CashRounding),
      "Amount by which the payment in cash is rounded to coins; absent if it is not rounded.",
      "0.00"
    ),
    due_amount: part(
      "Amount that remains to be paid: `payable_amount` - prepayments, at least 0.00, + cash rounding. Absent without prepayments and cash rounding, when `payable_amount` remains to be paid.",
      "119000.00"
    ),
    withholding_total_amount: part(
      "The sum of what the buyer withholds, which is no part of `payable_amount`; absent without withholdings.",
      "0.00"
    ),
    net_amount: part(
      "Amount that the issuer still receives: what remains to be paid less the withholdings; absent without withholdings.",
      "119000.00"
    ),
    taxes: field(Schema.Array(Tax), "One entry for each tax and rate, or for each tax, amount per unit and unit.")
  }).annotate({
    identifier: "Totals",
    description: "The sums over all lines of a document, with one tax entry for each code and rate.",
    examples: [totalsExample]
  })
) {}
