import { checkDigit, sandboxIdentification } from "../../../src/documents/rules/parties/CheckDigit.ts"

/** Numbers of acquirers (type 31) whose invoices the sandbox does not simply accept. */
export const scripted = {
  rejected: "900000002",
  flaky: "900000006",
  notified: "900000007",
  lost: "900000008"
} as const

/** Without `number`: the sandbox's own acquirer, whose invoices are always accepted. */
export const customerBody = (number?: string) => ({
  identification:
    number === undefined ? sandboxIdentification : { type: "31", number, check_digit: checkDigit(number) },
  legal_name: "Cliente de Prueba S.A.S.",
  organization_type: "1"
})

export const invoiceBody = (customer_id: string, metadata: Record<string, string> = {}) => ({
  customer_id,
  currency: "COP",
  operation_type: "10",
  payment_means: { code: "10", type: "1" },
  lines: [
    {
      description: "Consultoría",
      quantity: "2.00",
      unit_code: "94",
      unit_price: "50000.00",
      line_extension_amount: "100000.00",
      taxes: [{ code: "01", rate: "19.00", base: "100000.00", value: "19000.00" }]
    }
  ],
  metadata
})

/** A note on the whole of such an invoice. */
export const noteBody = (invoice_id: string, metadata: Record<string, string> = {}) => ({
  invoice_id,
  correction_code: "1",
  reason: "Devolución",
  lines: invoiceBody("").lines,
  metadata
})

/** A note on a part of it, without tax. */
export const partialNoteBody = (invoice_id: string, amount: string) => ({
  ...noteBody(invoice_id),
  lines: [
    {
      description: "Descuento",
      quantity: "1.00",
      unit_code: "94",
      unit_price: amount,
      line_extension_amount: amount,
      taxes: [{ code: "ZZ", rate: "0.00", base: "0.00", value: "0.00" }]
    }
  ]
})

/** A note on an invoice of another system, as a replacement for `noteBody`. */
export const originalNoteBody = (customer_id: string) => {
  const { invoice_id: _invoice, ...rest } = noteBody("")
  return {
    ...rest,
    customer_id,
    currency: "COP",
    original: { full_number: "POS1042", cufe: "8b".repeat(48), issue_date: "2026-10-30" }
  }
}

/** A note on the sales of a month, without an invoice. */
export const periodNoteBody = (customer_id: string) => {
  const { original: _original, ...rest } = originalNoteBody(customer_id)
  return { ...rest, period: { start_date: "2026-10-01", end_date: "2026-10-31" } }
}

/** A range of notes, as a replacement for `resolutionBody`. */
export const noteRangeBody = (document_type: string, prefix: string, next_number?: number) => ({
  document_type,
  prefix,
  ...(next_number === undefined ? {} : { next_number })
})

export const outcomeEvents = [
  "invoice.accepted_by_authority",
  "invoice.rejected_by_authority",
  "invoice.accepted_contingency",
  "invoice.failed"
] as const

export const endpointBody = (url: string, max_in_flight = 8) => ({
  url,
  subscribed_events: outcomeEvents,
  max_in_flight
})

export const resolutionBody = (change: Record<string, unknown> = {}) => ({
  number: "18760000002",
  prefix: "FE",
  from_number: 1,
  to_number: 1000,
  valid_from: "2026-01-01",
  valid_to: "2029-12-31",
  technical_key: "fc8eac422eba16e22ffd8c6f94b3f40a6e38162c",
  ...change
})
