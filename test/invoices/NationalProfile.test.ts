import { assert, describe } from "@effect/vitest"
import { Effect, Result } from "effect"
import { TestClock } from "effect/testing"
import { NationalProfile } from "../../src/documents/NationalProfile.ts"
import type { FiscalDocument } from "../../src/documents/ubl/FiscalDocument.ts"
import { cufe } from "../../src/documents/rules/Cufe.ts"
import { Numbering } from "../../src/invoices/store/Numbering.ts"
import { examples } from "../documents/Documents.ts"
import { aloneOn, commandsOf, invoiceOf, invoiceOwner } from "../support/apps/ActorsAlone.ts"
import { FakeAuthority } from "../support/apps/Fakes.ts"
import { rangeId, startOfTest, testMode } from "../support/apps/Accounts.ts"
import { worldOf } from "../support/apps/MemoryApp.ts"
import { addCustomer, addDraft, become } from "../support/apps/MemoryRows.ts"
import * as Borduria from "../support/authority/Borduria.ts"
import { colombia } from "../support/authority/LiveAccounts.ts"
import { itOn } from "../support/Tests.ts"

describe("A document of another country", () => {
  itOn(aloneOn(worldOf(Borduria.layer))).effect("gets a new date and code after midnight in its country", function* () {
    const authority = yield* FakeAuthority
    authority.onSubmit = (submission) => Effect.succeed(Borduria.judge(submission))
    const proceed = yield* invoiceOwner
    const numbering = yield* Numbering
    const date = { issue_date: Borduria.localDate(startOfTest), issue_time: "00:30:00", issuer_version: 1 }
    const numbered = Effect.gen(function* () {
      const key = yield* addDraft(yield* addCustomer())
      yield* become(key.id, { currency: Borduria.currency })
      yield* numbering.number({ key, resolution_id: rangeId(testMode), ...date, cufe_tail: null })
      return key
    })
    const [uncoded, coded] = [yield* numbered, yield* numbered]
    yield* become(coded.id, { cufe: "the code of that day" })
    yield* TestClock.adjust("23 hours")
    // At 16:00 UTC it is the same day in Colombia, and here it is still the day of the number.
    assert.strictEqual(Borduria.localDate(startOfTest + 23 * 3_600_000), "2026-11-22")
    yield* TestClock.adjust("1 hour")
    for (const [key, number] of [
      [uncoded, "SETP-000990000000"],
      [coded, "SETP-000990000001"]
    ] as const) {
      yield* proceed(key)
      const row = yield* invoiceOf(key)
      assert.deepInclude(row, { state: "accepted_by_authority", full_number: number, issue_date: "2026-11-23" })
      assert.include(row.cufe, `:2026-11-23:900373115:${number}:`)
      assert.deepStrictEqual(yield* commandsOf(key), ["Number", "Redate", "Sign", "Submit", "Accept"])
    }
  })
})

describe("The Colombian profile", () => {
  const cases = Object.values(examples).flatMap((document) =>
    (["1", "2"] as const).map((environment): FiscalDocument => ({ ...document, environment }))
  )
  itOn(colombia).effect.each(cases)(
    "makes a code of the number and the tail: $kind, $environment",
    function* (document) {
      const { code, tail } = yield* NationalProfile
      const technical_key = document.kind === "invoice" ? "fc8eac422eba16e22ffd8c6f94b3f40a6e38162c" : ""
      const draft = {
        ...document,
        technical_key,
        livemode: document.environment === "1",
        issuer_number: document.issuer.identification.number,
        acquirer_number: document.acquirer.identification.number
      }
      const expected = Result.map(tail!(draft), (text) => cufe(document.full_number, text))
      assert.isTrue(Result.isSuccess(expected))
      assert.deepStrictEqual(code({ ...document, technical_key }), expected)
    }
  )
})
