import { assert, describe, it } from "@effect/vitest"
import { type NoticeKind, noticeKinds } from "../../../schemas/Notice.ts"
import { type AccountFacts, accountFindings, findingText } from "../../../src/operations/rules/AccountFindings.ts"

const now = new Date("2026-11-23T15:00:00Z")
const dayMs = 86_400_000
const none: AccountFacts = { now, date: "2026-11-23", certificate: null, ranges: [], test_set: null, endpoints: [] }
const range: AccountFacts["ranges"][number] = {
  id: "res_1",
  document_type: "invoice",
  prefix: "FE",
  from_number: 1n,
  to_number: 1_000n,
  next_number: 10n,
  valid_from: "2026-01-01",
  valid_to: "2027-12-31",
  is_active: true
}
const endpoint = { id: "we_1", url: "https://a.example.com/secret", failing_since: null, full_since: null }
const certificate = (days: number) => ({
  certificate: { id: "cert_1", not_after: new Date(now.getTime() + days * dayMs) }
})

/** The facts of each kind, and the message in both languages. */
const cases: Readonly<Record<NoticeKind, readonly [facts: Partial<AccountFacts>, en: string, es: string]>> = {
  certificate_expiring: [certificate(30), "expires on 2026-12-23.", "vence el 2026-12-23."],
  certificate_expiring_soon: [certificate(7), "expires on 2026-11-30.", "vence el 2026-11-30."],
  certificate_expired: [certificate(-1), "expired on 2026-11-22.", "venció el 2026-11-22."],
  range_filling: [
    { ranges: [{ ...range, next_number: 901n }] },
    "Range FE for invoices has 100 numbers of 1000 left.",
    "Rango FE de facturas: quedan 100 números de 1000."
  ],
  range_exhausted: [
    { ranges: [{ ...range, next_number: 1_001n }] },
    "Range FE for invoices has no number left.",
    "Rango FE de facturas: ya no quedan números."
  ],
  range_expiring: [
    { ranges: [{ ...range, valid_to: "2026-12-23" }] },
    "Range FE for invoices is valid until 2026-12-23.",
    "Rango FE de facturas está vigente hasta el 2026-12-23."
  ],
  range_expired: [
    { ranges: [{ ...range, valid_to: "2026-11-22" }] },
    "Range FE for invoices expired on 2026-11-22.",
    "Rango FE de facturas: venció el 2026-11-22."
  ],
  endpoint_failing: [
    { endpoints: [{ ...endpoint, failing_since: now }] },
    "Webhook endpoint a.example.com has accepted no delivery since 2026-11-23 10:00.",
    "El destino a.example.com no recibe webhooks desde el 2026-11-23 10:00."
  ],
  endpoint_full: [
    { endpoints: [{ ...endpoint, failing_since: now, full_since: now }] },
    "a.example.com is full: since 2026-11-23 10:00",
    "a.example.com está llena desde el 2026-11-23 10:00."
  ],
  enablement_passed: [
    { test_set: { id: "set", status: "passed" } },
    "POST /v1/resolutions/import",
    "La DIAN aceptó el set de pruebas."
  ],
  enablement_failed: [
    { test_set: { id: "set", status: "failed" } },
    "POST /v1/account/enablement.",
    "El set de pruebas de la DIAN falló."
  ]
}

describe("The findings about an account", () => {
  it("report nothing while all is well", () => {
    const well = { ...certificate(31), ranges: [range, { ...range, id: "res_0", next_number: 1_001n }] }
    assert.deepStrictEqual(accountFindings({ ...none, ...well, endpoints: [endpoint] }), [])
  })

  for (const kind of noticeKinds) {
    it(`report ${kind} once, with the problem and its fix in both languages`, () => {
      const [facts, en, es] = cases[kind]
      const found = accountFindings({ ...none, ...facts })
      assert.deepStrictEqual(
        found.map((one) => one.kind),
        [kind]
      )
      for (const [language, part] of [
        ["en", en],
        ["es", es]
      ] as const) {
        const text = findingText(found[0]!, language)
        assert.include(text, part)
        assert.match(text, /^[A-ZÉ].*\.$/)
        assert.notMatch(text, /[{}]|undefined|null|secret| {2}/)
      }
    })
  }
})
