import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import { Decimal } from "../../../schemas/Money.ts"
import { cents, decimal, fits, multiply, percentage, truncated } from "../../../src/domain/documents/Decimal.ts"
import { truncations } from "./vectors.ts"

const amount = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: 10n ** 17n - 1n }))
const signed = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: -(10n ** 17n), maximum: 10n ** 17n }))

/** Half-even by looking at the digits that are cut off, as one does on paper. */
const onPaper = (exact: bigint, digitsCut: number): bigint => {
  const digits = (exact < 0n ? -exact : exact).toString().padStart(digitsCut + 1, "0")
  const kept = BigInt(digits.slice(0, -digitsCut))
  const cut = digits.slice(-digitsCut)
  const half = "5".padEnd(digitsCut, "0")
  const rounded = cut > half || (cut === half && "13579".includes(kept.toString().slice(-1))) ? kept + 1n : kept
  return exact < 0n ? -rounded : rounded
}

describe("Decimal", () => {
  it("reads and writes hundredths", () => {
    assert.strictEqual(cents("100.25"), 10025n)
    assert.strictEqual(cents("0.07"), 7n)
    assert.strictEqual(cents("-0.07"), -7n)
    assert.strictEqual(decimal(10025n), "100.25")
    assert.strictEqual(decimal(7n), "0.07")
    assert.strictEqual(decimal(0n), "0.00")
    assert.strictEqual(decimal(-7n), "-0.07")
  })

  it("refuses what is no decimal of two fraction digits", () => {
    for (const text of ["", "100", "1.5", ".50", "1.234", "1,50", " 1.50", "0x1.00", "1e1.00", "1.50\n"]) {
      assert.throws(() => cents(text), RangeError, undefined, JSON.stringify(text))
    }
  })

  it("rounds ties to the even neighbour", () => {
    assert.deepStrictEqual(
      [5n, 15n, 25n, 35n, -5n, -15n].map((tie) => multiply(tie, 10n)),
      [0n, 2n, 2n, 4n, 0n, -2n]
    )
    assert.strictEqual(multiply(cents("3.33"), cents("0.05")), cents("0.17"))
    assert.strictEqual(percentage(cents("100000.00"), cents("19.00")), cents("19000.00"))
    assert.strictEqual(percentage(cents("0.10"), cents("5.00")), cents("0.00"))
    assert.strictEqual(percentage(cents("0.30"), cents("5.00")), cents("0.02"))
  })

  it("knows what an amount of the interface can hold", () => {
    assert.isTrue(fits(cents("999999999999999.99")))
    assert.isFalse(fits(cents("999999999999999.99") + 1n))
    assert.isFalse(fits(-1n))
  })

  it.each(truncations)("cuts %s to %s", (given, expected) => {
    assert.strictEqual(truncated(given), expected)
  })

  it("refuses to cut what is no plain decimal", () => {
    for (const text of ["", "1e3", ".5", "5.", "1.2.3", "NaN", "1,5"]) {
      assert.throws(() => truncated(text), RangeError, undefined, JSON.stringify(text))
    }
  })

  it.prop("writes what it reads", [signed], ([value]) => {
    assert.strictEqual(cents(decimal(value)), value)
  })

  it.prop("writes every amount that fits as the interface wants it", [amount], ([value]) => {
    assert.isTrue(Schema.is(Decimal)(decimal(value)))
  })

  it.prop("multiplies as on paper", [signed, signed], ([a, b]) => {
    assert.strictEqual(multiply(a, b), onPaper(a * b, 2))
  })

  it.prop("takes percentages as on paper", [signed, signed], ([base, rate]) => {
    assert.strictEqual(percentage(base, rate), onPaper(base * rate, 4))
  })

  const factor = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 99 }))
  it.prop("takes small percentages as on paper, where ties are frequent", [factor, factor], ([base, rate]) => {
    const exact = BigInt(base) * 10n * BigInt(rate) * 50n
    assert.strictEqual(percentage(BigInt(base) * 10n, BigInt(rate) * 50n), onPaper(exact, 4))
  })

  const digits = Arbitrary.schema(Schema.String.check(Schema.isPattern(/^\d{1,9}$/)))
  it.prop("cuts by leaving digits out, never changing one", [digits, digits], ([whole, fraction]) => {
    assert.strictEqual(truncated(`${whole}.${fraction}`), `${whole}.${`${fraction}00`.slice(0, 2)}`)
  })
})
