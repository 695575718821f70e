import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { CliOutput, type Command } from "effect/cli"
import { TestConsole } from "effect/testing"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { describe, it as plain } from "vitest"
import { operatorCommands } from "../../../src/cli/operator/OperatorCommands.ts"
import { rootOf, shell } from "../../../src/cli/user/Shell.ts"
import { it } from "../../support/Tests.ts"

const options = { version: "0", operators: operatorCommands }
const operators = new Set<string>(operatorCommands.map(({ name }) => name))

interface Words {
  readonly name: string
  readonly words: ReadonlyArray<string>
  readonly isGroup: boolean
}

const below = (command: Command.Command.Any, words: ReadonlyArray<string> = []): ReadonlyArray<Words> => [
  { name: ["folio", ...words].join(" "), words, isGroup: command.subcommands.length > 0 },
  ...command.subcommands.flatMap(({ commands: inside }) =>
    inside.filter(({ name }) => !operators.has(name)).flatMap((one) => below(one, [...words, one.name]))
  )
]

/** Every command of the tree, without the operator's commands. */
const commands = below(rootOf(operatorCommands))

const said = Effect.fnUntraced(function* (words: ReadonlyArray<string>) {
  const code = yield* shell(words, options)
  const [out, error] = [yield* TestConsole.logLines, yield* TestConsole.errorLines]
  return { code, out: out.join("\n"), error: error.join("\n") }
}, Effect.provide(TestConsole.layer))

describe("the help of the CLI", () => {
  it.effect.each(commands)("for $name fits a terminal, and has an example", function* ({ name, words }) {
    const { code, error, out } = yield* said([...words, "--help"])
    assert.strictEqual(error, "")
    assert.strictEqual(code, 0)
    const lines = out.split("\n")
    assert.isAtMost(lines.length, 24, out)
    for (const line of lines) assert.isAtMost(CliOutput.displayWidth(line), 80, line)
    assert.include(out, name)
    assert.match(out, /EXAMPLE/)
  })

  it.effect.each(
    [["invoces"], ["api", "GET"], ["api", "--nonsense"], ["webhooks", "verify"]].map((words) => ({ words }))
  )("appears as a hint of one line after the mistake $words", function* ({ words }) {
    const { code, error, out } = yield* said(words)
    assert.strictEqual(code, 2)
    assert.strictEqual(out, "")
    assert.match(error, /^folio: [^\n]+\n {2}Help: folio.* --help$/)
  })

  it.effect("proposes a command for a mistyped one", function* () {
    const { error } = yield* said(["invoces"])
    assert.match(error, /^folio: Unknown subcommand "invoces" for "folio"\. Did you mean invoices\?\n/)
  })

  plain("lists each command on the page of the CLI", () => {
    const page = Fs.readFileSync(Path.join(import.meta.dirname, "../../../src/docs/shell.md"), "utf8")
    const ofKinds = /^folio (credit|debit)-notes ./
    const missing = commands.filter(({ isGroup, name }) => !isGroup && !ofKinds.test(name) && !page.includes(name))
    assert.deepStrictEqual(missing, [])
  })

  it.effect.each([{ name: "bash" }, { name: "zsh" }, { name: "fish" }])(
    "supports completions in $name",
    function* ({ name }) {
      const { code, out } = yield* said(["--completions", name])
      assert.strictEqual(code, 0)
      for (const word of ["credit-notes", "timeline", "idempotency-key"]) assert.include(out, word)
    }
  )
})
