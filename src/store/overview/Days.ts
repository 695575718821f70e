/** A day in the authority's zone, from its first millisecond to that of the next day (Unix milliseconds). */
export interface Day {
  /** YYYY-MM-DD. */
  readonly date: string
  readonly from: number
  readonly to: number
}

const hourMs = 3_600_000
// A zone that is an offset from UTC is at most so far from it.
const offsetMaxMs = 14 * hourMs

/** The first millisecond at which `localDate` gives this date. */
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

/** The days up to the one of `now`, oldest first. `localDate` tells the date in the authority's zone. */
export const daysUntil = (now: number, count: number, localDate: (epochMs: number) => string): ReadonlyArray<Day> => {
  const today = Date.parse(`${localDate(now)}T00:00:00Z`)
  return Array.from({ length: count }, (_, index) => {
    const dateOf = (shift: number) => new Date(today - (count - 1 - index - shift) * dayMs).toISOString().slice(0, 10)
    return { date: dateOf(0), from: startOf(dateOf(0), localDate), to: startOf(dateOf(1), localDate) }
  })
}
