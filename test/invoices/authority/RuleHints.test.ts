import { assert, describe, it } from "@effect/vitest"
import { hintInSpanish, hintOf } from "../../../src/invoices/authority/RuleHints.ts"
import ruleHints from "../../../src/invoices/authority/ruleHints.json" with { type: "json" }
import ruleTexts from "../../../src/invoices/authority/ruleTexts.json" with { type: "json" }

const inProduction = [
  "CAD06",
  "CAJ43b",
  "CBF02",
  "DAJ39",
  "DAJ48",
  "FAB05c",
  "FAJ71",
  "FAJ73",
  "FAK26",
  "FAK55",
  "FAK61"
]
const known = [...Object.keys(ruleTexts), ...inProduction, "FAS01b", "FAU14", "FBE01", "RUT01"]
const hinted = ruleHints.flatMap(({ rules }) => rules)
/** The parts that a translation keeps: paths, names of fields, codes and figures. */
const keptIn = (text: string) => text.match(/\/v1\/[\w/{}-]+|\b[a-z]+(?:_[a-z]+)+\b|"[^"]+"|\b\d+(?:\.\d+)?\b/g) ?? []

describe("hintOf", () => {
  it("gives advice for each rule whose text Folio has, and for each rule that was seen in production", () => {
    assert.deepStrictEqual(
      known.filter((rule) => hintOf(rule) === null),
      []
    )
  })

  it("gives a rule of credit or debit notes the advice of the invoice rule, under the note's rule number", () => {
    for (const rule of hinted.filter((one) => one.startsWith("F"))) {
      for (const letter of ["C", "D"]) {
        const twin = letter + rule.slice(1)
        if (!hinted.includes(twin)) assert.strictEqual(hintOf(twin), hintOf(rule), twin)
      }
    }
    assert.include(hintOf("CAD06"), "PIN")
    assert.include(hintOf("DAU14"), "PayableAmount")
  })

  it("names each rule once, and ignores rules of other kinds of documents", () => {
    assert.deepStrictEqual(
      hinted.filter((rule, index) => hinted.indexOf(rule) !== index),
      []
    )
    for (const rule of ["DSAD06", "NIE024", "DEAD06", "99", ""]) assert.isNull(hintOf(rule), rule)
  })
})

describe("hintInSpanish", () => {
  it("has each hint in Spanish, with the paths, fields, codes and figures of the English one", () => {
    for (const { en, es } of ruleHints) {
      assert.strictEqual(hintInSpanish(en), es)
      assert.notStrictEqual(es, en)
      assert.notMatch(es, /\b(?:the|of|send|with|and)\b/i)
      assert.includeMembers(keptIn(es), keptIn(en), en)
    }
  })
})
