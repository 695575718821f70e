import type { AuthorityScript } from "../../../schemas/TestHelper.ts"
import type { Identification } from "../../../schemas/Party.ts"
import { isSandboxIdentification } from "../../documents/rules/parties/CheckDigit.ts"
import type { AuthorityAcquirer } from "./Authority.ts"

/** An outcome in the simulated authority. */
export type Outcome = "accept" | "reject" | "away" | "refuse" | "slow" | "flaky" | "notify" | "lose"

/** The outcomes that acquirers' NITs select in the sandbox. */
const outcomesByNit: Readonly<Record<string, Outcome>> = {
  "900000002": "reject",
  "900000003": "away",
  "900000004": "refuse",
  "900000005": "slow",
  "900000006": "flaky",
  "900000007": "notify",
  "900000008": "lose"
}

/** The outcome that a document's own script selects. It has priority over the acquirer's. */
export const outcomeOf = (script: AuthorityScript | null): Outcome | undefined => {
  if (script?.accept) return "accept"
  if (script?.reject) return "reject"
  if (script?.lose) return "lose"
  if (script?.contingency) return "away"
  return script?.fail ? "refuse" : undefined
}

/** The outcome that a document's acquirer selects. */
export const ofAcquirer = ({
  acquirer: { identification }
}: {
  readonly acquirer: { readonly identification: Identification }
}): Outcome | undefined => {
  if (isSandboxIdentification(identification)) return "accept"
  return identification.type === "31" ? outcomesByNit[identification.number] : undefined
}

/** The acquirers in the simulated authority's records. */
const acquirersByNit: Readonly<Record<string, AuthorityAcquirer>> = Object.fromEntries(
  ["900000001", ...Object.keys(outcomesByNit)].map((nit) => [
    nit,
    { name: `Adquiriente de Prueba ${nit} S.A.S.`, email: `facturas@${nit}.test` }
  ])
)
/** The acquirer with this identification in the simulated authority's records, or null. */
export const knownAcquirer = (type: string, number: string): AuthorityAcquirer | null =>
  type === "31" && Object.hasOwn(acquirersByNit, number) ? (acquirersByNit[number] ?? null) : null
