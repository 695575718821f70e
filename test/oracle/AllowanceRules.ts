import type { Rule } from "./Rules.ts"
import { textAt, type XmlElement } from "./XmlTree.ts"

/** A discount or a charge at its position, from 0. */
export interface PlacedAllowance {
  readonly allowance: XmlElement
  readonly index: number
}

const isDiscount = ({ allowance }: PlacedAllowance) => textAt(allowance, "cbc:ChargeIndicator") === "false"
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
  }
]

/** The rules of a discount or a charge on a line. */
export const lineAllowanceRules: ReadonlyArray<Rule<PlacedAllowance>> = [indicator]
