import { assert, describe, it } from "@effect/vitest"
import { make } from "../../../src/portal/forms/SentForm.ts"
import { bodyOf, sentValues } from "../../../src/portal/forms/FormBody.ts"

const timeOf = (run: () => unknown) => {
  const began = performance.now()
  run()
  return performance.now() - began
}

describe("a form", () => {
  it("has all values of a field in their order, and each name once", () => {
    const form = make([
      ["id", " a "],
      ["csrf", "t"],
      ["id", "b"]
    ])
    assert.deepStrictEqual(form.all("id"), [" a ", "b"])
    assert.strictEqual(form.raw("id"), " a ")
    assert.strictEqual(form.text("id"), "a")
    assert.deepStrictEqual(form.names, ["id", "csrf"])
    assert.deepStrictEqual([form.all("none"), form.raw("constructor")], [[], ""])
  })

  it("with thousands of fields takes a moment, and delays no other request", () => {
    const count = 10_000
    const any = make(Array.from({ length: count }, (_, index) => [`field${index}`, "1"] as const))
    const lines = make(
      Array.from({ length: count }, (_, index) => [`lines[${index % 500}].f${Math.floor(index / 500)}`, "1"] as const)
    )
    const shape = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`lines[].f${index}`, {}]))
    // It would take seconds if each field were searched for among all.
    assert.isBelow(
      timeOf(() => sentValues(any)),
      2_000
    )
    assert.isBelow(
      timeOf(() => bodyOf(lines, shape)),
      2_000
    )
  })
})
