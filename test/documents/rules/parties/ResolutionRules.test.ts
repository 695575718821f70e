import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { ResolutionId } from "../../../../schemas/Id.ts"
import {
  canMeet,
  lackOfRange,
  resolutionStatus,
  resolutionViolations,
  resolutionWarnings,
  shareFullNumber
} from "../../../../src/documents/rules/parties/ResolutionRules.ts"
import { fullNumber } from "../../../../src/documents/rules/FullNumber.ts"
import {
  overlapOf,
  refusalOf,
  resolutionsMax,
  type StoredResolution
} from "../../../../src/accounts/store/Resolutions.ts"
import { account } from "../../../support/apps/Accounts.ts"

const request = {
  number: "18760000002",
  prefix: "FE",
  from_number: 10,
  to_number: 20,
  valid_from: "2026-01-01",
  valid_to: "2026-12-31",
  technical_key: "0".repeat(40)
}

const plain = { separator: "", digits: 0 }

const id = (letter: string) => ResolutionId.make(`res_${letter.repeat(26)}`)

const range: StoredResolution = {
  ...request,
  account_id: account,
  livemode: false,
  id: id("a"),
  document_type: "invoice",
  registered: false,
  from_number: 10n,
  to_number: 20n,
  next_number: 10n,
  held_since: null,
  is_active: true,
  created_at: new Date(0)
}

describe("numbering ranges", () => {
  it.each([
    [{}, []],
    [{ to_number: 10 }, []],
    [{ to_number: 9 }, ["to_number"]],
    [{ valid_to: "2026-01-01" }, []],
    [{ valid_to: "2025-12-31" }, ["valid_to"]],
    [{ next_number: 10 }, []],
    [{ next_number: 20 }, []],
    [{ next_number: 9 }, ["next_number"]],
    [{ next_number: 21 }, ["next_number"]],
    [{ to_number: 9, valid_to: "2025-12-31" }, ["to_number", "valid_to"]]
  ] as const)("reports %j as wrong in %j", (change, params) =>
    assert.deepStrictEqual(
      resolutionViolations({ ...request, ...change }).map(({ param }) => param),
      params as ReadonlyArray<string> as Array<string>
    )
  )

  it.each([
    [{}, "2026-01-01", "active"],
    [{}, "2026-12-31", "active"],
    [{}, "2025-12-31", "inactive"],
    [{}, "2027-01-01", "expired"],
    [{ is_active: false }, "2026-06-01", "inactive"],
    [{ is_active: false }, "2027-01-01", "expired"],
    [{ next_number: 20n }, "2026-06-01", "active"],
    [{ next_number: 21n }, "2026-06-01", "exhausted"],
    [{ next_number: 21n, is_active: false }, "2027-01-01", "exhausted"]
  ] as const)("show for %o on %s the status %s", (change, today, status) =>
    assert.strictEqual(resolutionStatus({ ...range, ...change }, today), status)
  )

  it.each([
    [{}, "2026-06-01", []],
    [{ to_number: 109n, next_number: 99n }, "2026-06-01", []],
    [{ to_number: 109n, next_number: 100n }, "2026-06-01", ["few_numbers_left"]],
    [{ next_number: 21n }, "2026-06-01", ["few_numbers_left"]],
    [{}, "2026-11-30", []],
    [{}, "2026-12-01", ["expires_soon"]],
    [{}, "2027-01-01", ["expires_soon"]],
    [{ next_number: 20n }, "2026-12-31", ["few_numbers_left", "expires_soon"]],
    [{ next_number: 20n, is_active: false }, "2026-12-31", []]
  ] as const)("warn for %o on %s of %j", (change, today, codes) =>
    assert.deepStrictEqual(
      resolutionWarnings({ ...range, ...change }, today).map(({ code }) => code),
      codes as ReadonlyArray<string> as []
    )
  )

  it.each([
    [[], "no_numbering_range"],
    [[{}], "no_numbering_range"],
    [[{ next_number: 21n }], "range_exhausted"],
    [[{ next_number: 21n, is_active: false }], "no_numbering_range"],
    [[{ valid_to: "2026-05-31" }], "range_expired"],
    [[{ valid_to: "2026-05-31", is_active: false }], "no_numbering_range"],
    [[{ valid_from: "2026-06-02" }], "no_numbering_range"],
    [[{ valid_to: "2026-05-31" }, { next_number: 21n }], "range_exhausted"]
  ] as const)("have no number in %o, with the code %s", (changes, code) => {
    const ranges = changes.map((change) => ({ ...range, ...change }))
    for (const prefix of [null, "FE"]) {
      const failure = lackOfRange(ranges, "2026-06-01", prefix)
      assert.deepInclude(failure, { code, retryable: true })
      assert.strictEqual(failure.message.includes('"FE"'), prefix !== null)
    }
  })

  it.each([
    [{}, true],
    [{ from_number: 20n, to_number: 30n }, true],
    [{ from_number: 1n, to_number: 10n }, true],
    [{ from_number: 1n, to_number: 30n }, true],
    [{ from_number: 15n, to_number: 16n }, true],
    [{ from_number: 21n, to_number: 30n }, false],
    [{ from_number: 1n, to_number: 9n }, false],
    [{ prefix: "FX" }, false],
    [{ prefix: "" }, false],
    [{ id: id("a") }, false]
  ] as const)("overlap with %o: %s", (change, overlaps) =>
    assert.strictEqual(
      overlapOf({ ...range, id: id("b"), ...change }, [range], plain)?.code,
      overlaps ? "resolution_overlap" : undefined
    )
  )

  it.each([
    plain,
    { separator: "", digits: 3 },
    { separator: "", digits: 12 },
    { separator: "-", digits: 0 },
    { separator: "-", digits: 4 },
    { separator: "1", digits: 2 }
  ])("share a full number exactly if both print it, in the form %o", (form) => {
    // Deterministic, and often close to each other.
    let seed = 7
    const next = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below
    const prefixes = ["", "Q", "Q0", "Q1", "Q10", "Q12", "1", "12", "10", "0", "QA", "Q1A"]
    const some = () => {
      const from = next(2) === 0 ? 1 + next(30) : 1 + next(1_300)
      const to = from + next(next(2) === 0 ? 5 : 200)
      return { prefix: prefixes[next(prefixes.length)] ?? "", from_number: BigInt(from), to_number: BigInt(to) }
    }
    const printed = ({ from_number, prefix, to_number }: ReturnType<typeof some>) =>
      Array.from({ length: Number(to_number - from_number) + 1 }, (_, index) =>
        fullNumber(prefix, from_number + BigInt(index), form)
      )
    const found = { true: 0, false: 0 }
    for (let round = 0; round < 3_000; round++) {
      const [one, other] = [some(), some()]
      const numbers = new Set(printed(one))
      const expected = printed(other).some((number) => numbers.has(number))
      const about = JSON.stringify([printed(one)[0], printed(one).at(-1), printed(other)[0], printed(other).at(-1)])
      assert.strictEqual(shareFullNumber(one, other, form), expected, about)
      assert.strictEqual(shareFullNumber(other, one, form), expected, about)
      found[`${expected}`]++
    }
    assert.isAbove(found.true, 30)
    assert.isAbove(found.false, 500)
  })

  it("write the separator into a full number, so that no two prefixes share one", () => {
    const form = { separator: "-", digits: 0 }
    assert.strictEqual(fullNumber("Q", 123n, form), "Q-123")
    const one = { prefix: "Q", from_number: 123n, to_number: 123n }
    const other = { prefix: "Q1", from_number: 23n, to_number: 23n }
    assert.isTrue(shareFullNumber(one, other, plain))
    assert.isFalse(shareFullNumber(one, other, form))
  })

  it("share a full number of two prefixes if leading zeros make one number begin like the other", () => {
    const form = { separator: "", digits: 4 }
    assert.strictEqual(fullNumber("Q", 10_007n, form), fullNumber("Q1", 7n, form))
    const seven = { prefix: "Q1", from_number: 7n, to_number: 7n }
    assert.isTrue(shareFullNumber({ prefix: "Q", from_number: 10_007n, to_number: 10_007n }, seven, form))
    assert.isFalse(shareFullNumber({ prefix: "Q", from_number: 17n, to_number: 17n }, seven, form))
  })

  it.each([
    ["Q", 123n, 123n, "Q1", 23n, 23n, true],
    ["Q", 123n, 123n, "Q1", 22n, 22n, false],
    ["", 1_234_567_890n, 1_234_567_890n, "1234", 567_890n, 567_890n, true],
    ["Q", 9_999_999_999n, 9_999_999_999n, "Q9", 999_999_999n, 9_999_999_999n, true],
    ["Q", 1n, 9_999_999_999n, "Q1", 1_000_000_000n, 9_999_999_999n, false]
  ] as const)(
    "share for %s with %d to %d and %s with %d to %d a full number: %s",
    (prefix, from, to, other, least, most, shared) =>
      assert.strictEqual(
        shareFullNumber(
          { prefix, from_number: from, to_number: to },
          { prefix: other, from_number: least, to_number: most },
          plain
        ),
        shared
      )
  )

  const Used = Schema.Struct({
    from: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 9 })),
    length: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 9 })),
    given: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 9 })),
    gives: Schema.Boolean
  })
  it.prop(
    "meet in two accounts if one can give a number that the other has given or can give",
    [Used, Used],
    (both) => {
      const [one, other] = both.map(({ from, given, gives, length }) => {
        const next = from + Math.min(given, length)
        const ends = { from_number: BigInt(from), to_number: BigInt(from + length - 1) }
        const numbers = Array.from({ length }, (_, index) => from + index)
        const open = gives ? numbers.filter((number) => number >= next) : []
        const taken = [...numbers.filter((number) => number < next), ...open]
        return { open, taken, used: { prefix: "FE", ...ends, next_number: BigInt(next), gives } }
      })
      const meet = one!.open.some((n) => other!.taken.includes(n)) || other!.open.some((n) => one!.taken.includes(n))
      assert.strictEqual(canMeet(one!.used, other!.used, plain), meet)
    }
  )

  it("stop at the most ranges that an account may have", () => {
    const many = Array.from({ length: resolutionsMax }, (_, index) => ({ ...range, prefix: `P${index}` }))
    const other = { ...range, id: id("b"), prefix: "X" }
    assert.isUndefined(refusalOf(other, many.slice(1), plain))
    assert.strictEqual(refusalOf(other, many, plain)?.code, "resolution_limit_reached")
    const counters = many.map((one) => ({ ...one, document_type: "credit_note" as const }))
    assert.isUndefined(refusalOf(other, counters, plain))
  })

  it("ignore a range that is inactive and unused, and never a range that is used", () => {
    const other = { ...range, id: id("b") }
    assert.isUndefined(overlapOf(other, [{ ...range, is_active: false }], plain))
    assert.isDefined(overlapOf(other, [{ ...range, is_active: false, next_number: 11n }], plain))
  })
})
