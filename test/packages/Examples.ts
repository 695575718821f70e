import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { exampleRuns } from "./ExampleRuns.ts"
import { Packages, type Test } from "./Packages.ts"
import { hardwareLack } from "./SigningRuns.ts"

/**
 * The folder with the installed packages and a copy of the package's example programs, and the names of the programs.
 */
export const copied = Effect.map(Packages, ({ together }) => {
  const folder = Path.join(together, "node_modules/@folio-einvoicing/service/test/examples")
  Fs.cpSync(folder, together, { recursive: true })
  return { together, programs: Fs.readdirSync(folder) }
})

/** Tests the example programs in the folder with the installed packages. */
export const exampleTests = <R>(it: Test<R>) => {
  for (const [file, seenOf] of Object.entries(exampleRuns)) {
    const name = Path.basename(file)
    const lack = name === "OwnHardwareKeys.ts" ? hardwareLack : undefined
    it.effect.skipIf(lack)(`run ${name}${lack === undefined ? "" : ` (${lack})`} as a service of a team`, function* () {
      const { together } = yield* copied
      // Its process uses real time.
      yield* TestClock.withLive(Effect.scoped(seenOf(Path.join(together, name))))
    })
  }
}
