import type { Line } from "../../schemas/Line.ts"
import type { FiscalDocument } from "../../src/documents/ubl/FiscalDocument.ts"
import { totalsOf } from "../../src/documents/rules/Totals.ts"
import { sale } from "./Documents.ts"

export const sampleLine = (description: string, change: Partial<Line> = {}): Line => ({
  ...sale.lines[0]!,
  description,
  unit_code: "HUR",
  ...change
})

/** An invoice of the sandbox, with the changes of a test. */
export const sampleDocument = (lines: ReadonlyArray<Line>, change: Partial<FiscalDocument> = {}): FiscalDocument => ({
  ...sale,
  cufe: "3e6cc1ac03588499ef886a4371f84fe83b808154135440d1f2b4d44d24b1b53a0dbb3ede0fd8d22a6fe3d86784be3a10",
  issue_date: "2026-11-20",
  issuer: {
    ...sale.issuer,
    legal_name: "Folio Sandbox S.A.S.",
    email: "facturas@folio.test",
    address: "Carrera 7 # 71-21",
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
