import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { CliOutput } from "effect/cli"
import { type Column, paintFor, tableFor } from "../../../../src/cli/user/Table.ts"

const texts = Schema.Array(Schema.Tuple([Schema.String, Schema.String]))
const widths = Schema.Int.check(Schema.isBetween({ minimum: 30, maximum: 120 }))
const columns: ReadonlyArray<Column<readonly [string, string]>> = [
  ["NAME", ([name]) => name],
  ["WHAT", ([, what], { red }) => red(what)],
  ["ID", () => "inv_0123456789abcdefghjkmnpqrs", "whole"]
]

describe("a table", () => {
  it.prop("fits the width of the terminal, and truncates no id", [texts, widths], ([rows, width]) => {
    for (const canColor of [false, true]) {
      for (const line of tableFor(columns, paintFor(canColor), width)(rows)) {
        assert.isAtMost(CliOutput.displayWidth(line), width, JSON.stringify(line))
        assert.notMatch(line, /inv_(?!0123456789abcdefghjkmnpqrs)\w*…/)
      }
    }
  })

  it.prop("passes no control character of a cell to the terminal", [texts], ([rows]) => {
    const hostile = rows.map(
      ([name, what]) => [`\u001b[2J\u0007\u001b[31m${name}\u001b[0m\u009b2J`, `\u001b]0;${what}\u001b[1m`] as const
    )
    for (const canColor of [false, true]) {
      for (const line of tableFor(columns, paintFor(canColor), 80)(hostile)) {
        // The colours of the heading and of the column WHAT, and no other.
        const own = canColor ? line.replaceAll(/\u001b\[(?:2m(?=NAME)|31m(?!\u001b)|0m(?= |$))/g, "") : line
        // oxlint-disable-next-line no-control-regex -- what is looked for
        assert.notMatch(own, /[\u0000-\u001f\u007f-\u009f]/)
      }
    }
  })

  it("has its heading once, and keeps its columns from page to page", () => {
    const lines = tableFor(columns.slice(0, 2), paintFor(false), 80)
    assert.deepStrictEqual(lines([["a long name", "x"]]), ["NAME         WHAT", "a long name  x"])
    assert.deepStrictEqual(lines([["b", "y"]]), ["b            y"])
  })

  it("truncates the widest column first, and omits a column that does not fit", () => {
    const lines = tableFor(columns, paintFor(false), 30)
    assert.deepStrictEqual(lines([["short", "a text that is much too long for it"]]), [
      "NAME   WHAT",
      "short  a text that is much to…"
    ])
  })
})
