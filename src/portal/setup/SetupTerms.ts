import { localDate } from "../../runtime/AuthorityTime.ts"
import { endsWithinDays } from "../../documents/rules/parties/ResolutionRules.ts"
import type { Tone } from "../frame/Parts.ts"
import type { Translate } from "../frame/Visit.ts"

const dayMs = 86_400_000

/** A date ("2026-11-21") as a number of days. */
const countOf = (date: string) => Date.parse(`${date}T00:00:00Z`) / dayMs

/** The day in the authority's time zone, as a number of days. */
const dayOf = (ms: number) => countOf(localDate(ms))

/** The time until an end date, in words. */
export interface Term {
  readonly tone: Tone
  readonly words: string
  readonly isOver: boolean
  readonly isSoon: boolean
}

const termOf = (t: Translate, days: number, isOver: boolean): Term => {
  if (isOver) {
    const words =
      days >= 0
        ? t("Expired today", "Venció hoy")
        : days === -1
          ? t("Expired yesterday", "Venció ayer")
          : t(`Expired ${-days} days ago`, `Venció hace ${-days} días`)
    return { tone: "bad", words, isOver, isSoon: false }
  }
  if (days > endsWithinDays) return { tone: "ok", words: t("Valid", "Vigente"), isOver, isSoon: false }
  const words =
    days === 0
      ? t("Expires today", "Vence hoy")
      : days === 1
        ? t("Expires tomorrow", "Vence mañana")
        : t(`Expires in ${days} days`, `Vence en ${days} días`)
  return { tone: "wait", words, isOver, isSoon: true }
}

/** The time from `now`, in milliseconds, until a moment. */
export const untilMoment = (t: Translate, moment: string, now: number): Term => {
  const end = Date.parse(moment)
  return termOf(t, dayOf(end) - dayOf(now), end <= now)
}

/** The time from `now` until the end of a range's last day (YYYY-MM-DD). */
export const untilDay = (t: Translate, lastDay: string, now: number): Term => {
  const days = countOf(lastDay) - dayOf(now)
  return termOf(t, days, days < 0)
}
