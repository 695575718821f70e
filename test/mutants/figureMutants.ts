import { guards, type Mutant } from "./Mutant.ts"

const table = "src/documents/check/formulas.json"
const judged = "test/documents/check/Formulas.test.ts"

/** The rows of the table with a formula of two rows, by what stands before the formula. */
const ofLine =
  '"of": "cac:InvoiceLine/cac:TaxTotal/cac:TaxSubtotal[not(cbc:PerUnitAmount)]",\n    "figure": "cbc:TaxAmount"'
const ofDocument = '"of": "cac:TaxTotal/cac:TaxSubtotal[not(cbc:PerUnitAmount)]",\n    "figure": "cbc:TaxAmount"'
const unit = (of: string, tax: string) =>
  `"of": "${of}cac:TaxTotal/cac:TaxSubtotal[cbc:PerUnitAmount]",\n    "taxes": [${tax}]`

/** Figures of documents, in the code that writes them and in the table of the authority's formulas. */
export const figureMutants: ReadonlyArray<Mutant> = [
  ...guards("src/domain/documents/Totals.ts", judged, {
    "prepayments lower the payable amount": {
      "- sum(discounts) + sum(charges) + cents": "- sum(discounts) + sum(charges) - prepaid + cents"
    }
  }),
  ...guards("src/documents/ubl/UblAllowances.ts", judged, {
    "a discount that is given as an amount has no percentage": {
      "percent ?? percentageOf(rest.amount, base)": 'percent ?? ""'
    }
  }),
  ...guards("src/documents/ubl/UblLines.ts", judged, {
    "a tax per unit stands before the tax that has the base of the line": {
      "line.taxes.toSorted(byBase)": "line.taxes"
    }
  }),
  ...guards("src/documents/ubl/UblAmounts.ts", judged, {
    "a base counts once for each tax": { "given > taxed) taxed = given": "given > 0n) taxed += given" },
    "the total with taxes is without taxes": {
      "sum([totals.line_extension_amount, totals.tax_amount])": "sum([totals.line_extension_amount])"
    },
    "the sum of discounts is that of charges": {
      '"cbc:AllowanceTotalAmount", totals.allowance_total_amount':
        '"cbc:AllowanceTotalAmount", totals.charge_total_amount'
    },
    "the sum of charges is that of discounts": {
      '"cbc:ChargeTotalAmount", totals.charge_total_amount': '"cbc:ChargeTotalAmount", totals.allowance_total_amount'
    }
  }),
  ...guards("src/domain/documents/rules/TaxRules.ts", "test/domain/documents/rules/TaxSums.test.ts", {
    "sugary drinks are taxed per millilitre": { "exact: whole / 100n": "exact: whole" },
    "a line sells other bags than it taxes": { "ofQuantity.has(code) &&": "false &&" }
  }),
  ...guards("src/domain/documents/rules/DetailRules.ts", "test/domain/documents/rules/TaxSums.test.ts", {
    "a total is rounded to another whole unit": { "100n * wholeUnits(payable) === whole": "true" }
  }),
  ...guards("src/domain/documents/rules/AllowanceRules.ts", "test/http/routes/AuthorityRules.test.ts", {
    "a discount is made on nothing": { "cents(base) === 0n": "cents(base) < 0n" }
  }),
  ...guards(table, judged, {
    "FAU02: the first line is the sum": {
      "sum(/cac:InvoiceLine/cbc:LineExtensionAmount)": "sum(/cac:InvoiceLine[1]/cbc:LineExtensionAmount)"
    },
    "FAU04: the bases of all taxes": {
      "cac:TaxTotal[1]/cac:TaxSubtotal/cbc:TaxableAmount": "cac:TaxTotal/cac:TaxSubtotal/cbc:TaxableAmount"
    },
    "FAU06: less the taxes": { "LineExtensionAmount + sum(/cac:TaxTotal": "LineExtensionAmount - sum(/cac:TaxTotal" },
    "FAU08: the charges": {
      "sum(/cac:AllowanceCharge[cbc:ChargeIndicator='false']": "sum(/cac:AllowanceCharge[cbc:ChargeIndicator='true']"
    },
    "FAU10: the discounts": {
      "sum(/cac:AllowanceCharge[cbc:ChargeIndicator='true']": "sum(/cac:AllowanceCharge[cbc:ChargeIndicator='false']"
    },
    "FAU12: the first prepayment": { "sum(/cac:PrepaidPayment/": "sum(/cac:PrepaidPayment[1]/" },
    "FAU14: less the prepayments": {
      'cbc:ChargeTotalAmount",\n    "tolerance": "whole units"':
        'cbc:ChargeTotalAmount - cbc:PrepaidAmount",\n    "tolerance": "whole units"'
    },
    "FAV06: discounts raise a line": { "cac:Price/cbc:PriceAmount - sum": "cac:Price/cbc:PriceAmount + sum" },
    "FAX07: a percentage is per thousand": {
      [`${ofLine},\n    "is": "=",\n    "formula": "cbc:TaxableAmount * cac:TaxCategory/cbc:Percent div 100"`]: `${ofLine},\n    "is": "=",\n    "formula": "cbc:TaxableAmount * cac:TaxCategory/cbc:Percent div 1000"`
    },
    "FAS07: a percentage is per thousand": {
      [`${ofDocument},\n    "is": "=",\n    "formula": "cbc:TaxableAmount * cac:TaxCategory/cbc:Percent div 100"`]: `${ofDocument},\n    "is": "=",\n    "formula": "cbc:TaxableAmount * cac:TaxCategory/cbc:Percent div 1000"`
    },
    "FAX07: bags are counted by their own units": {
      "cbc:PerUnitAmount * ../../cbc:InvoicedQuantity": "cbc:PerUnitAmount * cbc:BaseUnitMeasure"
    },
    "FAS07: bags are counted by their own units": { "cbc:PerUnitAmount * sum(": "cbc:BaseUnitMeasure * sum(" },
    "FAX07: sugary drinks have no formula": { [unit("cac:InvoiceLine/", '"34"')]: unit("cac:InvoiceLine/", '"00"') },
    "FAS07: sugary drinks have no formula": { [unit("", '"34"')]: unit("", '"00"') },
    "FAX07: plastics have no formula": { [unit("cac:InvoiceLine/", '"32", "33"')]: unit("cac:InvoiceLine/", '"00"') },
    "FAS07: plastics have no formula": { [unit("", '"32", "33"')]: unit("", '"00"') }
  }),
  ...guards(table, "test/documents/check/AuthorityCheck.test.ts", {
    "FAX02: no sum of a line's tax": { '"rule": "FAX02",\n    "kinds": "FCD"': '"rule": "FAX02",\n    "kinds": ""' },
    "FAS02: no sum of a tax": { '"rule": "FAS02",\n    "kinds": "FCD"': '"rule": "FAS02",\n    "kinds": ""' },
    "FAT02: no sum of a withholding": { '"rule": "FAT02",\n    "kinds": "F"': '"rule": "FAT02",\n    "kinds": ""' },
    "FAT07: any withholding": { '"rule": "FAT07",\n    "kinds": "F"': '"rule": "FAT07",\n    "kinds": ""' },
    "FBD03: any prepayment": { '"rule": "FBD03",\n    "kinds": "F"': '"rule": "FBD03",\n    "kinds": ""' },
    "FAQ07: any discount": { '"rule": "FAQ07",\n    "kinds": "FCD"': '"rule": "FAQ07",\n    "kinds": ""' },
    "FAQ08: any base": { '"rule": "FAQ08",\n    "kinds": "FCD"': '"rule": "FAQ08",\n    "kinds": ""' },
    "FBE01: no percentage": { '"rule": "FBE01",\n    "kinds": "FCD"': '"rule": "FBE01",\n    "kinds": ""' }
  }),
  ...guards("src/domain/documents/LocalRules.ts", "test/http/notes/NotesWithoutInvoice.test.ts", {
    "a note within the tolerance has no warning": {
      "  warningsOf(noteFindings(request, operation, today))":
        "  warningsOf(noteFindings(request, operation, today)).slice(0, 0)"
    }
  })
]
