import { cents, type Document, markerOf, sum } from "./Document.ts"
import { type Entry, isSuccess, type Journal } from "../Journal.ts"

/** Checks that a document's first observed content matches its request, and that its totals are the sums. */
export const checkContent = (document: Document, journal: Journal, wrong: (what: string) => void): void => {
  const { lines, totals } = document
  const marker = markerOf(document)
  const maker = journal.entries.find((entry) => entry.kind === "create" && markerOf(entry.body) === marker)
  if (maker === undefined) return wrong("was created without a request")
  const sayings = [maker, ...journal.asks("correct", document.id)]
  if (document.object === "invoice") {
    if (!sayings.some(({ body }) => says(document, body)))
      wrong("has another customer, or other lines, than its request")
  } else {
    const named = document.invoice_id ?? ""
    const invoices = [journal.things.get(named)?.maker, ...journal.asks("correct", named)]
    if (!meansInvoice(maker, named)) wrong(`corrects ${document.invoice_id}`)
    if (invoices.every((invoice) => document.customer_id !== invoice?.body.customer_id))
      wrong("has another customer than its invoice")
    if (document.reason !== maker.body.reason) wrong("has another reason")
    if (document.correction_code !== (maker.body.correction_code ?? annulment)) wrong("has another correction code")
    if (
      maker.body.lines === undefined &&
      invoices.every((invoice) => JSON.stringify(lines) !== JSON.stringify(invoice?.body.lines))
    )
      wrong("annuls other lines than its invoice has")
  }
  const sent = maker.body.lines ?? lines
  if (document.object !== "invoice" && JSON.stringify(lines) !== JSON.stringify(sent))
    wrong("has other lines than its request")
  const net = sum(lines.map((line) => line.line_extension_amount))
  const tax = sum(lines.flatMap((line) => line.taxes.filter(({ code }) => code !== "ZZ").map(({ value }) => value)))
  const isSum =
    cents(totals.line_extension_amount) === net &&
    cents(totals.tax_amount) === tax &&
    cents(totals.payable_amount) === net + tax &&
    sum(totals.taxes.map(({ value }) => value)) === tax
  if (!isSum) wrong(`its totals are not the sums of its lines: ${JSON.stringify(totals)}`)
}

// In the catalog concepto-nota-credito.
const annulment = "2"

/** Whether the document's content matches the body of a request. */
const says = ({ customer_id, lines }: Document, body: Entry["body"]) =>
  customer_id === body.customer_id && JSON.stringify(lines) === JSON.stringify(body.lines)

/** Whether a request for a note is about this invoice. */
const meansInvoice = ({ body, path }: Entry, invoice: string) =>
  body.invoice_id === invoice || path === `/v1/invoices/${invoice}/annul`

/** Checks that a corrected document has the content of its last correction. */
export const checkCorrection = (document: Document, journal: Journal, wrong: (what: string) => void): void => {
  const asked = journal.asks("correct", document.id)
  if (!asked.every(isSuccess)) return
  const last = asked.map((entry) => [JSON.parse(entry.reply!.text) as Document, entry] as const)
  const [newest] = last.toSorted(([a], [b]) => b.version - a.version)
  if (newest !== undefined && !says(document, newest[1].body)) wrong("differs from its last correction")
}
