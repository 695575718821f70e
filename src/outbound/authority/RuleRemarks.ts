import type { AuthorityError } from "../../../schemas/FiscalDocument.ts"
import { hintOf, invoiceRule } from "./RuleHints.ts"
import ruleTexts from "./ruleTexts.json" with { type: "json" }

/**
 * A rule of the authority that a document breaks: its number, whether it refuses the document (`rejection`) or only remarks on it
 * (`notification`), and the place in the document.
 */
export interface BrokenRule {
  readonly rule: string
  readonly severity: AuthorityError["severity"]
  readonly path: string | null
}

const remark = (severity: AuthorityError["severity"], rule: string, message: string, path: string | null) => ({
  rule,
  severity,
  message,
  path,
  hint: hintOf(rule)
})

/** The errors of a document that stands for a rejection. */
export const cufeError = remark("rejection", "FAD06", "Valor del CUFE no está calculado correctamente", "cufe")
export const checkDigitError = remark(
  "rejection",
  "FAK24",
  "No está informado el DV del NIT",
  "acquirer.identification.check_digit"
)
/** The remark on a document that stands for a notification. */
export const nameNotice = remark(
  "notification",
  "FAJ43b",
  "Nombre informado No corresponde al registrado en el RUT con respecto al Nit suministrado.",
  "issuer.legal_name"
)
/** The error of a document whose totals are not those of its lines. */
export const totalsError = remark(
  "rejection",
  "FAU02",
  "El Valor Bruto antes de tributos no es igual a la suma de los valores de las líneas de la factura",
  "totals.line_extension_amount"
)
/** The error of bytes that cannot be read, or whose signature does not verify. */
export const unreadable = remark("rejection", "ZE02", "Valor de la firma inválido.", null)

const texts: Readonly<Record<string, string>> = ruleTexts

/** The authority's text of a rule. A rule of notes (CAU02, DAU02) has the text of the rule of invoices with its number (FAU02). */
const textOf = (rule: string): string =>
  texts[rule] ?? texts[invoiceRule(rule)] ?? `El documento no cumple la regla ${rule}.`

/** A broken rule as the authority words it, with advice if there is some. */
export const remarkOf = ({ path, rule, severity }: BrokenRule): AuthorityError =>
  remark(severity, rule, textOf(rule), path)

/** The rejection by a rule that a script names. */
export const rejectionBy = (rule: string): AuthorityError => remarkOf({ rule, severity: "rejection", path: null })
