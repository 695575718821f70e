import { Config, Context, Effect, Layer, Result, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { read } from "../Setting.ts"

/** The absolute path of the data directory: the embedded PostgreSQL, keys and the sandbox's certificate. */
export class DataDir extends Context.Service<DataDir, string>()("@folio-einvoicing/service/DataDir") {
  /** `DATA_DIR`. A relative path starts at the current directory of the process. */
  static readonly layerConfig = Layer.effect(
    DataDir,
    Effect.map(read(Config.String("DATA_DIR").pipe(Config.withDefault("./data"))), (path) => Path.resolve(path))
  )
}

/** `DATA_DIR` is unusable. The message is one line with the fix. */
export class DataDirError extends Schema.TaggedError<DataDirError>()("DataDirError", { message: Schema.String }) {}

export const attempt = <A>(path: string, run: () => A) =>
  Effect.try({
    try: run,
    catch: (cause) =>
      new DataDirError({
        message: `${path} cannot be read or written (${cause instanceof Error ? cause.message : String(cause)}). Set DATA_DIR to a directory that this user may write to.`
      })
  })

/** The error for a file of `DATA_DIR` with unexpected content. `wanted`: the expected content. */
export const damaged = (path: string, content: string, wanted: string, advice: string) =>
  new DataDirError({
    message: `${path} ${content === "" ? "is empty" : "is damaged"}: it should hold ${wanted}. ${advice}`
  })

/**
 * Returns the content of a file of `DATA_DIR`. Creates a missing file from `make`, readable by its owner only (0600),
 * and never changes it afterwards. An existing file is always complete: its content is written under another name,
 * flushed and renamed.
 */
export const keep = Effect.fnUntraced(function* <R>(name: string, make: Effect.Effect<string, never, R>) {
  const dataDir = yield* DataDir
  const path = Path.join(dataDir, name)
  const found = yield* attempt(path, () => (Fs.existsSync(path) ? Fs.readFileSync(path, "utf8") : undefined))
  if (found !== undefined) return { path, content: found.trim(), made: false }
  const content = yield* make
  yield* attempt(path, () => {
    makeDirectory(dataDir, 0o700)
    const unfinished = `${path}.${process.pid}`
    Fs.writeFileSync(unfinished, `${content}\n`, { mode: 0o600, flush: true })
    Fs.renameSync(unfinished, path)
  })
  return { path, content, made: true }
})

export const random32 = Effect.flatMap(SecureRandom.SecureRandom, (random) => random.randomBytes(32))

/** The advice for a damaged file that the service can create again. */
export const another = "Remove it: the next start makes another."

/**
 * Creates a directory and its parents. Node's recursive `mkdir` does not end if an existing one counts as missing
 * (/proc).
 */
export const makeDirectory = (path: string, mode: number): void => {
  const missing: Array<string> = []
  for (let at = Path.resolve(path); !Fs.existsSync(at); at = Path.dirname(at)) missing.unshift(at)
  for (const directory of missing) {
    try {
      Fs.mkdirSync(directory, { mode })
    } catch (cause) {
      // Another process may have created the directory first.
      if (!Fs.existsSync(directory)) throw cause
    }
  }
  if (!Fs.statSync(path).isDirectory()) throw new Error(`${path} is not a directory`)
}

// The only entry of a new file system.
const ofFileSystem = "lost+found"

/** Whether a directory is unused: it does not exist, or is empty. */
export const isUntouched = (path: string): boolean => {
  if (!Fs.existsSync(path)) return true
  const names = Result.try(() => Fs.readdirSync(path))
  return Result.isSuccess(names) && names.success.every((name) => name === ofFileSystem)
}
