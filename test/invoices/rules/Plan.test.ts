import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { isOpen, kinds, nextNumber, type PlannedDocument, planOf } from "../../../src/invoices/rules/Plan.ts"

const wanted = { invoice: 3, credit_note: 2, debit_note: 0 }
const set = { run: 1, wanted }

const brokenBy = (...rules: ReadonlyArray<string>) => ({ errors: rules.map((rule) => ({ rule })) })
const made = (state: PlannedDocument["state"], change: Partial<PlannedDocument> = {}): PlannedDocument => ({
  kind: "invoice",
  place: 1,
  run: 1,
  state,
  ...brokenBy(...(state === "rejected" ? ["FAD06"] : [])),
  prefix: "SETP",
  ...change
})
const madeOf = (documents: ReadonlyArray<PlannedDocument>, openMax = 4) => {
  const plan = planOf(set, documents, openMax)
  return plan._tag === "continues" ? plan.make.map(({ kind, place }) => `${kind} ${place}`) : plan
}

describe("The plan of a test set", () => {
  it("sends one invoice first, the others after its acceptance, and notes to accepted invoices", () => {
    assert.deepStrictEqual(madeOf([]), ["invoice 1"])
    assert.deepStrictEqual(madeOf([made("sent")]), [])
    assert.deepStrictEqual(madeOf([made("accepted")]), ["invoice 2", "invoice 3", "credit_note 1"])
    assert.deepStrictEqual(madeOf([made("accepted")], 2), ["invoice 2", "invoice 3"])
    assert.deepStrictEqual(madeOf([made("accepted"), made("sent", { place: 2 })], 2), ["invoice 3"])
  })

  it("ends as passed with the required number of accepted documents, whatever their runs", () => {
    const invoices = [1, 2, 3].map((place) => made("accepted", { place, run: place }))
    const notes = [1, 2].map((place) => made("accepted", { kind: "credit_note", place, run: 2 }))
    assert.deepStrictEqual(planOf({ run: 9, wanted }, [...invoices, ...notes], 4), { _tag: "passed" })
  })

  it("replaces a rejected document, and stops at the second rejection by the same rules, or at the third", () => {
    const first = made("rejected", brokenBy("FAD06", "FAJ21"))
    assert.deepStrictEqual(madeOf([first]), ["invoice 1"])
    const same = made("rejected", brokenBy("FAJ21", "FAD06", "FAD06"))
    assert.deepStrictEqual(madeOf([first, same]), {
      _tag: "blocked",
      obstacle: { _tag: "rejected", kind: "invoice", rules: ["FAJ21", "FAD06"] }
    })
    const others = [made("rejected", brokenBy("A")), made("rejected", brokenBy("B"))]
    assert.deepStrictEqual(madeOf(others), ["invoice 1"])
    assert.isNotArray(madeOf([first, ...others]))
    // Rejections in another place or in an earlier run count separately.
    assert.isArray(madeOf([made("accepted", { place: 3 }), first, made("rejected", { ...same, place: 2 })]))
    assert.deepStrictEqual(
      madeOf([
        { ...first, run: 0 },
        { ...same, run: 0 }
      ]),
      ["invoice 1"]
    )
  })

  it("replaces a document without a verdict twice, and replaces used numbers", () => {
    const silent = [made("unanswered"), made("unanswered")]
    assert.deepStrictEqual(madeOf(silent), ["invoice 1"])
    assert.deepStrictEqual(madeOf([...silent, made("unanswered")]), {
      _tag: "blocked",
      obstacle: { _tag: "unanswered", kind: "invoice", count: 3 }
    })
    const used = Array.from({ length: 23 }, () => made("number_used"))
    assert.deepStrictEqual(madeOf(used), ["invoice 1"])
    assert.deepStrictEqual(madeOf([...used, made("number_used")]), {
      _tag: "blocked",
      obstacle: { _tag: "numbers_used", prefix: "SETP" }
    })
  })

  const outcome = Schema.Literals(["accepted", "rejected", "number_used", "unanswered"])
  const verdicts = Schema.Array(Schema.Tuple([outcome, Schema.Literals(["A", "B", "C"])])).check(
    Schema.isMinLength(1),
    Schema.isMaxLength(40)
  )
  const few = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 5 }))

  it.prop("ends, whatever the authority's verdicts, with few documents open", [verdicts, few], ([said, openMax]) => {
    const documents: Array<PlannedDocument> = []
    for (let round = 0; round < 1_000; round++) {
      const plan = planOf(set, documents, openMax)
      const acceptedOf = (kind: PlannedDocument["kind"]) =>
        documents.filter((one) => one.kind === kind && one.state === "accepted").length
      for (const kind of kinds) assert.isAtMost(acceptedOf(kind), wanted[kind])
      if (plan._tag !== "continues") return
      for (const { kind, place } of plan.make) documents.push(made("sent", { kind, place }))
      const open = documents.filter(isOpen)
      assert.isTrue(open.length > 0 && open.length <= openMax)
      const [state, rule] = said[round % said.length]!
      const index = documents.findIndex(isOpen)
      documents[index] = { ...documents[index]!, state, ...brokenBy(...(state === "rejected" ? [rule] : [])) }
    }
    assert.fail("no end")
  })
})

const taken = (states: ReadonlyArray<PlannedDocument["state"]>) =>
  states.map((state, index) => ({ number: 10 + index, state }))

describe("The next number", () => {
  it("starts with the first number of the range, or follows the last one", () => {
    assert.strictEqual(nextNumber([], 990), 990)
    assert.strictEqual(nextNumber(taken(["accepted", "rejected"]), 5), 12)
    assert.strictEqual(nextNumber(taken(["accepted"]), 990), 990)
  })

  it("skips further for each number in a row that the authority had processed", () => {
    const steps = [1, 2, 3, 4, 5].map((count) => {
      const all = taken(["accepted", ...Array.from({ length: count }, () => "number_used" as const)])
      return nextNumber(all, 1) - all.at(-1)!.number
    })
    assert.deepStrictEqual(steps, [1, 2, 4, 8, 16])
  })
})
