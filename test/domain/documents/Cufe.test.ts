import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { createHash } from "node:crypto"
import { cufe, cufeTail, eventCode, softwareSecurityCode } from "../../../src/domain/documents/Cufe.ts"
import { codes, securityCodes, truncations } from "./vectors.ts"

describe("Cufe", () => {
  it.each(codes)("of $number is the known one", ({ number, input, text, code }) => {
    assert.strictEqual(number + cufeTail(input), text)
    assert.strictEqual(cufe(number, cufeTail(input)), code)
  })

  it.each(truncations)("takes %s for %s, wherever it stands", (given, written) => {
    const { input } = codes[0]!
    for (const name of ["line_extension_amount", "tax_01", "tax_04", "tax_03", "payable_amount"] as const) {
      assert.strictEqual(cufeTail({ ...input, [name]: given }), cufeTail({ ...input, [name]: written }), name)
    }
  })

  it.prop("is 96 hex digits of number and tail together", [Schema.String, Schema.String], ([number, tail]) => {
    assert.match(cufe(number, tail), /^[0-9a-f]{96}$/)
    assert.strictEqual(cufe(number + tail, ""), cufe(number, tail))
  })

  it.each(securityCodes)("of the program that made %s is the known one", (number, code) => {
    assert.strictEqual(softwareSecurityCode("xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx", "12345", number), code)
  })

  it("of an answer is over all that it says, in the authority's order", () => {
    const code = eventCode({
      id: "AR1",
      issue_date: "2026-11-21",
      issue_time: "10:00:00-05:00",
      sender_nit: "800197268",
      receiver_nit: "900373115",
      response_code: "02",
      document: { full_number: "SETP990000001", type_code: "01" },
      pin: "12345"
    })
    const text = "AR12026-11-2110:00:00-05:0080019726890037311502SETP9900000010112345"
    assert.strictEqual(code, createHash("sha384").update(text).digest("hex"))
  })
})
