import { figureAt, differs, sum } from "./Figures.ts"
import type { Received, Rule } from "./Rules.ts"
import { all, textAt, type XmlElement } from "./XmlTree.ts"

const lineSum = ({ lines }: Received) => sum(lines.map((line) => figureAt(line, "cbc:LineExtensionAmount")))

/** What is taxed of a line: the largest base of its taxes, since several taxes on one line have one base. */
const taxedOf = (line: XmlElement): bigint =>
  all(line, "cac:TaxTotal")
    .flatMap((total) => all(total, "cac:TaxSubtotal"))
    .map((subtotal) => figureAt(subtotal, "cbc:TaxableAmount"))
    .reduce((most, base) => (base > most ? base : most), 0n)

const taxes = ({ root }: Received) => sum(all(root, "cac:TaxTotal").map((total) => figureAt(total, "cbc:TaxAmount")))

/** The sum of the discounts or the charges on the whole document. */
const allowances = ({ root }: Received, isCharge: boolean) =>
  sum(
    all(root, "cac:AllowanceCharge")
      .filter((one) => (textAt(one, "cbc:ChargeIndicator") === "true") === isCharge)
      .map((one) => figureAt(one, "cbc:Amount"))
  )

const prepaid = ({ root }: Received) =>
  sum(all(root, "cac:PrepaidPayment").map((payment) => figureAt(payment, "cbc:PaidAmount")))

const given = (document: Received, name: string) => figureAt(document.total, `cbc:${name}`)

const payable = (document: Received) =>
  given(document, "TaxInclusiveAmount") - given(document, "AllowanceTotalAmount") + given(document, "ChargeTotalAmount")

const rule = (
  number: string,
  name: string,
  expected: (document: Received) => bigint
): Rule<XmlElement | undefined> => ({
  rule: number,
  path: `cbc:${name}`,
  isBroken: (_total, document) => differs(given(document, name), expected(document))
})

/** The rules of the totals of a document. */
export const totalRules: ReadonlyArray<Rule<XmlElement | undefined>> = [
  rule("FAU02", "LineExtensionAmount", lineSum),
  rule("FAU04", "TaxExclusiveAmount", ({ lines }) => sum(lines.map(taxedOf))),
  rule("FAU06", "TaxInclusiveAmount", (document) => lineSum(document) + taxes(document)),
  rule("FAU08", "AllowanceTotalAmount", (document) => allowances(document, false)),
  rule("FAU10", "ChargeTotalAmount", (document) => allowances(document, true)),
  rule("FAU12", "PrepaidAmount", prepaid),
  rule("FAU14", "PayableAmount", payable),
  {
    rule: "FBD03",
    path: "cbc:PrepaidAmount",
    severity: "notification",
    kinds: ["invoice"],
    isBroken: (_total, document) => {
      const due = given(document, "TaxInclusiveAmount") - given(document, "AllowanceTotalAmount")
      return given(document, "PrepaidAmount") > due + given(document, "ChargeTotalAmount")
    }
  }
]
