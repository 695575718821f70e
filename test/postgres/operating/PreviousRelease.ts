import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { dataPlace } from "../../support/processes/DataPlace.ts"
import { programAt } from "../../support/processes/ServiceProcess.ts"

const root = Path.resolve(import.meta.dirname, "../../..")

const commitOf = (name: string) => {
  try {
    return execFileSync("git", ["rev-parse", "--verify", "--quiet", `${name}^{commit}`], { cwd: root })
      .toString()
      .trim()
  } catch {
    return undefined
  }
}

/**
 * The service as the commit before has it, or the commit that UPGRADE_FROM names, with the packages of this one. Without the history of the
 * repository there is none: then it is this service, as one whose actors speak otherwise. Gives what node runs, and settings for it.
 */
export const previousRelease = Effect.gen(function* () {
  const commit = commitOf(process.env["UPGRADE_FROM"] ?? "HEAD^")
  if (commit === undefined) {
    return { program: [programAt("test/support/processes/faultyMain.ts")], env: { REVISION: "0123abcd" } }
  }
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => Fs.mkdtempSync(Path.join(dataPlace(), "folio-release-"))),
    (made) => Effect.sync(() => Fs.rmSync(made, { recursive: true, force: true }))
  )
  const archive = execFileSync("git", ["archive", commit], { cwd: root, maxBuffer: 1024 ** 3 })
  execFileSync("tar", ["-x", "-C", folder], { input: archive })
  Fs.symlinkSync(Path.join(root, "node_modules"), Path.join(folder, "node_modules"))
  return { program: [Path.join(folder, "src/main.ts")], env: {} }
})
