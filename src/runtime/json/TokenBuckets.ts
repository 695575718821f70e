/** The size of a token bucket: at most `burst` tokens, refilled at `perSecond` tokens a second. */
export interface BucketSize {
  readonly perSecond: number
  readonly burst: number
}

/**
 * The result of a `take`, and the bucket afterwards. A rejected caller finds a token within `1 / perSecond` seconds.
 */
export interface Allowance {
  readonly allowed: boolean
  readonly remaining: number
  readonly fullInMs: number
}

export interface TokenBuckets {
  readonly take: (key: string, nowMs: number) => Allowance
  /** Whether a `take` would be rejected. */
  readonly isEmpty: (key: string, nowMs: number) => boolean
  /** The number of stored buckets. A key that is stored in both spans counts twice. */
  readonly size: () => number
}

// The tolerance for sums of fractions of a millisecond, which are not exact in floating point.
const rounding = 1e-6

/**
 * Token buckets by key. A bucket is one number: the time at which it will be full again. A full bucket is not stored.
 * The buckets of the current and the previous span are kept. A span lasts as long as an empty bucket takes to fill, so
 * that every bucket dropped with the older span is full. A span also ends with its `keysMax`-th key: with more keys,
 * buckets are dropped early and count as full again.
 */
export const makeTokenBuckets = ({ burst, perSecond }: BucketSize, keysMax: number): TokenBuckets => {
  const tokenMs = 1_000 / perSecond
  const capacityMs = burst * tokenMs
  let young = new Map<string, number>()
  let old = new Map<string, number>()
  let begunMs = Number.NEGATIVE_INFINITY

  const fullMsOf = (key: string, nowMs: number) => {
    const known = young.get(key) ?? old.get(key) ?? nowMs
    // A bucket never holds less than nothing: if a clock was set back, no caller waits for the lost time.
    return Math.min(Math.max(known, nowMs), nowMs + capacityMs)
  }
  const holdsOne = (fullMs: number, nowMs: number) => fullMs + tokenMs - nowMs <= capacityMs + rounding

  const take = (key: string, nowMs: number): Allowance => {
    if (Math.abs(nowMs - begunMs) >= capacityMs || young.size >= keysMax) {
      old = young
      young = new Map()
      begunMs = nowMs
    }
    const fullMs = fullMsOf(key, nowMs)
    const allowed = holdsOne(fullMs, nowMs)
    const nextMs = allowed ? fullMs + tokenMs : fullMs
    young.set(key, nextMs)
    const fullInMs = nextMs - nowMs
    const remaining = allowed ? Math.floor((capacityMs - fullInMs) / tokenMs + rounding) : 0
    return { allowed, remaining, fullInMs }
  }

  return { take, isEmpty: (key, nowMs) => !holdsOne(fullMsOf(key, nowMs), nowMs), size: () => young.size + old.size }
}
