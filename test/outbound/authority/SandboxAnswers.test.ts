import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { AccountId } from "../../../schemas/Id.ts"
import { applicationResponse } from "../../../src/documents/parcel/ApplicationResponse.ts"
import type { FiscalDocument } from "../../../src/documents/ubl/FiscalDocument.ts"
import { readSignedDocument, signDocument } from "../../../src/documents/signature/SignedDocument.ts"
import { Authority } from "../../../src/outbound/authority/Authority.ts"
import * as AuthoritySandbox from "../../../src/outbound/authority/AuthoritySandbox.ts"
import { certificate, sale, software } from "../../documents/Documents.ts"
import { itOn } from "../../support/Tests.ts"

const sandbox = AuthoritySandbox.layer({ read: readSignedDocument, respond: applicationResponse, latency: 0 })

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
  it.effect("answers in XML too, and says the same again when it is asked", function* () {
    yield* TestClock.setTime(Date.parse("2026-11-21T15:00:00Z"))
    const { name, verdict } = yield* submit(sale)
    const { StatusCode, xml } = answerOf(verdict.answer)
    assert.isTrue(verdict.accepted)
    assert.strictEqual(StatusCode, "00")
    assert.include(xml, "<cbc:ResponseCode>02</cbc:ResponseCode>")
    assert.include(xml, `<cbc:UUID schemeName="CUFE-SHA384">${sale.cufe}</cbc:UUID>`)
    assert.include(xml, "<cbc:IssueTime>10:00:00-05:00</cbc:IssueTime>")
    yield* TestClock.adjust("1 minute")
    const authority = yield* Authority
    assert.deepStrictEqual(yield* authority.verdict(name), verdict)
  })

  it.effect("says in XML which rules a rejected document broke", function* () {
    const identification = { type: "31", number: "900000002", check_digit: "4" } as const
    const { verdict } = yield* submit({ ...sale, acquirer: { ...sale.acquirer, identification } })
    const { xml } = answerOf(verdict.answer)
    assert.isFalse(verdict.accepted)
    assert.include(xml, "<cbc:ResponseCode>04</cbc:ResponseCode>")
    for (const { rule } of verdict.errors) assert.include(xml, `<cbc:ResponseCode>${rule}</cbc:ResponseCode>`)
    assert.isNotEmpty(verdict.errors)
  })

  it.effect("has nothing to say in XML of bytes that are no document", function* () {
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
