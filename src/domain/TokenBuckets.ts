/** Of one bucket: so many tokens at most, refilled at so many a second. */
export interface BucketSize {
  readonly perSecond: number
  readonly burst: number
}

/** What a bucket held when a token was asked of it, after that. Who was refused finds one within `1 / perSecond` seconds. */
export interface Allowance {
  readonly allowed: boolean
  readonly remaining: number
  readonly fullInMs: number
}

export interface TokenBuckets {
  readonly take: (key: string, nowMs: number) => Allowance
  /** Whether nothing could be taken. */
  readonly isEmpty: (key: string, nowMs: number) => boolean
  /** How many buckets are kept in mind. */
  readonly size: () => number
}

// Of the sums of fractions of a millisecond, which are not exact.
const rounding = 1e-6

/**
 * Token buckets by key. A bucket is one number, the moment when it will be full again; a full one need not be remembered. The
 * buckets of two spans are kept, each as long as a bucket takes to fill, so that what is forgotten with the older span is full.
 * A span also ends with its `keysMax`-th key: more keys than that are forgotten early, and have a full bucket again.
 */
export const makeTokenBuckets = ({ burst, perSecond }: BucketSize, keysMax: number): TokenBuckets => {
  const tokenMs = 1_000 / perSecond
  const capacityMs = burst * tokenMs
  let young = new Map<string, number>()
  let old = new Map<string, number>()
  let begunMs = Number.NEGATIVE_INFINITY

  const fullMsOf = (key: string, nowMs: number) => {
    const known = young.get(key) ?? old.get(key) ?? nowMs
    // No bucket is emptier than empty: a clock that was set back makes nobody wait for the time it lost.
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
