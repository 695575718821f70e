import { assert } from "@effect/vitest"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { succeed, write } from "./Installed.ts"
import { Packages, type Test } from "./Packages.ts"

const page = Path.join(import.meta.dirname, "../../src/docs/testing-own.md")

/** The programs of the page about testing, each as a file. */
export const testingPrograms = Object.fromEntries(
  [...Fs.readFileSync(page, "utf8").matchAll(/^```ts\n(.*?)^```$/gmsu)].map(([, text = ""], index) => [
    `testing${index}.ts`,
    text
  ])
)

/** Tests of the entry `testing`: the programs of its page run with the installed package. */
export const testingTests = (it: Test<never>) => {
  it.effect("run the programs of the page about testing", function* () {
    const { together } = yield* Packages
    const files = Object.keys(testingPrograms)
    assert.isAbove(files.length, 4)
    // In sequence in one process, because each process would load the whole service again.
    const all = files.map((file) => `console.log("begins ${file}"); await import("./${file}")\n`).join("")
    write(together, { ...testingPrograms, "testingAll.ts": all })
    const said = yield* succeed(together, process.execPath, ["testingAll.ts"])
    assert.strictEqual(said.match(/^begins /gm)?.length, files.length)
  })
}
