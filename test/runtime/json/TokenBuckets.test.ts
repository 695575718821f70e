import { assert, describe, it } from "@effect/vitest"
import { makeTokenBuckets } from "../../../src/runtime/json/TokenBuckets.ts"

const size = { perSecond: 100, burst: 500 }
const many = 100_000

const takeMany = (buckets: ReturnType<typeof makeTokenBuckets>, count: number, nowMs: number) =>
  Array.from({ length: count }, () => buckets.take("key", nowMs))

describe("token buckets", () => {
  it("hold a burst, and count it down", () => {
    const taken = takeMany(makeTokenBuckets(size, many), 501, 0)
    assert.deepStrictEqual(
      taken.map(({ remaining }) => remaining),
      [...Array.from({ length: 500 }, (_, index) => 499 - index), 0]
    )
    assert.deepStrictEqual(taken.at(499), { allowed: true, remaining: 0, fullInMs: 5_000 })
    assert.deepStrictEqual(taken.at(500), { allowed: false, remaining: 0, fullInMs: 5_000 })
  })

  it("refill at their rate, up to their size", () => {
    const buckets = makeTokenBuckets(size, many)
    takeMany(buckets, 500, 0)
    assert.isFalse(buckets.take("key", 9).allowed)
    assert.isTrue(buckets.take("key", 10).allowed)
    assert.isFalse(buckets.take("key", 10).allowed)
    assert.strictEqual(takeMany(buckets, 200, 1_010).filter(({ allowed }) => allowed).length, 100)
    assert.strictEqual(takeMany(buckets, 600, 60_000).filter(({ allowed }) => allowed).length, 500)
  })

  it("allow their rate over time, whatever the rate", () => {
    for (const perSecond of [1, 3, 7, 333]) {
      for (const burst of [10, 100, 1_000]) {
        const buckets = makeTokenBuckets({ perSecond, burst }, many)
        let allowed = 0
        for (let now = 0; now <= 10_000; now += 1) if (buckets.take("key", now).allowed) allowed += 1
        // The client sends at most one request per millisecond.
        const most = Math.min(burst + perSecond * 10, 10_001)
        assert.isAtMost(allowed, most)
        assert.isAtLeast(allowed, most - 1, `${perSecond}/s, ${burst}`)
      }
    }
  })

  it("count their own key alone", () => {
    const buckets = makeTokenBuckets({ perSecond: 1, burst: 1 }, many)
    assert.isTrue(buckets.take("a", 0).allowed)
    assert.isTrue(buckets.take("b", 0).allowed)
    assert.isFalse(buckets.take("a", 0).allowed)
  })

  it("do not lengthen the wait of a client that continues to send", () => {
    const buckets = makeTokenBuckets({ perSecond: 1, burst: 1 }, many)
    buckets.take("key", 0)
    for (let now = 0; now < 1_000; now += 10) assert.isFalse(buckets.take("key", now).allowed)
    assert.isTrue(buckets.take("key", 1_000).allowed)
  })

  it("disappear when they are full, and not before", () => {
    const buckets = makeTokenBuckets(size, many)
    for (let index = 0; index < 1_000; index += 1) buckets.take(`key ${index}`, 0)
    takeMany(buckets, 500, 4_999)
    assert.isFalse(buckets.take("key", 5_000).allowed, "though the span has ended")
    assert.isAtLeast(buckets.size(), 1_001)
    assert.strictEqual(takeMany(buckets, 500, 9_998).filter(({ allowed }) => allowed).length, 499)
    buckets.take("another", 10_000)
    assert.strictEqual(buckets.size(), 2)
  })

  it("stay within twice their maximum number", () => {
    const buckets = makeTokenBuckets(size, 100)
    for (let index = 0; index < 100_000; index += 1) buckets.take(`key ${index}`, 0)
    assert.isAtMost(buckets.size(), 200)
    assert.isTrue(buckets.take("key 99999", 0).allowed)
    assert.strictEqual(buckets.take("key 99999", 0).remaining, 497)
  })

  it("add no wait for the time by which a clock was set back", () => {
    const buckets = makeTokenBuckets(size, many)
    takeMany(buckets, 600, 86_400_000)
    assert.deepStrictEqual(buckets.take("key", 0), { allowed: false, remaining: 0, fullInMs: 5_000 })
    assert.isTrue(buckets.take("key", 10).allowed)
    assert.isTrue(takeMany(buckets, 600, 100).some(({ allowed }) => allowed))
  })
})
