import { Schema } from "effect"
import type { DocumentKind } from "../../schemas/FiscalDocument.ts"
import { elementNames } from "../../src/documents/ubl/UblProfile.ts"
import { type Expression, parsedExpression, parsedPath, type Path, type Place } from "./Expressions.ts"
import { differs, figure, isOff } from "./Figures.ts"
import rows from "./formulas.json" with { type: "json" }
import { type BrokenRule, letters, numbered, type Received } from "./Rules.ts"

/*
 * The authority's formulas are data, in formulas.json. Their sources are the authority's own texts: its published
 * stylesheet (dian-gov-co/e-invoice, xslt/DIAN-UBL21.xsl, from before annex 1.9) and annex 1.9. Nothing here repeats a
 * computation of the documents' writer.
 */

const Formula = Schema.Struct({
  /** The rule's number for invoices; notes have the same rule with another first letter. */
  rule: Schema.String,
  /** The kinds of documents with the rule, by its first letter: F invoices, C credit notes, D debit notes. */
  kinds: Schema.String,
  severity: Schema.optionalKey(Schema.Literal("notification")),
  /** The elements with the rule, as a path from the root. All paths use the names of invoices. */
  of: Schema.String,
  /** The codes of the taxes with the rule, for a formula of some taxes only. */
  taxes: Schema.optionalKey(Schema.Array(Schema.String)),
  /** The element that must have the value of the formula, below each element of `of`. */
  figure: Schema.String,
  is: Schema.Literals(["=", "<=", ">", "present"]),
  /** The expression, evaluated at each element of `of`. */
  formula: Schema.String,
  /** `whole units`: rounds both values half up to whole units. `2.00`: the values of a product may differ by 2.00. */
  tolerance: Schema.Literals(["none", "whole units", "2.00"]),
  source: Schema.String
})
type Formula = typeof Formula.Type

/** The authority's formulas, in the order of the table. */
export const formulas: ReadonlyArray<Formula> = Schema.decodeUnknownSync(Schema.Array(Formula))(rows)

interface Compiled extends Formula {
  readonly elements: Path
  readonly tax: Path
  readonly given: Path
  readonly value: Expression
}

const compiled = (row: Formula, kind: DocumentKind): Compiled => {
  const { quantity, root, total } = elementNames[kind]
  const ofKind = (path: string) =>
    path
      .replaceAll("cac:InvoiceLine", `cac:${root}Line`)
      .replaceAll("cbc:InvoicedQuantity", quantity)
      .replaceAll("cac:LegalMonetaryTotal", total)
  return {
    ...row,
    elements: parsedPath(ofKind(row.of)),
    tax: parsedPath("cac:TaxCategory/cac:TaxScheme/cbc:ID"),
    given: parsedPath(ofKind(row.figure)),
    value: parsedExpression(ofKind(row.formula))
  }
}

const ofKind = (kind: DocumentKind) =>
  formulas.filter(({ kinds }) => kinds.includes(letters[kind])).map((row) => compiled(row, kind))

const tables: Readonly<Record<DocumentKind, ReadonlyArray<Compiled>>> = {
  invoice: ofKind("invoice"),
  credit_note: ofKind("credit_note"),
  debit_note: ofKind("debit_note")
}

const isBroken = ({ given, is, tolerance, value }: Compiled, place: Place): boolean => {
  const text = given(place)[0]?.at(-1)?.text
  if (is === "present") return text === undefined || text === ""
  const [left, right] = [figure(text), value(place)]
  if (is === "<=") return left > right
  if (is === ">") return left <= right
  return tolerance === "whole units" ? differs(left, right) : isOff(left, right)
}

const pathOf = (place: Place): string =>
  place
    .map((element, index) => {
      const alike = (place[index - 1]?.children ?? []).filter(({ name }) => name === element.name)
      return `/${element.name}${alike.length > 1 ? `[${alike.indexOf(element) + 1}]` : ""}`
    })
    .join("")

/** The rules whose formulas a document breaks. */
export const brokenFormulas = ({ kind, root }: Received): ReadonlyArray<BrokenRule> =>
  tables[kind].flatMap((row) =>
    row
      .elements([root])
      .filter((place) => row.taxes === undefined || row.taxes.includes(row.tax(place)[0]?.at(-1)?.text ?? ""))
      .filter((place) => isBroken(row, place))
      .map((place) => ({
        rule: numbered(row.rule, kind),
        severity: row.severity ?? "rejection",
        path: `${pathOf(place)}/${row.figure}`
      }))
  )
