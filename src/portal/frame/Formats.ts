import { type Html, html } from "../../http/pages/Html.ts"
import type { Translate, Visit } from "./Visit.ts"

const zone = "America/Bogota"

const formatters = new Map<string, Intl.DateTimeFormat>()
/** Cached, because making a formatter takes longer than using it a thousand times. */
const formatter = (language: string, options: Intl.DateTimeFormatOptions) => {
  const name = language + JSON.stringify(options)
  const kept = formatters.get(name) ?? new Intl.DateTimeFormat(language === "es" ? "es-CO" : "en-GB", options)
  formatters.set(name, kept)
  return kept
}

type Reader = Pick<Visit, "language">
type Moment = Date | string

const dateOf = (moment: Moment) => (typeof moment === "string" ? new Date(moment) : moment)
const marked = (moment: Moment, shown: string): Html =>
  html`<time datetime="${dateOf(moment).toISOString()}">${shown}</time>`

const dayOptions = { timeZone: zone, day: "numeric", month: "long", year: "numeric" } as const
const clockOptions = { timeZone: zone, hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const

/** "21 November 2026, 10:42" in the authority's time zone. */
export const time = ({ language }: Reader, moment: Moment): Html => {
  const at = dateOf(moment)
  return marked(at, `${formatter(language, dayOptions).format(at)}, ${formatter(language, clockOptions).format(at)}`)
}

/** "21 Nov, 10:42", for lists. Includes the year if it is not the current year. */
export const shortTime = ({ language }: Reader, moment: Moment): Html => {
  const at = dateOf(moment)
  const isThisYear = at.getFullYear() === new Date().getFullYear()
  const day = formatter(language, {
    timeZone: zone,
    day: "numeric",
    month: "short",
    ...(isThisYear ? {} : { year: "numeric" as const })
  }).format(at)
  return marked(at, `${day}, ${formatter(language, clockOptions).format(at)}`)
}

/** "10:42:07.118" in the authority's time zone. */
export const clock = (moment: Moment): Html => {
  const at = dateOf(moment)
  const options = { ...clockOptions, second: "2-digit", fractionalSecondDigits: 3 } as const
  return marked(at, formatter("en", options).format(at))
}

/** A date without a time of day ("2026-11-21") as "21 November 2026". */
export const day = ({ language }: Reader, date: string): Html =>
  html`<time datetime="${date}"
    >${formatter(language, { ...dayOptions, timeZone: "UTC" }).format(new Date(`${date}T00:00:00Z`))}</time
  >`

/**
 * A number in the reader's language: "1190000.00" as "1,190,000.00" or "1.190.000,00". Returns any other text
 * unchanged.
 */
export const figure = (t: Translate, value: string | number): string => {
  const [, sign = "", whole = "", rest] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(String(value)) ?? []
  if (whole === "") return String(value)
  const grouped = whole.replaceAll(/\B(?=(\d{3})+$)/g, t(",", "."))
  return `${sign}${grouped}${rest === undefined ? "" : `${t(".", ",")}${rest}`}`
}

/** A rate in the reader's language, without trailing zeros: "19.00" as "19%" or "19 %". Uses a non-breaking space. */
export const percent = (t: Translate, rate: string): string =>
  `${figure(t, rate.replace(/\.0+$/, ""))}${t("%", "\u00a0%")}`

/** An amount with its currency: "1,190,000.00 COP", or "1.190.000,00 COP". Uses a non-breaking space. */
export const money = (t: Translate, amount: string, currency: string): string => `${figure(t, amount)}\u00a0${currency}`

/** "160 ms", "2.1 s", "3 min", "2 h", "4 d". */
export const duration = (t: Translate, milliseconds: number): string => {
  if (milliseconds < 1_000) return `${Math.round(milliseconds)}\u00a0ms`
  if (milliseconds < 60_000) return `${figure(t, (milliseconds / 1_000).toFixed(1))}\u00a0s`
  if (milliseconds < 3_600_000) return `${Math.round(milliseconds / 60_000)}\u00a0min`
  return milliseconds < 172_800_000
    ? `${Math.round(milliseconds / 3_600_000)}\u00a0h`
    : `${Math.round(milliseconds / 86_400_000)}\u00a0d`
}

/** "13.2 kB". */
export const size = (t: Translate, bytes: number): string =>
  bytes < 1_000 ? `${bytes}\u00a0B` : `${figure(t, (bytes / 1_000).toFixed(1))}\u00a0kB`

/** Invisible characters, and characters that reorder others: controls, direction marks, separators. */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

const codePoint = (character: string): string =>
  `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`

/** A text from outside, with a visible mark for each invisible or reordering character. Keeps line breaks and tabs. */
export const visible = (text: string): string =>
  text
    .replaceAll("\r\n", "\n")
    .replaceAll(unseen, (character) => (character === "\n" || character === "\t" ? character : codePoint(character)))
