import { assert, describe, it } from "@effect/vitest"
import * as Fs from "node:fs"
import { isBuiltin } from "node:module"
import * as Path from "node:path"

/*
 * `@folio-einvoicing/service/testing` must load with only the service's own dependencies: without a test runner, an
 * embedded database or an optional peer dependency.
 */

const root = Path.join(import.meta.dirname, "../..")
const read = (file: string) => Fs.readFileSync(Path.join(root, file), "utf8")

const statements =
  /^import\s*["']([^"']+)["']|^(?:import|export)\s+(?:type\s+)?[\w*{}\s,$]+?\s+from\s+["']([^"']+)["']|\bimport\(\s*["']([^"']+)["']\s*\)/gm

const importsOf = (file: string) =>
  file.endsWith(".json")
    ? []
    : [...read(file).matchAll(statements)].map(([, bare, from, later]) => bare ?? from ?? later!)

const files = new Set(["test/model/Testing.ts"])
const modules = new Set<string>()
for (const file of files) {
  for (const from of importsOf(file)) {
    if (from.startsWith(".")) files.add(Path.posix.join(Path.posix.dirname(file), from))
    else if (!isBuiltin(from))
      modules.add(
        from
          .split("/")
          .slice(0, from.startsWith("@") ? 2 : 1)
          .join("/")
      )
  }
}
const ofTests = [...files].filter((file) => file.startsWith("test/"))

const manifest = (
  name: string
): Readonly<Record<string, Record<string, { readonly optional?: boolean }> | undefined>> => JSON.parse(read(name))
const dependencies = Object.keys(manifest("package.json")["dependencies"] ?? {})

describe("the imports of @folio-einvoicing/service/testing", () => {
  it("name only the service's dependencies", () => {
    assert.isAbove(files.size, 200)
    assert.deepStrictEqual(
      [...modules].filter((module) => !dependencies.includes(module)),
      []
    )
  })

  it("need no peer dependency besides them", () => {
    for (const module of modules) {
      const { peerDependencies = {}, peerDependenciesMeta = {} } = manifest(`node_modules/${module}/package.json`)
      const peers = Object.keys(peerDependencies).filter((peer) => peerDependenciesMeta[peer]?.optional !== true)
      assert.deepStrictEqual(
        peers.filter((peer) => !dependencies.includes(peer)),
        [],
        module
      )
    }
  })

  it("include, from the tests, only the model, the oracle and the memory store", () => {
    const others = ofTests.filter((file) => !/^test\/(model|oracle|support\/memory)\//u.test(file))
    assert.deepStrictEqual(others.toSorted(), [
      "test/support/apps/TestSettings.ts",
      "test/support/apps/Until.ts",
      "test/support/authority/LiveAccounts.ts"
    ])
    assert.deepStrictEqual(
      ofTests.filter((file) => file.endsWith(".test.ts")),
      []
    )
  })

  it("read no file by its path in the repository", () => {
    assert.deepStrictEqual(
      ofTests.filter((file) => /import\.meta|["']node:(fs|path)|\bprocess\.(?:cwd|argv|env)/u.test(read(file))),
      []
    )
  })
})
