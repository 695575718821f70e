import { type Html, html } from "../../http/pages/Html.ts"
import { dayMax } from "../../operations/store/OverviewRows.ts"
import { day, figure } from "../frame/Formats.ts"
import { table } from "../frame/Parts.ts"
import type { Visit } from "../frame/Visit.ts"

/** The number of documents created on a day. */
interface DayCount {
  readonly date: string
  readonly count: number
}

const [width, height, margin] = [600, 72, 3]

const countWords = ({ t }: Pick<Visit, "t">, count: number) =>
  count < dayMax ? figure(t, count) : t(`${figure(t, dayMax)} or more`, `${figure(t, dayMax)} o más`)

/** The line through the counts, as the points of a polyline. */
const pointsOf = (days: ReadonlyArray<DayCount>, most: number) =>
  days
    .map(({ count }, index) => {
      const x = margin + (index * (width - 2 * margin)) / Math.max(1, days.length - 1)
      const y = height - margin - (count * (height - 2 * margin)) / Math.max(1, most)
      return `${x.toFixed(1)},${y.toFixed(1)}`
    })
    .join(" ")

/** The documents of each day, as a line and as a table for screen readers. */
export const dayLine = (visit: Pick<Visit, "language" | "t">, days: ReadonlyArray<DayCount>): Html => {
  const { t } = visit
  const most = Math.max(0, ...days.map(({ count }) => count))
  const all = days.reduce((sum, { count }) => sum + count, 0)
  const isWhole = most < dayMax
  const allWords = isWhole ? figure(t, all) : t(`${figure(t, all)} or more`, `${figure(t, all)} o más`)
  const [first, last] = [days[0], days.at(-1)]
  if (first === undefined || last === undefined) return html``
  const points = pointsOf(days, most)
  const corners = `${margin},${height - margin} ${points} ${width - margin},${height - margin}`
  const label = t(
    `Documents per day in the last ${days.length} days: ${allWords} in total, at most ${countWords(visit, most)} a day.`,
    `Documentos por día en los últimos ${days.length} días: ${allWords} en total, máximo ${countWords(visit, most)} en un día.`
  )
  const newestFirst = days.toReversed()
  return html`<svg
      role="img"
      aria-label="${label}"
      viewBox="0 0 ${width} ${height}"
      width="100%"
      height="${height}"
      preserveAspectRatio="none"
    >
      <polygon points="${corners}" fill="var(--accent)" fill-opacity="0.1" />
      <polyline
        points="${points}"
        fill="none"
        stroke="var(--accent)"
        stroke-width="2"
        stroke-linejoin="round"
        vector-effect="non-scaling-stroke"
      />
    </svg>
    <p class="soft">
      ${day(visit, first.date)} – ${day(visit, last.date)}:
      ${t(`${allWords} in total, at most ${countWords(visit, most)} a day.`, `${allWords} en total, máximo ${countWords(visit, most)} en un día.`)}
    </p>
    <details>
      <summary>${t("Table by day", "Tabla por día")}</summary>
      ${table(
        t("Documents per day", "Documentos por día"),
        [
          { title: t("Day", "Día"), cell: ({ date }: DayCount) => day(visit, date) },
          { title: t("Documents", "Documentos"), cell: ({ count }) => countWords(visit, count), isFigure: true }
        ],
        newestFirst
      )}
    </details>`
}
