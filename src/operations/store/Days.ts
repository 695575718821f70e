/**
 * A day in the authority's time zone. `from` is its first millisecond, and `to` the first millisecond of the next day
 * (Unix time).
 */
export interface Day {
  /** YYYY-MM-DD. */
  readonly date: string
  readonly from: number
  readonly to: number
}

const hourMs = 3_600_000
// The largest offset of a time zone from UTC.
const offsetMaxMs = 14 * hourMs

/** The first millisecond for which `localDate` returns this date. */
const startOf = (date: string, localDate: (epochMs: number) => string): number => {
  const utc = Date.parse(`${date}T00:00:00Z`)
  let [before, from] = [utc - offsetMaxMs - 1, utc + offsetMaxMs]
  while (from - before > 1) {
    const middle = Math.floor((before + from) / 2)
    if (localDate(middle) < date) before = middle
    else from = middle
  }
  return from
}

const dayMs = 24 * hourMs

/**
 * The last `count` days up to the day of `now`, oldest first. `localDate` returns the date in the authority's time
 * zone.
 */
export const daysUntil = (now: number, count: number, localDate: (epochMs: number) => string): ReadonlyArray<Day> => {
  const today = Date.parse(`${localDate(now)}T00:00:00Z`)
  return Array.from({ length: count }, (_, index) => {
    const dateOf = (shift: number) => new Date(today - (count - 1 - index - shift) * dayMs).toISOString().slice(0, 10)
    return { date: dateOf(0), from: startOf(dateOf(0), localDate), to: startOf(dateOf(1), localDate) }
  })
}
