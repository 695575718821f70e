import { assert, describe, it } from "@effect/vitest"
import * as Fs from "node:fs"
import * as Path from "node:path"
import {
  edges,
  edgesMax,
  type Files,
  importsOf,
  isIn,
  isOurs,
  layers,
  moduleOf,
  subjects,
  target,
  wrongImports
} from "./support/Imports.ts"

const linesMax = 400
const filesMin = 3
const filesMax = 18
const sameNamesMax = 20
const emptyNames = /(^|\/)(utils?|helpers?|common|misc|shared|types|index)(\.ts|\/)/i

const tooLong = (files: Files): ReadonlyArray<string> =>
  [...files]
    .map(([file, text]) => ({ file, lines: text.split("\n").length - 1 }))
    .filter(({ lines }) => lines > linesMax)
    .map(({ file, lines }) => `${file} has ${lines} lines`)

/** Folders with a file for each resource and schema, which grow with the interface. */
const filesOfInterface = new Set(["schemas", "src/api"])

const tooFull = (files: Files): ReadonlyArray<string> =>
  [...Map.groupBy(files.keys(), (file) => Path.posix.dirname(file))]
    .filter(([folder, inside]) => inside.length > filesMax && !filesOfInterface.has(folder))
    .map(([folder, inside]) => `${folder} has ${inside.length} files`)

/** Folders of the source with fewer than three files, in the folder and below it. */
const tooEmpty = (files: Files): ReadonlyArray<string> => {
  const folders = new Set([...files.keys()].map((file) => Path.posix.dirname(file)))
  return [...folders]
    .map((folder) => ({ folder, inside: [...files.keys()].filter((file) => file.startsWith(`${folder}/`)).length }))
    .filter(({ inside }) => inside < filesMin)
    .map(({ folder, inside }) => `${folder} has ${inside} files`)
}

/** Base names that more than one file has. */
const sameNames = (files: Files): ReadonlyArray<string> =>
  [...Map.groupBy(files.keys(), (file) => Path.posix.basename(file))]
    .filter(([, inside]) => inside.length > 1)
    .map(([name]) => name)

const badNames = (files: Files): ReadonlyArray<string> => [...files.keys()].filter((file) => emptyNames.test(file))

/** Files without an import or a start. A spawn, a configuration or `node …` starts a file by its path. */
const orphans = (files: Files, configuration: string): ReadonlyArray<string> => {
  const used = new Set([...files].flatMap(([file, text]) => importsOf(text).map(({ from }) => target(file, from))))
  const texts = [configuration, ...files.values()].join("\n")
  const unused = [...files.keys()].filter(
    (file) => !used.has(file) && !file.endsWith(".test.ts") && file !== "src/main.ts"
  )
  return unused.filter((file) => {
    const base = Path.posix.basename(file)
    // A thread's file ends in `.ts` here and in `.js` in the package, so its extension is computed.
    const names = [`/${base}"`, `"${file}"`, `node ${file}`, `/${base.replace(/\.ts$/, "")}\${`]
    return !names.some((name) => texts.includes(name))
  })
}

const root = Path.join(import.meta.dirname, "..")
const read = (file: string) => Fs.readFileSync(Path.join(root, file), "utf8")
/** Types that `npm run check` generates, because the API is large. The file is not in git. */
const generated = "src/clients/typescript/Interface.ts"
// The benchmark's peers have packages of their own.
const exclude = ["**/node_modules/**", generated]
const files: Files = new Map(
  Fs.globSync(["{src,schemas,test}/**/*.{ts,js}", "package.json"], { cwd: root, exclude }).map((file) => [
    file,
    read(file)
  ])
)
const configuration = ["package.json", "vitest.config.ts", "src/clients/typescript/package.json"].map(read).join("\n")

describe("architecture", () => {
  it("covers every source file and every import", () => {
    for (const module of layers.flat()) assert.isTrue([...files.keys()].some(isIn(module)), module)
    assert.isTrue(files.has("src/cli/operator/folio.js"), "the files in JavaScript")
    assert.deepStrictEqual(
      [...files.keys()].filter((file) => /^(src|schemas)\//.test(file) && moduleOf(file) === undefined),
      []
    )
    // As many imports as lines that begin one: the parser misses none.
    for (const [file, text] of files) {
      const begun = text.match(/^(import|export (type )?[{*])/gm) ?? []
      const ended = text.match(/^export (type )?\{[^}]*\}(?! from)/gm) ?? []
      const dynamic = text.match(/\bimport\(\s*["']/g) ?? []
      assert.lengthOf(importsOf(text), begun.length - ended.length + dynamic.length, file)
    }
  })

  it("imports downwards only, and reserved modules only where they are allowed", () => {
    assert.deepStrictEqual(wrongImports(files), [])
  })

  it(`has no file of more than ${linesMax} lines`, () => assert.deepStrictEqual(tooLong(files), []))

  it(`has no folder of more than ${filesMax} files`, () => {
    const all = Fs.globSync("{src,schemas,test}/**/*", { cwd: root, exclude, withFileTypes: true })
    const named = all.filter((entry) => entry.isFile()).map((entry) => Path.join(entry.parentPath, entry.name))
    assert.deepStrictEqual(tooFull(new Map(named.map((file) => [Path.relative(root, file), ""]))), [])
  })

  const source: Files = new Map([...files].filter(([file]) => isOurs(file)))

  it(`has no folder of fewer than ${filesMin} files, except where a client's package has its own layout`, () => {
    const all = Fs.globSync("{src,schemas}/**/*", { cwd: root, exclude, withFileTypes: true })
    const named = all.filter((entry) => entry.isFile()).map((entry) => Path.join(entry.parentPath, entry.name))
    assert.deepStrictEqual(tooEmpty(new Map(named.map((file) => [Path.relative(root, file), ""]))), [])
  })

  it(`has at most ${sameNamesMax} names that more than one file has`, () =>
    assert.isAtMost(sameNames(source).length, sameNamesMax, sameNames(source).join()))

  it(`has at most ${edgesMax} edges between subjects, all of them in use`, () => {
    const between = subjects.flatMap((from) => (edges[from] ?? []).map((to) => `${from} ${to}`))
    assert.isAtMost(between.length, edgesMax)
    const used = new Set(
      [...source].flatMap(([file, text]) =>
        importsOf(text).map(({ from }) => `${moduleOf(file)} ${moduleOf(target(file, from))}`)
      )
    )
    const all = Object.entries(edges).flatMap(([from, to]) => to.map((one) => `${from} ${one}`))
    assert.deepStrictEqual(
      all.filter((edge) => !used.has(edge)),
      []
    )
  })

  it("imports only types from the generated file, so that programs run without the file", () => {
    const all = / from "[^"]*\/Interface\.ts"/g
    const ofTypes = /^(import|export) type [\w*{}\s,]+ from "[^"]*\/Interface\.ts"/gm
    const importing = [...files].filter(([, text]) => text.match(all))
    assert.isNotEmpty(importing)
    const values = importing.filter(([, text]) => text.match(all)?.length !== text.match(ofTypes)?.length)
    assert.deepStrictEqual(
      values.map(([file]) => file),
      []
    )
  })

  it("has no file with a meaningless name", () => assert.deepStrictEqual(badNames(files), []))

  it("has no file without an import, and no source file that only tests use", () => {
    assert.deepStrictEqual(orphans(source, configuration), [])
    assert.deepStrictEqual(orphans(files, configuration), [])
  })
})

/** Files with a wrong import, and the fault of each. */
const wrong: ReadonlyArray<readonly [what: string, file: string, text: string, fault: string]> = [
  ["upwards", "src/accounts/A.ts", 'import { x } from "../http/B.ts"', "imports src/http/B.ts from a higher layer"],
  [
    "upwards, of a type",
    "src/api/A.ts",
    'import type { X } from "../accounts/B.ts"',
    "imports src/accounts/B.ts from a higher layer"
  ],
  [
    "upwards, over several lines",
    "schemas/A.ts",
    'import {\n  x,\n  type Y\n} from "../src/api/B.ts"',
    "imports src/api/B.ts from a higher layer"
  ],
  [
    "upwards, re-exported",
    "src/documents/A.ts",
    'export * from "../service/Ports.ts"',
    "imports src/service/Ports.ts from a higher layer"
  ],
  ["upwards, without names", "src/webhooks/A.ts", 'import "../cli/B.ts"', "imports src/cli/B.ts from a higher layer"],
  ["upwards, in JavaScript", "src/http/a.js", 'await import("../main.ts")', "imports src/main.ts from a higher layer"],
  [
    "upwards, dynamic",
    "src/database/A.ts",
    'const x = () => import("../cli/B.ts")',
    "imports src/cli/B.ts from a higher layer"
  ],
  [
    "upwards, of the host",
    "src/portal/A.ts",
    'import { x } from "../runtime/server/B.ts"',
    "imports src/runtime/server/B.ts from a higher layer"
  ],
  ["sideways", "src/http/A.ts", 'import { x } from "../portal/B.ts"', "imports src/portal/B.ts from its own layer"],
  [
    "sideways in a lower layer",
    "src/accounts/A.ts",
    'import { x } from "../operations/B.ts"',
    "imports src/operations/B.ts from its own layer"
  ],
  [
    "sideways near the bottom",
    "src/runtime/A.ts",
    'import { x } from "../api/B.ts"',
    "imports src/api/B.ts from its own layer"
  ],
  ["of a test", "src/http/A.ts", 'import { x } from "../../test/B.ts"', "imports test/B.ts, which is in no module"],
  ["in a folder outside the table", "src/lib/A.ts", 'import { x } from "../../schemas/B.ts"', "is in no module"],
  ["of a driver", "src/database/A.ts", 'import { PgClient } from "@effect/sql-pg"', "may not import @effect/sql-pg"],
  [
    "of a driver's types",
    "src/accounts/store/A.ts",
    'import { array } from "@effect/sql-pg/PgTypes"',
    "may not import @effect/sql-pg/PgTypes"
  ],
  [
    "of the platform's packages",
    "src/http/A.ts",
    'import { x } from "@effect/platform-node/NodeCrypto"',
    "may not import @effect/platform-node/NodeCrypto"
  ],
  ["of settings", "src/documents/A.ts", 'import { Config, Effect } from "effect"', "may not import effect"],
  ["of settings, renamed", "src/documents/A.ts", 'import { Config as C } from "effect"', "may not import effect"],
  ["of the source of settings", "src/http/A.ts", 'import { ConfigProvider } from "effect"', "may not import effect"],
  ["of SQL", "src/invoices/A.ts", 'import { SqlClient } from "effect/sql"', "may not import effect/sql"],
  [
    "of Effect in a rule",
    "src/invoices/rules/A.ts",
    'import { Effect } from "effect"',
    "must be pure, but imports Effect of effect"
  ],
  [
    "of a statement in a rule",
    "src/invoices/rules/A.ts",
    'import { x } from "../store/B.ts"',
    "must be pure, but imports src/invoices/store/B.ts"
  ],
  [
    "of an actor in a store",
    "src/invoices/store/A.ts",
    'import { x } from "../../accounts/AccountActor.ts"',
    "imports src/accounts/AccountActor.ts, an actor, a command or their services"
  ]
]

describe("the test of the architecture", () => {
  it.each(wrong)("reports a wrong import: %s", (_what, file, text, fault) => {
    assert.deepStrictEqual(wrongImports(new Map([[file, text]])), [`${file} ${fault}`])
  })

  it("accepts allowed imports, and text that only mentions an import", () => {
    const right = [
      'import { Config } from "effect"\nimport { x } from "../../portal/B.ts"',
      'import { NodeCrypto } from "@effect/platform-node"',
      '// import { x } from \'../cli/B.ts\'\nconst from = "../cli/B.ts"\nexport const y = "../cli/B.ts"'
    ]
    for (const text of right) assert.deepStrictEqual(wrongImports(new Map([["src/runtime/server/A.ts", text]])), [])
  })

  it("reports files that are too long, badly named or unused, and folders that are too full", () => {
    assert.deepStrictEqual(
      tooLong(
        new Map([
          ["a.ts", "\n".repeat(401)],
          ["b.ts", "\n".repeat(400)]
        ])
      ),
      ["a.ts has 401 lines"]
    )
    const folders = ["src/a", "src/api", "src/b"].flatMap((folder) =>
      Array.from({ length: folder === "src/b" ? 18 : 19 }, (_, index) => `${folder}/${index}.ts`)
    )
    assert.deepStrictEqual(tooFull(new Map(folders.map((file) => [file, ""]))), ["src/a has 19 files"])
    assert.deepStrictEqual(
      tooEmpty(new Map(["src/a/A.ts", "src/b/c/B.ts", "src/b/C.ts", "src/b/D.ts"].map((file) => [file, ""]))),
      ["src/a has 1 files", "src/b/c has 1 files"]
    )
    assert.deepStrictEqual(sameNames(new Map(["src/a/A.ts", "src/b/A.ts", "src/b/C.ts"].map((file) => [file, ""]))), [
      "A.ts"
    ])
    const names = ["src/http/utils.ts", "src/helpers/A.ts", "schemas/index.ts", "test/common.ts", "src/http/Types.ts"]
    assert.deepStrictEqual(badNames(new Map([...names, "src/http/Prototypes.ts"].map((file) => [file, ""]))), names)
    const used: Files = new Map([
      ["src/main.ts", 'import { x } from "./A.ts"'],
      ["src/A.ts", ""],
      ["src/B.ts", 'import { x } from "./A.ts"'],
      ["test/child.ts", ""],
      ["test/bench.ts", "// node test/bench.ts"],
      ["test/A.test.ts", 'spawn("./child.ts")']
    ])
    assert.deepStrictEqual(orphans(used, ""), ["src/B.ts"])
  })
})
