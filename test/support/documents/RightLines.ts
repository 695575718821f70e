import { Schema } from "effect"
import { TaxCode, UnitCode } from "../../../schemas/Code.ts"
import type { Line, LineAllowance, Tax } from "../../../schemas/Line.ts"
import * as Text from "../../../schemas/Text.ts"
import {
  compare,
  type Fraction,
  fraction,
  isNegative,
  minus,
  money,
  percent,
  plus,
  rounded,
  times,
  type Way,
  ways
} from "./Fractions.ts"

/* Random lines that are right to the last digit: every kind of line, with figures of any length and every rounding. */

export const between = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

/** A random choice that is more often "no" than "yes". */
export const seldom = Schema.Literals([false, false, false, true])

const Digits = Schema.Struct({ whole: between(0, 9_999), rest: between(0, 999_999), digits: between(2, 6) })

/** A decimal of two to six fraction digits, which may end in zeros. */
const decimal = ({ digits, rest, whole }: typeof Digits.Type): string =>
  `${whole}.${String(rest).padStart(6, "0").slice(0, digits)}`

const TaxChoice = Schema.Struct({
  code: TaxCode,
  rate: between(0, 3),
  ica: between(1, 99_999),
  unit_amount: Digits,
  units: Digits,
  unit_code: UnitCode,
  perUnit: Schema.Boolean,
  way: Schema.Literals(ways)
})

export const AllowanceChoice = Schema.Struct({
  type: Schema.Literals(["discount", "charge"]),
  reason: Text.text(300),
  thousandths: between(0, 30_000),
  named: Schema.Boolean,
  way: Schema.Literals(ways)
})

export const LineChoice = Schema.Struct({
  description: Text.text(300),
  quantity: Digits,
  price: Digits,
  unit_code: UnitCode,
  way: Schema.Literals(ways),
  kind: Schema.Literals(["sold", "sold", "sold", "free", "special"]),
  reference: Schema.Literals(["01", "02", "03"]),
  part: between(0, 100),
  taxes: Schema.Array(TaxChoice).check(Schema.isMaxLength(3)),
  allowances: Schema.Array(AllowanceChoice).check(Schema.isMaxLength(3)),
  item: Schema.Literals(["", "", "999", "001", "010", "020"]),
  digits: between(10_000_000, 99_999_999),
  brand: Schema.optionalKey(Text.text(100)),
  model: Schema.optionalKey(Text.text(100)),
  why: Text.text(500),
  notes: Schema.optionalKey(Text.texts(5, 300, "")),
  days: Schema.optionalKey(between(1, 30)),
  principal: seldom
})
export type LineChoice = typeof LineChoice.Type

const positive = (text: string, otherwise: string) => (/[1-9]/.test(text) ? text : otherwise)

const rates: Readonly<Record<string, ReadonlyArray<string>>> = {
  "01": ["0.00", "5.00", "16.00", "19.00"],
  "04": ["2.00", "4.00", "8.000", "16.00"]
}
const unitTaxes = new Set(["22", "23", "24", "32", "33", "34"])

const noTax: Tax = { code: "ZZ", rate: "0.00", base: "0.00", value: "0.00" }

// The units of bags, carbon and fuels are the quantity of the line.
const ofQuantity = new Set(["22", "23", "24", "02"])

const taxOf = (choice: typeof TaxChoice.Type, base: string, quantity: string): Tax => {
  const { code, ica, perUnit, rate, unit_code, way } = choice
  if (unitTaxes.has(code) || (code === "02" && perUnit)) {
    const unit_amount = decimal(choice.unit_amount)
    const units = ofQuantity.has(code) ? quantity : decimal(choice.units)
    // Sugary drinks have an amount for 100 millilitres.
    const exact = (code === "34" ? percent : times)(fraction(unit_amount), fraction(units))
    return { code, unit_amount, units, unit_code, value: rounded(exact, way) }
  }
  const percentage = rates[code]?.[rate] ?? `${Math.floor(ica / 1000)}.${String(ica % 1000).padStart(3, "0")}`
  return { code, rate: percentage, base, value: rounded(percent(fraction(base), fraction(percentage)), way) }
}

const taxesOf = (choices: LineChoice["taxes"], base: string, quantity: string): ReadonlyArray<Tax> => {
  const some = choices.filter(({ code }, at) => code !== "ZZ" && choices.findIndex((one) => one.code === code) === at)
  return some.length === 0 ? [{ ...noTax }] : some.map((choice) => taxOf(choice, base, quantity))
}

/** Discounts and charges on an amount in hundredths, which never make the remainder negative; and their sum. */
export const allowancesOf = (choices: ReadonlyArray<typeof AllowanceChoice.Type>, on: bigint) => {
  let left: Fraction = fraction(money(on))
  const allowances: Array<LineAllowance> = []
  for (const { named, reason, thousandths, type, way } of choices) {
    const rate = `${Math.floor(thousandths / 1000)}.${String(thousandths % 1000).padStart(3, "0")}`
    const base = money(on)
    const amount = rounded(percent(fraction(base), fraction(rate)), way)
    const next = type === "charge" ? plus(left, fraction(amount)) : minus(left, fraction(amount))
    if (on === 0n || isNegative(next) || compare(fraction(amount), fraction(base)) > 0) continue
    left = next
    allowances.push({ type, reason, ...(named ? { percent: rate } : {}), base, amount })
  }
  return { allowances, sum: minus(left, fraction(money(on))) }
}

const checkDigit = (digits: string) => {
  const sum = [...digits].toReversed().reduce((total, digit, at) => total + Number(digit) * (at % 2 === 0 ? 3 : 1), 0)
  return (10 - (sum % 10)) % 10
}

const itemOf = ({ brand, digits, item, model }: LineChoice): Pick<Line, "item"> => {
  if (item === "") return {}
  const number = String(digits)
  const code = { "999": `Ñ-${number}`, "001": number, "010": `7700${number}`, "020": `${number}00` }[item]
  const whole = item === "010" ? `${code}${checkDigit(code)}` : code
  return {
    item: {
      code: whole,
      scheme: item,
      ...(brand === undefined ? {} : { brand }),
      ...(model === undefined ? {} : { model })
    }
  }
}

const principal = {
  identification: { type: "31", number: "800197268", check_digit: "4" },
  legal_name: "Productor Andino S.A.S."
} as const

const soldFor = (choice: LineChoice, quantity: Fraction, price: Fraction) => {
  const exact = times(quantity, price)
  const { allowances, sum } = allowancesOf(choice.allowances, (exact.over * 100n) / exact.under)
  const way: Way = choice.way
  return { allowances, amount: rounded(plus(exact, sum), way) }
}

/** The right line for these choices. `isAiu`: of a contract with administration, contingency and profit. */
export const lineOf = (choice: LineChoice, isAiu: boolean): Line => {
  const { days, description, kind, notes, part, unit_code, way, why } = choice
  const quantity = positive(decimal(choice.quantity), "0.01")
  const price = positive(decimal(choice.price), "0.01")
  const common = {
    description,
    quantity,
    unit_code,
    ...itemOf(choice),
    ...(notes === undefined ? {} : { notes }),
    ...(days === undefined
      ? {}
      : { period: { start_date: "2026-11-01", end_date: `2026-11-${String(days).padStart(2, "0")}` } }),
    ...(choice.principal && !isAiu ? { principal } : {})
  }
  if (kind === "free") {
    const base = rounded(times(fraction(quantity), fraction(price)), way)
    return {
      ...common,
      unit_price: "0.00",
      line_extension_amount: "0.00",
      reference_price: { amount: price, type: choice.reference },
      taxes: taxesOf(choice.taxes, base, quantity)
    }
  }
  const { allowances, amount } = soldFor(choice, fraction(quantity), fraction(price))
  const share = rounded(percent(fraction(amount), fraction(`${part}.00`)), "down")
  return {
    ...common,
    unit_price: price,
    line_extension_amount: amount,
    ...(allowances.length === 0 ? {} : { allowance_charges: allowances }),
    ...(kind === "special" ? { special_base: why } : {}),
    taxes: taxesOf(choice.taxes, kind === "special" || isAiu ? share : amount, quantity)
  }
}
