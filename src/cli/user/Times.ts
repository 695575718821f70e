import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { Misuse } from "./Failures.ts"

/** Seconds per unit of time. */
export const secondsOf: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400, w: 604_800 }

const isoForm = /^(\d{4})-(\d\d)-(\d\d)([T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)?)?$/

/** Whether the month has this day. `Date` would turn it into a day of the next month. */
const isDay = (year: number, month: number, day: number) =>
  new Date(Date.UTC(year, month - 1, day)).getUTCDate() === day

/**
 * The time that a text names: `10m`, `2h` or `3d` before `now` (units s, m, h, d, w), a date, or an ISO time. A date
 * begins at midnight in this machine's time zone. An ISO time without an offset is in this machine's time zone.
 * Undefined for any other text.
 */
export const momentOf = (text: string, now: Date): Date | undefined => {
  const [, count, unit = ""] = /^(\d{1,9})([smhdw])$/.exec(text) ?? []
  const seconds = secondsOf[unit]
  if (count !== undefined && seconds !== undefined) {
    const moment = new Date(now.getTime() - Number(count) * seconds * 1_000)
    return moment.getTime() >= 0 ? moment : undefined
  }
  const [, year, month, day, time = "T00:00"] = isoForm.exec(text) ?? []
  if (!isDay(Number(year), Number(month), Number(day))) return undefined
  const moment = new Date(`${year}-${month}-${day}${time.replace(" ", "T")}`)
  return Number.isNaN(moment.getTime()) ? undefined : moment
}

/** As `momentOf` with the current time, in the API's format. Fails with a hint if the text names no time. */
export const timeOf = Effect.fnUntraced(function* (text: string) {
  const moment = momentOf(text, new Date(yield* Clock.currentTimeMillis))
  if (moment !== undefined) return moment.toISOString()
  return yield* new Misuse({
    message: `${JSON.stringify(text)} is not a time.`,
    hint: "Write an age such as 10m, 2h or 3d, a date such as 2026-11-23, or a time such as 2026-11-23T08:00:00Z."
  })
})

const two = (number: number) => String(number).padStart(2, "0")

/** The time of day of an API time, in this machine's time zone. */
export const timeOfDay = (time: string): string => clock(time).slice(11)

/** The date and time of an API time, in this machine's time zone. */
export const clock = (time: string): string => {
  const date = new Date(time)
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`
}
