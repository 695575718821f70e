import { Arbitrary, Effect, Schema, Struct } from "effect"
import { Issuer } from "../../schemas/Account.ts"
import { TaxResponsibility } from "../../schemas/Code.ts"
import { Acquirer } from "../../schemas/Customer.ts"
import { DocumentKind } from "../../schemas/FiscalDocument.ts"
import type { InvoiceRequest } from "../../schemas/Invoice.ts"
import type { Line, Tax } from "../../schemas/Line.ts"
import { text } from "../../schemas/Text.ts"
import { applicationResponse } from "../../src/documents/email/ApplicationResponse.ts"
import type { Accepted } from "../../src/documents/NationalProfile.ts"
import { fromPem, makeSelfSigned } from "../../src/documents/signature/Certificate.ts"
import type { FiscalDocument } from "../../src/documents/ubl/FiscalDocument.ts"
import type { Software } from "../../src/documents/ubl/UblSoftware.ts"
import { truncated } from "../../src/documents/rules/Details.ts"
import { totalsOf } from "../../src/documents/rules/Totals.ts"
import { invoiceRequests, noteRequestOf } from "../support/documents/RightRequests.ts"

/** Documents of all kinds, handmade and generated. */

export const software: Software = {
  provider: { number: "900373115", check_digit: "3" },
  id: "f0110000-0000-4000-8000-000000000000",
  pin: "12345"
}

export const certificate = Effect.runSync(
  Effect.cached(Effect.map(makeSelfSigned("Folio, prueba & Cía.", new Date(0)), fromPem))
)

export const hostile = `]]> & < > " ' <![CDATA[ --> &amp; &#x26; <b/> ñandú 😀 ${"\ufffd"}`

export const sale: FiscalDocument = {
  kind: "invoice",
  in_contingency: false,
  full_number: "SETP990000001",
  prefix: "SETP",
  cufe: "ab".repeat(48),
  issue_date: "2026-11-21",
  issue_time: "10:00:00-05:00",
  environment: "2",
  currency: "COP",
  exchange_rate: null,
  operation_type: "10",
  issuer: {
    identification: { type: "31", number: "900373115", check_digit: "3" },
    legal_name: "Emisor S.A.S.",
    organization_type: "1",
    email: "facturas@emisor.test",
    address: "Carrera 7 71-21",
    city_code: "11001",
    department_code: "11",
    country_code: "CO",
    tax_responsibilities: ["R-99-PN"]
  },
  acquirer: {
    identification: { type: "13", number: "1018999999" },
    legal_name: "Ana Muñoz",
    organization_type: "2"
  },
  payment_means: { code: "10", type: "1" },
  lines: [
    {
      description: 'Consultoría "ñandú" 😀',
      quantity: "2.00",
      unit_code: "94",
      unit_price: "50000.00",
      line_extension_amount: "100000.00",
      taxes: [{ code: "01", rate: "19.00", base: "100000.00", value: "19000.00" }]
    }
  ],
  totals: {
    line_extension_amount: "100000.00",
    tax_amount: "19000.00",
    payable_amount: "119000.00",
    taxes: [{ code: "01", rate: "19.00", base: "100000.00", value: "19000.00" }]
  },
  range: {
    number: "18760000001",
    prefix: "SETP",
    from_number: "990000000",
    to_number: "995000000",
    valid_from: "2019-01-19",
    valid_to: "2030-01-19"
  },
  correction: null
}

const noTax: Tax = { code: "ZZ", rate: "0.00", base: "0.00", value: "0.00" }

const withLines = (document: FiscalDocument, lines: ReadonlyArray<Line>): FiscalDocument => ({
  ...document,
  lines,
  totals: totalsOf(lines)
})

/** A document with that many lines: of several rates, of several taxes, and without tax. */
export const ofLength = (document: FiscalDocument, count: number): FiscalDocument => {
  const line = sale.lines[0]!
  const taxes: ReadonlyArray<ReadonlyArray<Tax>> = [
    line.taxes,
    [noTax],
    [{ code: "01", rate: "5.00", base: "100000.00", value: "5000.00" }],
    [
      { code: "01", rate: "19.00", base: "100000.00", value: "19000.00" },
      { code: "02", rate: "1.50", base: "100000.00", value: "1500.00" },
      { code: "04", rate: "8.00", base: "100000.00", value: "8000.00" }
    ],
    [{ code: "01", rate: "0.00", base: "100000.00", value: "0.00" }]
  ]
  return withLines(
    document,
    Array.from({ length: count }, (_, index) => ({
      ...line,
      description: `Línea ${index + 1} <&>`,
      taxes: taxes[index % taxes.length] ?? line.taxes
    }))
  )
}

const note = (kind: "credit_note" | "debit_note"): FiscalDocument => ({
  ...sale,
  kind,
  full_number: kind === "credit_note" ? "NC7" : "ND7",
  prefix: kind === "credit_note" ? "NC" : "ND",
  range: null,
  correction: {
    code: "2",
    reason: "Anulación de factura electrónica",
    invoice: { full_number: "SETP990000001", cufe: "cd".repeat(48), issue_date: "2026-11-20" }
  }
})

const dollars = { currency: "USD", exchange_rate: "4100.50" } as const

const foreigner: Acquirer = {
  identification: { type: "50", number: "US-1234" },
  legal_name: "Wayne & Sons <Ltd.>",
  organization_type: "1",
  email: "invoices@wayne.test",
  address: "1007 Mountain Drive",
  country_code: "US"
}

/** Example documents of every kind, by their particular feature. */
export const examples: Readonly<Record<string, FiscalDocument>> = {
  sale,
  "sale on credit": { ...sale, payment_means: { code: "47", type: "2", due_date: "2026-12-21" } },
  "contract with administration, contingency and profit": { ...sale, operation_type: "09" },
  export: { ...sale, ...dollars, operation_type: "11", acquirer: foreigner },
  "export without an address": {
    ...sale,
    operation_type: "11",
    acquirer: { ...foreigner, identification: { type: "41", number: "X1" }, organization_type: "2" }
  },
  "sale between parties with all fields": {
    ...sale,
    issuer: {
      ...sale.issuer,
      trade_name: "La Esquina & Cía.",
      phone: "+57 601 7427000",
      postal_code: "110111",
      tax_responsibilities: ["O-13", "O-15"],
      tax_scheme: "ZA",
      vat_responsible: true,
      economic_activities: ["6201", "6202"],
      merchant_registration: "02345678",
      payment_instructions: "Bancolombia 123-456\nBre-B facturas@emisor.test",
      color: "#1f4e79"
    },
    acquirer: {
      ...sale.acquirer,
      trade_name: "Ana's",
      phone: "310 5551234",
      postal_code: "110221",
      tax_responsibilities: ["O-47"],
      tax_scheme: "04"
    }
  },
  "sale by a seller without value added tax": { ...sale, issuer: { ...sale.issuer, vat_responsible: false } },
  contingency: { ...sale, in_contingency: true },
  "in dollars": { ...sale, ...dollars },
  "without prefix": { ...sale, prefix: "", full_number: "7", range: { ...sale.range!, prefix: "" } },
  "of production": { ...sale, environment: "1" },
  "without tax": withLines(sale, [{ ...sale.lines[0]!, taxes: [noTax] }]),
  "hostile text": {
    ...sale,
    issuer: { ...sale.issuer, legal_name: hostile, address: hostile },
    acquirer: { ...foreigner, legal_name: hostile, address: hostile },
    lines: [{ ...sale.lines[0]!, description: hostile }]
  },
  "credit note": note("credit_note"),
  "credit note in dollars": { ...note("credit_note"), ...dollars },
  "debit note": note("debit_note"),
  "debit note by a seller without value added tax": {
    ...note("debit_note"),
    issuer: { ...sale.issuer, vat_responsible: false, tax_scheme: "ZZ" }
  },
  "debit note in dollars on credit": {
    ...note("debit_note"),
    ...dollars,
    payment_means: { code: "30", type: "2", due_date: "2026-12-21" }
  }
}

const digits = (length: number) => Schema.String.check(Schema.isPattern(new RegExp(`^[1-9]\\d{${length - 1}}$`, "u")))
const hex = Schema.String.check(Schema.isPattern(/^[0-9a-f]{96}$/u))
const date = Schema.String.check(Schema.isPattern(/^20[2-4]\d-(0[1-9]|1[0-2])-(0[1-9]|1\d|2[0-8])$/u))

const Given = Schema.Struct({
  kind: DocumentKind,
  in_contingency: Schema.Boolean,
  number: digits(9),
  prefix: Schema.String.check(Schema.isPattern(/^[A-Z0-9]{0,4}$/u)),
  code: hex,
  issue_date: date,
  issue_time: Schema.String.check(Schema.isPattern(/^([01]\d|2[0-3]):[0-5]\d:[0-5]\d-05:00$/u)),
  environment: Schema.Literals(["1", "2"]),
  issuer: Schema.Struct({ ...Issuer.fields, tax_responsibilities: Schema.NonEmptyArray(TaxResponsibility) }),
  acquirer: Schema.Struct({
    ...Acquirer.fields,
    tax_responsibilities: Schema.optionalKey(Schema.NonEmptyArray(TaxResponsibility))
  }),
  reason: text(300),
  correction: Schema.Literals(["1", "2", "3", "4"])
})

/** The content that a document takes from its request, with every figure as the document keeps it. */
const contentOf = (request: InvoiceRequest, kind: FiscalDocument["kind"]) => {
  const kept = truncated(request)
  const { currency, exchange_rate = null, operation_type, payment_means } = kept
  const content =
    kind === "invoice"
      ? Struct.omit(kept, ["customer_id", "metadata", "prefix"])
      : Struct.omit(noteRequestOf(kept, kind), ["correction_code", "invoice_id", "metadata", "reason"])
  const totals = totalsOf(content.lines, content)
  return { ...content, currency, exchange_rate, operation_type, payment_means, totals }
}

/** Valid documents of any kind and content, between any parties. */
export const documents: Arbitrary.Arbitrary<FiscalDocument> = Arbitrary.map(
  Arbitrary.all([Arbitrary.schema(Given), invoiceRequests]),
  ([{ code, correction, number, reason, ...given }, request]) => {
    const isInvoice = given.kind === "invoice"
    return {
      ...given,
      ...contentOf(request, given.kind),
      in_contingency: isInvoice && given.in_contingency,
      full_number: given.prefix + number,
      cufe: code,
      range: isInvoice ? { ...sale.range!, prefix: given.prefix } : null,
      correction: isInvoice
        ? null
        : { code: correction, reason, invoice: { full_number: "FE1", cufe: code, issue_date: given.issue_date } }
    }
  }
)

/** The source of an email package: the signed bytes, and the response of an authority that accepted the document. */
export const answered = (document: FiscalDocument, signed: Uint8Array): Accepted => {
  const validatedAt = Date.parse(`${document.issue_date}T${document.issue_time}`) + 60_000
  const answer = { accepted: true, errors: [], notifications: [] }
  return { document, signed, applicationResponse: applicationResponse(document, answer, validatedAt), validatedAt }
}
