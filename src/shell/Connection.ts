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

/** The directory of the profile and of what commands remember: `$XDG_CONFIG_HOME/folio`, else `~/.config/folio`. */
export const ownDirectory = Effect.map(setting("XDG_CONFIG_HOME"), (config) =>
  Path.join(config ?? Path.join(Os.homedir(), ".config"), "folio")
)

/** Whether a URL can be the base of a service's addresses. */
export const isBaseUrl = (url: string): boolean =>
  URL.canParse(url) && /^https?:\/\//.test(url) && new URL(url).username === "" && new URL(url).password === ""

const isLoopback = (url: string) =>
  isBaseUrl(url) && /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(url).hostname)

const keyForm = /^sk_(test|live)_\S+$/

/** The mode of an API key, which its first letters say; undefined for a text that is no API key. */
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

/** Writes a file that its owner alone can read, whole or not at all. */
export const writePrivately = (path: string, content: string) =>
  attempt(path, () => {
    Fs.mkdirSync(Path.dirname(path), { recursive: true, mode: 0o700 })
    const unfinished = `${path}.${process.pid}`
    Fs.rmSync(unfinished, { force: true })
    Fs.writeFileSync(unfinished, content, { mode: 0o600, flag: "wx", flush: true })
    Fs.renameSync(unfinished, path)
  })

/** Makes a file that its owner alone can read, whole. Gives false, and leaves the file as it is, if there is one already. */
export const createPrivately = (path: string, content: string) =>
  attempt(path, () => {
    Fs.mkdirSync(Path.dirname(path), { recursive: true, mode: 0o700 })
    const unfinished = `${path}.${process.pid}`
    Fs.rmSync(unfinished, { force: true })
    Fs.writeFileSync(unfinished, content, { mode: 0o600, flag: "wx", flush: true })
    try {
      // A link, unlike a renamed file, takes nobody's place.
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

/** Writes the profile that `folio login` makes. */
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

/** The profile; undefined if there is none. Fails when others can read the file, because the key in it may be known to them. */
const readProfile = Effect.gen(function* () {
  const path = yield* profilePath
  if (!Fs.existsSync(path)) return undefined
  const { content, mode } = yield* attempt(path, () => ({
    content: Fs.readFileSync(path, "utf8"),
    mode: Fs.statSync(path).mode
  }))
  if (process.platform !== "win32" && (mode & 0o077) !== 0) {
    return yield* new Misuse({ message: `${path} can be read by others.`, hint: `Run: chmod 600 ${path}` })
  }
  const profile = yield* Effect.try({
    try: (): unknown => JSON.parse(content),
    catch: () => new Misuse({ message: `${path} is damaged.`, hint: again })
  })
  return isProfile(profile) ? profile : yield* new Misuse({ message: `${path} is damaged.`, hint: again })
})

/** The test key that a service on this machine keeps in its data directory; undefined if there is none. */
const keyBesideService = Effect.gen(function* () {
  const path = Path.join((yield* setting("DATA_DIR")) ?? "data", "test-key")
  if (!Fs.existsSync(path)) return undefined
  return (yield* attempt(path, () => Fs.readFileSync(path, "utf8"))).trim()
})

const ownUrl = Effect.gen(function* () {
  const [url, port] = [yield* setting("FOLIO_URL"), yield* setting("PORT")]
  return url ?? `http://127.0.0.1:${port ?? 3000}`
})

// The environment comes first, as with other commands: it is what was said for this one call.
const find = Effect.gen(function* () {
  const [url, key] = [yield* setting("FOLIO_URL"), yield* setting("FOLIO_API_KEY")]
  if (key !== undefined) return { url: yield* ownUrl, key, from: "FOLIO_API_KEY" }
  const profile = yield* readProfile
  if (profile !== undefined && (url === undefined || url.replace(/\/$/, "") === profile.url)) {
    return { url: profile.url, key: profile.api_key, from: yield* profilePath }
  }
  // The key of this machine's service is told to no other.
  const beside = url === undefined || isLoopback(url) ? yield* keyBesideService : undefined
  if (beside !== undefined) return { url: yield* ownUrl, key: beside, from: "the data directory's test-key" }
  return yield* new Misuse({
    message: "There is no API key to call with.",
    hint: "Run `folio login --url URL`, or set FOLIO_URL and FOLIO_API_KEY."
  })
})

/** Which service a command calls, and with which API key. */
export class Connection extends Context.Service<
  Connection,
  {
    readonly url: string
    readonly key: Redacted.Redacted
    readonly mode: "test" | "live"
    /** Where the key comes from, for a person. */
    readonly from: string
  }
>()("folio/shell/Connection") {
  /** `FOLIO_API_KEY` with `FOLIO_URL`, else the profile, else the test key in the data directory of a service on this machine. */
  static readonly layer = Layer.effect(
    Connection,
    Effect.gen(function* () {
      const { from, key, url } = yield* find
      const mode = modeOf(key)
      if (mode === undefined) {
        return yield* new Misuse({
          message: `What ${from} holds is no API key: one begins with sk_test_ or sk_live_.`
        })
      }
      if (!isBaseUrl(url)) {
        return yield* new Misuse({
          message: `FOLIO_URL must be an address such as https://folio.example.com, without a user or a password.`
        })
      }
      return { url, key: Redacted.make(key), mode, from }
    })
  )
}
