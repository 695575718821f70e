import type { DocumentKind } from "../../schemas/FiscalDocument.ts"
import { elementNames } from "../../src/documents/ubl/UblProfile.ts"
import { all, at, textAt, type XmlElement } from "./XmlTree.ts"

/**
 * A rule of the authority that a document breaks. With `rejection` the authority rejects the document, with
 * `notification` it accepts the document with a remark.
 */
export interface BrokenRule {
  readonly rule: string
  readonly severity: "rejection" | "notification"
  /** The place in the document, as an XPath. */
  readonly path: string
}

/** A document as the authority receives it. */
export interface Received {
  readonly kind: DocumentKind
  readonly root: XmlElement
  /** The name of the root element, from which the names of the lines and of others derive. */
  readonly name: "Invoice" | "CreditNote" | "DebitNote"
  readonly lines: ReadonlyArray<XmlElement>
  /** The totals of the document. */
  readonly total: XmlElement | undefined
  readonly currency: string
  /** Every amount of money, in the order of the document. */
  readonly amounts: ReadonlyArray<XmlElement>
}

const collect = (element: XmlElement, amounts: Array<XmlElement>): void => {
  for (const child of element.children) {
    if (child.children.length > 0) collect(child, amounts)
    else if (child.attributes.startsWith(" currencyID=")) amounts.push(child)
  }
}

const amountsOf = (root: XmlElement): ReadonlyArray<XmlElement> => {
  const amounts: Array<XmlElement> = []
  collect(root, amounts)
  return amounts
}

/** Reads a parsed document as the authority receives it; null for XML with another root. */
export const received = (root: XmlElement): Received | null => {
  const kinds: ReadonlyArray<DocumentKind> = ["invoice", "credit_note", "debit_note"]
  const kind = kinds.find((one) => elementNames[one].root === root.name)
  if (kind === undefined) return null
  const { root: name, total } = elementNames[kind]
  return {
    kind,
    root,
    name,
    lines: all(root, `cac:${name}Line`),
    total: at(root, total),
    currency: textAt(root, "cbc:DocumentCurrencyCode") ?? "",
    amounts: amountsOf(root)
  }
}

/**
 * A rule about a part of a document. It has its number for invoices, the path of its subject below the part, and a
 * check whether the part breaks it. The rules of notes have the same numbers with another first letter.
 */
export interface Rule<Part> {
  readonly rule: string
  readonly path: string
  readonly isBroken: (part: Part, document: Received) => boolean
  readonly severity?: "notification"
  /** The kinds of document with the rule; all kinds if omitted. */
  readonly kinds?: ReadonlyArray<DocumentKind>
}

/** The first letter of the rule numbers of each kind of document. */
export const letters: Readonly<Record<DocumentKind, string>> = { invoice: "F", credit_note: "C", debit_note: "D" }

/** The number of a rule for a kind of document: FAU02 is CAU02 for credit notes and DAU02 for debit notes. */
export const numbered = (rule: string, kind: DocumentKind): string =>
  /^F[A-Z]{2}\d/.test(rule) ? letters[kind] + rule.slice(1) : rule

/** The rules of a table that a part of a document breaks. `path`: the path of the part. */
export const broken = <Part>(
  rules: ReadonlyArray<Rule<Part>>,
  part: Part,
  path: string,
  document: Received
): ReadonlyArray<BrokenRule> => {
  const found: Array<BrokenRule> = []
  for (const { isBroken, kinds, path: place, rule, severity = "rejection" } of rules) {
    if (kinds?.includes(document.kind) === false || !isBroken(part, document)) continue
    found.push({ rule: numbered(rule, document.kind), severity, path: place === "" ? path : `${path}/${place}` })
  }
  return found
}

/** The path of the part with a name and a position, from 0. */
export const nth = (path: string, name: string, index: number): string => `${path}/${name}[${index + 1}]`
