import type { CustomerRequest } from "../../../schemas/Customer.ts"
import { type Line, lineExample, type Tax } from "../../../schemas/Line.ts"

/* What the examples of documents are made of. Each example is a request that the sandbox accepts. */

/** A request by what is particular about the document. */
export interface DocumentExample<Request> {
  readonly title: string
  /** One sentence: when such a document is issued, and what to look at. */
  readonly text: string
  readonly request: Request
  /** The buyer, where the document is for a buyer of a kind. */
  readonly customer?: CustomerRequest
}

export type DocumentExamples<Request> = Readonly<Record<string, DocumentExample<Request>>>

export const noTax: Tax = { code: "ZZ", rate: "0.00", base: "0.00", value: "0.00" }

export const vat = (base: string, value: string, rate = "19.00"): Tax => ({ code: "01", rate, base, value })

/** One unit of something at a price, with its value added tax; `change` is what the example shows. */
export const line = (description: string, amount: string, tax: Tax, change: Partial<Line> = {}): Line => ({
  description,
  quantity: "1.00",
  unit_code: "94",
  unit_price: amount,
  line_extension_amount: amount,
  taxes: [tax],
  ...change
})

export const consulting: Line = lineExample
