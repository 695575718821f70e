import type { Software } from "../rules/parties/SoftwareRules.ts"

export type { Software } from "../rules/parties/SoftwareRules.ts"

/** The software of test documents. It is not registered. */
export const sandboxSoftware: Software = {
  provider: { number: "900373115", check_digit: "3" },
  id: "f0110000-0000-4000-8000-000000000000",
  pin: "12345"
}
