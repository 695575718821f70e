import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { AccountId } from "../../../schemas/Id.ts"
import { sandboxRules } from "../../../src/documents/SandboxRules.ts"
import { applicationResponse } from "../../../src/documents/email/ApplicationResponse.ts"
import type { FiscalDocument } from "../../../src/documents/ubl/FiscalDocument.ts"
import { readSignedDocument, signDocument } from "../../../src/documents/signature/SignedDocument.ts"
import { Authority } from "../../../src/invoices/authority/Authority.ts"
import * as AuthoritySandbox from "../../../src/invoices/authority/AuthoritySandbox.ts"
import { sandboxIdentification } from "../../../src/documents/rules/parties/CheckDigit.ts"
import { totalsOf } from "../../../src/documents/rules/Totals.ts"
import { hintOf } from "../../../src/invoices/authority/RuleHints.ts"
import ruleTexts from "../../../src/invoices/authority/ruleTexts.json" with { type: "json" }
import { certificate, examples, sale, software } from "../../documents/Documents.ts"
import { coded } from "../../documents/ubl/FullDocuments.ts"
import { itOn } from "../../support/Tests.ts"

const sandbox = AuthoritySandbox.layer({
  read: readSignedDocument,
  check: sandboxRules,
  respond: applicationResponse,
  latency: 0
})

const submit = Effect.fnUntraced(function* (document: FiscalDocument, change: (signed: Uint8Array) => void = () => {}) {
  const own = yield* certificate
  const signed = yield* signDocument(document, software, own)
  change(signed)
  const authority = yield* Authority
  const { cufe, full_number, kind, issuer } = document
  const name = {
    account_id: AccountId.make(`ten_${"a".repeat(26)}`),
    in_contingency: false,
    issue_date: document.issue_date,
    cufe,
    full_number,
    kind,
    livemode: false,
    issuer_nit: issuer.identification.number,
    certificate: own
  }
  return { verdict: yield* authority.submit({ ...name, signed }), name }
})

const answerOf = (answer: unknown) => {
  const { XmlBase64Bytes, StatusCode } = Object(answer)
  return { StatusCode, xml: Buffer.from(String(XmlBase64Bytes ?? ""), "base64").toString() }
}

const it = itOn(sandbox)

describe("The simulated authority", () => {
  it.effect("includes XML in its answers, and repeats the same answer to a status query", function* () {
    yield* TestClock.setTime(Date.parse("2026-11-21T15:00:00Z"))
    const { name, verdict } = yield* submit(coded(sale))
    const { StatusCode, xml } = answerOf(verdict.answer)
    assert.isTrue(verdict.accepted)
    assert.strictEqual(StatusCode, "00")
    assert.include(xml, "<cbc:ResponseCode>02</cbc:ResponseCode>")
    assert.include(xml, `<cbc:UUID schemeName="CUFE-SHA384">${coded(sale).cufe}</cbc:UUID>`)
    assert.include(xml, "<cbc:IssueTime>10:00:00-05:00</cbc:IssueTime>")
    yield* TestClock.adjust("1 minute")
    const authority = yield* Authority
    assert.deepStrictEqual(yield* authority.verdict(name), verdict)
  })

  it.effect("lists the broken rules of a rejected document in XML", function* () {
    const identification = { type: "31", number: "900000002", check_digit: "4" } as const
    const { verdict } = yield* submit({ ...sale, acquirer: { ...sale.acquirer, identification } })
    const { xml } = answerOf(verdict.answer)
    assert.isFalse(verdict.accepted)
    assert.include(xml, "<cbc:ResponseCode>04</cbc:ResponseCode>")
    for (const { rule } of verdict.errors) assert.include(xml, `<cbc:ResponseCode>${rule}</cbc:ResponseCode>`)
    assert.isNotEmpty(verdict.errors)
  })

  it.effect("rejects a document that breaks a rule, with the rule's text and its place in the document", function* () {
    const { payable_amount: _payable, ...rest } = sale.totals
    const wrong = coded({ ...sale, totals: { ...rest, payable_amount: "119002.00" } })
    const { verdict } = yield* submit(wrong)
    assert.isFalse(verdict.accepted)
    assert.deepStrictEqual(verdict.errors, [
      {
        rule: "FAU14",
        severity: "rejection",
        message: ruleTexts["FAU14"],
        path: "/Invoice/cac:LegalMonetaryTotal/cbc:PayableAmount",
        hint: hintOf("FAU14")
      }
    ])
    // A rule of credit notes has its own number, but the text of the invoice rule.
    const note = coded({ ...examples["credit note"]!, totals: wrong.totals })
    const refused = (yield* submit(note)).verdict.errors
    assert.deepStrictEqual(
      refused.map(({ message, rule }) => [rule, message]),
      [["CAU14", ruleTexts["FAU14"]]]
    )
  })

  it.effect("notifies without a rejection, and rejects a wrong document code", function* () {
    const [line] = sale.lines
    const taxes = [{ code: "02", rate: "1.50", base: "100000.00", value: "1500.00" }] as const
    const lines = [{ ...line!, taxes }]
    const { verdict } = yield* submit(coded({ ...sale, lines, totals: totalsOf(lines) }))
    assert.isTrue(verdict.accepted)
    assert.deepStrictEqual(
      verdict.notifications.map(({ rule, severity }) => [rule, severity]),
      [["FAX09", "notification"]]
    )
    const other = yield* submit(sale)
    assert.deepStrictEqual(
      other.verdict.errors.map(({ hint, rule }) => [rule, hint !== null]),
      [["FAD06", true]]
    )
  })

  it.effect("skips its checks if the acquirer or the script decides", function* () {
    const { verdict } = yield* submit({
      ...sale,
      acquirer: { ...sale.acquirer, identification: sandboxIdentification }
    })
    assert.isTrue(verdict.accepted)
  })

  it.effect("returns no XML if the bytes are no document", function* () {
    const { verdict } = yield* submit(sale, (signed) => {
      signed[signed.length - 20] = 0x20
    })
    assert.deepStrictEqual(
      verdict.errors.map(({ rule }) => rule),
      ["ZE02"]
    )
    assert.strictEqual(answerOf(verdict.answer).xml, "")
  })
})
