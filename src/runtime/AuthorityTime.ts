// The authority's zone has no daylight saving: its offset from UTC is always the same.
const offset = "-05:00"
const offsetMs = -5 * 3_600_000

const local = (epochMs: number): string => new Date(epochMs + offsetMs).toISOString()

/** Unix milliseconds → "2026-11-21T10:00:00.000-05:00". */
export const timestamp = (epochMs: number): string => local(epochMs).slice(0, -1) + offset

/** Unix milliseconds → the date in the authority's zone, "2026-11-21". */
export const localDate = (epochMs: number): string => local(epochMs).slice(0, 10)

/** Unix milliseconds → the time of day in the authority's zone in the form of documents, "10:00:00-05:00". */
export const issueTime = (epochMs: number): string => local(epochMs).slice(11, 19) + offset

/** A date and a time in the authority's zone, "2026-11-21T10:42:00" → the same with the offset of the zone. */
export const inZone = (dateTime: string): string => dateTime + offset

/** A date, "2026-11-21" → its first millisecond in the authority's zone. */
export const firstMoment = (date: string): string => inZone(`${date}T00:00:00.000`)

/** A date, "2026-11-21" → its last millisecond in the authority's zone. */
export const lastMoment = (date: string): string => inZone(`${date}T23:59:59.999`)
