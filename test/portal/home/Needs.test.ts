import { assert, describe, it } from "@effect/vitest"
import { AuthorityTrouble } from "../../../schemas/AuthorityTrouble.ts"
import type { Facts } from "../../../src/portal/home/Need.ts"
import { needsOf } from "../../../src/portal/home/Needs.ts"
import { troubledMax } from "../../../src/operations/store/OverviewRows.ts"

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
  certificate: null,
  test_set: null,
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
const certificateUntil = (not_after: Date) => ({ id: "cert_1", not_after })
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

const cases: ReadonlyArray<
  readonly [what: string, facts: Partial<Facts>, tone: string, to: string, names: ReadonlyArray<string>]
> = [
  [
    "a document that failed",
    { unaccepted: [failed] },
    "bad",
    "/portal/documents/inv_1",
    ["23 November 2026, 07:00", "FE7"]
  ],
  [
    "several failed documents",
    { unaccepted: [{ ...failed, count: 3 }] },
    "bad",
    "/portal/documents?status=failed",
    ["23 November 2026, 07:00", "3"]
  ],
  [
    "the maximum number of counted documents",
    { unaccepted: [{ ...failed, count: troubledMax }] },
    "bad",
    "/portal/documents?status=failed",
    ["23 November 2026, 07:00", "1,000"]
  ],
  [
    "a document that was rejected before it had a number to show",
    { unaccepted: [{ ...failed, state: "rejected_by_authority", full_number: null }] },
    "bad",
    "/portal/documents/inv_1",
    ["23 November 2026, 07:00"]
  ],
  [
    "an authority that does not answer",
    { waiting: [waits] },
    "wait",
    "/portal/documents/inv_1",
    ["23 November 2026, 07:00", "1"]
  ],
  [
    "a simulated authority that was set to be down",
    { waiting: [{ ...waits, count: 2 }], isHindered: true },
    "wait",
    "/portal/bench",
    ["23 November 2026, 07:00", "2"]
  ],
  ["a simulated authority that is down before anything waits", { isHindered: true }, "wait", "/portal/bench", []],
  [
    "a service that cannot reach the authority",
    { waiting: [{ ...waits, code: "name_not_found", count: 2 }] },
    "bad",
    "/portal/documents?status=draft",
    ["23 November 2026, 07:00", "2"]
  ],
  [
    "documents in contingency",
    { waiting: [{ ...waits, is_contingency: true, code: null, count: 4 }] },
    "wait",
    "/portal/documents?status=accepted_contingency",
    ["4", "48"]
  ],
  [
    "documents in contingency whose 48 hours run",
    { waiting: [{ ...waits, is_contingency: true, code: null, count: 4, transmit_before: at(30) }] },
    "wait",
    "/portal/documents?status=accepted_contingency",
    ["24 November 2026, 16:00", "4"]
  ],
  [
    "documents in contingency whose 48 hours are over",
    { waiting: [{ ...waits, is_contingency: true, code: null, transmit_before: at(-1) }] },
    "bad",
    "/portal/documents/inv_1",
    ["23 November 2026, 09:00", "1"]
  ],
  [
    "drafts that nothing explains",
    { today: [{ state: "numbered", count: 5, late: 2 }] },
    "bad",
    "/portal/documents?status=draft",
    ["2"]
  ],
  [
    "an endpoint that fails",
    { endpoints: [{ ...endpoint, failing_since: at(-5), pending: 12, failed: 1 }] },
    "bad",
    "/portal/endpoints/we_1",
    ["23 November 2026, 05:00", "shop.example.com", "12", "1"]
  ],
  [
    "an endpoint for which too much waits",
    { endpoints: [{ ...endpoint, full_since: at(-5), pending: troubledMax }] },
    "bad",
    "/portal/endpoints/we_1",
    ["23 November 2026, 05:00", "shop.example.com"]
  ],
  [
    "a paused endpoint for which something waits",
    { endpoints: [{ ...endpoint, is_active: false, pending: 1 }] },
    "wait",
    "/portal/endpoints/we_1",
    ["shop.example.com", "1"]
  ],
  [
    "deliveries that failed, to an endpoint that works again",
    { endpoints: [{ ...endpoint, failed: 2 }] },
    "wait",
    "/portal/endpoints/we_1",
    ["shop.example.com", "2"]
  ],
  [
    "a certificate that ends within a month",
    { certificate: certificateUntil(at(24 * 20)) },
    "wait",
    "/portal/setup",
    ["13 December 2026, 10:00"]
  ],
  [
    "a certificate that ends within a week",
    { certificate: certificateUntil(at(24 * 6)) },
    "bad",
    "/portal/setup",
    ["29 November 2026, 10:00"]
  ],
  [
    "a certificate that has ended",
    { certificate: certificateUntil(at(-1)) },
    "bad",
    "/portal/setup",
    ["23 November 2026, 09:00"]
  ],
  ["a range with few numbers", { ranges: [{ ...range, next_number: 901n }] }, "wait", "/portal/setup", ["FE", "100"]],
  [
    "a range that ends soon",
    { ranges: [{ ...range, valid_to: "2026-12-01" }] },
    "wait",
    "/portal/setup",
    ["1 December 2026", "FE"]
  ],
  ["a range that is used up", { ranges: [{ ...range, next_number: 1_001n }] }, "bad", "/portal/setup", ["FE"]],
  ["a test set that passed", { test_set: { id: "set", status: "passed" } }, "wait", "/portal/setup", []],
  ["a test set that failed", { test_set: { id: "set", status: "failed" } }, "bad", "/portal/setup", []],
  ["an email that came back", { bounced: { count: 1, id: "inv_9" } }, "wait", "/portal/documents/inv_9", []],
  [
    "emails that came back",
    { bounced: { count: 2, id: "inv_9" } },
    "wait",
    "/portal/events?type=invoice.email.bounced",
    ["2"]
  ]
]

describe("The list of what needs attention", () => {
  it("stays empty while all is well", () => {
    assert.deepStrictEqual(shown({}), [])
    assert.deepStrictEqual(
      shown({
        certificate: certificateUntil(at(24 * 31)),
        ranges: [range, { ...range, id: "res_0", next_number: 1_001n }],
        endpoints: [endpoint, { ...endpoint, id: "we_2", is_active: false }],
        today: [{ state: "numbered", count: 5, late: 0 }]
      }),
      []
    )
  })

  it("omits a range whose successor is registered and begins later", () => {
    const next = { ...range, id: "res_2", valid_from: "2026-11-24" }
    assert.deepStrictEqual(shown({ ranges: [{ ...range, next_number: 1_001n }, next] }), [])
  })

  it("includes a range of another prefix, which no other range replaces", () => {
    const [need] = shown({
      ranges: [range, { ...range, prefix: "", document_type: "credit_note", next_number: 1_001n }]
    })
    assert.deepInclude(need, { tone: "bad", to: "/portal/setup" })
    assert.notInclude(need?.text, "FE")
  })

  it("reports documents once if their wait is explained", () => {
    const facts = { waiting: [{ ...waits, count: 2 }], today: [{ state: "signed", count: 2, late: 2 } as const] }
    assert.strictEqual(shown(facts).length, 1)
  })

  for (const [what, facts, tone, to, names] of cases) {
    it(`reports ${what}`, () => {
      const [english, ...others] = shown(facts)
      assert.deepStrictEqual(others, [])
      assert.deepStrictEqual({ tone: english?.tone, to: english?.to }, { tone, to } as never)
      for (const name of names) assert.include(english?.text, name)
      const [spanish] = shown(facts, "es")
      assert.deepStrictEqual({ tone: spanish?.tone, to: spanish?.to }, { tone, to } as never)
      assert.notStrictEqual(spanish?.text, english?.text)
    })
  }

  it("describes each of these cases differently", () => {
    for (const language of ["en", "es"] as const) {
      const texts = cases.map(([, facts]) => shown(facts, language)[0]?.text)
      assert.strictEqual(new Set(texts).size, cases.length)
    }
  })

  it("reports every trouble with the authority", () => {
    for (const code of AuthorityTrouble.literals) {
      const [need, ...others] = shown({ waiting: [{ ...waits, code }] })
      assert.deepStrictEqual(others, [])
      assert.include(need?.text, "23 November 2026, 07:00")
    }
  })

  it("begins with the causes that delay documents", () => {
    const all: Partial<Facts> = Object.assign({}, ...cases.map(([, facts]) => facts))
    const tones = shown({ ...all, certificate: certificateUntil(at(24 * 20)), unaccepted: [failed] }).map(
      ({ tone }) => tone
    )
    assert.deepStrictEqual(tones, tones.toSorted())
    assert.isAbove(tones.length, 4)
  })

  it("shows foreign content as text", () => {
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
