import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { exampleRuns } from "./ExampleRuns.ts"
import { Packages, type Test } from "./Packages.ts"

/** The folder in which the packages are installed, with the programs of the package copied into it; and their names. */
export const copied = Effect.map(Packages, ({ together }) => {
  const folder = Path.join(together, "node_modules/@folio-einvoicing/service/test/examples")
  Fs.cpSync(folder, together, { recursive: true })
  return { together, programs: Fs.readdirSync(folder) }
})

/** Tries the programs of a team's own in the folder in which the packages are installed. */
export const exampleTests = <R>(it: Test<R>) => {
  for (const [file, seenOf] of Object.entries(exampleRuns)) {
    const name = Path.basename(file)
    it.effect(`run ${name}, a service of a team's own`, function* () {
      const { together } = yield* copied
      // Its process lives in real time.
      yield* TestClock.withLive(Effect.scoped(seenOf(Path.join(together, name))))
    })
  }
}
