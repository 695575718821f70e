import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { fromPem, makeSelfSigned } from "../../src/documents/Certificate.ts"
import type { FiscalDocument } from "../../src/documents/FiscalDocument.ts"
import { readSignedDocument, signDocument } from "../../src/documents/SignedDocument.ts"
import { totalsOf } from "../../src/domain/Totals.ts"

const lines: FiscalDocument["lines"] = [
  {
    description: 'Consultoría "ñandú" 😀',
    quantity: "2.00",
    unit_code: "94",
    unit_price: "50000.00",
    line_extension_amount: "100000.00",
    taxes: [{ code: "01", rate: "19.00", base: "100000.00", value: "19000.00" }]
  }
]

const content: FiscalDocument = {
  kind: "invoice",
  in_contingency: false,
  prefix: "SETP",
  exchange_rate: null,
  range: null,
  correction: null,
  full_number: "SETP990000001",
  cufe: "ab".repeat(48),
  issue_date: "2026-11-21",
  issue_time: "10:00:00-05:00",
  environment: "2",
  currency: "COP",
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
  lines,
  totals: totalsOf(lines)
}

const certificate = Effect.map(makeSelfSigned("test", new Date(0)), fromPem)

describe("A signed document", () => {
  it.effect("is read back as it was, and the same content gives the same bytes", () =>
    Effect.gen(function* () {
      const one = yield* certificate
      const signed = yield* signDocument(content, one)
      assert.deepStrictEqual(readSignedDocument(signed), content)
      assert.deepStrictEqual(yield* signDocument(content, one), signed)
    })
  )

  it.effect("does not verify after any one byte of it was changed", () =>
    Effect.gen(function* () {
      const signed = yield* signDocument(content, yield* certificate)
      for (let index = 0; index < signed.length; index += 1) {
        const changed = Uint8Array.from(signed)
        changed[index] = (changed[index] ?? 0) ^ 1
        assert.isNull(readSignedDocument(changed), `byte ${index}`)
      }
    })
  )

  it.effect("verifies with the certificate it carries, whichever was looked at before", () =>
    Effect.gen(function* () {
      const first = yield* signDocument(content, yield* certificate)
      const second = yield* signDocument(content, yield* certificate)
      for (const signed of [first, second, first]) assert.deepStrictEqual(readSignedDocument(signed), content)
      const forged = Buffer.from(first).toString().replace('"SETP990000001"', '"SETP990000002"')
      assert.isNull(readSignedDocument(Buffer.from(forged)))
    })
  )
})
