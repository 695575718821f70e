import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import {
  checkDigit,
  isNit,
  isSandboxIdentification,
  sandboxIdentification
} from "../../../../src/documents/rules/parties/CheckDigit.ts"
import { computedNits, invalidNits, nits } from "../vectors.ts"

const number = Schema.String.check(Schema.isPattern(/^\d{1,15}$/))
const position = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 14 }))
const digit = Schema.String.check(Schema.isPattern(/^\d$/))

describe("CheckDigit", () => {
  it.each([...nits, ...computedNits])("returns for %s the digit %s", (nit, expected) => {
    assert.strictEqual(checkDigit(nit), expected)
  })

  it.each(invalidNits)("returns for %s another digit than %s", (nit, wrong) => {
    assert.notStrictEqual(checkDigit(nit), wrong)
  })

  it("has a weight for each of fifteen digits", () => {
    const weights = [71, 67, 59, 53, 47, 43, 41, 37, 29, 23, 19, 17, 13, 7, 3]
    const ofEach = weights.map((_, index) => checkDigit("0".repeat(index) + "1".padEnd(15 - index, "0")))
    assert.deepStrictEqual(
      ofEach,
      weights.map((weight) => String(weight % 11 < 2 ? weight % 11 : 11 - (weight % 11)))
    )
  })

  it("rejects text that is no NIT", () => {
    for (const text of ["", "1234567890123456", "900-1", "12a", "９", "1\n"]) {
      assert.isFalse(isNit(text))
      assert.throws(() => checkDigit(text), RangeError)
    }
  })

  it.prop("returns one digit, and the same digit with leading zeros", [number], ([nit]) => {
    assert.match(checkDigit(nit), /^\d$/)
    assert.strictEqual(checkDigit(nit.padStart(15, "0")), checkDigit(nit))
  })

  // The remainders 1 and 10 share the digit 1. Every other mistake in one digit changes the check digit.
  it.prop("changes with any one digit, unless both are 1", [number, position, digit], ([nit, at, other]) => {
    const index = at % nit.length
    if (nit[index] === other) return
    const changed = nit.slice(0, index) + other + nit.slice(index + 1)
    assert.isTrue(checkDigit(changed) !== checkDigit(nit) || checkDigit(nit) === "1")
  })

  it.prop("changes when two neighbours change places, unless both are 1", [number, position], ([nit, at]) => {
    const index = at % nit.length
    const [first, second] = [nit.charAt(index), nit.charAt(index + 1)]
    if (second === "" || first === second) return
    const swapped = nit.slice(0, index) + second + first + nit.slice(index + 2)
    assert.isTrue(checkDigit(swapped) !== checkDigit(nit) || checkDigit(nit) === "1")
  })

  it("recognizes the sandbox identification by all three of its parts", () => {
    assert.isTrue(isSandboxIdentification({ type: "31", number: "900000001", check_digit: "1" }))
    assert.isFalse(isSandboxIdentification({ ...sandboxIdentification, type: "13" }))
    assert.isFalse(isSandboxIdentification({ ...sandboxIdentification, number: "900000002" }))
    assert.isFalse(isSandboxIdentification({ ...sandboxIdentification, check_digit: "2" }))
    assert.isFalse(isSandboxIdentification({ type: "31", number: "900000001" }))
  })
})
