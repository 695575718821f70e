import { assert, describe } from "@effect/vitest"
import { accepted, faults, rejectedBy } from "../../support/authority/StandInAnswers.ts"
import type { Answer } from "../../support/authority/StandInAuthority.ts"
import { cufe, dian, liveAt, outcome, setUp, submission } from "./callingAuthority.ts"
import { it } from "../../support/Tests.ts"

const soapType = "application/soap+xml; charset=utf-8"
const raw = (status: number, type: string, text: string): Answer => ({ _tag: "Raw", status, type, text })

/** Answers without a verdict, to any call for a document. */
const nothingSaid: ReadonlyArray<readonly [what: string, answer: Answer, why: RegExp]> = [
  ["98", dian({ StatusCode: "98", IsValid: "false", StatusDescription: "En Proceso" }), /"98": En Proceso/],
  ["no status", dian({ StatusCode: "", StatusDescription: "Batch en proceso de validación." }), /status "": Batch/],
  ["an unknown status", dian({ StatusCode: "77" }), /status "77"/],
  ["00 that is not valid", dian({ ...accepted("A1", cufe), IsValid: "false" }), /status "00"/],
  ["0 in place of 00", dian({ ...accepted("A1", cufe), StatusCode: "0" }), /status "0"/],
  ["00 with a rejection", dian({ ...accepted("A1", cufe), ErrorMessage: ["Regla: FAD06, Rechazo: x"] }), /"00"/],
  ["99 without a rule", dian(rejectedBy([])), /status "99"/],
  ["00 of another document", dian(accepted("A1", "cd".repeat(48))), /another document/],
  ["a fault of its own", { _tag: "Body", xml: faults.certificate, status: 500 }, /500.*did not specify/],
  ["an HTML page", raw(200, "text/html", "<html><body>Mantenimiento</body></html>"), /200 with text\/html/],
  ["an HTML page that says it is XML", raw(200, "text/xml", "<html><body/></html>"), /an HTML page/],
  ["502", raw(502, "text/plain", "Bad Gateway"), /returned 502/],
  ["503 with an empty body", raw(503, soapType, ""), /returned 503/],
  ["504", raw(504, "text/html", "<html/>"), /returned 504/],
  ["a redirect", raw(302, "text/html", ""), /returned 302/],
  [
    "a result with 500",
    {
      _tag: "Body",
      xml: '<SendBillSyncResponse xmlns="http://wcf.dian.colombia"><SendBillSyncResult/></SendBillSyncResponse>',
      status: 500
    },
    /500/
  ],
  ["text that is no XML", raw(200, soapType, "OK <"), /no XML document/],
  [
    "XML cut off",
    raw(200, soapType, '<s:Envelope xmlns:s="http://www.w3.org/2003/05/soap-envelope"><s:Body>'),
    /no XML document/
  ],
  [
    "another namespace of the envelope",
    raw(200, soapType, '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"/>'),
    /no SOAP 1.2/
  ],
  [
    "another namespace of the service",
    {
      _tag: "Body",
      xml: '<SendBillSyncResponse xmlns="urn:x"><SendBillSyncResult><StatusCode>00</StatusCode><IsValid>true</IsValid></SendBillSyncResult></SendBillSyncResponse>'
    },
    /no \w+Result/
  ],
  [
    "a result of the service in another's response",
    {
      _tag: "Body",
      xml: '<x:SendBillSyncResponse xmlns:x="urn:x" xmlns="http://wcf.dian.colombia"><SendBillSyncResult><StatusCode>00</StatusCode><IsValid>true</IsValid></SendBillSyncResult></x:SendBillSyncResponse>'
    },
    /no \w+Result/
  ],
  [
    "the answer to another operation",
    { _tag: "Body", xml: '<GetStatusEventResponse xmlns="http://wcf.dian.colombia"/>' },
    /no \w+Result/
  ],
  ["a document type", raw(200, soapType, '<!DOCTYPE x SYSTEM "file:///etc/passwd"><x/>'), /document type/],
  [
    "an XML bomb",
    raw(
      200,
      soapType,
      '<?xml version="1.0"?><!DOCTYPE b [<!ENTITY a "aaaaaaaaaa"><!ENTITY c "&a;&a;&a;&a;">]><b>&c;</b>'
    ),
    /document type/
  ],
  ["elements without end", raw(200, soapType, "<a>".repeat(100_000)), /no XML document/],
  ["a huge answer", raw(200, soapType, " ".repeat(9 * 1024 * 1024)), /too large/],
  ["a reset", { _tag: "Reset", after: "nothing" }, /connection broke/]
]

describe("the authority's web service", () => {
  it.live.each(nothingSaid.map(([what, answer, why]) => ({ what, answer, why })))(
    "gives no verdict with $what",
    function* ({ answer, why }) {
      const { authority, document, service } = yield* setUp()
      service.answerWith(() => answer)
      for (const call of [authority.submit(document), authority.verdict(document)]) {
        const { _tag, message } = (yield* outcome(call)) as { _tag: string; message: string }
        assert.strictEqual(_tag, "AuthorityUnavailable")
        assert.match(message, why)
        assert.isBelow(message.length, 500)
      }
    }
  )

  it.live.each(["Hang", "Drip"] as const)("has a time limit for its whole answer: %s", function* (manner) {
    const { authority, document, service } = yield* setUp({ totalTimeout: "300 millis" })
    service.answerWith(() => ({ _tag: manner }))
    const { message } = (yield* outcome(authority.submit(document))) as { message: string }
    assert.match(message, /no response within 0.3 s/)
  })

  it.live("counts as down when its port takes no connections", function* () {
    const document = yield* submission
    const authority = yield* liveAt("http://127.0.0.1:1/")
    const { message } = (yield* outcome(authority.submit(document))) as { message: string }
    assert.match(message, /accepts no connections/)
  })
})
