import { assert, describe, it } from "@effect/vitest"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { everyMutant } from "./everyMutant.ts"

const root = Path.resolve(import.meta.dirname, "../..")

describe("The mutants", () => {
  it.each(everyMutant)("$name: each guard occurs once in the code", ({ edits, tests }) => {
    for (const { file, find } of edits) {
      const code = Fs.readFileSync(Path.join(root, file), "utf8")
      assert.lengthOf(code.split(find), 2, `${file}: ${find}`)
    }
    for (const test of tests) assert.isTrue(Fs.existsSync(Path.join(root, test)), test)
  })
})
