import { assert, describe, it } from "@effect/vitest"
import * as Fs from "node:fs"

const read = (file: string) => Fs.readFileSync(new URL(`../../../${file}`, import.meta.url), "utf8")
const page = read("src/docs/composing.md")

/** The lines without their indentation, which the page leaves out. */
const bare = (text: string) =>
  text
    .split("\n")
    .map((line) => line.trim())
    .join("\n")

const programs = new Map(
  Fs.readdirSync(new URL("../../examples", import.meta.url)).map((file) => [file, bare(read(`test/examples/${file}`))])
)

describe("the page about a composed service", () => {
  const blocks = [...page.matchAll(/^```ts\n(.*?)^```$/gmsu)].map(([, block = ""]) => bare(block))

  it("shows only lines of the programs that the tests start", () => {
    const wrong = blocks.filter((block) => ![...programs.values()].some((program) => program.includes(block)))
    assert.deepStrictEqual(wrong, [])
    assert.isAbove(blocks.length, 12)
  })

  it("names every one of these programs", () => {
    assert.deepStrictEqual(
      [...programs.keys()].filter((file) => !page.includes(`\`${file}\``)),
      []
    )
  })

  it("names every part that `main` takes", () => {
    const [, members = ""] = /^export interface Parts[^]*?\{\n([^]*?)^\}$/m.exec(read("src/service/Service.ts")) ?? []
    const parts = [...members.matchAll(/^ {2}readonly (\w+)\?:/gm)].map(([, name = ""]) => name)
    assert.isAbove(parts.length, 10)
    // The last part is for tests of the service itself.
    assert.deepStrictEqual(
      parts.filter((part) => !page.includes(`| \`${part}\` `)),
      ["mayMixLiveKeys"]
    )
  })
})
