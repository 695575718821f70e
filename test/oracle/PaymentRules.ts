import { paymentMeans } from "../../schemas/Code.ts"
import { peso } from "../../src/documents/rules/Currencies.ts"
import { figureAt } from "./Figures.ts"
import type { Received, Rule } from "./Rules.ts"
import { at, textAt, type XmlElement } from "./XmlTree.ts"

const forms: ReadonlyArray<string> = ["1", "2"]
const codes: ReadonlySet<string> = new Set(paymentMeans.map(({ code }) => code))

/** The rules of a means of payment. */
export const paymentRules: ReadonlyArray<Rule<XmlElement>> = [
  { rule: "FAN02", path: "cbc:ID", isBroken: (means) => !forms.includes(textAt(means, "cbc:ID") ?? "") },
  {
    rule: "FAN03",
    path: "cbc:PaymentMeansCode",
    isBroken: (means) => !codes.has(textAt(means, "cbc:PaymentMeansCode") ?? "")
  },
  {
    rule: "FAN04",
    path: "cbc:PaymentDueDate",
    isBroken: (means) => textAt(means, "cbc:ID") === "2" && at(means, "cbc:PaymentDueDate") === undefined
  }
]

const group = "cac:PaymentExchangeRate"
const isForeign = ({ currency }: Received) => currency !== peso
const one = 1_000_000n

/** A rule of the exchange rate, which a document in a foreign currency must have. */
const exchangeRule = (rule: string, name: string, isWrong: (rate: XmlElement, document: Received) => boolean) => ({
  rule,
  path: `${group}/cbc:${name}`,
  isBroken: (root: XmlElement, document: Received) => {
    const rate = at(root, group)
    return isForeign(document) && rate !== undefined && isWrong(rate, document)
  }
})

/** The rules of a document's payment means and currency. */
export const settlementRules: ReadonlyArray<Rule<XmlElement>> = [
  { rule: "FAN01", path: "cac:PaymentMeans", isBroken: (root) => at(root, "cac:PaymentMeans") === undefined },
  { rule: "FAR01", path: group, isBroken: (root, document) => isForeign(document) && at(root, group) === undefined },
  exchangeRule(
    "FAR02",
    "SourceCurrencyCode",
    (rate, { currency }) => textAt(rate, "cbc:SourceCurrencyCode") !== currency
  ),
  exchangeRule("FAR03", "SourceCurrencyBaseRate", (rate) => figureAt(rate, "cbc:SourceCurrencyBaseRate") !== one),
  exchangeRule("FAR04", "TargetCurrencyCode", (rate) => textAt(rate, "cbc:TargetCurrencyCode") !== peso),
  exchangeRule("FAR05", "TargetCurrencyBaseRate", (rate) => figureAt(rate, "cbc:TargetCurrencyBaseRate") !== one),
  exchangeRule("FAR06", "CalculationRate", (rate) => figureAt(rate, "cbc:CalculationRate") <= 0n)
]
