import type { HealthHour } from "../../store/webhooks/DeliveryHealth.ts"
import { type Html, html } from "../../http/pages/Html.ts"
import { duration, shortTime } from "../frame/Formats.ts"
import { table } from "../frame/Parts.ts"
import type { Translate, Visit } from "../frame/Visit.ts"

/** The hours that the bars show, the current one among them. */
export const hoursShown = 48

const hourMs = 3_600_000
const [barWidth, gap, upMax, downMax] = [8, 2, 28, 16]
const width = hoursShown * (barWidth + gap) - gap
const middle = upMax + 1

/** The time from which the bars show attempts: the beginning of an hour. */
export const startOf = (now: number): Date => new Date((Math.floor(now / hourMs) - hoursShown + 1) * hourMs)

const sum = (hours: ReadonlyArray<HealthHour>, of: "succeeded" | "failed") =>
  hours.reduce((total, hour) => total + hour[of], 0)

/** What the bars say, in a sentence. */
export const healthWords = (t: Translate, hours: ReadonlyArray<HealthHour>): string => {
  const [succeeded, failed] = [sum(hours, "succeeded"), sum(hours, "failed")]
  if (succeeded + failed === 0) return t(`No attempt in ${hoursShown} hours.`, `Ningún intento en ${hoursShown} horas.`)
  return t(
    `Attempts in ${hoursShown} hours that succeeded (above the line): ${succeeded}; that failed (below): ${failed}.`,
    `Intentos en ${hoursShown} horas con éxito (sobre la línea): ${succeeded}; con falla (debajo): ${failed}.`
  )
}

// A height that still shows one attempt beside a thousand, and grows with each.
const heightOf = (count: number, most: number, heightMax: number) =>
  count === 0 ? 0 : Math.max(3, Math.round((heightMax * Math.log2(1 + count)) / Math.log2(1 + most)))

const bar = (tone: "ok" | "bad", x: number, y: number, height: number): Html | null =>
  height === 0
    ? null
    : html`<rect class="${tone}" fill="currentColor" x="${x}" y="${y}" width="${barWidth}" height="${height}" />`

/** Bars of the attempts of one endpoint by hour, oldest first: what succeeded stands above the line, what failed hangs below. */
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

/** What is said when there were more deliveries than are counted; `from`: the time of the oldest that was. */
export const countedWords = (visit: Visit, from: Date | null): Html | null =>
  from === null
    ? null
    : html`<p class="soft">
        ${visit.t("Only the newest deliveries are counted: since", "Solo se cuentan las entregas más recientes: desde")}
        ${shortTime(visit, from)}.
      </p>`

const took = (t: Translate, ms: number | null) => (ms === null ? "" : duration(t, ms))

/** The numbers behind the bars, newest hour first. */
export const hourTable = (visit: Visit, hours: ReadonlyArray<HealthHour>): Html => {
  const { t } = visit
  return table(
    t("Attempts by the hour", "Intentos por hora"),
    [
      {
        title: t("Hour from", "Hora desde"),
        cell: ({ hour }: HealthHour) => shortTime(visit, new Date(hour * hourMs))
      },
      { title: t("Succeeded", "Con éxito"), isFigure: true, cell: ({ succeeded }) => String(succeeded) },
      { title: t("Failed", "Con falla"), isFigure: true, cell: ({ failed }) => String(failed) },
      { title: t("Usual time", "Tiempo usual"), isFigure: true, cell: ({ median_ms }) => took(t, median_ms) },
      {
        title: t("Slowest", "El más lento"),
        isFigure: true,
        isWide: true,
        cell: ({ slowest_ms }) => took(t, slowest_ms)
      }
    ],
    hours.toSorted((a, b) => b.hour - a.hour)
  )
}
