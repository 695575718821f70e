import type { CreditNoteRequest, DebitNoteRequest } from "../../../schemas/Note.ts"
import type { Line } from "../../../schemas/Line.ts"
import { consulting, type DocumentExamples, line, vat } from "./DocumentExample.ts"

const note = <Code extends string>(correction_code: Code, reason: string, lines: ReadonlyArray<Line>) => ({
  invoice_id: "inv_01k9z3v8c2m4n6p8q0r2s4t6v8",
  correction_code,
  reason,
  lines
})

/** The fields that replace `invoice_id` in a note to an invoice of another system. */
const elsewhere = {
  original: {
    full_number: "POS1042",
    cufe: "8bb918b19ba22a694f1da11c643b5e9de39adf60311cf179179e9b33381030bcd4c3c3f156c506ed5908f9276f5bd9b4",
    issue_date: "2026-01-30"
  },
  customer_id: "cust_01k9z3v8c2m4n6p8q0r2s4t6v8",
  currency: "COP"
}

const part = (description: string) => line(description, "10000.00", vat("10000.00", "1900.00"))

/** The examples of credit notes. The reference shows each example, and a test issues it. */
export const creditNoteExamples: DocumentExamples<CreditNoteRequest> = {
  returned: {
    title: "Partial return",
    text: "Concept 1: only the returned lines, with their taxes.",
    request: note("1", "Devolución de una unidad", [part("Consultoría")])
  },
  annulled: {
    title: "Annulment of the whole invoice",
    text: "Concept 2, over all lines. POST /v1/invoices/{id}/annul creates the same note.",
    request: note("2", "Anulación de la factura", [consulting])
  },
  rebate: {
    title: "Rebate",
    text: "Concept 3: a reduction of the invoiced amount.",
    request: note("3", "Rebaja acordada", [part("Rebaja sobre la consultoría")])
  },
  price_adjusted: {
    title: "Lower price",
    text: "Concept 4: the difference to the correct price.",
    request: note("4", "Ajuste de precio", [part("Diferencia de precio")])
  },
  prompt_payment: {
    title: "Discount for prompt payment",
    text: "Concept 5, after the buyer has paid in time.",
    request: note("5", "Descuento por pronto pago", [part("Descuento por pronto pago")])
  },
  volume: {
    title: "Volume discount",
    text: "Concept 6, with a note and the period of the counted sales.",
    request: {
      ...note("6", "Descuento por volumen", [part("Descuento por volumen")]),
      notes: ["Ventas de noviembre"],
      period: { start_date: "2026-11-01", end_date: "2026-11-30" }
    }
  },
  other_system: {
    title: "Invoice of another system",
    text: "`original` names the invoice by number, CUFE and date. Send the buyer and the currency too.",
    request: { ...elsewhere, correction_code: "1", reason: "Devolución de una unidad", lines: [part("Consultoría")] }
  },
  period: {
    title: "Without an invoice",
    text: "A correction of the sales of one calendar month, such as a bonus on all of them.",
    request: {
      customer_id: elsewhere.customer_id,
      currency: elsewhere.currency,
      period: { start_date: "2026-10-01", end_date: "2026-10-31" },
      correction_code: "6",
      reason: "Bonificación por las compras de octubre",
      lines: [part("Bonificación")]
    }
  }
}

/** The examples of debit notes. The reference shows each example, and a test issues it. */
export const debitNoteExamples: DocumentExamples<DebitNoteRequest> = {
  interest: {
    title: "Interest",
    text: "Concept 1: interest on a late payment.",
    request: note("1", "Intereses de mora", [part("Intereses de mora")])
  },
  expenses: {
    title: "Expenses",
    text: "Concept 2: expenses on behalf of the buyer.",
    request: note("2", "Gastos por cobrar", [part("Flete adicional")])
  },
  value_changed: {
    title: "Higher value",
    text: "Concept 3: the difference to the correct value.",
    request: note("3", "Cambio del valor", [part("Diferencia de precio")])
  },
  other: {
    title: "Other",
    text: "Concept 4: `reason` explains the charge.",
    request: note("4", "Ajuste por servicio adicional", [part("Hora adicional de soporte")])
  },
  other_system: {
    title: "Invoice of another system",
    text: "`original` names the invoice by number, CUFE and date. Send the buyer and the currency too.",
    request: { ...elsewhere, correction_code: "1", reason: "Intereses de mora", lines: [part("Intereses de mora")] }
  }
}
