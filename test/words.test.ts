import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { wordFindings, wordsOf } from "./support/Words.ts"

/** Number of findings that a folder may have. It only decreases, and a folder that is not listed may have none. */
const allowed: Readonly<Record<string, number>> = JSON.parse(
  readFileSync(join(import.meta.dirname, "words.json"), "utf8")
)

const folderOf = (file: string) => {
  const [first = "", second = ""] = file.split("/")
  return second === "" || !["src", "test"].includes(first) ? first : `${first}/${second}`
}

const found = Object.groupBy(wordFindings("."), ({ file }) => folderOf(file))

const rulesIn = (file: string, text: string) => wordsOf(file, text).map(({ rule }) => rule)

describe("The words of the project", () => {
  it.each([...new Set([...Object.keys(allowed), ...Object.keys(found)])].toSorted())(
    "keep the style guide in %s",
    (folder) => {
      const here = found[folder] ?? []
      const most = allowed[folder] ?? 0
      const list = here.map(({ file, line, rule, text }) => `${file}:${line} ${rule}: ${text}`).join("\n")
      assert.isAtMost(here.length, most, list)
      assert.strictEqual(here.length, most, `lower the number of ${folder} in test/words.json`)
    }
  )

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
