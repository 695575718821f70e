import { assert } from "@effect/vitest"
import { Effect } from "effect"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { succeed, write } from "./Installed.ts"
import { Packages, type Test } from "./Packages.ts"

const page = Path.join(import.meta.dirname, "../../src/http/docs/testing-own.md")

/** The programs of the page about testing, each a file of its own. */
export const testingPrograms = Object.fromEntries(
  [...Fs.readFileSync(page, "utf8").matchAll(/^```ts\n(.*?)^```$/gmsu)].map(([, text = ""], index) => [
    `testing${index}.ts`,
    text
  ])
)

/** Tests of the entry `testing`: what its page shows runs where the package is installed. */
export const testingTests = (it: Test<never>) => {
  it.effect("run the programs of the page about testing", function* () {
    const { together } = yield* Packages
    const files = Object.keys(testingPrograms)
    assert.isAbove(files.length, 4)
    write(together, testingPrograms)
    yield* Effect.forEach(files, (file) => succeed(together, process.execPath, [file]), { concurrency: 2 })
  })
}
