import { assert, describe } from "@effect/vitest"
import { Arbitrary, Effect, Schema } from "effect"
import type { DocumentDetails } from "../../schemas/DocumentDetails.ts"
import type { DocumentKind } from "../../schemas/FiscalDocument.ts"
import { type Line, lineExample, type Tax } from "../../schemas/Line.ts"
import { sandboxRules } from "../../src/documents/SandboxRules.ts"
import { readSignedDocument, signDocument } from "../../src/documents/signature/SignedDocument.ts"
import type { FiscalDocument } from "../../src/documents/ubl/FiscalDocument.ts"
import { sandboxSoftware } from "../../src/documents/ubl/UblSoftware.ts"
import { decimal } from "../../src/documents/rules/Decimal.ts"
import { storedForm } from "../../src/documents/rules/Details.ts"
import { invoiceViolations, noteViolations } from "../../src/documents/rules/LocalRules.ts"
import { totalsOf } from "../../src/documents/rules/Totals.ts"
import { brokenRules } from "../oracle/AuthorityCheck.ts"
import { invoiceRequests, noteRequestOf, today } from "../support/documents/RightRequests.ts"
import { it } from "../support/Tests.ts"
import { certificate, examples, sale } from "./Documents.ts"
import { coded } from "./ubl/FullDocuments.ts"

type Content = DocumentDetails & { readonly lines: ReadonlyArray<Line> }

const kinds: ReadonlyArray<DocumentKind> = ["invoice", "credit_note", "debit_note"]
const bases = { invoice: sale, credit_note: examples["credit note"]!, debit_note: examples["debit note"]! }

const documentOf = (kind: DocumentKind, sent: Content): FiscalDocument => {
  const content = storedForm(sent, today)
  return coded({ ...bases[kind], ...content, totals: totalsOf(content.lines, content) } as FiscalDocument)
}

/** The rules that a document breaks, as the sandbox and the oracle find them. */
const judged = Effect.fnUntraced(function* (document: FiscalDocument) {
  const signed = yield* signDocument(document, sandboxSoftware, yield* certificate)
  const content = readSignedDocument(signed)
  return content === null
    ? assert.fail("the signature does not verify")
    : { sandbox: sandboxRules(signed, content), oracle: brokenRules(signed) }
})

const isLocallyRight = (kind: DocumentKind, request: Parameters<typeof noteRequestOf>[0]): boolean => {
  if (kind === "invoice") return invoiceViolations(request, today).length === 0
  const { currency, operation_type } = request
  const operation = { operation_type, currency, isDebitNote: kind === "debit_note" }
  return noteViolations(noteRequestOf(request, kind), operation, today).length === 0
}

/** Changes of a client that lead to no violation, or to a warning only. */
const Changes = Schema.Struct({
  rounding: Schema.Literals(["", "", "0.50", "0.99", "-0.50", "0.01"]),
  prepaid: Schema.Literals(["", "", "0.00", "1.00", "999999999.00"]),
  discount: Schema.Literals(["", "", "whole", "more"]),
  isCarbon: Schema.Boolean
})

const byPercentage: Tax = { code: "02", rate: "1.50", base: "100.00", value: "1.50" }
const taxed = (...taxes: ReadonlyArray<Tax>): Line => ({
  ...lineExample,
  quantity: "1.00",
  unit_price: "100.00",
  line_extension_amount: "100.00",
  taxes
})

const changed = Arbitrary.map(
  Arbitrary.all([invoiceRequests, Arbitrary.schema(Changes)]),
  ([{ cash_rounding_amount: _cash, withholdings: _withholdings, ...request }, change]) => {
    const { discount, isCarbon, prepaid, rounding } = change
    const lines = isCarbon ? [...request.lines, taxed(byPercentage)] : request.lines
    const { line_extension_amount, tax_amount } = totalsOf(lines)
    const cents = BigInt(line_extension_amount.replace(".", "")) + BigInt(tax_amount.replace(".", ""))
    const amount = decimal(cents + (discount === "more" ? 60n : 0n))
    return {
      ...request,
      lines,
      ...(rounding === "" ? {} : { payable_rounding_amount: rounding }),
      ...(prepaid === "" ? {} : { prepayments: [{ amount: prepaid, received_date: today }] }),
      ...(discount === "" || cents === 0n
        ? {}
        : { allowance_charges: [{ type: "discount", reason: "Descuento", base: amount, amount } as const] })
    }
  }
)

const huge = taxed({ code: "03", rate: "200.00", base: "250000000000000.00", value: "499999999999998.00" })
const hugeLine: Line = { ...huge, unit_price: "0.01", line_extension_amount: "0.01", special_base: "Artículo 447" }
const free = taxed({ code: "ZZ", rate: "0.00", base: "0.00", value: "0.00" })

/** A document for each rule of the sandbox. The local rules accept each document. */
const breaks: ReadonlyArray<readonly [rule: string, kind: DocumentKind, document: FiscalDocument]> = [
  ["FAB08a", "invoice", coded({ ...sale, range: { ...sale.range!, valid_to: "2026-11-20" } })],
  ["FAD06", "invoice", { ...sale, cufe: "ab".repeat(48) }],
  ...kinds.flatMap((kind) => {
    const letter = { invoice: "F", credit_note: "C", debit_note: "D" }[kind]
    const discount = { type: "discount", reason: "Descuento", base: "100.60", amount: "100.60" } as const
    const below = { allowance_charges: [discount], payable_rounding_amount: "0.60", lines: [free] }
    return [
      [`${letter}AU14`, kind, documentOf(kind, below)],
      [`${letter}AX09`, kind, documentOf(kind, { lines: [free, taxed(byPercentage), taxed(byPercentage)] })],
      [`${letter}AS07`, kind, documentOf(kind, { lines: [hugeLine, hugeLine] })]
    ] as const
  }),
  [
    "FBD03",
    "invoice",
    documentOf("invoice", { lines: [free], prepayments: [{ amount: "100.01", received_date: today }] })
  ]
]

describe("The rules of the sandbox", () => {
  it.effect.each(breaks)("find %s in a document of the kind %s, like the oracle", function* ([rule, , document]) {
    const { oracle, sandbox } = yield* judged(document)
    assert.include(
      sandbox.map((one) => one.rule),
      rule
    )
    assert.deepStrictEqual(sandbox, oracle)
  })

  it.effect.prop("find the same as the oracle in every document that the local rules accept", [changed], ([request]) =>
    Effect.gen(function* () {
      for (const kind of kinds) {
        if (!isLocallyRight(kind, request)) continue
        const { currency, exchange_rate = null, operation_type, payment_means } = request
        const content = kind === "invoice" ? request : noteRequestOf(request, kind)
        const terms = { currency, exchange_rate, operation_type, payment_means }
        const document = documentOf(kind, { ...content, ...terms })
        const { oracle, sandbox } = yield* judged(document)
        assert.deepStrictEqual(sandbox, oracle, kind)
      }
    })
  )

  it.effect("compute no code for a range that the sandbox does not know", function* () {
    const { oracle, sandbox } = yield* judged({ ...sale, range: { ...sale.range!, number: "18764000001" } })
    assert.deepStrictEqual([sandbox, oracle], [[], []])
  })
})
