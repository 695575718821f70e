import { assert, describe, it } from "@effect/vitest"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { mailMutants } from "./mailMutants.ts"
import { mutants } from "./mutants.ts"
import { paperMutants } from "./paperMutants.ts"
import { readMutants } from "./readMutants.ts"
import { wireMutants } from "./wireMutants.ts"

const root = Path.resolve(import.meta.dirname, "../..")

describe("The mutants", () => {
  it.each([...mutants, ...mailMutants, ...paperMutants, ...readMutants, ...wireMutants])(
    "$name: its guard stands in the code, once",
    ({ file, find, tests }) => {
      const code = Fs.readFileSync(Path.join(root, file), "utf8")
      assert.lengthOf(code.split(find), 2, `${file}: ${find}`)
      for (const test of tests) assert.isTrue(Fs.existsSync(Path.join(root, test)), test)
    }
  )
})
