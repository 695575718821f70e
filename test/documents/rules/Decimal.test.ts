import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import { Decimal } from "../../../schemas/Money.ts"
import {
  cents,
  decimal,
  exactly,
  fits,
  isRounding,
  millionths,
  percentage,
  product,
  rounded,
  shortened,
  truncated
} from "../../../src/documents/rules/Decimal.ts"
import { truncations } from "./vectors.ts"

const amount = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: 10n ** 17n - 1n }))
const signed = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: -(10n ** 17n), maximum: 10n ** 17n }))

/** Writes millionths: 1234567n → "1.234567". */
const figure = (inMillionths: bigint): string => {
  const digits = (inMillionths < 0n ? -inMillionths : inMillionths).toString().padStart(7, "0")
  return `${inMillionths < 0n ? "-" : ""}${digits.slice(0, -6)}.${digits.slice(-6)}`
}

/** Rounds half to even from the digits that are cut off, as on paper. */
const onPaper = (exact: bigint, digitsCut: number): bigint => {
  const digits = (exact < 0n ? -exact : exact).toString().padStart(digitsCut + 1, "0")
  const kept = BigInt(digits.slice(0, -digitsCut))
  const cut = digits.slice(-digitsCut)
  const half = "5".padEnd(digitsCut, "0")
  const even = cut > half || (cut === half && "13579".includes(kept.toString().slice(-1))) ? kept + 1n : kept
  return exact < 0n ? -even : even
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

  it("rejects text that is no decimal of two fraction digits", () => {
    for (const text of ["", "100", "1.5", ".50", "1.234", "1,50", " 1.50", "0x1.00", "1e1.00", "1.50\n"]) {
      assert.throws(() => cents(text), RangeError, undefined, JSON.stringify(text))
    }
  })

  it("rounds ties to the even neighbour", () => {
    assert.deepStrictEqual(
      ["0.05", "0.15", "0.25", "0.35", "-0.05", "-0.15"].map((tie) => rounded(product(tie, "0.10"))),
      [0n, 2n, 2n, 4n, 0n, -2n]
    )
    assert.strictEqual(rounded(product("3.33", "0.05")), cents("0.17"))
    assert.strictEqual(rounded(percentage(cents("100000.00"), "19.00")), cents("19000.00"))
    assert.strictEqual(rounded(percentage(cents("0.10"), "5.00")), cents("0.00"))
    assert.strictEqual(rounded(percentage(cents("0.30"), "5.00")), cents("0.02"))
  })

  it("fits exactly the amounts of the interface", () => {
    assert.isTrue(fits(cents("999999999999999.99")))
    assert.isFalse(fits(cents("999999999999999.99") + 1n))
    assert.isFalse(fits(-1n))
  })

  it.each(truncations)("truncates %s to %s", (given, expected) => {
    assert.strictEqual(truncated(given), expected)
  })

  it("rejects text that is no plain decimal when it truncates", () => {
    for (const text of ["", "1e3", ".5", "5.", "1.2.3", "NaN", "1,5"]) {
      assert.throws(() => truncated(text), RangeError, undefined, JSON.stringify(text))
    }
  })

  it.prop("writes the text that it reads", [signed], ([value]) => {
    assert.strictEqual(cents(decimal(value)), value)
  })

  it.prop("writes every amount that fits in the form of the interface", [amount], ([value]) => {
    assert.isTrue(Schema.is(Decimal)(decimal(value)))
  })

  it.prop("multiplies as on paper", [signed, signed], ([a, b]) => {
    assert.strictEqual(rounded(product(figure(a), figure(b))), onPaper(a * b, 10))
  })

  it.prop("computes percentages as on paper", [signed, signed], ([base, rate]) => {
    assert.strictEqual(rounded(percentage(base, figure(rate))), onPaper(base * rate, 8))
  })

  it.prop("accepts every rounding to the cent, and no figure further off", [signed], ([exact]) => {
    const cent = 10n ** 10n
    const [below, rest] = [exact / cent, exact % cent]
    const ways = rest === 0n ? [below] : [below, below + (exact < 0n ? -1n : 1n)]
    assert.deepStrictEqual(
      [-2n, -1n, 0n, 1n, 2n].map((off) => below + off).filter((given) => isRounding(given, exact)),
      ways.toSorted((a, b) => (a < b ? -1 : 1))
    )
    assert.include(ways, rounded(exact))
  })

  it.prop("writes the exact value with the digits that it needs", [signed], ([exact]) => {
    const [whole = "", fraction = ""] = exactly(exact).split(".")
    assert.strictEqual(BigInt(whole + fraction.padEnd(12, "0")), exact)
    assert.match(exactly(exact), /^-?\d+\.\d\d(\d*[1-9])?$/)
  })

  it("omits zeros beyond the second fraction digit", () => {
    for (const [given, short] of [
      ["0.345000", "0.345"],
      ["2.5000", "2.50"],
      ["7.00", "7.00"],
      ["1.000001", "1.000001"]
    ]) {
      assert.strictEqual(shortened(given ?? ""), short)
      assert.strictEqual(millionths(given ?? ""), millionths(short ?? ""))
    }
  })

  const factor = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 99 }))
  it.prop("computes small percentages as on paper, where ties are frequent", [factor, factor], ([base, rate]) => {
    const exact = BigInt(base) * 10n * BigInt(rate) * 50n
    assert.strictEqual(rounded(percentage(BigInt(base) * 10n, decimal(BigInt(rate) * 50n))), onPaper(exact, 4))
  })

  const digits = Arbitrary.schema(Schema.String.check(Schema.isPattern(/^\d{1,9}$/)))
  it.prop("truncates by omitting digits, and changes none", [digits, digits], ([whole, fraction]) => {
    assert.strictEqual(truncated(`${whole}.${fraction}`), `${whole}.${`${fraction}00`.slice(0, 2)}`)
  })
})
