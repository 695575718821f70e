import { assert } from "@effect/vitest"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { customerBody } from "../../support/apps/Invoices.ts"
import * as TestApp from "../../support/apps/TestApp.ts"
import { describeLive } from "../../support/Tests.ts"
import { app, directory, envOf, jsonLines } from "./ShellService.ts"
import { bash, folioInTerminal, hasTerminals } from "./Spawned.ts"

const page = Fs.readFileSync(Path.join(import.meta.dirname, "../../../src/docs/shell.md"), "utf8")

describeLive(app)("the CLI at a terminal", (it) => {
  it.effect("works as its page describes", function* () {
    const cwd = Path.join(directory, "page")
    Fs.mkdirSync(cwd)
    const script = [...page.matchAll(/^```sh\n(.*?)^```$/gmsu)].map(([, block]) => block).join("\n")
    const given = { cwd, env: { ...(yield* envOf), TMPDIR: cwd } }
    const { code, error, out } = yield* bash(`set -euo pipefail\n${script}`, given)
    assert.deepStrictEqual({ code, error }, { code: 0, error: "" }, out)
    for (const name of ["order.json", "invoice.xml", "body.json"])
      assert.isTrue(Fs.existsSync(Path.join(cwd, name)), name)
    assert.include(out, "accepted_by_authority")
  })

  // Python plays the person at the terminal. Without it, these tests are skipped.
  it.effect.skipIf(!hasTerminals)("shows tables that fit, in colour unless NO_COLOR is set", function* () {
    const { client } = yield* TestApp.TestApp
    const legal_name = `Comercializadora ${"muy larga ".repeat(12)}`.trim()
    const made = yield* client.post("/v1/customers", { ...customerBody("900000005"), legal_name }, { key: "long" })
    assert.strictEqual(made.status, 201, made.text)
    const given = { cwd: directory, env: yield* envOf }
    const plain = yield* folioInTerminal(["customers", "list"], [], { ...given, env: { ...given.env, NO_COLOR: "1" } })
    assert.strictEqual(plain.code, 0, plain.out)
    const lines = plain.out.split("\r\n")
    assert.match(lines[0] ?? "", /^ID +NUMBER +NAME/)
    assert.include(plain.out, made.json.id)
    assert.notInclude(plain.out, "\u001b")
    assert.include(plain.out, "…")
    for (const line of lines) assert.isAtMost(line.length, 80, line)
    const coloured = yield* folioInTerminal(["customers", "list"], [], given)
    assert.include(coloured.out, "\u001b[2mID")
    const asJson = yield* folioInTerminal(["customers", "list", "--json"], [], given)
    assert.strictEqual(jsonLines(asJson.out.replaceAll("\r", ""))[0].object, "customer")
  })

  it.effect.skipIf(!hasTerminals)(
    "exits after Ctrl-C while it follows, and requests the key without showing it",
    function* () {
      const { apiKey, url } = yield* TestApp.TestApp
      const given = { cwd: directory, env: yield* envOf }
      const followed = yield* folioInTerminal(["events", "tail"], [["Following", "\u0003"]], given)
      assert.strictEqual(followed.code, 130, followed.out)
      const home = { cwd: directory, env: { HOME: Path.join(directory, "home") } }
      const login = yield* folioInTerminal(["login", "--url", url], [["API key", `${apiKey}\r`]], home)
      assert.strictEqual(login.code, 0, login.out)
      assert.notInclude(login.out, apiKey)
      assert.include(login.out, "with a test key")
      const left = yield* folioInTerminal(["login", "--url", url], [["API key", "\u0003"]], home)
      assert.strictEqual(left.code, 130, left.out)
    }
  )
})
