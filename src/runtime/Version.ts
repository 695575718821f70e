import { execFileSync } from "node:child_process"
import * as Fs from "node:fs"
import * as Path from "node:path"
import folio from "../../package.json" with { type: "json" }

/** The short commit of a checkout; undefined for any other folder, and without git. */
export const commitOf = (folder: string): string | undefined => {
  // A folder above may be the repository of another project.
  if (!Fs.existsSync(Path.join(folder, ".git"))) return undefined
  try {
    // The checkout may belong to another user than the process.
    const words = ["-c", "safe.directory=*", "rev-parse", "--short=7", "HEAD"]
    const said = execFileSync("git", words, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] })
    return said.trim()
  } catch {
    return undefined
  }
}

/** The version in a `package.json`. A packed package and an image also name the commit that they come from. */
interface Release {
  readonly version: string
  readonly commit?: string
}

/** The version with the commit as its build: `0.1.0+abc1234`, or `0.1.0+unknown` without either. */
export const versionOf = ({ commit, version }: Release, folder: string): string =>
  `${version}+${commit ?? commitOf(folder) ?? "unknown"}`

/** The version of the program that runs. */
export const version = versionOf(folio, Path.join(import.meta.dirname, "../.."))
