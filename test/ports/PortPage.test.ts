import { assert, describe, it } from "@effect/vitest"
import * as Fs from "node:fs"
import { outcomes, table } from "./PortTable.ts"

const page = Fs.readFileSync(new URL("../../src/docs/ports.md", import.meta.url), "utf8")

/** The rows of the page's tables, without their headings. */
const cells = page
  .split("\n")
  .filter((line) => /^\| [`*]/.test(line))
  .map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim())
  )

const wanted = Object.entries(table).flatMap(([port, methods]) =>
  Object.entries(methods).flatMap(([method, row]) =>
    [...Map.groupBy(Object.keys(row), (fault) => row[fault] ?? "")].map(([outcome, faults]) => [
      `\`${port}${port === "Busyness" ? "" : `.${method}`}\``,
      faults.map((fault) => (/^[A-Z]/.test(fault) ? `\`${fault}\`` : fault)).join(", "),
      outcome
    ])
  )
)

describe("the page on ports", () => {
  it("states for every failure the outcome that the tests assert", () => {
    assert.deepStrictEqual(
      cells.filter(([first]) => first?.startsWith("`")),
      wanted
    )
  })

  it("describes every outcome", () => {
    assert.deepStrictEqual(
      cells.filter(([first]) => first?.startsWith("**")),
      Object.entries(outcomes).map(([name, sentence]) => [`**${name}**`, sentence])
    )
  })
})
