import * as Effect from "effect/Effect"
import * as Fs from "node:fs"
import { jsonOf } from "../../../clients/typescript/ResponseBody.ts"
import { Failed, Misuse } from "../Failures.ts"

/** The account, mode and service that a progress file belongs to. */
export interface Target {
  readonly url: string
  readonly account: string
  readonly mode: string
}

interface Begun extends Target {
  readonly begun: string
}

/** The lines of a progress file, without a line that a crash cut off. */
const entriesOf = (content: string): ReadonlyArray<Readonly<Record<string, unknown>>> =>
  content.split("\n").flatMap((text) => {
    const value = jsonOf(text)
    return typeof value === "object" && value !== null ? [{ ...value }] : []
  })

// The service keeps idempotency keys for 24 hours. Until then, a repeated import is safe without the progress file.
const keyHours = 23

/**
 * Opens the progress file, which lists the created invoices by idempotency key. Without `isResumed`, rejects a file
 * whose keys the service may have forgotten.
 */
export const open = Effect.fnUntraced(function* (path: string, target: Target, now: Date, isResumed: boolean) {
  const failed = (cause: unknown) =>
    new Failed({
      message: `${path} cannot be read or written: ${cause instanceof Error ? cause.message : String(cause)}`
    })
  const content = yield* Effect.try({
    try: () => (Fs.existsSync(path) ? Fs.readFileSync(path, "utf8") : ""),
    catch: failed
  })
  const entries = entriesOf(content)
  const begun = entries.find((entry) => typeof entry["begun"] === "string") as Begun | undefined
  if (begun !== undefined && (["url", "account", "mode"] as const).some((name) => begun[name] !== target[name])) {
    return yield* new Misuse({
      message: `${path} belongs to an import into another account, mode or service: ${begun.url}, ${begun.account}, ${begun.mode}.`,
      hint: `To create the invoices here too, remove ${path}.`
    })
  }
  const isOld = begun !== undefined && now.getTime() - Date.parse(begun.begun) > keyHours * 3_600_000
  if (isOld && !isResumed) {
    return yield* new Misuse({
      message: `This file was imported before: ${path} lists the created invoices.`,
      hint: `To import the rest, use --resume. To create all invoices again, remove ${path}.`
    })
  }
  const append = (entry: object) =>
    Effect.try({ try: () => Fs.appendFileSync(path, `${JSON.stringify(entry)}\n`, { mode: 0o600 }), catch: failed })
  if (content !== "" && !content.endsWith("\n")) {
    yield* Effect.try({ try: () => Fs.appendFileSync(path, "\n"), catch: failed })
  }
  if (begun === undefined) yield* append({ ...target, begun: now.toISOString() } satisfies Begun)
  const done = new Map(
    entries.flatMap(({ id, key }) => (typeof key === "string" && typeof id === "string" ? [[key, id] as const] : []))
  )
  return { done: isResumed ? done : new Map<string, string>(), keep: (key: string, id: string) => append({ key, id }) }
})
