import { assert, describe, it } from "@effect/vitest"
import { AuthorityTrouble } from "../../../schemas/AuthorityTrouble.ts"
import type { Facts } from "../../../src/portal/home/Need.ts"
import { needsOf } from "../../../src/portal/home/Needs.ts"
import { troubledMax } from "../../../src/store/overview/OverviewRows.ts"

const now = new Date("2026-11-23T15:00:00Z")
const at = (hours: number) => new Date(now.getTime() + hours * 3_600_000)

const well: Facts = {
  now,
  date: "2026-11-23",
  isHindered: false,
  today: [{ state: "accepted_by_authority", count: 12, late: 12 }],
  unaccepted: [],
  waiting: [],
  endpoints: [],
  ranges: [],
  certificate_ends: null,
  bounced: { count: 0, id: null }
}

const range: Facts["ranges"][number] = {
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
const endpoint: Facts["endpoints"][number] = {
  id: "we_1",
  url: "https://shop.example.com/hook?key=secret",
  is_active: true,
  failing_since: null,
  full_since: null,
  failed: 0,
  pending: 0
}
const oldest = { id: "inv_1", full_number: "FE7", oldest: at(-3) }
const failed = { state: "failed", count: 1, ...oldest } as const
const waits = { is_contingency: false, code: "no_answer", count: 1, transmit_before: null, ...oldest } as const

const readerOf = (language: "en" | "es") => ({
  language,
  t: (en: string, es: string) => (language === "es" ? es : en)
})
const shown = (facts: Partial<Facts>, language: "en" | "es" = "en") =>
  needsOf(readerOf(language), { ...well, ...facts }).map(({ tone, to, words }) => {
    const text = words.markup
      .replaceAll(/<[^>]*>/g, "")
      .replaceAll(/\s+/g, " ")
      .trim()
    return { tone, to, text }
  })

const cases: ReadonlyArray<readonly [what: string, facts: Partial<Facts>, tone: string, to: string, text: string]> = [
  [
    "a document that failed",
    { unaccepted: [failed] },
    "bad",
    "/portal/documents/inv_1",
    "FE7 failed (23 November 2026, 07:00)."
  ],
  [
    "several that failed",
    { unaccepted: [{ ...failed, count: 3 }] },
    "bad",
    "/portal/documents?status=failed",
    "3 documents failed; the oldest: 23 November 2026, 07:00."
  ],
  [
    "as many as are counted",
    { unaccepted: [{ ...failed, count: troubledMax }] },
    "bad",
    "/portal/documents?status=failed",
    "1,000 or more documents failed; the oldest: 23 November 2026, 07:00."
  ],
  [
    "one that was rejected before it had a number to show",
    { unaccepted: [{ ...failed, state: "rejected_by_authority", full_number: null }] },
    "bad",
    "/portal/documents/inv_1",
    "A document was rejected by the authority (23 November 2026, 07:00)."
  ],
  [
    "an authority that does not answer",
    { waiting: [waits] },
    "wait",
    "/portal/documents/inv_1",
    "1 document waits since 23 November 2026, 07:00: the authority doesn’t respond. Folio continues when it does."
  ],
  [
    "a simulated authority that was set to be down",
    { waiting: [{ ...waits, count: 2 }], isHindered: true },
    "wait",
    "/portal/bench",
    "2 documents wait since 23 November 2026, 07:00: the simulated authority is not up. Reset it in the sandbox tools."
  ],
  [
    "a simulated authority that is down before anything waits",
    { isHindered: true },
    "wait",
    "/portal/bench",
    "The simulated authority is not up: new documents are treated as in an outage."
  ],
  [
    "a service that cannot reach the authority",
    { waiting: [{ ...waits, code: "name_not_found", count: 2 }] },
    "bad",
    "/portal/documents?status=draft",
    "2 documents wait since 23 November 2026, 07:00: this service can’t reach the authority. Contact its operator."
  ],
  [
    "documents in contingency",
    { waiting: [{ ...waits, is_contingency: true, code: null, count: 4 }] },
    "wait",
    "/portal/documents?status=accepted_contingency",
    "4 documents were issued in contingency. Folio sends them to the authority within 48 hours of its return."
  ],
  [
    "documents in contingency whose 48 hours run",
    { waiting: [{ ...waits, is_contingency: true, code: null, count: 4, transmit_before: at(30) }] },
    "wait",
    "/portal/documents?status=accepted_contingency",
    "4 documents were issued in contingency. Folio sends them to the authority at the latest on 24 November 2026, 16:00."
  ],
  [
    "documents in contingency whose 48 hours are over",
    { waiting: [{ ...waits, is_contingency: true, code: null, transmit_before: at(-1) }] },
    "bad",
    "/portal/documents/inv_1",
    "1 document in contingency had to reach the authority by 23 November 2026, 09:00. Folio keeps trying."
  ],
  [
    "drafts that nothing explains",
    { today: [{ state: "numbered", count: 5, late: 2 }] },
    "bad",
    "/portal/documents?status=draft",
    "2 documents of today: in progress for more than ten minutes."
  ],
  [
    "an endpoint that fails",
    { endpoints: [{ ...endpoint, failing_since: at(-5), pending: 12, failed: 1 }] },
    "bad",
    "/portal/endpoints/we_1",
    "shop.example.com hasn’t accepted a webhook since 23 November 2026, 05:00. 12 deliveries wait. 1 delivery has failed."
  ],
  [
    "an endpoint for which too much waits",
    { endpoints: [{ ...endpoint, full_since: at(-5), pending: troubledMax }] },
    "bad",
    "/portal/endpoints/we_1",
    "shop.example.com has too many deliveries waiting since 23 November 2026, 05:00: new ones are not tried."
  ],
  [
    "a paused endpoint for which something waits",
    { endpoints: [{ ...endpoint, is_active: false, pending: 1 }] },
    "wait",
    "/portal/endpoints/we_1",
    "shop.example.com is paused. 1 delivery waits."
  ],
  [
    "deliveries that failed, to an endpoint that works again",
    { endpoints: [{ ...endpoint, failed: 2 }] },
    "wait",
    "/portal/endpoints/we_1",
    "shop.example.com: of the last day, 2 deliveries have failed."
  ],
  [
    "a certificate that ends within a month",
    { certificate_ends: at(24 * 20) },
    "wait",
    "/portal/setup",
    "The certificate ends: 13 December 2026, 10:00."
  ],
  [
    "a certificate that ends within a week",
    { certificate_ends: at(24 * 6) },
    "bad",
    "/portal/setup",
    "The certificate ends: 29 November 2026, 10:00."
  ],
  [
    "a certificate that has ended",
    { certificate_ends: at(-1) },
    "bad",
    "/portal/setup",
    "The certificate ended: 23 November 2026, 09:00. No document can be signed."
  ],
  [
    "a range with few numbers",
    { ranges: [{ ...range, next_number: 901n }] },
    "wait",
    "/portal/setup",
    "Range FE for invoices: 100 numbers left."
  ],
  [
    "a range that ends soon",
    { ranges: [{ ...range, valid_to: "2026-12-01" }] },
    "wait",
    "/portal/setup",
    "Range FE for invoices is valid until 1 December 2026."
  ],
  [
    "a range that is used up",
    { ranges: [{ ...range, next_number: 1_001n }] },
    "bad",
    "/portal/setup",
    "Range FE for invoices has no numbers left, or has expired."
  ],
  [
    "an e-mail that came back",
    { bounced: { count: 1, id: "inv_9" } },
    "wait",
    "/portal/documents/inv_9",
    "The email of a document bounced."
  ],
  [
    "e-mails that came back",
    { bounced: { count: 2, id: "inv_9" } },
    "wait",
    "/portal/events?type=invoice.email.bounced",
    "The emails of 2 documents bounced."
  ]
]

describe("What needs somebody", () => {
  it("is nothing while all is well", () => {
    assert.deepStrictEqual(shown({}), [])
    assert.deepStrictEqual(
      shown({
        certificate_ends: at(24 * 31),
        ranges: [range, { ...range, id: "res_0", next_number: 1_001n }],
        endpoints: [endpoint, { ...endpoint, id: "we_2", is_active: false }],
        today: [{ state: "numbered", count: 5, late: 0 }]
      }),
      []
    )
  })

  it("is not a range whose successor is registered and begins later", () => {
    const next = { ...range, id: "res_2", valid_from: "2026-11-24" }
    assert.deepStrictEqual(shown({ ranges: [{ ...range, next_number: 1_001n }, next] }), [])
  })

  it("is a range of another prefix, which the healthy one cannot stand in for", () => {
    const [need] = shown({
      ranges: [range, { ...range, prefix: "", document_type: "credit_note", next_number: 1_001n }]
    })
    assert.strictEqual(need?.text, "Range for credit notes has no numbers left, or has expired.")
  })

  it("does not tell twice of documents whose wait is explained", () => {
    const facts = { waiting: [{ ...waits, count: 2 }], today: [{ state: "signed", count: 2, late: 2 } as const] }
    assert.strictEqual(shown(facts).length, 1)
  })

  for (const [what, facts, tone, to, text] of cases) {
    it(`tells of ${what}`, () => {
      assert.deepStrictEqual(shown(facts), [{ tone, to, text }] as never)
      const [spanish] = shown(facts, "es")
      assert.deepStrictEqual({ tone: spanish?.tone, to: spanish?.to }, { tone, to } as never)
      assert.notStrictEqual(spanish?.text, text)
    })
  }

  it("tells of each trouble with the authority that there is", () => {
    for (const code of AuthorityTrouble.literals) {
      const [need, ...others] = shown({ waiting: [{ ...waits, code }] })
      assert.deepStrictEqual(others, [])
      assert.match(need?.text ?? "", /^1 document waits since 23 November 2026, 07:00: .+\.$/)
    }
  })

  it("begins with what holds documents up, whatever else there is", () => {
    const all: Partial<Facts> = Object.assign({}, ...cases.map(([, facts]) => facts))
    const tones = shown({ ...all, certificate_ends: at(24 * 20), unaccepted: [failed] }).map(({ tone }) => tone)
    assert.deepStrictEqual(tones, tones.toSorted())
    assert.isAbove(tones.length, 4)
  })

  it("leaves what others have written as text", () => {
    const markup = needsOf(readerOf("en"), {
      ...well,
      unaccepted: [{ ...failed, full_number: "<script>alert(1)</script>" }],
      endpoints: [{ ...endpoint, url: "<img onerror=alert(1)>", failing_since: now }],
      ranges: [{ ...range, prefix: `"><b>`, next_number: 1_001n }]
    })
      .map(({ words }) => words.markup)
      .join("")
    assert.notMatch(markup, /<(?!\/?time\b)/)
  })
})
