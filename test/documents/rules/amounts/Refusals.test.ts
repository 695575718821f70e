import { assert, describe, it } from "@effect/vitest"
import * as Fs from "node:fs"
import * as Path from "node:path"
import ts from "typescript5"
import { violation, warning } from "../../../../src/documents/rules/AuthorityRules.ts"
import { grounds } from "../../../../src/documents/rules/Grounds.ts"
import { hintOf } from "../../../../src/invoices/authority/RuleHints.ts"

const root = Path.join(import.meta.dirname, "../../../../src")
const sources = (Fs.readdirSync(root, { recursive: true }) as ReadonlyArray<string>)
  .filter((file) => file.endsWith(".ts") && !file.endsWith("rules/AuthorityRules.ts"))
  .map((file) => ({ file, text: Fs.readFileSync(Path.join(root, file), "utf8") }))

const parts = ["param", "code", "message"]

/** Whether an error has a code of its own, which is its source. The general codes do not name the reason. */
const hasOwnCode = (object: ts.ObjectLiteralExpression): boolean =>
  ts.isNewExpression(object.parent) &&
  object.properties.some(
    (property) =>
      ts.isPropertyAssignment(property) &&
      property.name.getText() === "code" &&
      ts.isStringLiteral(property.initializer) &&
      !property.initializer.text.startsWith("parameter_")
  )

/** The violations that a source file writes as objects: literals with a param, a code and a message. */
const writtenOut = (text: string): ReadonlyArray<string> => {
  const found: Array<string> = []
  const look = (node: ts.Node): void => {
    if (ts.isObjectLiteralExpression(node)) {
      const names = node.properties.map((property) => property.name?.getText())
      if (parts.every((part) => names.includes(part)) && !hasOwnCode(node)) found.push(node.getText())
    }
    node.forEachChild(look)
  }
  look(ts.createSourceFile("x.ts", text, ts.ScriptTarget.Latest, true))
  return found
}

// The type of `violation` requires a source, so only a violation that is written as an object could lack one.
describe("a local violation", () => {
  it("comes from `violation` alone, which takes its source", () => {
    const all = sources
      .filter(({ text }) => parts.every((part) => text.includes(part)))
      .flatMap(({ file, text }) => writtenOut(text).map((object) => `${file}: ${object}`))
    assert.deepStrictEqual(all, [])
    assert.lengthOf(writtenOut('f([{ message: `a ${b({})}`, code: "parameter_invalid", param }])'), 1)
    assert.lengthOf(writtenOut('new ApiError({ param, code: "parameter_conflict", message })'), 1)
    assert.lengthOf(writtenOut('new ApiError({ param, code: "invalid_cursor", message })'), 0)
    assert.lengthOf(writtenOut("const { param, code, message } = error"), 0)
  })

  it("has a known rule of the authority, or a ground that is stated and used", () => {
    const whole = sources.map(({ text }) => text).join("\n")
    for (const [, rule = ""] of whole.matchAll(/"([FCD][A-Z]{2}\d\d[a-z]?)"/g)) assert.isNotNull(hintOf(rule), rule)
    for (const [name, { of, says }] of Object.entries(grounds)) {
      assert.include(["interface", "limit"], of, name)
      assert.match(says, /\.$/, name)
      assert.include(whole, `"${name}"`, name)
    }
  })

  it("names a rule in the response, and no ground; a warning may have neither", () => {
    assert.deepStrictEqual(
      { ...violation("a", "tax_mismatch", "b", "FAX07") },
      { param: "a", code: "tax_mismatch", message: "b", rule: "FAX07" }
    )
    assert.notProperty(violation("a", "tax_mismatch", "b", "catalog"), "rule")
    assert.notProperty(warning("a", "tax_mismatch", "b"), "rule")
  })
})
