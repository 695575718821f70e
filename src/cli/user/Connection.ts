import * as Config from "effect/Config"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { Failed, Misuse } from "./Failures.ts"

const setting = (name: string) =>
  Effect.map(Effect.orElseSucceed(Config.option(Config.NonEmptyString(name)), Option.none), Option.getOrUndefined)

/** The directory of the profile and of the commands' saved state: `$XDG_CONFIG_HOME/folio`, else `~/.config/folio`. */
export const ownDirectory = Effect.map(setting("XDG_CONFIG_HOME"), (config) =>
  Path.join(config ?? Path.join(Os.homedir(), ".config"), "folio")
)

/** Whether a URL can be the base URL of a service. */
export const isBaseUrl = (url: string): boolean =>
  URL.canParse(url) && /^https?:\/\//.test(url) && new URL(url).username === "" && new URL(url).password === ""

const isLoopback = (url: string) =>
  isBaseUrl(url) && /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(url).hostname)

const keyForm = /^sk_(test|live)_\S+$/

/** The mode in the prefix of an API key; undefined for a text that is not an API key. */
export const modeOf = (key: string): "test" | "live" | undefined => {
  const mode = keyForm.exec(key)?.[1]
  return mode === "test" || mode === "live" ? mode : undefined
}

interface Profile {
  readonly url: string
  readonly api_key: string
}

const attempt = <A>(path: string, run: () => A) =>
  Effect.try({
    try: run,
    catch: (cause) =>
      new Failed({
        message: `${path} cannot be read or written: ${cause instanceof Error ? cause.message : String(cause)}`
      })
  })

/** Writes a file atomically. Only its owner can read it. */
export const writePrivately = (path: string, content: string) =>
  attempt(path, () => {
    Fs.mkdirSync(Path.dirname(path), { recursive: true, mode: 0o700 })
    const unfinished = `${path}.${process.pid}`
    Fs.rmSync(unfinished, { force: true })
    Fs.writeFileSync(unfinished, content, { mode: 0o600, flag: "wx", flush: true })
    Fs.renameSync(unfinished, path)
  })

/** Creates a file atomically. Only its owner can read it. If the file exists, leaves it unchanged and gives false. */
export const createPrivately = (path: string, content: string) =>
  attempt(path, () => {
    Fs.mkdirSync(Path.dirname(path), { recursive: true, mode: 0o700 })
    const unfinished = `${path}.${process.pid}`
    Fs.rmSync(unfinished, { force: true })
    Fs.writeFileSync(unfinished, content, { mode: 0o600, flag: "wx", flush: true })
    try {
      // A link, unlike a rename, does not replace an existing file.
      Fs.linkSync(unfinished, path)
      return true
    } catch (error) {
      if (Fs.existsSync(path)) return false
      throw error
    } finally {
      Fs.rmSync(unfinished, { force: true })
    }
  })

export const profilePath = Effect.map(ownDirectory, (directory) => Path.join(directory, "profile.json"))

/** Writes the profile of `folio login`. */
export const writeProfile = Effect.fn("writeProfile")(function* (profile: Profile) {
  const path = yield* profilePath
  yield* writePrivately(path, `${JSON.stringify(profile, null, 2)}\n`)
  return path
})

const isProfile = (value: unknown): value is Profile =>
  typeof value === "object" &&
  value !== null &&
  "url" in value &&
  typeof value.url === "string" &&
  "api_key" in value &&
  typeof value.api_key === "string"

const again = "Run `folio login` again."

/** The profile; undefined if there is none. Fails if other users can read the file, because they may know its key. */
const readProfile = Effect.gen(function* () {
  const path = yield* profilePath
  if (!Fs.existsSync(path)) return undefined
  const { content, mode } = yield* attempt(path, () => ({
    content: Fs.readFileSync(path, "utf8"),
    mode: Fs.statSync(path).mode
  }))
  if (process.platform !== "win32" && (mode & 0o077) !== 0) {
    return yield* new Misuse({ message: `Other users can read ${path}.`, hint: `Run: chmod 600 ${path}` })
  }
  const profile = yield* Effect.try({
    try: (): unknown => JSON.parse(content),
    catch: () => new Misuse({ message: `${path} is damaged.`, hint: again })
  })
  return isProfile(profile) ? profile : yield* new Misuse({ message: `${path} is damaged.`, hint: again })
})

/** The test key in the data directory of a service on this machine; undefined if there is none. */
const keyBesideService = Effect.gen(function* () {
  const path = Path.join((yield* setting("DATA_DIR")) ?? "data", "test-key")
  if (!Fs.existsSync(path)) return undefined
  return (yield* attempt(path, () => Fs.readFileSync(path, "utf8"))).trim()
})

const ownUrl = Effect.gen(function* () {
  const [url, port] = [yield* setting("FOLIO_URL"), yield* setting("PORT")]
  return url ?? `http://127.0.0.1:${port ?? 3000}`
})

/** The header with the account that a platform's key acts for: `FOLIO_ACCOUNT`. */
export const actingHeaders = Effect.map(setting("FOLIO_ACCOUNT"), (account) =>
  account === undefined ? {} : { "svc-account": account }
)

/** The hint after an error for a platform's key without an account. */
export const accountHint = "Set FOLIO_ACCOUNT to the id of one of the platform's accounts, ten_…"

// As in other commands, the environment has priority: it was set for this call.
const find = Effect.gen(function* () {
  const [url, key] = [yield* setting("FOLIO_URL"), yield* setting("FOLIO_API_KEY")]
  if (key !== undefined) return { url: yield* ownUrl, key, from: "FOLIO_API_KEY" }
  const profile = yield* readProfile
  if (profile !== undefined && (url === undefined || url.replace(/\/$/, "") === profile.url)) {
    return { url: profile.url, key: profile.api_key, from: yield* profilePath }
  }
  // Send the key of this machine's service only to this machine.
  const beside = url === undefined || isLoopback(url) ? yield* keyBesideService : undefined
  if (beside !== undefined) return { url: yield* ownUrl, key: beside, from: "the data directory's test-key" }
  return yield* new Misuse({
    message: "No API key is set.",
    hint: "Run `folio login --url URL`, or set FOLIO_URL and FOLIO_API_KEY."
  })
})

/** The service that a command calls, and its API key. */
export class Connection extends Context.Service<
  Connection,
  {
    readonly url: string
    readonly key: Redacted.Redacted
    readonly mode: "test" | "live"
    /** The headers of each request. */
    readonly headers: { readonly "svc-account"?: string }
    /** Source of the key, in words. */
    readonly from: string
  }
>()("folio/cli/user/Connection") {
  /** `FOLIO_API_KEY` with `FOLIO_URL`, else the profile, else the test key in the data directory of a local service. */
  static readonly layer = Layer.effect(
    Connection,
    Effect.gen(function* () {
      const { from, key, url } = yield* find
      const mode = modeOf(key)
      if (mode === undefined) {
        return yield* new Misuse({
          message: `The key from ${from} is not an API key: a key begins with sk_test_ or sk_live_.`
        })
      }
      if (!isBaseUrl(url)) {
        return yield* new Misuse({
          message: `FOLIO_URL must be a URL such as https://folio.example.com, without a user or a password.`
        })
      }
      return { url, key: Redacted.make(key), mode, headers: yield* actingHeaders, from }
    })
  )
}
