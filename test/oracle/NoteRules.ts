import { creditConcepts, debitConcepts } from "../../schemas/Code.ts"
import type { DocumentKind } from "../../schemas/FiscalDocument.ts"
import type { Received, Rule } from "./Rules.ts"
import { at, attributeOf, textAt, type XmlElement } from "./XmlTree.ts"

const discrepancy = "cac:DiscrepancyResponse"
const code = [discrepancy, "cbc:ResponseCode"] as const
const invoice = ["cac:BillingReference", "cac:InvoiceDocumentReference"] as const
const [start, end] = [["cac:InvoicePeriod", "cbc:StartDate"] as const, ["cac:InvoicePeriod", "cbc:EndDate"] as const]

const annulment = "2"
const credit = { withInvoice: "20", withoutInvoice: "22" } as const
const debit = { withInvoice: "30", withoutInvoice: "32" } as const

const operation = ({ root }: Received) => textAt(root, "cbc:CustomizationID") ?? ""
const credits: ReadonlyArray<DocumentKind> = ["credit_note"]
const debits: ReadonlyArray<DocumentKind> = ["debit_note"]

const isIn = (concepts: ReadonlyArray<{ readonly code: string }>, root: XmlElement) => {
  const given = textAt(root, ...code)
  return given === undefined || concepts.some((concept) => concept.code === given)
}

/** Whether the period of a note without an invoice is missing, or not within one calendar month. */
const hasOtherPeriod = (root: XmlElement) => {
  const [first = "", last = ""] = [textAt(root, ...start), textAt(root, ...end)]
  return first === "" || last < first || first.slice(0, 7) !== last.slice(0, 7)
}

/** The rules of notes alone, with the numbers of their kind of note. */
export const noteRules: ReadonlyArray<Rule<XmlElement>> = [
  {
    rule: "CAD02a",
    path: "cbc:CustomizationID",
    kinds: credits,
    isBroken: (root, document) => textAt(root, ...code) === annulment && operation(document) !== credit.withInvoice
  },
  {
    rule: "CBF03",
    path: code.join("/"),
    kinds: credits,
    isBroken: (root) => !isIn(creditConcepts, root)
  },
  {
    rule: "CBF03a",
    path: code.join("/"),
    kinds: credits,
    isBroken: (root, document) => textAt(root, ...code) === annulment && operation(document) === credit.withoutInvoice
  },
  {
    rule: "CBG01",
    path: "cac:BillingReference",
    kinds: credits,
    isBroken: (root, document) => operation(document) === credit.withInvoice && at(root, ...invoice) === undefined
  },
  {
    rule: "CBG03",
    path: `${invoice.join("/")}/cbc:ID`,
    kinds: credits,
    isBroken: (root) => textAt(root, ...invoice, "cbc:ID") === ""
  },
  {
    rule: "CBG05",
    path: `${invoice.join("/")}/cbc:UUID/@schemeName`,
    kinds: credits,
    isBroken: (root) => {
      const id = at(root, ...invoice, "cbc:UUID")
      return id !== undefined && attributeOf(id, "schemeName") !== "CUFE-SHA384"
    }
  },
  {
    rule: "CAE02",
    path: "cac:InvoicePeriod",
    kinds: credits,
    isBroken: (root, document) => operation(document) === credit.withoutInvoice && hasOtherPeriod(root)
  },
  { rule: "DBF01", path: discrepancy, kinds: debits, isBroken: (root) => at(root, discrepancy) === undefined },
  {
    rule: "DBF02",
    path: `${discrepancy}/cbc:ReferenceID`,
    kinds: debits,
    isBroken: (root, document) =>
      operation(document) === debit.withInvoice && !textAt(root, discrepancy, "cbc:ReferenceID")
  },
  { rule: "DBF03", path: code.join("/"), kinds: debits, isBroken: (root) => !isIn(debitConcepts, root) },
  {
    rule: "DAE02",
    path: "cac:InvoicePeriod",
    kinds: debits,
    isBroken: (root, document) => operation(document) === debit.withoutInvoice && hasOtherPeriod(root)
  }
]
