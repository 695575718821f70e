import { localDate } from "../../domain/documents/AuthorityTime.ts"
import { endsWithinDays } from "../../domain/incidents/Findings.ts"
import type { Tone } from "../frame/Parts.ts"
import type { Translate } from "../frame/Visit.ts"

const dayMs = 86_400_000

/** A date ("2026-11-21") as a count of days. */
const countOf = (date: string) => Date.parse(`${date}T00:00:00Z`) / dayMs

/** The day in the authority's zone, as a count of days. */
const dayOf = (ms: number) => countOf(localDate(ms))

/** How far away the end of something is, in words. `days`: negative when it is over. */
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
        ? t("Ended today", "Terminó hoy")
        : days === -1
          ? t("Ended yesterday", "Terminó ayer")
          : t(`Ended ${-days} days ago`, `Terminó hace ${-days} días`)
    return { tone: "bad", words, isOver, isSoon: false }
  }
  if (days > endsWithinDays) return { tone: "ok", words: t("Valid", "Vigente"), isOver, isSoon: false }
  const words =
    days === 0
      ? t("Ends today", "Termina hoy")
      : days === 1
        ? t("Ends tomorrow", "Termina mañana")
        : t(`Ends in ${days} days`, `Termina en ${days} días`)
  return { tone: "wait", words, isOver, isSoon: true }
}

/** How long until a moment, at the time `now` in milliseconds. */
export const untilMoment = (t: Translate, moment: string, now: number): Term => {
  const end = Date.parse(moment)
  return termOf(t, dayOf(end) - dayOf(now), end <= now)
}

/** How long a range may be used whose last day is `lastDay` (YYYY-MM-DD). */
export const untilDay = (t: Translate, lastDay: string, now: number): Term => {
  const days = countOf(lastDay) - dayOf(now)
  return termOf(t, days, days < 0)
}
