import type { Line } from "../../../schemas/Line.ts"
import { sandboxSoftware } from "../../../src/documents/ubl/UblSoftware.ts"
import type { FiscalDocument } from "../../../src/documents/ubl/FiscalDocument.ts"
import { colombianSandbox } from "../../../src/documents/rules/parties/SandboxIds.ts"
import { cufe, documentTail } from "../../../src/documents/rules/Cufe.ts"
import { totalsOf } from "../../../src/documents/rules/Totals.ts"
import { examples, sale } from "../Documents.ts"

/** Documents that have every optional part. */

const line = sale.lines[0]!
const vat = line.taxes[0]!

const period = { start_date: "2026-11-01", end_date: "2026-11-30" } as const

const lines: ReadonlyArray<Line> = [
  {
    ...line,
    quantity: "0.333333",
    unit_code: "KGM",
    unit_price: "300000.123456",
    line_extension_amount: "95000.00",
    allowance_charges: [
      { type: "discount", reason: "Promoción & más", percent: "10.00", base: "100000.00", amount: "10000.00" },
      { type: "charge", reason: "Empaque", base: "100000.00", amount: "5000.06" }
    ],
    taxes: [{ ...vat, base: "95000.00", value: "18050.00" }],
    item: { code: "10101501", scheme: "001", brand: "Andina", model: "A-100" },
    notes: ["Garantía de un año", "<sin más>"],
    period
  },
  {
    ...line,
    description: "Bolsas",
    unit_price: "1000.00",
    line_extension_amount: "2000.00",
    item: { code: "BOL-1", scheme: "999" },
    taxes: [
      { ...vat, base: "2000.00", value: "380.00" },
      { code: "22", unit_amount: "70.00", units: "2.00", unit_code: "94", value: "140.00" },
      { code: "02", unit_amount: "26.2101", units: "2.00", unit_code: "GLL", value: "52.42" }
    ]
  },
  {
    ...line,
    description: "Muestra",
    unit_price: "0.00",
    line_extension_amount: "0.00",
    item: { code: "7702004003508", scheme: "010" },
    reference_price: { amount: "5000.00", type: "01" },
    taxes: [{ ...vat, base: "10000.00", value: "1900.00" }]
  },
  {
    ...line,
    description: "Con base especial",
    special_base: "Base gravable especial: artículo 447 del Estatuto Tributario",
    item: { code: "0901210000", scheme: "020" },
    taxes: [{ code: "01", rate: "5.00", base: "10000.00", value: "500.00" }]
  },
  {
    ...line,
    description: "Descontado del todo",
    line_extension_amount: "0.00",
    allowance_charges: [
      { type: "discount", reason: "Cortesía", percent: "100.00", base: "100000.00", amount: "100000.00" }
    ],
    taxes: [{ code: "01", rate: "0.00", base: "0.00", value: "0.00" }]
  },
  { ...line, description: "Excluido", taxes: [{ code: "ZZ", rate: "0.00", base: "0.00", value: "0.00" }] }
]

const noteDetails = {
  allowance_charges: [
    { type: "discount", reason: "Pronto pago", code: "01", percent: "1.00", base: "297000.00", amount: "2970.00" },
    { type: "discount", reason: "Promoción", base: "297000.00", amount: "1000.00" },
    { type: "charge", reason: "Flete", base: "297000.00", amount: "7000.00" }
  ],
  payable_rounding_amount: "-0.42",
  order_reference: { id: "OC-7781", issue_date: "2026-11-02" },
  despatch_reference: { id: "REM-12" },
  notes: ["Gracias por su compra", "Segunda <nota>"],
  period
} as const

const details = {
  ...noteDetails,
  prepayments: [
    { amount: "20000.00", received_date: "2026-11-01", id: "RC-17" },
    { amount: "100.00", received_date: "2026-11-02" }
  ],
  withholdings: [
    { code: "06", rate: "2.50", base: "100000.00", value: "2500.00" },
    { code: "05", rate: "15.00", base: "20830.00", value: "3124.50" },
    { code: "07", rate: "0.966", base: "100000.00", value: "966.00" },
    { code: "06", rate: "11.00", base: "100.00", value: "11.00" }
  ],
  delivery: { date: "2026-11-25", address: "Calle 10 # 5-51", city_code: "05001" },
  other_payment_means: [
    { code: "71", type: "2", due_date: "2027-01-21", reference: "B-1" },
    { code: "49", type: "1" }
  ]
} as const

/** A document with the code of its content, as the authority's sandbox computes it. */
export const coded = (document: FiscalDocument): FiscalDocument => {
  const { acquirer, environment, issuer, kind, totals, ...rest } = document
  const tail = documentTail({
    ...rest,
    livemode: environment === "1",
    totals,
    supplier_nit: issuer.identification.number,
    customer_id: acquirer.identification.number,
    key: kind === "invoice" ? (colombianSandbox.range.technical_key ?? "") : sandboxSoftware.pin
  })
  return { ...document, cufe: cufe(document.full_number, tail) }
}

const complete = (document: FiscalDocument): FiscalDocument => ({
  ...document,
  totals: totalsOf(document.lines, document)
})

const note = (name: "credit note" | "debit note"): FiscalDocument => {
  const document = examples[name]!
  const isDebit = document.kind === "debit_note"
  return complete({
    ...document,
    ...noteDetails,
    // UBL has no period for a line of a debit note.
    lines: isDebit ? lines.map(({ period: _period, ...rest }) => rest) : lines
  })
}

const withoutInvoice = (document: FiscalDocument): FiscalDocument => ({
  ...document,
  period,
  correction: { ...document.correction!, code: "3", invoice: null! }
})

const principal = {
  identification: { type: "31", number: "800197268", check_digit: "4" },
  legal_name: "Productor Andino S.A.S."
} as const

export const fullDocuments: Readonly<Record<string, FiscalDocument>> = {
  "sale with everything": complete({
    ...sale,
    ...details,
    payment_means: { code: "47", type: "2", due_date: "2026-12-21", reference: "PAGO-1001" },
    lines
  }),
  "export with everything": complete({
    ...examples["export"]!,
    ...details,
    incoterm: "FOB",
    delivery: { date: "2026-11-25" },
    lines
  }),
  "sale on behalf of a principal": complete({ ...sale, lines: [line, { ...line, principal }] }),
  "contract with the object on one line": complete({
    ...sale,
    operation_type: "09",
    lines: [line, { ...line, aiu_contract: "Aseo y cafetería en las oficinas de Bogotá" }]
  }),
  "credit note with everything": note("credit note"),
  "credit note on behalf of a principal": complete({ ...examples["credit note"]!, lines: [{ ...line, principal }] }),
  "debit note with everything": note("debit note"),
  "credit note without an invoice": withoutInvoice(examples["credit note"]!),
  "debit note without an invoice": withoutInvoice(examples["debit note"]!),
  "credit note with the rate of its invoice": {
    ...examples["credit note in dollars"]!,
    exchange_rate_date: "2026-11-20"
  }
}
