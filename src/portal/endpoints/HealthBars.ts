import type { HealthHour } from "../../webhooks/store/DeliveryHealth.ts"
import { type Html, html } from "../../http/pages/Html.ts"
import { duration, figure, shortTime } from "../frame/Formats.ts"
import { table } from "../frame/Parts.ts"
import type { Translate, Visit } from "../frame/Visit.ts"

/** The number of hours in the chart, including the current hour. */
export const hoursShown = 48

const hourMs = 3_600_000
const [barWidth, gap, upMax, downMax] = [8, 2, 28, 16]
const width = hoursShown * (barWidth + gap) - gap
const middle = upMax + 1

/** The start of the chart: the beginning of an hour. */
export const startOf = (now: number): Date => new Date((Math.floor(now / hourMs) - hoursShown + 1) * hourMs)

const sum = (hours: ReadonlyArray<HealthHour>, of: "succeeded" | "failed") =>
  hours.reduce((total, hour) => total + hour[of], 0)

/** A summary of the chart, for screen readers. */
export const healthWords = (t: Translate, hours: ReadonlyArray<HealthHour>): string => {
  const [succeeded, failed] = [sum(hours, "succeeded"), sum(hours, "failed")]
  if (succeeded + failed === 0)
    return t(`No attempts in ${hoursShown} hours.`, `Ningún intento en ${hoursShown} horas.`)
  return t(
    `Attempts in ${hoursShown} hours: ${figure(t, succeeded)} succeeded (above the line), ${figure(t, failed)} failed (below).`,
    `Intentos en ${hoursShown} horas: ${figure(t, succeeded)} con éxito (sobre la línea), ${figure(t, failed)} con falla (debajo).`
  )
}

// A height that shows one attempt next to a thousand, and grows with each attempt.
const heightOf = (count: number, most: number, heightMax: number) =>
  count === 0 ? 0 : Math.max(3, Math.round((heightMax * Math.log2(1 + count)) / Math.log2(1 + most)))

const bar = (tone: "ok" | "bad", x: number, y: number, height: number): Html | null =>
  height === 0
    ? null
    : html`<rect class="${tone}" fill="currentColor" x="${x}" y="${y}" width="${barWidth}" height="${height}" />`

/** A bar chart of an endpoint's attempts by hour, oldest first: successes above the line, failures below. */
export const healthBars = (t: Translate, hours: ReadonlyArray<HealthHour>, start: Date): Html => {
  const first = start.getTime() / hourMs
  const most = Math.max(1, ...hours.map(({ failed, succeeded }) => Math.max(succeeded, failed)))
  return html`<svg
    class="still"
    role="img"
    aria-label="${healthWords(t, hours)}"
    viewBox="0 0 ${width} ${upMax + downMax + 2}"
    width="100%"
    height="${upMax + downMax + 2}"
    preserveAspectRatio="none"
  >
    <line x1="0" x2="${width}" y1="${middle}" y2="${middle}" stroke="currentColor" stroke-width="1" />
    ${hours.flatMap(({ failed, hour, succeeded }) => {
      const x = (hour - first) * (barWidth + gap)
      const up = heightOf(succeeded, most, upMax)
      return [bar("ok", x, middle - up, up), bar("bad", x, middle + 1, heightOf(failed, most, downMax))].filter(
        (each) => each !== null
      )
    })}
  </svg>`
}

/** The note that not all deliveries are counted. `from`: the time of the oldest counted delivery. */
export const countedWords = (visit: Visit, from: Date | null): Html | null =>
  from === null
    ? null
    : html`<p class="soft">
        ${visit.t("Counts only the newest deliveries, since", "Cuenta solo las entregas más recientes, desde")}
        ${shortTime(visit, from)}.
      </p>`

const took = (t: Translate, ms: number | null) => (ms === null ? "" : duration(t, ms))

/** The numbers of the chart, newest hour first. */
export const hourTable = (visit: Visit, hours: ReadonlyArray<HealthHour>): Html => {
  const { t } = visit
  return table(
    t("Attempts by hour", "Intentos por hora"),
    [
      {
        title: t("Hour", "Hora"),
        cell: ({ hour }: HealthHour) => shortTime(visit, new Date(hour * hourMs))
      },
      {
        title: t("Succeeded", "Con éxito"),
        isFigure: true,
        isNamed: true,
        cell: ({ succeeded }) => figure(t, succeeded)
      },
      { title: t("Failed", "Con falla"), isFigure: true, isNamed: true, cell: ({ failed }) => figure(t, failed) },
      { title: t("Median", "Mediana"), isFigure: true, isNamed: true, cell: ({ median_ms }) => took(t, median_ms) },
      {
        title: t("Slowest", "Más lento"),
        isFigure: true,
        isWide: true,
        cell: ({ slowest_ms }) => took(t, slowest_ms)
      }
    ],
    hours.toSorted((a, b) => b.hour - a.hour)
  )
}
