import { assert, describe, it } from "@effect/vitest"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { violation, warning } from "../../../../src/domain/documents/AuthorityRules.ts"
import { grounds } from "../../../../src/domain/documents/Grounds.ts"
import { hintOf } from "../../../../src/outbound/authority/RuleHints.ts"

const domain = Path.join(import.meta.dirname, "../../../../src/domain")
const sources = (Fs.readdirSync(domain, { recursive: true }) as ReadonlyArray<string>)
  .filter((file) => /(documents|accounts)\/.*\.ts$/.test(file) && !file.endsWith("documents/AuthorityRules.ts"))
  .map((file) => ({ file, text: Fs.readFileSync(Path.join(domain, file), "utf8") }))

// The type of `violation` asks for a source, so that only an object that is written out could be a refusal without one.
describe("a local refusal", () => {
  it("is made by `violation` alone, which takes its source", () => {
    for (const { file, text } of sources) assert.notMatch(text, /\{\s*param\b[^}]*\bcode\b[^}]*\bmessage\b/, file)
  })

  it("comes from a known rule of the authority, or from a ground that is stated and used", () => {
    const whole = sources.map(({ text }) => text).join("\n")
    for (const [, rule = ""] of whole.matchAll(/"([FCD][A-Z]{2}\d\d[a-z]?)"/g)) assert.isNotNull(hintOf(rule), rule)
    for (const [name, { of, says }] of Object.entries(grounds)) {
      assert.include(["interface", "limit"], of, name)
      assert.match(says, /\.$/, name)
      assert.include(whole, `"${name}"`, name)
    }
  })

  it("names a rule in the answer, and no ground; a remark may have neither", () => {
    assert.deepStrictEqual(
      { ...violation("a", "tax_mismatch", "b", "FAX07") },
      { param: "a", code: "tax_mismatch", message: "b", rule: "FAX07" }
    )
    assert.notProperty(violation("a", "tax_mismatch", "b", "catalog"), "rule")
    assert.notProperty(warning("a", "tax_mismatch", "b"), "rule")
  })
})
