import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { cufe, cufeTail } from "../../src/domain/Cufe.ts"
import { codes } from "./vectors.ts"

describe("Cufe", () => {
  it.each(codes)("of $number is the known one", ({ number, input, text, code }) => {
    assert.strictEqual(number + cufeTail(input), text)
    assert.strictEqual(cufe(number, cufeTail(input)), code)
  })

  it.prop("is 96 hex digits of number and tail together", [Schema.String, Schema.String], ([number, tail]) => {
    assert.match(cufe(number, tail), /^[0-9a-f]{96}$/)
    assert.strictEqual(cufe(number + tail, ""), cufe(number, tail))
  })
})
