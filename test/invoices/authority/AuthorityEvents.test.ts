import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import type { Authority, DocumentName } from "../../../src/invoices/authority/Authority.ts"
import type { DianResponse } from "../../support/authority/StandInAnswers.ts"
import { eventsAnswer, eventsXml, type StandInEvent } from "../../support/authority/StandInEvents.ts"
import { it } from "../../support/Tests.ts"
import { cufe, dian, outcome, setUp } from "./callingAuthority.ts"

const ask = (authority: Authority["Service"], document: DocumentName) =>
  outcome(authority.events?.(document) ?? Effect.succeed([]))

const received: StandInEvent = { code: "030", date: "2026-11-23", time: "15-12-09-05:00" }
const accepted: StandInEvent = { code: "033", date: "2026-11-24", time: "09:30:00-05:00" }
const by = "Cliente de Prueba S.A.S."
const whenReceived = Date.parse("2026-11-23T15:12:09-05:00")
const whenAccepted = Date.parse("2026-11-24T09:30:00-05:00")

/** The result that Folio reads from the authority's answer. */
const read = Effect.fnUntraced(function* (answer: DianResponse) {
  const { authority, document, service } = yield* setUp()
  service.answerTo("GetStatusEvent", dian(answer))
  return yield* ask(authority, document)
})

const readXml = (xml: string) => read(eventsAnswer(cufe, [received], xml))
const noEvents = { value: [] }

describe("the events of an invoice", () => {
  it.live("come from the authority's answer", function* () {
    const { authority, document, service } = yield* setUp()
    service.eventsOf(cufe, [received, { code: "032", date: "2026-11-23", time: "16-00-00-05:00" }, accepted])
    assert.deepStrictEqual(yield* ask(authority, document), {
      value: [
        { code: "030", at: whenReceived, by, claim: null },
        { code: "032", at: Date.parse("2026-11-23T16:00:00-05:00"), by, claim: null },
        { code: "033", at: whenAccepted, by, claim: null }
      ]
    })
    assert.deepStrictEqual(
      service.calls.map(({ operation, parameters }) => [operation, parameters]),
      [["GetStatusEvent", { trackId: cufe }]]
    )
    assert.deepStrictEqual(service.refusals, [])
  })

  it.live("stay empty with status 67, and with status 66", function* () {
    const { authority, document, service } = yield* setUp()
    assert.deepStrictEqual(yield* ask(authority, document), noEvents)
    service.answerTo("GetStatusEvent", dian({ StatusCode: "66", IsValid: "false", XmlBase64Bytes: null }))
    assert.deepStrictEqual(yield* ask(authority, document), noEvents)
  })

  it.live("carry the reason of a claim if the authority states it", function* () {
    const claims = ["02", "05", undefined].map((listID) => ({
      ...received,
      code: "031",
      ...(listID === undefined ? {} : { listID })
    }))
    const found = yield* read(eventsAnswer(cufe, claims))
    assert.deepStrictEqual("value" in found ? found.value.map(({ claim }) => claim) : found, ["02", null, null])
  })

  it.live(
    "use the authority's time zone if their time has none, and the start of the day if they have no time",
    function* () {
      const found = yield* read(
        eventsAnswer(cufe, [
          { code: "030", date: "2026-11-23", time: "15:12:09" },
          { code: "032", date: "2026-11-23" },
          { code: "033", date: "2026-11-24T09:30:00.123" },
          { code: "034", date: "2026-11-24", time: "14:30:00Z" }
        ])
      )
      assert.deepStrictEqual("value" in found ? found.value.map(({ at }) => at) : found, [
        whenReceived,
        Date.parse("2026-11-23T00:00:00-05:00"),
        whenAccepted,
        whenAccepted
      ])
    }
  )

  it.live("take the date of the answer if they have none, and are dropped if a date is invalid", function* () {
    const found = yield* read(
      eventsAnswer(cufe, [{ code: "030" }, { code: "032", date: "yesterday" }, { code: "033", date: "9999-99-99" }])
    )
    const asked = Date.parse("2026-12-01T09:00:00-05:00")
    assert.deepStrictEqual("value" in found ? found.value.map(({ at }) => at) : found, [asked, asked, asked])
    const xml = eventsXml([received]).replaceAll(/<cbc:(IssueDate|EffectiveDate)>[^<]*/g, "<cbc:$1>2026-13-45")
    assert.deepStrictEqual(yield* readXml(xml), noEvents)
  })

  it.live("count if they name this invoice or no invoice, but not if they name another invoice", function* () {
    const other = "cd".repeat(48)
    const found = yield* read(
      eventsAnswer(cufe, [
        { ...received, invoice: cufe.toUpperCase() },
        { ...accepted, invoice: other },
        { ...received, code: "034", invoice: "" }
      ])
    )
    assert.deepStrictEqual("value" in found ? found.value.map(({ code }) => code) : found, ["030", "034"])
    // If the answer does not name its document, only the events that name the invoice count.
    const unnamed = { ...eventsAnswer(cufe, [{ ...received, invoice: cufe }, accepted]), XmlDocumentKey: null }
    const ours = yield* read(unnamed)
    assert.deepStrictEqual("value" in ours ? ours.value.map(({ code }) => code) : ours, ["030"])
  })

  it.live("fail with AuthorityUnavailable when the answer is about another document", function* () {
    assert.deepStrictEqual(yield* read(eventsAnswer("cd".repeat(48), [accepted])), {
      _tag: "AuthorityUnavailable",
      message: "The authority's response is about another document."
    })
  })

  it.live("stay empty for other codes and for an unreadable answer", function* () {
    for (const code of ["02", "035", "33", "", "0 33", "constructor"]) {
      assert.deepStrictEqual(yield* read(eventsAnswer(cufe, [{ ...accepted, code }])), noEvents, code)
    }
    const whole = eventsXml([accepted])
    const doctype = '<!DOCTYPE a [<!ENTITY x "033">]>'
    for (const xml of [
      "",
      "no XML",
      "<ApplicationResponse/>",
      whole.slice(0, -40),
      `${doctype}${whole.replace(/<\?xml.*?\?>/, "")}`,
      whole.replaceAll("ApplicationResponse", "Invoice"),
      "<a>".repeat(500)
    ]) {
      assert.deepStrictEqual(yield* readXml(xml), noEvents, xml.slice(0, 80))
    }
    assert.deepStrictEqual(yield* read({ ...eventsAnswer(cufe, [accepted]), XmlBase64Bytes: "%%%" }), noEvents)
  })

  it.live("stay empty if the answer is too large to read, and the call ends", function* () {
    const padding = `<!--${"x".repeat(1024 * 1024)}-->`
    assert.deepStrictEqual(
      yield* readXml(eventsXml([accepted]).replace("<cac:Sender", `${padding}<cac:Sender`)),
      noEvents
    )
    const { authority, document, service } = yield* setUp()
    const huge = `${eventsXml([accepted])}<!--${"x".repeat(10 * 1024 * 1024)}-->`
    service.answerTo("GetStatusEvent", dian(eventsAnswer(cufe, [accepted], huge)))
    assert.deepInclude(yield* ask(authority, document), {
      _tag: "AuthorityUnavailable",
      message: "The authority: its response is too large."
    })
  })

  it.live("can be as many as 300", function* () {
    const found = yield* read(
      eventsAnswer(
        cufe,
        Array.from({ length: 300 }, () => received)
      )
    )
    assert.lengthOf("value" in found ? found.value : [], 300)
  })
})
