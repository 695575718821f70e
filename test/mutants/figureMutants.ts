import { guards, type Mutant } from "./Mutant.ts"

const verdicts = "test/oracle/Formulas.test.ts"

/** Figures of documents, in the rules and in the code that writes them. */
export const figureMutants: ReadonlyArray<Mutant> = [
  ...guards("src/documents/rules/Totals.ts", verdicts, {
    "prepayments lower the payable amount": {
      "- sum(discounts) + sum(charges) + cents": "- sum(discounts) + sum(charges) - prepaid + cents"
    }
  }),
  ...guards("src/documents/ubl/UblDocument.ts", verdicts, {
    "a discount given as an amount has no percentage": {
      "percent ?? percentageOf(rest.amount, base)": 'percent ?? ""'
    },
    "a tax per unit precedes the tax on the line's base": {
      "line.taxes.toSorted(byBase)": "line.taxes"
    }
  }),
  ...guards("src/documents/ubl/UblAmounts.ts", verdicts, {
    "a base counts once for each tax": { "given > taxed) taxed = given": "given > 0n) taxed += given" },
    "the total with taxes is without taxes": {
      "sum([totals.line_extension_amount, totals.tax_amount])": "sum([totals.line_extension_amount])"
    },
    "the total of discounts is the total of charges": {
      '"cbc:AllowanceTotalAmount", totals.allowance_total_amount':
        '"cbc:AllowanceTotalAmount", totals.charge_total_amount'
    },
    "the total of charges is the total of discounts": {
      '"cbc:ChargeTotalAmount", totals.charge_total_amount': '"cbc:ChargeTotalAmount", totals.allowance_total_amount'
    }
  }),
  ...guards("src/documents/rules/amounts/TaxRules.ts", "test/documents/rules/amounts/TaxSums.test.ts", {
    "sugary drinks are taxed per millilitre": { "exact: whole / 100n": "exact: whole" },
    "a line sells other bags than it taxes": { "ofQuantity.has(code) &&": "false &&" }
  }),
  ...guards("src/documents/rules/amounts/DetailRules.ts", "test/documents/rules/amounts/TaxSums.test.ts", {
    "a total is rounded to another whole unit": { "100n * wholeUnits(payable) === whole": "true" }
  }),
  ...guards("src/documents/rules/amounts/AllowanceRules.ts", "test/http/routes/AuthorityRules.pg.test.ts", {
    "a discount applies to a zero amount": { "cents(base) === 0n": "cents(base) < 0n" }
  }),
  ...guards("src/documents/rules/LocalRules.ts", "test/http/notes/NotesWithoutInvoice.pg.test.ts", {
    "a note within the tolerance has no warning": {
      "  warningsOf(noteFindings(request, operation, today))":
        "  warningsOf(noteFindings(request, operation, today)).slice(0, 0)"
    }
  })
]
