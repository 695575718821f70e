import { assert, describe, it } from "@effect/vitest"
import * as Fs from "node:fs"
import * as Path from "node:path"

const root = Path.resolve(import.meta.dirname, "..")
const read = (name: string) => Fs.readFileSync(Path.join(root, name), "utf8")

const page = read("test/scoreboard.md")
const rows = page
  .split("\n")
  .filter((line) => line.startsWith("|"))
  .map((line) =>
    line
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim())
  )
const [head = [], , ...figures] = rows
const commands = [...new Set([...page.matchAll(/`((?:npm run [\w-]+|test\/)[^`]*)`/g)].map(([, text = ""]) => text))]

/** The source file of a script, which names its options. */
const optionsOf = (script: string) => {
  const file = /\S+\.ts\b/.exec(JSON.parse(read("package.json")).scripts[script] ?? "")?.[0]
  return file === undefined ? "" : read(file)
}

describe("The scoreboard", () => {
  it("has for each figure the promise, the figure of today, the expected figure, and the command", () => {
    assert.deepStrictEqual(head, ["#", "Promise", "Today", "Expected", "Command", "Runs, seeds"])
    for (const figure of figures) {
      const [, promise, today, expected, command] = figure
      assert.lengthOf(figure, head.length, figure.join(" | "))
      for (const cell of [promise, today, expected]) assert.notStrictEqual(cell, "", figure.join(" | "))
      assert.match(command ?? "", /`/, `${promise}: a command, as code`)
    }
    const numbers = figures.flatMap(([number = ""]) => (number === "" ? [] : [number]))
    assert.deepStrictEqual(
      numbers,
      Array.from({ length: 24 }, (_, index) => `R${index + 1}`)
    )
  })

  it.each(commands)("names a command that exists: %s", (command) => {
    if (command.startsWith("test/")) return assert.isTrue(Fs.existsSync(Path.join(root, command)))
    const [, , script = "", ...rest] = command.split(" ")
    assert.property(JSON.parse(read("package.json")).scripts, script)
    const named = optionsOf(script)
    for (const option of rest.filter((word) => /^--\w/.test(word))) assert.include(named, option, command)
  })
})
