// The waits before each attempt of a delivery, counted from the end of the previous attempt.
const deliveryDelaysMs = [0, 30_000, 300_000, 1_800_000] as const

/** The number of attempts of a delivery: one first attempt and three retries. */
export const deliveryAttemptsMax = deliveryDelaysMs.length

/**
 * The milliseconds from the end of the last attempt of a delivery to the next: 0, 30 s, 5 min, 30 min after 0, 1, 2, 3
 * attempts, then null. `random` (0 to 1) adds up to 10 % and never shortens the wait, so that no endpoint is called too
 * soon.
 */
export const nextDeliveryDelayMs = (attemptsMade: number, random: number): number | null => {
  const delayMs = deliveryDelaysMs[attemptsMade]
  return delayMs === undefined ? null : Math.floor(delayMs * (1 + 0.1 * random))
}

// Waits after each attempt to send an email: 24 hours in all.
const emailDelaysMinutes = [1, 4, 15, 40, 120, 240, 480, 540] as const

/**
 * The milliseconds from the end of the last attempt to send an email to the next; null after nine attempts, when a day
 * has passed. `random` (0 to 1) adds up to 10 %, so that emails that failed together are not retried together.
 */
export const nextEmailDelayMs = (attemptsMade: number, random: number): number | null => {
  const minutes = emailDelaysMinutes[Math.max(attemptsMade, 1) - 1]
  return minutes === undefined ? null : Math.round(minutes * 60_000 * (1 + 0.1 * random))
}

const authorityDelayMsMin = 1_000
const authorityDelayMsMax = 300_000

/**
 * The milliseconds until the next call to the authority: 1 s after the first attempt, doubling up to 5 min. `random` (0
 * to 1) spreads each wait over ±10 %, so that documents that failed together are not retried together.
 */
export const authorityDelayMs = (attemptsMade: number, random: number): number =>
  delayAfterMs(authorityDelayMsMin * 2 ** Math.max(attemptsMade - 1, 0), random)

/** The same wait, for a document that has waited for `waitedMs` in all: as long again, from 1 s to 5 min. */
export const delayAfterMs = (waitedMs: number, random: number): number => {
  const delayMs = Math.min(Math.max(waitedMs, authorityDelayMsMin), authorityDelayMsMax)
  return Math.round(delayMs * (0.9 + 0.2 * random))
}

const alertDelaysMinutes = [1, 2, 4, 8] as const
const alertDelayMinutesMax = 15
/** The maximum attempts to send an alert to the operator: about a week. */
const alertAttemptsMax = 700

/** The milliseconds from an attempt to send an alert to the next: 1, 2, 4, 8 and then 15 minutes; null after a week. */
export const nextAlertDelayMs = (attemptsMade: number): number | null =>
  attemptsMade >= alertAttemptsMax ? null : (alertDelaysMinutes[attemptsMade - 1] ?? alertDelayMinutesMax) * 60_000
