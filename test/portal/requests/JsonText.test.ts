import { assert, describe, it } from "@effect/vitest"
import { indented } from "../../../src/portal/requests/JsonText.ts"

/** The text without the space between values. */
const packed = (text: string) =>
  text.replaceAll(/"(?:[^"\\]|\\.)*"?|\s+/gs, (part) => (part.startsWith('"') ? part : ""))

describe("JSON for reading", () => {
  it("has a line for each value", () => {
    assert.strictEqual(
      indented('{"a":[1,{"b":null}],"c":{},"d":[],"e":"x, {y}: \\"z\\""}'),
      `{
  "a": [
    1,
    {
      "b": null
    }
  ],
  "c": {},
  "d": [],
  "e": "x, {y}: \\"z\\""
}`
    )
  })

  it.each([
    // Numbers that a program would write in another way.
    '{"a":1.10,"b":1e400,"c":-0,"d":12345678901234567890}',
    '{"a":1,"a":2}',
    '{"a":"\\u00e9\\n  spaces   stay "}',
    // Text that the log has truncated: in a string, after a name, in a list, after a backslash.
    '{"a":"cut in the mid',
    '{"a":[1,2,{"b":',
    '{"a":"\\',
    "]]}}",
    "",
    "[masked]"
  ])("changes only the space between values: %s", (text) => {
    assert.strictEqual(packed(indented(text)), packed(text))
  })

  it("stays short for a deep text", () => {
    const deep = "[".repeat(16_000)
    assert.isBelow(indented(deep).length, 1_000_000)
    assert.strictEqual(packed(indented(deep)), deep)
  })
})
