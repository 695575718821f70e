import type { CustomerRequest } from "../../../schemas/Customer.ts"
import { type Line, lineExample, type Tax } from "../../../schemas/Line.ts"

/* Building blocks of the document examples. Each example is a request that the sandbox accepts. */

/** An example request for one kind of document. */
export interface DocumentExample<Request> {
  readonly title: string
  /** A short explanation: the use of the document, and the relevant fields. */
  readonly text: string
  readonly request: Request
  /** The buyer, if the document needs a special buyer. */
  readonly customer?: CustomerRequest
}

export type DocumentExamples<Request> = Readonly<Record<string, DocumentExample<Request>>>

export const noTax: Tax = { code: "ZZ", rate: "0.00", base: "0.00", value: "0.00" }

export const vat = (base: string, value: string, rate = "19.00"): Tax => ({ code: "01", rate, base, value })

/** A line for one unit at a price with its tax. `change` holds the fields that the example demonstrates. */
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
