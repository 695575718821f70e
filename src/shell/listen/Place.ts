import * as Effect from "effect/Effect"
import { createHash, randomBytes } from "node:crypto"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { jsonOf } from "../../client/ResponseBody.ts"
import { createPrivately, ownDirectory, writePrivately } from "../Connection.ts"
import { Failed } from "../Failures.ts"

/** Where a listener goes on: after the event `after`, or with the oldest event that is kept when that is null. */
export interface Place {
  readonly after: string | null
  /** Events of an earlier time are passed over. */
  readonly since: string | null
}

/** Whose events are listened to, and where the events go. */
export interface Listener {
  readonly url: string
  readonly account: string
  readonly mode: "test" | "live"
  readonly forwardTo: string
}

const short = (text: string) => createHash("sha256").update(text).digest("hex").slice(0, 12)

/** The directory of what listeners to one account at one service remember. The account's id is what the service says, so no name. */
const directoryOf = ({ account, mode, url }: Listener) =>
  Effect.map(ownDirectory, (own) => Path.join(own, "listen", `${mode}-${short(`${account} ${url}`)}`))

/** The text of a file; undefined if there is no such file. */
const read = (path: string) =>
  Effect.try({
    try: () => (Fs.existsSync(path) ? Fs.readFileSync(path, "utf8") : undefined),
    catch: () => new Failed({ message: `${path} cannot be read.` })
  })

/** The secret that webhooks of this account are signed with on this machine: made by the first listener, and the same ever since. */
export const secretOf = Effect.fnUntraced(function* (listener: Listener) {
  const path = Path.join(yield* directoryOf(listener), "secret")
  yield* createPrivately(path, `whsec_${randomBytes(32).toString("base64")}\n`)
  const secret = (yield* read(path))?.trim() ?? ""
  if (/^whsec_[A-Za-z0-9+/]+=*$/.test(secret)) return secret
  return yield* new Failed({ message: `${path} is damaged.`, hint: "Remove the file, and a new secret is made." })
})

const isPlace = (value: unknown): value is Place => {
  if (typeof value !== "object" || value === null || !("after" in value) || !("since" in value)) return false
  return [value.after, value.since].every((one) => one === null || typeof one === "string")
}

/** What the text of a file says of a place; undefined if nothing. */
export const placeIn = (content: string): Place | undefined => {
  const value = jsonOf(content)
  return isPlace(value) ? { after: value.after, since: value.since } : undefined
}

const pathOf = (listener: Listener, ending: string) =>
  Effect.map(directoryOf(listener), (directory) => Path.join(directory, `${short(listener.forwardTo)}.${ending}`))

/** The place at which the last listener of this kind ended; undefined if there was none. */
export const readPlace = Effect.fnUntraced(function* (listener: Listener) {
  const path = yield* pathOf(listener, "place.json")
  const content = yield* read(path)
  if (content === undefined) return undefined
  const place = placeIn(content)
  if (place !== undefined) return place
  return yield* new Failed({
    message: `${path} is damaged.`,
    hint: "Say where to begin: --since 10m, or --since evt_…"
  })
})

/** Keeps a place: the file is whole at every time, the old one or the new one. */
export const writePlace = Effect.fnUntraced(function* (listener: Listener, place: Place) {
  const path = yield* pathOf(listener, "place.json")
  yield* writePrivately(path, `${JSON.stringify({ ...place, forward_to: listener.forwardTo, url: listener.url })}\n`)
})

const isRunning = (pid: number) => {
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // The process of somebody else may not be asked, and runs.
    return error instanceof Error && "code" in error && error.code === "EPERM"
  }
}

const remove = (path: string) => Effect.sync(() => Fs.rmSync(path, { force: true }))

/** Holds the place while the scope is open, so that no second listener sends the same events. A dead listener's lock is taken over. */
export const lockPlace = Effect.fnUntraced(function* (listener: Listener) {
  const path = yield* pathOf(listener, "lock")
  const take = Effect.gen(function* () {
    for (let tries = 0; tries < 3; tries++) {
      if (yield* createPrivately(path, `${process.pid}\n`)) return
      const content = yield* read(path)
      const holder = Number(content?.trim())
      if (isRunning(holder)) {
        return yield* new Failed({
          message: `Another folio listen (process ${holder}) sends this account's events to ${listener.forwardTo}.`,
          hint: `End it first, or forward to another address. If process ${holder} is no folio, remove ${path}.`
        })
      }
      if (content !== undefined) yield* remove(path)
    }
    return yield* new Failed({ message: `${path} cannot be taken.` })
  })
  yield* Effect.acquireRelease(take, () => remove(path))
})
