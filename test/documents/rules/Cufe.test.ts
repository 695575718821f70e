import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { createHash } from "node:crypto"
import { cufe, cufeTail, eventCode, softwareSecurityCode } from "../../../src/documents/rules/Cufe.ts"
import { codes, securityCodes, truncations } from "./vectors.ts"

describe("Cufe", () => {
  it.each(codes)("matches the known code of $number", ({ number, input, text, code }) => {
    assert.strictEqual(number + cufeTail(input), text)
    assert.strictEqual(cufe(number, cufeTail(input)), code)
  })

  it.each(truncations)("truncates %s to %s in every field", (given, written) => {
    const { input } = codes[0]!
    for (const name of ["line_extension_amount", "tax_01", "tax_04", "tax_03", "payable_amount"] as const) {
      assert.strictEqual(cufeTail({ ...input, [name]: given }), cufeTail({ ...input, [name]: written }), name)
    }
  })

  it.prop("has 96 hex digits over number and tail together", [Schema.String, Schema.String], ([number, tail]) => {
    assert.match(cufe(number, tail), /^[0-9a-f]{96}$/)
    assert.strictEqual(cufe(number + tail, ""), cufe(number, tail))
  })

  it.each(securityCodes)("matches the published security code of the software that made %s", (number, code) => {
    assert.strictEqual(softwareSecurityCode("xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx", "12345", number), code)
  })

  it("covers all fields of an event, in the authority's order", () => {
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
