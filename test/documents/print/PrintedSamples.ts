import type { Line } from "../../../schemas/Line.ts"
import type { FiscalDocument } from "../../../src/documents/ubl/FiscalDocument.ts"
import { sampleCorrection, sampleDocument, sampleLine } from "../samples.ts"

/** Printable documents of every kind, with all their optional content. */

const plain = sampleDocument([])

export const shop: FiscalDocument["issuer"] = {
  ...plain.issuer,
  legal_name: "Comercial Andina S.A.S.",
  trade_name: "Tienda Andina",
  phone: "601 555 0100",
  email: "facturas@tienda.test",
  address: "Calle 10 # 5-51",
  postal_code: "110321",
  tax_responsibilities: ["O-13", "R-99-PN"],
  vat_responsible: true,
  economic_activities: ["4711", "4719"],
  merchant_registration: "02345678",
  payment_instructions: "Bancolombia, ahorros 123-456789-00\nBre-B: facturas@tienda.test",
  color: "#1f5fbf"
}

const vat = (base: string, value: string, rate = "19.00") => ({ code: "01", rate, base, value }) as const
const bags = { code: "22", unit_amount: "66.00", units: "2.00", unit_code: "94", value: "132.00" } as const

export const everyLine: ReadonlyArray<Line> = [
  {
    description: "Consultoría de implementación",
    item: { code: "CONS-01", scheme: "999" },
    quantity: "10.00",
    unit_code: "HUR",
    unit_price: "100000.00",
    line_extension_amount: "1000000.00",
    taxes: [vat("1000000.00", "190000.00")],
    notes: ["Garantía de un año"]
  },
  {
    description: "Queso campesino",
    item: { code: "7701234567890", scheme: "010", brand: "Andina", model: "Madurado" },
    quantity: "0.345",
    unit_code: "KGM",
    unit_price: "43222.123456",
    line_extension_amount: "13420.42",
    taxes: [vat("13420.42", "0.00", "0.00")],
    allowance_charges: [
      { type: "discount", reason: "cliente frecuente", percent: "10.00", base: "14911.59", amount: "1491.17" },
      { type: "charge", reason: "empaque", base: "14911.59", amount: "77.31" }
    ],
    period: { start_date: "2026-11-01", end_date: "2026-11-30" }
  },
  sampleLine("Administración del contrato", {
    aiu_contract: "Servicio de aseo y cafetería en las oficinas de Bogotá",
    special_base: "Artículo 462-1 del Estatuto Tributario",
    taxes: [vat("10000.00", "1900.00")]
  }),
  sampleLine("Gaseosa de 400 ml", {
    unit_code: "NAR",
    principal: {
      identification: { type: "31", number: "800197268", check_digit: "4" },
      legal_name: "Productor Andino S.A.S."
    },
    taxes: [vat("100000.00", "19000.00"), bags]
  }),
  sampleLine("Muestra de café", {
    unit_price: "0.00",
    line_extension_amount: "0.00",
    reference_price: { amount: "5000.00", type: "01" },
    taxes: [vat("5000.00", "950.00")]
  })
]

/** An invoice with all its optional content. */
export const everything: FiscalDocument = {
  ...sampleDocument(everyLine, {
    full_number: "FE1042",
    prefix: "FE",
    issue_date: "2026-11-21",
    issue_time: "10:42:17-05:00",
    payment_means: { code: "47", type: "2", due_date: "2026-12-21", reference: "PAGO-1001" },
    other_payment_means: [{ code: "10", type: "1", reference: "CAJA-9" }],
    order_reference: { id: "OC-7781", issue_date: "2026-11-02" },
    despatch_reference: { id: "REM-5512", issue_date: "2026-11-20" },
    period: { start_date: "2026-11-01", end_date: "2026-11-30" },
    delivery: { date: "2026-11-22", address: "Bodega 14, Zona Franca de Fontibón", city_code: "11001" },
    notes: ["Gracias por su compra.", "Se asimila en sus efectos legales a una letra de cambio."],
    allowance_charges: [
      { type: "discount", code: "01", reason: "pronto pago", percent: "2.00", base: "1000000.00", amount: "20000.00" },
      { type: "discount", code: "00", reason: "promoción", base: "1000000.00", amount: "14070.42" },
      { type: "charge", reason: "flete", base: "1000000.00", amount: "8000.00" }
    ],
    prepayments: [{ amount: "20000.00", received_date: "2026-11-01", id: "RC-17" }],
    payable_rounding_amount: "-0.42",
    cash_rounding_amount: "-31.58",
    withholdings: [
      { code: "06", rate: "2.50", base: "1000000.00", value: "25000.00" },
      { code: "07", rate: "0.966", base: "1000000.00", value: "9660.00" }
    ],
    totals: {
      line_extension_amount: "1213420.42",
      allowance_total_amount: "34070.42",
      charge_total_amount: "8000.00",
      tax_amount: "211982.00",
      payable_rounding_amount: "-0.42",
      payable_amount: "1399331.58",
      prepaid_amount: "20000.00",
      cash_rounding_amount: "-31.58",
      due_amount: "1379300.00",
      withholding_total_amount: "34660.00",
      net_amount: "1344640.00",
      taxes: [vat("1115000.00", "211850.00"), vat("13420.42", "0.00", "0.00"), bags]
    }
  }),
  issuer: shop
}

/** An invoice in dollars to a buyer abroad. */
export const exported: FiscalDocument = {
  ...everything,
  currency: "USD",
  exchange_rate: "4100.50",
  operation_type: "11",
  incoterm: "FOB",
  acquirer: {
    identification: { type: "50", number: "US-98-7654321" },
    legal_name: "Acme Coffee Importers Inc.",
    organization_type: "1",
    country_code: "US",
    address: "1200 Brickell Avenue, Miami, FL",
    email: "ap@acme.test"
  }
}

const {
  cash_rounding_amount: _cash,
  prepayments: _prepayments,
  withholdings: _withholdings,
  other_payment_means: _means,
  delivery: _delivery,
  totals: { cash_rounding_amount: _rounded, due_amount: _due, net_amount: _net, prepaid_amount: _prepaid, ...totals },
  ...common
} = everything

export const creditNote: FiscalDocument = {
  ...common,
  totals,
  kind: "credit_note",
  full_number: "NC12",
  prefix: "NC",
  range: null,
  correction: sampleCorrection
}

export const debitNote: FiscalDocument = { ...creditNote, kind: "debit_note", full_number: "ND3", prefix: "ND" }

export const noteOnPeriod: FiscalDocument = { ...creditNote, correction: { ...sampleCorrection, invoice: null } }

/** An invoice in which every text, figure and list has its largest size. */
const huge = "999999999999999.99"
const longLine = sampleLine("W".repeat(300), {
  item: { code: "M".repeat(50), scheme: "999", brand: "W".repeat(100), model: "M".repeat(100) },
  quantity: "999999999999999.999999",
  unit_code: "NAR",
  unit_price: "999999999999999.999999",
  line_extension_amount: huge,
  notes: ["Nota ".repeat(1000), "W".repeat(5000)],
  allowance_charges: Array.from({ length: 10 }, () => ({
    type: "discount" as const,
    reason: "W".repeat(300),
    percent: "999999999999999.999",
    base: huge,
    amount: huge
  })),
  taxes: Array.from({ length: 10 }, (_, index) => ({
    code: index % 2 === 0 ? ("02" as const) : ("01" as const),
    rate: `${index}.25`,
    base: huge,
    value: huge
  }))
})
const longParty = {
  legal_name: "W".repeat(450),
  trade_name: "M".repeat(450),
  address: "M".repeat(300),
  email: `${"e".repeat(240)}@example.com`
}

export const enormous: FiscalDocument = {
  ...everything,
  full_number: "W".repeat(40),
  in_contingency: true,
  issuer: { ...shop, ...longParty, tax_responsibilities: ["O-13", "O-15", "O-23", "O-47"] },
  acquirer: { ...everything.acquirer, ...longParty },
  lines: [longLine, sampleLine("Uno"), longLine],
  notes: Array.from({ length: 5 }, () => "W".repeat(4000)),
  order_reference: { id: "W".repeat(64) },
  delivery: { address: "M".repeat(300) },
  totals: {
    ...everything.totals,
    line_extension_amount: huge,
    payable_amount: huge,
    due_amount: huge,
    net_amount: huge,
    taxes: Array.from({ length: 50 }, (_, index) => ({
      code: "03" as const,
      rate: `${index}.966`,
      base: huge,
      value: huge
    }))
  }
}

/** An invoice of that many lines. */
export const ofLines = (count: number): FiscalDocument => ({
  ...everything,
  lines: Array.from({ length: count }, (_, index) => ({
    ...sampleLine(`Producto ${index + 1} de la lista${" con palabras de más".repeat(index % 12)}`),
    item: { code: `P-${index + 1}`, scheme: "999" as const }
  }))
})

export const samples: Readonly<Record<string, FiscalDocument>> = {
  "one line": sampleDocument([sampleLine("Consultoría")]),
  everything,
  "of production": { ...everything, environment: "1" },
  contingency: { ...everything, in_contingency: true },
  exported,
  "credit note": creditNote,
  "credit note abroad": { ...creditNote, acquirer: exported.acquirer, currency: "USD", exchange_rate: "4100.50" },
  "debit note": debitNote,
  "note on a period": noteOnPeriod,
  enormous,
  "sixty lines": ofLines(60)
}
