import * as Effect from "effect/Effect"
import { Misuse } from "../Failures.ts"

/** A step of a path: a field name or a list index. */
type Step = string | number

/**
 * The steps of `lines[0].description` or `lines.0.description`. The rest after `metadata.` is one name, including its
 * dots.
 */
export const stepsOf = (path: string): ReadonlyArray<Step> | undefined => {
  const metadata = /^metadata\.(.+)$/s.exec(path)?.[1]
  if (metadata !== undefined) return ["metadata", metadata]
  const parts = path.replaceAll(/\[(\d+)\]/g, ".$1").split(".")
  return parts.includes("") ? undefined : parts.map((part) => (/^\d{1,3}$/.test(part) ? Number(part) : part))
}

const isHeld = (value: unknown): value is object => typeof value === "object" && value !== null

const set = (into: object, [step, ...rest]: ReadonlyArray<Step>, value: string): void => {
  if (step === undefined) return
  // Not by assignment, which would set the prototype for the name `__proto__`.
  const put = (one: unknown) =>
    void Object.defineProperty(into, step, { value: one, enumerable: true, configurable: true, writable: true })
  if (rest.length === 0) return put(value)
  const held: unknown = Object.hasOwn(into, step) ? Reflect.get(into, step) : undefined
  if (isHeld(held)) return set(held, rest, value)
  const made = typeof rest[0] === "number" ? [] : {}
  put(made)
  set(made, rest, value)
}

/** A copy of a request with the fields set as `path=value`. Values are strings, as in all these requests. */
export const withSettings = Effect.fnUntraced(function* <Request extends object>(
  request: Request,
  settings: ReadonlyArray<string>
) {
  const changed = structuredClone(request)
  for (const setting of settings) {
    const [path = "", value] = setting.split(/=(.*)/s)
    const steps = stepsOf(path)
    if (steps === undefined || value === undefined) {
      return yield* new Misuse({
        message: `--set ${setting} is not a path and a value.`,
        hint: "Write for example metadata.order=7 or lines[0].description=Tea"
      })
    }
    set(changed, steps, value)
  }
  return changed
})
