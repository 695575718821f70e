import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import { InvoiceRequest } from "../../../../schemas/Invoice.ts"
import { invoiceViolations, invoiceWarnings, noteViolations } from "../../../../src/documents/rules/LocalRules.ts"
import { totalsOf } from "../../../../src/documents/rules/Totals.ts"
import { fraction, money, plus } from "../../../support/documents/Fractions.ts"
import { invoiceRequests, noteRequestOf, today } from "../../../support/documents/RightRequests.ts"
import { sums } from "../../../support/documents/Sums.ts"
import { corrected, figuresOf, withFigure } from "./Corrections.ts"

const kinds = ["credit_note", "debit_note"] as const

describe("A valid request", () => {
  it.prop("passes the rules, as an invoice and as a note", [invoiceRequests], ([request]) => {
    assert.deepStrictEqual(Schema.decodeSync(InvoiceRequest)(request, { onExcessProperty: "error" }), request)
    assert.deepStrictEqual(invoiceViolations(request, today), [])
    for (const kind of kinds) {
      const operation = {
        operation_type: request.operation_type,
        isDebitNote: kind === "debit_note",
        currency: request.currency
      }
      assert.deepStrictEqual(noteViolations(noteRequestOf(request, kind), operation, today), [])
    }
  })

  it.prop("has the sums of the oracle", [invoiceRequests], ([request]) => {
    assert.deepStrictEqual(totalsOf(request.lines, request), sums(request.lines, request))
  })

  it.prop(
    "gets warnings for the carbon tax by percentage and for an AIU without its contract alone",
    [invoiceRequests],
    ([request]) => {
      const { lines, operation_type } = request
      const byPercentage = lines.flatMap(({ taxes }, line) =>
        taxes.flatMap(({ code, rate }, tax) =>
          code === "02" && rate !== undefined ? [`lines[${line}].taxes[${tax}].rate`] : []
        )
      )
      const hasNone = operation_type === "09" && lines.every((line) => line.aiu_contract === undefined)
      assert.deepStrictEqual(
        invoiceWarnings(request, today).map(({ param }) => param),
        [...byPercentage, ...(hasNone ? ["lines"] : [])]
      )
    }
  )
})

const wrong = Arbitrary.all([
  invoiceRequests,
  Arbitrary.schema(Schema.Int),
  Arbitrary.schema(Schema.Literals([1n, 100n, 100_000n]))
])

// If the payable amount is small, the other rounding of a figure can make a discount or prepayment too large.
const isSmall = (request: InvoiceRequest) => {
  const { due_amount, net_amount, payable_amount } = totalsOf(request.lines, request)
  return (net_amount ?? due_amount ?? payable_amount).length < "100.00".length
}

describe("A wrong figure", () => {
  it.prop("appears alone, and its message makes the request valid", [wrong], ([[request, chosen, cents]]) => {
    const figures = figuresOf(request)
    const path = figures[Math.abs(chosen) % Math.max(figures.length, 1)]
    if (path === undefined || isSmall(request)) return
    const more = (text: string) => {
      const { over, under } = plus(fraction(text), { over: cents + 203n, under: 100n })
      return money((over * 100n) / under)
    }
    const broken = withFigure(request, path, more)
    const found = invoiceViolations(broken, today)
    const named = found.map(({ param }) => param)
    // The message may name the other rounding of a discount, of a line's amount, of a tax base or of a tax. Each of
    // these figures changes the next one: the line's amount, its taxes, their value and what is withheld.
    assert.include(named, path)
    if (!path.includes("allowance")) {
      const follows = path.replace("line_extension_amount", "taxes").replace(/\.base$/, ".value")
      assert.deepStrictEqual(
        named.filter((name) => name.startsWith("lines") && (name === path || !name.startsWith(follows))),
        path.startsWith("lines") ? [path] : []
      )
    }
    assert.match(found[0]?.rule ?? "", /^F[A-Z]{2}\d\d[a-z]?$|^$/)
    assert.deepStrictEqual(invoiceViolations(corrected(broken, found), today), [])
  })

  it.prop(
    "appears with all other wrong figures, and one response is enough to correct them",
    [wrong],
    ([[request, , cents]]) => {
      const figures = isSmall(request) ? [] : figuresOf(request)
      const more = (text: string) => money((fraction(text).over * 100n) / fraction(text).under + 203n + cents)
      const broken = figures.reduce((changed, path) => withFigure(changed, path, more), request)
      const found = invoiceViolations(broken, today)
      const named = found.map(({ param }) => param)
      assert.includeMembers(named, figures)
      assert.lengthOf(new Set(named), named.length)
      assert.deepStrictEqual(invoiceViolations(corrected(broken, found), today), [])
    }
  )
})
