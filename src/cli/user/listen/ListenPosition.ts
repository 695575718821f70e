import * as Effect from "effect/Effect"
import { createHash, randomBytes } from "node:crypto"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { jsonOf } from "../../../clients/typescript/ResponseBody.ts"
import { createPrivately, ownDirectory, writePrivately } from "../Connection.ts"
import { Failed } from "../Failures.ts"

/** Where a listener continues: after the event `after`, or at the oldest available event if that is null. */
export interface Position {
  readonly after: string | null
  /** Skip events before this time. */
  readonly since: string | null
}

/** The account whose events to receive, and the URL to send them to. */
export interface Listener {
  readonly url: string
  readonly account: string
  readonly mode: "test" | "live"
  readonly forwardTo: string
}

const short = (text: string) => createHash("sha256").update(text).digest("hex").slice(0, 12)

/**
 * The directory with the state of the listeners to one account at one service. The name has a hash, because the
 * account's id is the service's text.
 */
const directoryOf = ({ account, mode, url }: Listener) =>
  Effect.map(ownDirectory, (own) => Path.join(own, "listen", `${mode}-${short(`${account} ${url}`)}`))

/** The text of a file; undefined if it does not exist. */
const read = (path: string) =>
  Effect.try({
    try: () => (Fs.existsSync(path) ? Fs.readFileSync(path, "utf8") : undefined),
    catch: () => new Failed({ message: `${path} cannot be read.` })
  })

/**
 * The secret that signs this account's webhooks on this machine. The first listener creates it, and later ones keep it.
 */
export const secretOf = Effect.fnUntraced(function* (listener: Listener) {
  const path = Path.join(yield* directoryOf(listener), "secret")
  yield* createPrivately(path, `whsec_${randomBytes(32).toString("base64")}\n`)
  const secret = (yield* read(path))?.trim() ?? ""
  if (/^whsec_[A-Za-z0-9+/]+=*$/.test(secret)) return secret
  return yield* new Failed({
    message: `${path} is damaged.`,
    hint: "Remove the file; folio listen then creates a new secret."
  })
})

const isPosition = (value: unknown): value is Position => {
  if (typeof value !== "object" || value === null || !("after" in value) || !("since" in value)) return false
  return [value.after, value.since].every((one) => one === null || typeof one === "string")
}

/** Parses a position from a file's text; undefined if it has none. */
export const positionIn = (content: string): Position | undefined => {
  const value = jsonOf(content)
  return isPosition(value) ? { after: value.after, since: value.since } : undefined
}

const pathOf = (listener: Listener, ending: string) =>
  Effect.map(directoryOf(listener), (directory) => Path.join(directory, `${short(listener.forwardTo)}.${ending}`))

/** The position where the last listener of this kind ended; undefined if there was none. */
export const readPosition = Effect.fnUntraced(function* (listener: Listener) {
  const path = yield* pathOf(listener, "place.json")
  const content = yield* read(path)
  if (content === undefined) return undefined
  const position = positionIn(content)
  if (position !== undefined) return position
  return yield* new Failed({
    message: `${path} is damaged.`,
    hint: "Choose where to begin: --since 10m, or --since evt_…"
  })
})

/** Saves a position atomically. */
export const writePosition = Effect.fnUntraced(function* (listener: Listener, position: Position) {
  const path = yield* pathOf(listener, "place.json")
  yield* writePrivately(path, `${JSON.stringify({ ...position, forward_to: listener.forwardTo, url: listener.url })}\n`)
})

const isRunning = (pid: number) => {
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: another user's process is running.
    return error instanceof Error && "code" in error && error.code === "EPERM"
  }
}

const remove = (path: string) => Effect.sync(() => Fs.rmSync(path, { force: true }))

/**
 * Locks the position until the scope closes, so that no second listener sends the same events. Takes over a dead
 * listener's lock.
 */
export const lockPosition = Effect.fnUntraced(function* (listener: Listener) {
  const path = yield* pathOf(listener, "lock")
  const take = Effect.gen(function* () {
    for (let tries = 0; tries < 3; tries++) {
      if (yield* createPrivately(path, `${process.pid}\n`)) return
      const content = yield* read(path)
      const holder = Number(content?.trim())
      if (isRunning(holder)) {
        return yield* new Failed({
          message: `Another folio listen (process ${holder}) sends this account's events to ${listener.forwardTo}.`,
          hint: `End it first, or forward to another URL. If process ${holder} is not folio, remove ${path}.`
        })
      }
      if (content !== undefined) yield* remove(path)
    }
    return yield* new Failed({ message: `${path} cannot be locked.` })
  })
  yield* Effect.acquireRelease(take, () => remove(path))
})
