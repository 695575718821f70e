import { assert, describe, it } from "@effect/vitest"
import { bodyOf, faultsOf, firstOf, pathTo, sentValues, stepsOf, valuesOf } from "../../../src/portal/forms/FormBody.ts"

const form = (...fields: ReadonlyArray<readonly [string, string]>) => ({
  names: [...new Set(fields.map(([name]) => name))],
  all: (name: string) => fields.flatMap(([field, value]) => (field === name ? [value] : []))
})

describe("the body of a form", () => {
  it("has each value at the place that its name states", () => {
    const sent = form(
      ["identification.type", "31"],
      ["identification.number", "900000001"],
      ["lines[0].description", "One"],
      ["lines[0].taxes[0].code", "01"],
      ["lines[1].description", "Two"],
      ["lines[1].quantity", "2"],
      ["tax_responsibilities", "O-13"],
      ["tax_responsibilities", "O-15"],
      ["economic_activities", "6201, 6202"],
      ["vat_responsible", "true"],
      ["payment_instructions", "First\r\nSecond"],
      ["token", "secret"],
      ["added", "by somebody"]
    )
    assert.deepStrictEqual(
      bodyOf(sent, {
        "identification.type": {},
        "identification.number": {},
        "lines[].description": {},
        "lines[].quantity": { kind: "number" },
        "lines[].taxes[].code": {},
        tax_responsibilities: { kind: "list" },
        economic_activities: { kind: "words" },
        vat_responsible: { kind: "boolean" },
        payment_instructions: {}
      }),
      {
        identification: { type: "31", number: "900000001" },
        lines: [
          { description: "One", taxes: [{ code: "01" }] },
          { description: "Two", quantity: 2 }
        ],
        tax_responsibilities: ["O-13", "O-15"],
        economic_activities: ["6201", "6202"],
        vat_responsible: true,
        payment_instructions: "First\nSecond"
      }
    )
  })

  it("sends an empty field as an empty value, omits it, or removes the old value", () => {
    const sent = form(["legal_name", ""], ["email", ""], ["phone", ""], ["activities", " "])
    const body = bodyOf(sent, {
      legal_name: {},
      email: { empty: "omit" },
      phone: { empty: "null" },
      activities: { kind: "words", empty: "null" },
      boxes: { kind: "list", empty: "null" },
      others: { kind: "list" }
    })
    assert.deepStrictEqual(body, { legal_name: "", phone: null, activities: null, boxes: null, others: [] })
  })

  it("sends malformed numbers and booleans, which the API rejects", () => {
    const shape = { count: { kind: "number" }, isActive: { kind: "boolean" } } as const
    assert.deepStrictEqual(bodyOf(form(["count", "1e9"], ["isActive", "yes"]), shape), {
      count: "1e9",
      isActive: "yes"
    })
  })

  it("ignores names that reach beyond the body", () => {
    const sent = form(
      ["__proto__.polluted", "1"],
      ["constructor.prototype.polluted", "1"],
      ["metadata.__proto__", "1"],
      ["lines[100000000].description", "far"],
      ["lines[500].description", "too far"],
      ["toString", "1"],
      [`a${".a".repeat(2000)}`, "deep"],
      ["lines[7].description", "kept, and the first one"]
    )
    assert.deepStrictEqual(bodyOf(sent, { "lines[].description": {} }), {
      lines: [{ description: "kept, and the first one" }]
    })
    assert.notProperty({}, "polluted")
  })
})

describe("the path of a field", () => {
  it("follows the notation of the API", () => {
    for (const steps of [["a"], ["lines", 0, "taxes", 12, "code"], ["metadata", 'a "b].c'], ["metadata", "order-1"]]) {
      assert.deepStrictEqual(stepsOf(pathTo(steps)), steps)
    }
    for (const wrong of ["", "a..b", "a[", "a[]", "a[x]", 'a["', "a b", 'a["\\x"]', "a[0"]) {
      assert.isUndefined(stepsOf(wrong), wrong)
    }
  })
})

describe("the values of a form", () => {
  it("come from the object that the form changes", () => {
    const values = valuesOf({
      identification: { type: "31", number: "9" },
      codes: ["O-13", "O-15"],
      lines: [{ quantity: 2, taxes: [{ code: "01" }] }],
      logo: null,
      vat_responsible: false
    })
    assert.deepStrictEqual(
      [...values],
      [
        ["identification.type", ["31"]],
        ["identification.number", ["9"]],
        ["codes", ["O-13", "O-15"]],
        ["lines[0].quantity", ["2"]],
        ["lines[0].taxes[0].code", ["01"]],
        ["vat_responsible", ["false"]]
      ]
    )
  })

  it("come from the sent form, if the portal shows it again", () => {
    const values = sentValues(form(["a", "1"], ["b", "2"], ["a", "3"]))
    assert.deepStrictEqual(values.get("a"), ["1", "3"])
    assert.strictEqual(firstOf(values, "b"), "2")
    assert.strictEqual(firstOf(values, "c"), "")
  })
})

describe("the violations of a rejected form", () => {
  it("appear next to their fields: the same field, the outer one, the first inner one, or none", () => {
    const faults = faultsOf(
      [
        { param: "legal_name", message: "name" },
        { param: "tax_responsibilities[1]", message: "list" },
        { param: "identification", message: "object" },
        { param: "lines[0].taxes[0].code", message: "line" },
        { param: "legal_name", message: "name again" },
        { param: "body", message: "whole" },
        { param: "a..b", message: "strange" }
      ],
      ["legal_name", "tax_responsibilities", "identification.type", "identification.number", "lines[0]"]
    )
    assert.strictEqual(faults.of("legal_name"), "name name again")
    assert.strictEqual(faults.of("tax_responsibilities"), "list")
    assert.strictEqual(faults.of("identification.type"), "object")
    assert.isUndefined(faults.of("identification.number"))
    assert.strictEqual(faults.of("lines[0]"), "line")
    assert.isTrue(faults.isNamed("lines[0].quantity"))
    assert.isFalse(faults.isNamed("body"))
    assert.isFalse(faults.isNamed("a..b"))
  })
})
