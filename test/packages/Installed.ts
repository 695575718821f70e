import { Effect } from "effect"
import { execFile } from "node:child_process"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { registry } from "./Registry.ts"

const root = Path.join(import.meta.dirname, "../..")

/** The output and exit code of a program. */
export interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs a program of the folder to its end, without the npm settings of this test's shell. */
export const run = (
  cwd: string,
  file: string,
  args: ReadonlyArray<string>,
  settings: Readonly<Record<string, string>> = {}
) =>
  Effect.callback<Ended>((resume) => {
    const { HOME, PATH } = process.env
    // The next program of the folder reuses Node's compiled modules.
    const env = { HOME, PATH, NODE_COMPILE_CACHE: Path.join(cwd, ".compiled"), ...settings }
    const child = execFile(file, args, { cwd, env, maxBuffer: 1 << 26 }, (error, stdout, stderr) =>
      resume(Effect.succeed({ code: error === null ? 0 : Number(error.code ?? 1), stdout, stderr }))
    )
    return Effect.sync(() => child.kill("SIGKILL"))
  })

/** Runs a program that must succeed, and returns its output. */
export const succeed = (...what: Parameters<typeof run>) =>
  Effect.flatMap(run(...what), ({ code, stderr, stdout }) =>
    code === 0 ? Effect.succeed(stdout) : Effect.die(`${what[1]} ${what[2].join(" ")}: ${code}\n${stdout}${stderr}`)
  )

/** The tarballs in `dist`, as `npm run pack` has just written them. */
export const packed = Effect.gen(function* () {
  const cache = Path.join(root, "node_modules/.cache/compiled")
  yield* succeed(root, "npm", ["run", "pack"], { NODE_COMPILE_CACHE: cache })
  const dist = Path.join(root, "dist")
  const tarball = (name: string) =>
    Path.join(dist, Fs.readdirSync(dist).find((file) => file.includes(name)) ?? `no tarball of the ${name}`)
  return { service: tarball("service"), client: tarball("client") }
})

/** Writes files into a folder. */
export const write = (folder: string, files: Readonly<Record<string, string>>) => {
  for (const [name, text] of Object.entries(files)) Fs.writeFileSync(Path.join(folder, name), text)
}

/** An empty folder, in which npm installs these packages from a registry on loopback. */
export const installed = Effect.fnUntraced(function* (packages: ReadonlyArray<string>) {
  const url = yield* registry
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => Fs.mkdtempSync(Path.join(Os.tmpdir(), "folio-installed-"))),
    (path) => Effect.sync(() => Fs.rmSync(path, { recursive: true, force: true }))
  )
  write(folder, { "package.json": '{"private":true,"type":"module"}' })
  const options = ["--registry", url, "--cache", Path.join(folder, ".npm"), "--no-audit", "--no-fund"]
  yield* succeed(folder, "npm", ["install", ...options, ...packages])
  Fs.rmSync(Path.join(folder, ".npm"), { recursive: true, force: true })
  return folder
})

/**
 * The compiler's errors for a program, under `strict` with TypeScript's defaults and none of this repository's options.
 */
export const complaints = (folder: string, programs: ReadonlyArray<string>, options: ReadonlyArray<string> = []) =>
  Effect.map(
    run(
      folder,
      Path.join(root, "node_modules/.bin/tsc"),
      ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2024"].concat(options, programs)
    ),
    ({ stdout }) => stdout
  )

/** The size of a folder in bytes, as the sum of its files' lengths. */
export const bytesOf = (folder: string): number =>
  Fs.globSync("**/*", { cwd: folder, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + Fs.statSync(Path.join(entry.parentPath, entry.name)).size, 0)
