import { Effect } from "effect"
import { spawn } from "node:child_process"
import * as Fs from "node:fs"
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import * as Path from "node:path"

const root = Path.join(import.meta.dirname, "../..")

type Versions = Readonly<Record<string, string>>

/** A package in the lock of this repository. */
interface Locked {
  readonly name?: string
  readonly version?: string
  readonly link?: boolean
  readonly integrity?: string
  readonly peerDependencies?: Versions
}

const lock: { readonly packages: Readonly<Record<string, Locked>> } = JSON.parse(
  Fs.readFileSync(Path.join(root, "package-lock.json"), "utf8")
)

const nameOf = (path: string, { name }: Locked) => name ?? path.replace(/^.*node_modules\//, "")

/** The packages installed in this repository, by name: each version with its folder. */
const installed = Map.groupBy(
  Object.entries(lock.packages).filter(([path, { link, version }]) => {
    const isThere = link !== true && version !== undefined && path.includes("node_modules/")
    return isThere && Fs.existsSync(Path.join(root, path))
  }),
  ([path, locked]) => nameOf(path, locked)
)

// Omits peers that this repository does not install (Redis, a peer of the platform): the registry has no files for
// them.
const peersOf = ({ peerDependencies = {} }: Locked) =>
  Object.fromEntries(Object.entries(peerDependencies).filter(([name]) => installed.has(name)))

const packument = (name: string, url: string) => {
  const versions = installed.get(name)?.map(([path, locked]) => {
    const dist = { tarball: `${url}/-/tarball/${encodeURIComponent(path)}` }
    return [locked.version ?? "", { ...locked, name, peerDependencies: peersOf(locked), dist }] as const
  })
  const latest = versions?.at(-1)?.[0]
  return versions && { name, "dist-tags": { latest }, versions: Object.fromEntries(versions) }
}

const sendTarball = (path: string, response: ServerResponse) => {
  const [parent, folder] = [Path.dirname(path), Path.basename(path)]
  const tar = spawn("tar", ["--exclude=*/node_modules", "-cf", "-", folder], { cwd: Path.join(root, parent) })
  tar.stdout.pipe(response)
}

/** The lock of this repository with tarballs of this module's registry, which packs their contents again. */
export const lockWith = (url: string): string => {
  const packages = Object.entries(lock.packages).map(([path, entry]) => {
    const { integrity: _, ...locked } = entry
    const isTarball = path.includes("node_modules/") && locked.link !== true
    return [path, isTarball ? { ...locked, resolved: `${url}/-/tarball/${encodeURIComponent(path)}` } : locked]
  })
  return JSON.stringify({ ...lock, packages: Object.fromEntries(packages) })
}

/** An npm registry on loopback with the packages installed in this repository; returns its URL. It uses no network. */
export const registry = Effect.acquireRelease(
  Effect.promise(async () => {
    const server = createServer((request, response) => {
      const url = `http://${request.headers.host}`
      const path = decodeURIComponent(request.url ?? "").slice(1)
      const tarball = path.replace(/^-\/tarball\//, "")
      if (tarball !== path && tarball in lock.packages) return sendTarball(tarball, response)
      const found = packument(path, url)
      response.writeHead(found === undefined ? 404 : 200, { "Content-Type": "application/json" })
      return response.end(JSON.stringify(found ?? { error: `${path} is not installed here` }))
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    return server
  }),
  (server) =>
    Effect.promise(
      () =>
        new Promise<void>((resolve) => {
          server.close(() => resolve())
          server.closeAllConnections()
        })
    )
).pipe(Effect.map((server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`))
