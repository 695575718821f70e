import { figureAt, isOff, percentOf } from "./Figures.ts"
import type { Rule } from "./Rules.ts"
import { at, textAt, type XmlElement } from "./XmlTree.ts"

/** A discount or a charge at its position, from 0. */
export interface PlacedAllowance {
  readonly allowance: XmlElement
  readonly index: number
}

const isDiscount = ({ allowance }: PlacedAllowance) => textAt(allowance, "cbc:ChargeIndicator") === "false"
const amountOf = ({ allowance }: PlacedAllowance) => figureAt(allowance, "cbc:Amount")
const baseOf = ({ allowance }: PlacedAllowance) => figureAt(allowance, "cbc:BaseAmount")
const percent = ({ allowance }: PlacedAllowance) => figureAt(allowance, "cbc:MultiplierFactorNumeric")

/** Whether an amount that is a percentage of its base is none. */
const isOther = (placed: PlacedAllowance) =>
  at(placed.allowance, "cbc:MultiplierFactorNumeric") !== undefined &&
  isOff(amountOf(placed), percentOf(baseOf(placed), percent(placed)))

const isMore = (placed: PlacedAllowance) => isDiscount(placed) && amountOf(placed) > baseOf(placed)

const hundred = 100_000_000n
const kinds: ReadonlyArray<string> = ["true", "false"]
const reasons: ReadonlyArray<string> = ["00", "01"]

const indicator: Rule<PlacedAllowance> = {
  rule: "FAQ03",
  path: "cbc:ChargeIndicator",
  isBroken: ({ allowance }) => !kinds.includes(textAt(allowance, "cbc:ChargeIndicator") ?? "")
}

/** The rules of a discount or a charge on the whole document. */
export const allowanceRules: ReadonlyArray<Rule<PlacedAllowance>> = [
  {
    rule: "FAQ02",
    path: "cbc:ID",
    isBroken: ({ allowance, index }) => textAt(allowance, "cbc:ID") !== String(index + 1)
  },
  indicator,
  {
    rule: "FAQ04",
    path: "cbc:AllowanceChargeReasonCode",
    isBroken: (placed) =>
      isDiscount(placed) && !reasons.includes(textAt(placed.allowance, "cbc:AllowanceChargeReasonCode") ?? "")
  },
  { rule: "FAQ06", path: "cbc:MultiplierFactorNumeric", isBroken: (placed) => percent(placed) > hundred },
  { rule: "FAQ07", path: "cbc:Amount", isBroken: isMore },
  { rule: "FAQ08", path: "cbc:Amount", isBroken: isOther }
]

/** The rules of a discount or a charge on a line. */
export const lineAllowanceRules: ReadonlyArray<Rule<PlacedAllowance>> = [
  indicator,
  {
    rule: "FBE08",
    path: "cbc:BaseAmount",
    isBroken: (placed) => percent(placed) > hundred || isMore(placed) || isOther(placed)
  }
]
