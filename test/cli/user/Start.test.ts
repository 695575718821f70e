import { assert, describe, it } from "@effect/vitest"
import * as Fs from "node:fs"
import * as Path from "node:path"

/*
 * API users wait for the start of each command, so the CLI loads nothing of the service. It needs only the client,
 * the version, pure rules of the domain and the modules of effect that it names.
 */

const root = Path.join(import.meta.dirname, "../../..")
const read = (file: string) => Fs.readFileSync(Path.join(root, file), "utf8")

const statements =
  /^import\s*["']([^"']+)["']|^(?:import|export)\s+(type\s+)?[\w*{}\s,$]+?\s+from\s+["']([^"']+)["']|\bimport\(\s*["']([^"']+)["']\s*\)/gm

/** The modules that a file loads at run time, which has no imports of types. */
const loadedBy = (file: string) =>
  file.endsWith(".json")
    ? []
    : [...read(file).matchAll(statements)].flatMap(([, bare, type, from, later]) =>
        type === undefined ? [bare ?? from ?? later ?? ""] : []
      )

const files = new Set(["src/cli/user/folio.ts"])
const modules = new Set<string>()
for (const file of files) {
  for (const from of loadedBy(file)) {
    if (from.startsWith(".")) files.add(Path.posix.join(Path.posix.dirname(file), from))
    else modules.add(from)
  }
}

describe("a command of the API user", () => {
  it("loads the CLI and the client's rules, and nothing of the service", () => {
    assert.isAbove(files.size, 20)
    assert.deepStrictEqual(
      [...files].filter(
        (file) =>
          !/^src\/(cli\/user|clients\/typescript|\w+\/rules|runtime\/json)\/|^src\/runtime\/Version\.ts$|^package\.json$/.test(
            file
          )
      ),
      []
    )
  })

  it("loads single modules of effect, and only the necessary modules of Node and its platform", () => {
    const allowed =
      /^(node:[a-z_]+|csv-parse\/sync|effect\/[A-Za-z]+|effect\/cli\/[A-Za-z]+|@effect\/platform-node\/Node(Runtime|Services))$/
    const wrong = [...modules].filter((module) => !allowed.test(module) || module === "effect/cli")
    assert.deepStrictEqual(wrong, [])
  })
})
