import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import * as Fs from "node:fs"
import * as Path from "node:path"
import type { DocumentDetails } from "../../schemas/DocumentDetails.ts"
import type { DocumentKind } from "../../schemas/FiscalDocument.ts"
import type { InvoiceRequest } from "../../schemas/Invoice.ts"
import { type Line, lineExample, type Tax } from "../../schemas/Line.ts"
import { brokenFormulas, formulas } from "./Formulas.ts"
import { received } from "./Rules.ts"
import { parsedXml } from "./XmlTree.ts"
import { sandboxSoftware } from "../../src/documents/ubl/UblSoftware.ts"
import { unsignedDocument } from "../../src/documents/ubl/UblDocument.ts"
import { truncated } from "../../src/documents/rules/Details.ts"
import { invoiceViolations, noteViolations } from "../../src/documents/rules/LocalRules.ts"
import { totalsOf } from "../../src/documents/rules/Totals.ts"
import { figuresOf, withFigure } from "../documents/rules/amounts/Corrections.ts"
import { invoiceBody } from "../support/apps/Invoices.ts"
import { money } from "../support/documents/Fractions.ts"
import { invoiceRequests, noteRequestOf, today } from "../support/documents/RightRequests.ts"
import { examples, sale } from "../documents/Documents.ts"
import { fullDocuments } from "../documents/ubl/FullDocuments.ts"

type Content = DocumentDetails & { readonly lines: ReadonlyArray<Line>; readonly operation_type?: string }

const bases = { invoice: sale, credit_note: examples["credit note"]!, debit_note: examples["debit note"]! }

/** The XML of a document with these lines and details. */
const xmlOf = (kind: DocumentKind, sent: Content): string => {
  const content = truncated(sent)
  const document = { ...bases[kind], ...content, totals: totalsOf(content.lines, content) }
  const { after, before } = unsignedDocument(document as typeof sale, sandboxSoftware)
  return before + after
}

const brokenIn = (xml: string) => {
  const root = parsedXml(xml)
  const document = root === null ? null : received(root)
  if (document === null) assert.fail("no document")
  return brokenFormulas(document)
}

const rulesOf = (xml: string): ReadonlyArray<string> => brokenIn(xml).map(({ rule }) => rule)

const rejectionsOf = (xml: string) => brokenIn(xml).filter(({ severity }) => severity === "rejection")

const soldFor = (tax: Tax, quantity = "1.00"): Content => ({
  lines: [
    {
      ...lineExample,
      quantity,
      unit_price: "100.00",
      line_extension_amount: `${parseInt(quantity, 10)}00.00`,
      taxes: [tax]
    }
  ]
})

const vat = (value: string): Tax => ({ code: "01", rate: "19.00", base: "100.00", value })

// The figures that follow from others, anywhere in a document.
const bound =
  /(<cbc:(?:(?:LineExtension|TaxExclusive|TaxInclusive|AllowanceTotal|ChargeTotal|Prepaid|Payable|Tax|Paid)?Amount) currencyID="...">)(\d+)/g

/** The form of a client's figure: exact, in whole pesos, or off by some hundredths. */
const Move = Schema.Literals(["exact", "down", "up", "nearest", "off", "far"])

const movedFigure = (move: typeof Move.Type, figure: string): string => {
  const cents = BigInt(figure.replace(".", ""))
  switch (move) {
    case "exact":
      return figure
    case "down":
      return money(cents - (cents % 100n))
    case "up":
      return money(cents + ((100n - (cents % 100n)) % 100n))
    case "nearest":
      return money(100n * ((cents + 50n) / 100n))
    case "off":
      return money(cents + 37n)
    case "far":
      return money(cents > 200n ? cents - 199n : cents + 199n)
  }
}

const Moves = Schema.Struct({
  count: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 50 })),
  moves: Schema.Array(Move).check(Schema.isMinLength(1), Schema.isMaxLength(12)),
  hasDetails: Schema.Boolean
})

/** Invoices of up to 50 lines, whose computed figures are moved. */
const moved = Arbitrary.map(
  Arbitrary.all([invoiceRequests, Arbitrary.schema(Moves)]),
  ([request, { count, hasDetails, moves }]) => {
    const [first] = request.lines
    const lines = Array.from({ length: count }, (_, at) => {
      const { aiu_contract: _contract, ...line } = request.lines[at % request.lines.length] ?? first!
      return line
    })
    const {
      allowance_charges: _allowances,
      cash_rounding_amount: _cash,
      payable_rounding_amount: _rounding,
      withholdings: _withholdings,
      ...plain
    } = request
    const whole: InvoiceRequest = { ...(hasDetails ? request : plain), lines }
    return figuresOf(whole).reduce(
      (changed, path, at) =>
        withFigure(changed, path, (figure) => movedFigure(moves[at % moves.length] ?? "exact", figure)),
      whole
    )
  }
)

/** The rules that 50 lines with these bases break, each with a tax of 20.00: by the local rules and by the table. */
const brokenInPesos = (...amounts: ReadonlyArray<string>) => {
  const lines = Array.from({ length: 50 }, (_, at): Line => {
    const base = amounts[at % amounts.length]!
    const tax: Tax = { code: "01", rate: "19.00", base, value: "20.00" }
    return { ...lineExample, quantity: "1.00", unit_price: base, line_extension_amount: base, taxes: [tax] }
  })
  const request = { ...invoiceBody("cust_01k0000000000000000000000a"), lines } as unknown as InvoiceRequest
  return [invoiceViolations(request, today).map(({ rule }) => rule), rulesOf(xmlOf("invoice", { lines }))]
}

describe("The table of the authority's formulas", () => {
  it.prop("accepts every document of the writer", [invoiceRequests], ([request]) => {
    assert.deepStrictEqual(rulesOf(xmlOf("invoice", request)), [])
    for (const kind of ["credit_note", "debit_note"] as const) {
      assert.deepStrictEqual(rulesOf(xmlOf(kind, noteRequestOf(request, kind))), [], kind)
    }
  })

  it.prop(
    "accepts each document that the tolerant rules accept, with figures in whole pesos on up to 50 lines",
    [moved],
    ([request]) => {
      if (invoiceViolations(request, today).length === 0) {
        assert.deepStrictEqual(rejectionsOf(xmlOf("invoice", request)), [])
      }
      for (const kind of ["credit_note", "debit_note"] as const) {
        const note = noteRequestOf(request, kind)
        const { currency, operation_type } = request
        const operation = { operation_type, currency, isDebitNote: kind === "debit_note" }
        if (noteViolations(note, operation, today).length > 0) continue
        assert.deepStrictEqual(rejectionsOf(xmlOf(kind, note)), [], kind)
      }
    }
  )

  it("allows 50 lines in whole pesos to be off by 2.00 in all, like the local rules", () => {
    // 19 % of 107.11 is 20.35, and 19 % of 103.42 is 19.65.
    assert.deepStrictEqual(brokenInPesos("107.11", "103.42"), [[], []])
    assert.deepStrictEqual(brokenInPesos("107.11"), [["FAS07"], ["FAS07"]])
  })

  it.prop("detects each figure that is off by 3.00", [invoiceRequests], ([request]) => {
    const xml = xmlOf("invoice", request)
    for (const { index, 1: tag = "", 2: figure = "" } of xml.matchAll(bound)) {
      const at = index + tag.length
      const changed = `${xml.slice(0, at)}${BigInt(figure) + 3n}${xml.slice(at + figure.length)}`
      assert.isNotEmpty(rulesOf(changed), `${tag}${figure} at ${index}`)
    }
  })

  it("accepts the full documents of the tests, and has a source for each formula", () => {
    for (const [name, document] of Object.entries(fullDocuments)) {
      const { after, before } = unsignedDocument(document, sandboxSoftware)
      assert.deepStrictEqual(rulesOf(before + after), [], name)
    }
    for (const { source } of formulas) assert.match(source, /stylesheet|annex 1\.9/)
  })

  it.each<readonly [Tax["code"], string, string, string, string, string]>([
    ["22", "2.00", "70.00", "2.00", "140.00", "143.00"],
    ["23", "10.00", "211.98", "10.00", "2119.80", "2122.81"],
    ["24", "10.00", "824.50", "10.00", "8245.00", "8247.01"],
    ["32", "1.00", "342.00", "29.00", "9918.00", "342.00"],
    ["33", "1.00", "2.49", "500.00", "1245.00", "12.45"],
    ["34", "1.00", "35.00", "1000.00", "350.00", "35000.00"],
    ["34", "24.00", "65.00", "9600.00", "6240.00", "624000.00"]
  ])("computes tax %s on %s items, %s each for %s units, as %s and not as %s", (code, ...figures) => {
    const [quantity, unit_amount, units, right, wrong] = figures
    const tax = { code, unit_amount, units, unit_code: "94" as const }
    assert.deepStrictEqual(rulesOf(xmlOf("invoice", soldFor({ ...tax, value: right }, quantity))), [])
    assert.deepStrictEqual(rulesOf(xmlOf("invoice", soldFor({ ...tax, value: wrong }, quantity))), ["FAX07", "FAS07"])
    assert.deepStrictEqual(rulesOf(xmlOf("credit_note", soldFor({ ...tax, value: wrong }, quantity))), [
      "CAX07",
      "CAS07"
    ])
    assert.deepStrictEqual(rulesOf(xmlOf("debit_note", soldFor({ ...tax, value: wrong }, quantity))), [
      "DAX07",
      "DAS07"
    ])
  })

  it("uses the quantity of the line as units of bags, carbon and fuels, in the line and in the sum", () => {
    for (const code of ["22", "23", "24"] as const) {
      const tax = { code, unit_amount: "70.00", units: "2.00", unit_code: "94", value: "140.00" } as const
      assert.deepStrictEqual(rulesOf(xmlOf("invoice", soldFor(tax, "1.00"))), ["FAX07", "FAS07"])
      const two = [
        ...soldFor({ ...tax }, "2.00").lines,
        ...soldFor({ ...tax, units: "3.00", value: "210.00" }, "3.00").lines
      ]
      assert.deepStrictEqual(rulesOf(xmlOf("invoice", { lines: two })), [])
    }
  })

  it("uses the base of the tax by percentage for a line, whatever the order of its taxes", () => {
    const bags: Tax = { code: "22", unit_amount: "70.00", units: "1.00", unit_code: "94", value: "70.00" }
    const [line] = soldFor(bags).lines
    assert.deepStrictEqual(rulesOf(xmlOf("invoice", { lines: [{ ...line!, taxes: [bags, vat("19.00")] }] })), [])
  })

  it("tolerates 2.00 in a product, and not one hundredth more", () => {
    for (const value of ["17.00", "21.00"]) assert.deepStrictEqual(rulesOf(xmlOf("invoice", soldFor(vat(value)))), [])
    for (const value of ["16.99", "21.01"]) {
      assert.deepStrictEqual(rulesOf(xmlOf("invoice", soldFor(vat(value)))), ["FAX07", "FAS07"])
    }
    const xml = xmlOf("invoice", soldFor(vat("19.00")))
    const priced = (price: string) => rulesOf(xml.replace(/(<cbc:PriceAmount[^>]*>)100.00</, `$1${price}<`))
    assert.deepStrictEqual([priced("102.00"), priced("98.00")], [[], []])
    assert.deepStrictEqual([priced("102.01"), priced("97.99")], [["FAV06"], ["FAV06"]])
  })

  it("compares sums as whole units, rounded half up, and excludes prepayments and rounding from the payable amount", () => {
    const xml = xmlOf("invoice", soldFor(vat("19.00")))
    const paid = (total: string, rest = "") =>
      rulesOf(xml.replace(/(<cbc:PayableAmount[^>]*>)119.00</, `${rest}$1${total}<`))
    for (const total of ["118.50", "119.00", "119.49"]) assert.deepStrictEqual(paid(total), [], total)
    for (const total of ["118.49", "119.50", "99.00"]) assert.deepStrictEqual(paid(total), ["FAU14"], total)
    const rounding = '<cbc:PayableRoundingAmount currencyID="COP">-0.83</cbc:PayableRoundingAmount>'
    assert.deepStrictEqual(paid("118.17", rounding), ["FAU14"])
  })
})

const root = Path.resolve(import.meta.dirname, "../..")
const read = (file: string) => Fs.readFileSync(Path.join(root, file), "utf8")

/** All lines, or lists of lines, in a JSON value. */
const linesIn = (value: unknown): ReadonlyArray<Content> => {
  if (typeof value !== "object" || value === null) return []
  if ("lines" in value && Array.isArray(value.lines) && typeof value.lines[0]?.line_extension_amount === "string") {
    return [value as Content]
  }
  const isLine = "line_extension_amount" in value && "taxes" in value && "unit_price" in value
  const line = isLine && typeof value.unit_price === "string" ? [{ lines: [value as Line] }] : []
  return [...line, ...Object.values(value).flatMap(linesIn)]
}

/** The bodies of a page's commands, with the variables of its terminal. */
const bodiesIn = (page: string): ReadonlyArray<unknown> => {
  const variables = new Map([...page.matchAll(/^([A-Z_]+)='(.*)'$/gm)].map(([, name, text]) => [name, text]))
  const whole = page.replaceAll(/'"\$([A-Z_]+)"'/g, (_, name: string) => variables.get(name) ?? '""')
  return [...whole.matchAll(/-d '(\{.*?\})'(?: |$)/gms)].flatMap(([, body = ""]) => {
    try {
      return [JSON.parse(body.replaceAll(/'\$\{?\w+\}?'/g, "x"))]
    } catch {
      return []
    }
  })
}

const docs = Fs.globSync("src/docs/**/*.md", { cwd: root })

describe("The table of the authority's formulas and the examples", () => {
  it.each([
    ["the reference and its schemas", linesIn(JSON.parse(read("schemas/openapi.json"))), 60],
    ["the README and the guides", ["README.md", ...docs].flatMap((file) => linesIn(bodiesIn(read(file)))), 15]
  ] as const)("by each example of %s", (_name, contents, atLeast) => {
    assert.isAtLeast(contents.length, atLeast)
    for (const content of contents) {
      const { line_extension_amount: _extension, totals: _totals, ...rest } = { ...content } as Record<string, unknown>
      assert.deepStrictEqual(rulesOf(xmlOf("invoice", rest as Content)), [], JSON.stringify(content))
    }
  })
})
