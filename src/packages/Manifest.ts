import * as Path from "node:path"

/** The members of a `package.json` in the repository that the packages need. */
export interface Manifest {
  readonly name: string
  readonly version?: string
  readonly description: string
  readonly license: string
  readonly bin?: Readonly<Record<string, string>>
  readonly exports: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional: boolean }>>
}

type Versions = Readonly<Record<string, string>>

/** The lowest versions of Node. The verifier and the client also run on older ones than the service. */
const nodes = { service: ">=22.19", client: ">=20" }

// A program must have one copy of these: two copies of `effect` would not know each other's services.
const isPeer = (name: string) => name === "effect" || name === "@effect/platform-node"

const pick = (versions: Versions, isWanted: (name: string) => boolean): Versions =>
  Object.fromEntries(Object.entries(versions).filter(([name]) => isWanted(name)))

const entry = (file: string) => {
  const stem = file.replace(/\.ts$/, "")
  return { types: `${stem}.d.ts`, default: `${stem}.js` }
}

const described = ({ description, license, name }: Manifest, version: string) => ({
  name,
  version,
  description,
  license,
  type: "module"
})

/** The published `package.json` of the service: exports of compiled modules, and `effect` and the platform as peers. */
export const serviceManifest = (root: Manifest, commit: string | undefined) => {
  const { bin, dependencies = {}, exports, optionalDependencies = {}, version = "" } = root
  return {
    ...described(root, version),
    ...(commit === undefined ? {} : { commit }),
    bin,
    files: ["CHANGELOG.md", "migrations", "schemas", "src", "test"],
    exports: Object.fromEntries(Object.entries(exports).map(([name, file]) => [name, entry(file)])),
    engines: { node: nodes.service },
    // The repository uses the client, a folder, to run its documentation. The service doesn't need it.
    dependencies: pick(dependencies, (name) => !isPeer(name) && dependencies[name]?.startsWith("file:") !== true),
    peerDependencies: Object.fromEntries(
      Object.entries(pick(dependencies, isPeer)).map(([name, exact]) => [name, `^${exact}`])
    ),
    // The repository includes a Node, in case yours is too old. A user of the package has chosen a Node.
    optionalDependencies: pick(optionalDependencies, (name) => !name.startsWith("node-"))
  }
}

/** Folders in the client's package: the modules for `import`, and the modules for `require`. */
const [esm, commonjs] = ["./src/clients/typescript", "./commonjs/src/clients/typescript"]

// `effect` has modules for `import` only.
const forRequire = (client: Manifest) => Object.entries(client.exports).filter(([name]) => name !== "./effect")

const required = (file: string) => entry(file.replace(/^\./, commonjs))

/** Entry for resolvers that do not know `exports`. */
const legacy = (file: string, up = ".") => {
  const { default: main, types } = required(file)
  return { main: Path.posix.join(up, main), types: Path.posix.join(up, types) }
}

/**
 * The published `package.json` of the client: the command in one file, and the modules for `import` and for `require`.
 * Only the entry for `effect` has no module for `require`.
 */
export const clientManifest = (client: Manifest, version: string) => ({
  ...described(client, version),
  bin: { folio: "./folio.js" },
  files: ["commonjs", "folio.js", "licenses", "schemas", "src", ...legacyFolders(client).map(([folder]) => folder)],
  ...legacy(client.exports["."] ?? ""),
  exports: Object.fromEntries(
    Object.entries(client.exports).map(([name, file]) => {
      const imported = entry(file.replace(/^\./, esm))
      return [name, name === "./effect" ? imported : { import: imported, require: required(file) }]
    })
  ),
  engines: { node: nodes.client },
  sideEffects: false,
  peerDependencies: client.peerDependencies,
  peerDependenciesMeta: client.peerDependenciesMeta
})

/**
 * Folders of the client's package with the name of an entry, and the `package.json` in which older resolvers find it.
 */
export const legacyFolders = (client: Manifest) =>
  forRequire(client)
    .filter(([name]) => name !== ".")
    .map(([name, file]) => [name.slice(2), legacy(file, "..")] as const)
