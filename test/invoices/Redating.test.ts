import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { localDate } from "../../src/runtime/AuthorityTime.ts"
import { cufe, cufeTail } from "../../src/documents/rules/Cufe.ts"
import { taxTotal } from "../../src/documents/rules/Totals.ts"
import { readSignedDocument } from "../../src/documents/signature/SignedDocument.ts"
import type { StoredInvoice } from "../../src/invoices/store/Invoices.ts"
import { alone, commandsOf, invoiceOf, issuing } from "../support/apps/ActorsAlone.ts"
import { accepted, unavailable } from "../support/apps/Fakes.ts"
import { rangeId, testMode } from "../support/apps/Accounts.ts"
import { itOn } from "../support/Tests.ts"
import { typesOf } from "../support/mail/Mailed.ts"
import { become } from "../support/apps/MemoryRows.ts"

const it = itOn(alone)

// The tests begin at 10:00 in the authority's zone.
const untilMidnight = "14 hours"

const codeOf = (row: StoredInvoice, issue_date: string, issue_time: string) =>
  cufe(
    row.full_number ?? "",
    cufeTail({
      issue_date,
      issue_time,
      line_extension_amount: row.totals.line_extension_amount,
      tax_01: taxTotal(row.totals, "01"),
      tax_04: taxTotal(row.totals, "04"),
      tax_03: taxTotal(row.totals, "03"),
      payable_amount: row.totals.payable_amount,
      supplier_nit: "900373115",
      customer_id: row.acquirer.identification.number,
      key: "fc8eac422eba16e22ffd8c6f94b3f40a6e38162c",
      environment: "2"
    })
  )

describe("a document that waited past midnight", () => {
  it.effect("signs with the new day's date and code, under its number, if it waited for its signature", function* () {
    const { authority, key, proceed, tables } = yield* issuing
    const before = yield* invoiceOf(key)
    yield* TestClock.adjust(untilMidnight)
    yield* proceed(key)
    const row = yield* invoiceOf(key)
    assert.strictEqual(row.state, "accepted_by_authority")
    assert.deepStrictEqual(yield* commandsOf(key), ["Number", "Redate", "Sign", "Submit", "Accept"])
    assert.strictEqual(row.full_number, before.full_number)
    assert.deepStrictEqual([row.issue_date, row.issue_time], ["2026-11-22", "00:00:00-05:00"])
    assert.strictEqual(row.cufe, codeOf(row, "2026-11-22", "00:00:00-05:00"))
    const document = readSignedDocument(tables.documents.get(key.id)?.signed ?? new Uint8Array())
    assert.deepInclude(Object(document), { cufe: row.cufe, issue_date: "2026-11-22" })
    assert.deepStrictEqual(
      authority.calls.map((call) => call.cufe),
      [row.cufe]
    )
  })

  it.effect("gets a new date and signature if it was signed and never left", function* () {
    const { key, proceed, tables } = yield* issuing
    yield* become(key.id, { state: "signed" })
    tables.documents.set(key.id, { signed: new Uint8Array([1]), authority_answer: null })
    yield* TestClock.adjust(untilMidnight)
    yield* proceed(key)
    const row = yield* invoiceOf(key)
    assert.strictEqual(row.state, "accepted_by_authority")
    assert.deepStrictEqual(yield* commandsOf(key), ["Number", "Redate", "Sign", "Submit", "Accept"])
    assert.deepInclude(Object(readSignedDocument(tables.documents.get(key.id)?.signed ?? new Uint8Array())), {
      cufe: row.cufe,
      issue_date: "2026-11-22"
    })
  })

  it.effect("stays unchanged if it was submitted", function* () {
    const { authority, key, proceed } = yield* issuing
    authority.onSubmit = () => unavailable
    yield* proceed(key)
    const before = yield* invoiceOf(key)
    yield* TestClock.adjust(untilMidnight)
    authority.onSubmit = () => Effect.succeed(accepted)
    yield* proceed(key)
    const row = yield* invoiceOf(key)
    assert.deepInclude(row, {
      state: "accepted_by_authority",
      cufe: before.cufe,
      issue_date: "2026-11-21",
      issue_time: before.issue_time
    })
  })

  it.effect(
    "fails and keeps its number if its range has expired, and continues once the range is extended",
    function* () {
      const { authority, key, proceed, tables } = yield* issuing
      const id = rangeId(testMode)
      const range = tables.resolutions.get(id)!
      tables.resolutions.set(id, { ...range, valid_to: "2026-11-21" })
      yield* TestClock.adjust(untilMidnight)
      yield* proceed(key)
      const failed = yield* invoiceOf(key)
      assert.deepInclude(failed, { state: "failed", full_number: "SETP990000000", issue_date: "2026-11-21" })
      assert.deepInclude(Object(failed.failure), { code: "range_expired", retryable: true })
      assert.deepStrictEqual(typesOf(tables.events), ["invoice.failed"])
      assert.lengthOf(authority.calls, 0)

      tables.resolutions.set(id, { ...range, valid_to: "2027-11-21" })
      yield* become(key.id, { state: "numbered", failure: null, attempts: 0 })
      yield* proceed(key)
      assert.deepInclude(yield* invoiceOf(key), { state: "accepted_by_authority", issue_date: "2026-11-22" })
    }
  )

  it.effect("keeps its date in the minute before midnight", function* () {
    const { key, proceed } = yield* issuing
    yield* TestClock.adjust("13 hours")
    yield* TestClock.adjust("59 minutes")
    yield* proceed(key)
    assert.strictEqual(localDate(yield* Effect.map(invoiceOf(key), (row) => row.updated_at.getTime())), "2026-11-21")
    assert.notInclude(yield* commandsOf(key), "Redate")
  })
})
