import { assert, describe, it } from "@effect/vitest"
import { wordFindings, wordsOf } from "./support/Words.ts"

const rulesIn = (file: string, text: string) => wordsOf(file, text).map(({ rule }) => rule)

describe("The words of the project", () => {
  it("keep the style guide", () => {
    const list = wordFindings(".").map(({ file, line, rule, text }) => `${file}:${line} ${rule}: ${text}`)
    assert.deepStrictEqual(list, [])
  })

  it("fails on each phrase, start of a sentence, title and long comment that the guide does not allow", () => {
    assert.deepStrictEqual(rulesIn("a.md", "The client is told. It starts anew, and NOBODY waits.\n"), [
      "phrase",
      "phrase",
      "phrase"
    ])
    assert.deepStrictEqual(rulesIn("a.md", "It ends. Who asks twice waits.\n- What is planned waits.\n"), [
      "start of a sentence",
      "start of a sentence"
    ])
    assert.deepStrictEqual(rulesIn("a.test.ts", 'it.effect("of two owners make room", run)\n'), ["title of a test"])
    assert.deepStrictEqual(rulesIn("a.ts", `  // ${"long ".repeat(30)}\n`), ["a comment over 120 columns"])
  })

  it("ignores code in pages, and accepts long lines of code", () => {
    assert.deepStrictEqual(rulesIn("a.md", "```sh\n# nobody\n```\nThe code `nobody` fails.\n"), [])
    assert.deepStrictEqual(rulesIn("a.ts", `const a = "${"long ".repeat(30)}"\n`), [])
  })
})
