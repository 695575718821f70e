import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { Misuse } from "./Failures.ts"

/** The seconds of the units in which times are said. */
export const secondsOf: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400, w: 604_800 }

const isoForm = /^(\d{4})-(\d\d)-(\d\d)([T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)?)?$/

/** A day that the month does not have is one of the next month to `Date`. */
const isDay = (year: number, month: number, day: number) =>
  new Date(Date.UTC(year, month - 1, day)).getUTCDate() === day

/**
 * The time that a text names: `10m`, `2h`, `3d` before `now` (s, m, h, d and w), a date, which begins at midnight on this machine's
 * clock, or an ISO time, which is of this machine's zone unless it says another. Undefined for any other text.
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

/** As `momentOf` with the present time, in the form of the API's times. Fails with a hint for a text that names no time. */
export const timeOf = Effect.fnUntraced(function* (text: string) {
  const moment = momentOf(text, new Date(yield* Clock.currentTimeMillis))
  if (moment !== undefined) return moment.toISOString()
  return yield* new Misuse({
    message: `${JSON.stringify(text)} is no time.`,
    hint: "Write 10m, 2h or 3d for as long ago, a date such as 2026-11-23, or a time such as 2026-11-23T08:00:00Z."
  })
})

const two = (number: number) => String(number).padStart(2, "0")

/** A time of the API on this machine's clock, without its day. */
export const timeOfDay = (time: string): string => clock(time).slice(11)

/** A time of the API on this machine's clock, as short as a table needs it. */
export const clock = (time: string): string => {
  const date = new Date(time)
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`
}
