/** The figures and dates of a document, in the Colombian form. */

/** A space that does not break a line. */
export const nbsp = "\u00a0"

/** "1234567.89" → "1.234.567,89", "0.3450" → "0,345", "-0.42" → "−0,42": at least two fraction digits. */
export const figures = (amount: string): string => {
  const [whole = "", fraction = ""] = amount.replace("-", "").split(".")
  const beyond = fraction.slice(2).replace(/0+$/, "")
  const sign = amount.startsWith("-") ? "−" : ""
  return `${sign}${whole.replaceAll(/\B(?=(\d{3})+$)/g, ".")},${fraction.slice(0, 2).padEnd(2, "0")}${beyond}`
}

/** "10.00" → "10", "0.345" → "0,345", "1000.50" → "1.000,5" */
export const count = (quantity: string): string => figures(quantity).replace(/,?0+$/, "")

/** "19.00" → "19 %", "0.966" → "0,966 %" */
export const percent = (rate: string): string => `${count(rate)}${nbsp}%`

/** "COP": "$ 1.000,00"; "USD": "USD 1.000,00" */
export const money = (amount: string, currency: string): string =>
  `${currency === "COP" ? "$" : currency}${nbsp}${figures(amount)}`

/** A deducted amount: "− $ 1.000,00" */
export const less = (shown: string): string => `−${nbsp}${shown}`

const months = "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre".split(" ")
const monthsInEnglish = "January February March April May June July August September October November December".split(
  " "
)

interface Day {
  readonly year: string
  readonly month: number
  readonly day: number
}

/** The parts of a date; undefined for a text that is not a date, which is then shown unchanged. */
const dayOf = (date: string): Day | undefined => {
  const [, year, month, day] = /^(\d{4})-(0[1-9]|1[0-2])-([0-3]\d)$/.exec(date) ?? []
  return year === undefined ? undefined : { year, month: Number(month) - 1, day: Number(day) }
}

/** "2026-12-01" → "1 de diciembre de 2026" */
export const dateWords = (date: string): string => {
  const at = dayOf(date)
  return at === undefined ? date : `${at.day}${nbsp}de${nbsp}${months[at.month]} de${nbsp}${at.year}`
}

/** "2026-12-01" → "December 1, 2026" */
export const dateInEnglish = (date: string): string => {
  const at = dayOf(date)
  return at === undefined ? date : `${monthsInEnglish[at.month]}${nbsp}${at.day}, ${at.year}`
}

const timeWith = (time: string, morning: string, afternoon: string): string => {
  const [, hour, minute] = /^(\d\d):(\d\d)/.exec(time) ?? []
  if (hour === undefined) return time
  return `${Number(hour) % 12 === 0 ? 12 : Number(hour) % 12}:${minute}${nbsp}${Number(hour) < 12 ? morning : afternoon}`
}

/** "14:05:09-05:00" → "2:05 p. m." */
export const timeWords = (time: string): string => timeWith(time, `a.${nbsp}m.`, `p.${nbsp}m.`)

/** "14:05:09-05:00" → "2:05 p.m." */
export const timeInEnglish = (time: string): string => timeWith(time, "a.m.", "p.m.")

interface Period {
  readonly start_date: string
  readonly end_date: string
}

/** "del 1 al 30 de noviembre de 2026": the common part of both days appears once. */
export const periodWords = ({ end_date, start_date }: Period): string => {
  const [start, end] = [dayOf(start_date), dayOf(end_date)]
  const last = dateWords(end_date)
  if (start === undefined || end === undefined || start.year !== end.year) {
    return `del ${dateWords(start_date)} al ${last}`
  }
  if (start.month !== end.month) return `del ${start.day}${nbsp}de${nbsp}${months[start.month]} al${nbsp}${last}`
  return start.day === end.day ? last : `del${nbsp}${start.day} al${nbsp}${last}`
}

const dayMs = 86_400_000

/** The number of days from one date to another. */
export const daysBetween = (from: string, to: string): number => Math.round((Date.parse(to) - Date.parse(from)) / dayMs)
