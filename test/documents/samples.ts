import type { Line } from "../../schemas/Line.ts"
import type { FiscalDocument } from "../../src/documents/FiscalDocument.ts"
import { totalsOf } from "../../src/domain/Totals.ts"

export const sampleLine = (description: string, change: Partial<Line> = {}): Line => ({
  description,
  quantity: "2.00",
  unit_code: "HUR",
  unit_price: "50000.00",
  line_extension_amount: "100000.00",
  taxes: [{ code: "01", rate: "19.00", base: "100000.00", value: "19000.00" }],
  ...change
})

/** An invoice of the sandbox, changed as a test wants it. */
export const sampleDocument = (lines: ReadonlyArray<Line>, change: Partial<FiscalDocument> = {}): FiscalDocument => ({
  kind: "invoice",
  in_contingency: false,
  full_number: "SETP990000001",
  prefix: "SETP",
  cufe: "3e6cc1ac03588499ef886a4371f84fe83b808154135440d1f2b4d44d24b1b53a0dbb3ede0fd8d22a6fe3d86784be3a10",
  issue_date: "2026-11-20",
  issue_time: "10:00:00-05:00",
  environment: "2",
  currency: "COP",
  exchange_rate: null,
  operation_type: "10",
  issuer: {
    identification: { type: "31", number: "900373115", check_digit: "3" },
    legal_name: "Folio Sandbox S.A.S.",
    organization_type: "1",
    email: "facturas@folio.test",
    address: "Carrera 7 # 71-21",
    city_code: "11001",
    department_code: "11",
    country_code: "CO",
    tax_responsibilities: ["O-13", "O-15"]
  },
  acquirer: {
    identification: { type: "31", number: "800197268", check_digit: "4" },
    legal_name: "Ñandú & Compañía S.A.S.",
    organization_type: "1",
    email: "compras@cliente.test",
    address: "Calle 100 # 7-33",
    city_code: "05042",
    department_code: "05",
    country_code: "CO"
  },
  payment_means: { code: "47", type: "2", due_date: "2026-12-20" },
  lines,
  totals: totalsOf(lines),
  range: {
    number: "18760000001",
    prefix: "SETP",
    from_number: "990000000",
    to_number: "995000000",
    valid_from: "2019-01-19",
    valid_to: "2030-01-19"
  },
  correction: null,
  ...change
})

export const sampleCorrection = {
  code: "2",
  reason: "El cliente devolvió la mercancía.",
  invoice: {
    full_number: "SETP990000000",
    cufe: "8bb918b19ba22a694f1da11c643b5e9de39adf60311cf179179e9b33381030bcd4c3c3f156c506ed5908f9276f5bd9b4",
    issue_date: "2026-11-19"
  }
} as const
