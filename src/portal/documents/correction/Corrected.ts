import type { Violation } from "../../../../schemas/ApiError.ts"
import type { DocumentKind } from "../../../../schemas/FiscalDocument.ts"
import { InvoiceRequest } from "../../../../schemas/Invoice.ts"
import { isPerUnit, type Line, type Tax } from "../../../../schemas/Line.ts"
import { CreditNoteRequest } from "../../../../schemas/Note.ts"
import { violation } from "../../../documents/rules/AuthorityRules.ts"
import { contract, settledLine } from "../../../documents/rules/amounts/LineRules.ts"
import type * as Form from "../../forms/SentForm.ts"
import { figureOf } from "./CorrectionFigures.ts"
import type { AnyDocument } from "../DocumentView.ts"

/** The request for a document. Fields outside the form keep the document's values. */
export type Request = Readonly<Record<string, unknown>> & {
  readonly lines: ReadonlyArray<Line>
  readonly payment_means?: AnyDocument["payment_means"]
  readonly order_reference?: { readonly id: string; readonly issue_date?: string }
  readonly notes?: ReadonlyArray<string>
  readonly customer_id?: string
}

/** The most lines in the form. The JSON request holds all lines. */
export const linesShown = 40

const fields = {
  invoice: Object.keys(InvoiceRequest.fields),
  note: Object.keys(CreditNoteRequest.fields)
}

/** The fields that a note copies from its invoice. A request must not hold them. */
const ofItsInvoice = new Set(["customer_id", "currency", "exchange_rate", "payment_means"])

/** The request that creates the document as it is. */
export const requestOf = (kind: DocumentKind, document: AnyDocument): Request => {
  const isOfInvoice = typeof document.invoice_id === "string"
  const names = kind === "invoice" ? fields.invoice : fields.note
  const given = Object.entries(document).filter(
    ([name, value]) => names.includes(name) && value !== null && !(isOfInvoice && ofItsInvoice.has(name))
  )
  return Object.fromEntries(given) as unknown as Request
}

/** The notes of a document as one field: paragraphs with an empty line between them. */
export const notesText = (notes: ReadonlyArray<string> = []): string => notes.join("\n\n")

/** A request with the changes of a form, and the form's unreadable fields. */
export interface Changed {
  readonly request: Request
  readonly faults: ReadonlyArray<Violation>
  /** The index in the form of each line of the request. */
  readonly origins: ReadonlyArray<number>
}

const unixLines = (text: string) => text.replaceAll(/\r\n?/g, "\n")

type Say = (fault: "none" | "ambiguous") => string

const says: Say = (fault) =>
  fault === "none"
    ? "Write a figure such as 1190000 or 0.5, with at most six decimals."
    : "This may be thousands or decimals. Write 1000 or 1000.00."

/** Reads the fields of a form over a request, and collects the unreadable fields. */
const reader = (form: Form.Form) => {
  const faults: Array<Violation> = []
  const has = (name: string) => form.names.includes(name)
  return {
    faults,
    has,
    text: (name: string, current: string) => (has(name) ? form.text(name) : current),
    figure: (name: string, current: string) => {
      if (!has(name) || (form.text(name) === current && current !== "")) return current
      const read = figureOf(form.text(name))
      if ("value" in read) return read.value
      faults.push(violation(name, "parameter_invalid", says(read.fault), "schema"))
      return current
    }
  }
}
type Reader = ReturnType<typeof reader>

export const noTax = { code: "ZZ", rate: "0.00", base: "0.00", value: "0.00" } as const

/** A percentage tax as a field value: "01 19.00". */
export const taxValue = ({ code, rate = "0.00" }: Pick<Tax, "code" | "rate">): string => `${code} ${rate}`

const taxOf = (read: Reader, path: string, tax: Tax, old: Line, quantity: string, keepsBase: boolean): Tax => {
  if (isPerUnit(tax)) return tax.units === old.quantity ? { ...tax, units: quantity } : tax
  const [code = tax.code, rate = "0.00"] = read.text(path, taxValue(tax)).split(" ") as [Tax["code"], string?]
  if (code === "ZZ") return noTax
  if (!/^\d{1,3}\.\d{2,3}$/.test(rate)) {
    read.faults.push(violation(path, "parameter_invalid", "Choose one of the taxes.", "catalog"))
    return tax
  }
  return { ...tax, code, rate, base: keepsBase ? (tax.base ?? "0.00") : "0.00", value: "0.00" }
}

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

const rates = (all: ReadonlyArray<Tax>) => all.map(({ code, rate }) => [code, rate])

/** A line of the form. Computes its amounts again if quantity, price or rate has changed. */
const lineOf = (read: Reader, path: string, line: Line, operation_type: string, isDebitNote: boolean): Line => {
  const keepsBase = line.special_base !== undefined || operation_type === contract
  const quantity = read.figure(`${path}.quantity`, line.quantity)
  const unit_price = read.figure(`${path}.unit_price`, line.unit_price)
  const taxes = line.taxes.map((tax, index) => taxOf(read, `${path}.taxes[${index}]`, tax, line, quantity, keepsBase))
  const said = {
    ...line,
    description: read.text(`${path}.description`, line.description),
    unit_code: read.text(`${path}.unit_code`, line.unit_code)
  }
  const stays = quantity === line.quantity && unit_price === line.unit_price && isSame(rates(taxes), rates(line.taxes))
  if (stays) return said
  const computed = { ...said, quantity, unit_price, taxes, line_extension_amount: "0.00" }
  // Doesn't compute with an unreadable field.
  return read.faults.length > 0 ? computed : settledLine(computed, { operation_type, isDebitNote })
}

/** The empty line that the form adds to the document's lines. */
export const newLine: Line = {
  description: "",
  quantity: "",
  unit_code: "94",
  unit_price: "",
  line_extension_amount: "0.00",
  taxes: [{ code: "01", rate: "19.00", base: "0.00", value: "0.00" }]
}

/** The request with the changes of the form. */
export const changed = (kind: DocumentKind, request: Request, form: Form.Form): Changed => {
  const read = reader(form)
  const operation = String(request["operation_type"] ?? "10")
  const lines: Array<Line> = []
  const origins: Array<number> = []
  const isNew = (index: number) =>
    ["description", "quantity", "unit_price"].some((name) => form.text(`lines[${index}].${name}`) !== "")
  for (const [index, line] of [...request.lines, newLine].entries()) {
    const path = `lines[${index}]`
    const isAdded = index === request.lines.length
    if (read.has(`${path}.remove`) || (isAdded && !isNew(index))) continue
    lines.push(lineOf(read, path, line, operation, kind === "debit_note"))
    origins.push(index)
  }
  const { notes, order_reference, payment_means, ...rest } = request
  const kept = Object.fromEntries(
    Object.entries(rest).map(([name, value]) => [
      name,
      typeof value === "string" && ["customer_id", "reason", "correction_code"].includes(name)
        ? read.text(name, value)
        : value
    ])
  )
  const said = unixLines(form.text("notes"))
  const sameNotes = !read.has("notes") || said === notesText(notes).trim()
  const newNotes = sameNotes ? notes : said.split(/\n{2,}/).filter((note) => note.trim() !== "")
  const order = read.text("order_reference.id", order_reference?.id ?? "")
  return {
    request: {
      ...kept,
      ...(payment_means === undefined ? {} : { payment_means: paymentOf(read, payment_means) }),
      lines,
      ...(order === "" ? {} : { order_reference: { ...order_reference, id: order } }),
      ...(newNotes === undefined || newNotes.length === 0 ? {} : { notes: newNotes })
    },
    faults: read.faults,
    origins
  }
}

const paymentOf = (read: Reader, means: AnyDocument["payment_means"]): AnyDocument["payment_means"] => {
  const { due_date = "", reference = "" } = means
  const [due, paid] = [read.text("payment_means.due_date", due_date), read.text("payment_means.reference", reference)]
  return {
    code: read.text("payment_means.code", means.code),
    type: read.text("payment_means.type", means.type) === "2" ? "2" : "1",
    ...(due === "" ? {} : { due_date: due }),
    ...(paid === "" ? {} : { reference: paid })
  }
}

/** A violation of the request, with the form's line indexes. */
export const asInForm =
  (origins: ReadonlyArray<number>) =>
  (named: Violation): Violation => ({
    ...named,
    param: named.param.replace(/^lines\[(\d+)\]/, (_, index: string) => `lines[${origins[Number(index)] ?? index}]`)
  })
