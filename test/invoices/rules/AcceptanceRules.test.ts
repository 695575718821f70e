import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { Acceptance, AcceptanceCode, type AcceptanceStatus, ClaimCode } from "../../../schemas/Acceptance.ts"
import {
  acceptanceOf,
  eventsOnce,
  isOnCredit,
  type AuthorityEvent
} from "../../../src/invoices/rules/AcceptanceRules.ts"

const at = Date.parse("2026-11-21T15:00:00Z")

const event = (code: AcceptanceCode, minutes = 0, change: Partial<AuthorityEvent> = {}): AuthorityEvent => ({
  code,
  at: at + minutes * 60_000,
  by: null,
  claim: null,
  ...change
})

const Events = Schema.Array(
  Schema.Struct({
    code: AcceptanceCode,
    at: Schema.Int.check(Schema.isBetween({ minimum: at, maximum: at + 5 })),
    by: Schema.NullOr(Schema.Literals(["Ana", "Luis"])),
    claim: Schema.NullOr(ClaimCode)
  })
).check(Schema.isMaxLength(12))

const isAcceptance = Schema.is(Acceptance)

describe("the acceptance of an invoice", () => {
  it.each<[string, ReadonlyArray<AuthorityEvent>, boolean, AcceptanceStatus, string | null]>([
    ["nothing yet", [], false, "pending", null],
    ["nothing in 30 days", [], true, "unanswered", null],
    ["the receipt of the invoice", [event("030")], false, "acknowledged", "2026-11-21T10:00:00.000-05:00"],
    ["the receipt of the invoice, at the end", [event("030")], true, "acknowledged", "2026-11-21T10:00:00.000-05:00"],
    ["the receipt of the goods", [event("032", 2), event("030")], false, "received", "2026-11-21T10:02:00.000-05:00"],
    ["a claim", [event("030"), event("031", 1)], false, "claimed", "2026-11-21T10:01:00.000-05:00"],
    ["an acceptance", [event("033", 3), event("032", 2)], true, "accepted", "2026-11-21T10:03:00.000-05:00"],
    ["a tacit acceptance", [event("032"), event("034", 9)], true, "accepted_tacitly", "2026-11-21T10:09:00.000-05:00"],
    ["an acceptance after a claim", [event("031"), event("033", 5)], true, "accepted", "2026-11-21T10:05:00.000-05:00"],
    ["both acceptances", [event("034"), event("033", 5)], true, "accepted", "2026-11-21T10:05:00.000-05:00"]
  ])("shows the status after %s", (_, events, isOver, status, time) => {
    const { at: shown, ...acceptance } = acceptanceOf(events, isOver)
    assert.deepStrictEqual([acceptance.status, shown], [status, time])
  })

  it("names the author of an event, and the reason of a claim", () => {
    const { events } = acceptanceOf([event("031", 0, { by: "Ana", claim: "02" }), event("030")], false)
    assert.deepStrictEqual(events, [
      {
        code: "030",
        name: "Acuse de recibo de Factura Electrónica de Venta",
        name_en: "Acknowledgement of receipt of the invoice",
        at: "2026-11-21T10:00:00.000-05:00"
      },
      {
        code: "031",
        name: "Reclamo de la Factura Electrónica de Venta",
        name_en: "Claim against the invoice",
        by: "Ana",
        reason_code: "02",
        reason: "Mercancía no entregada totalmente",
        at: "2026-11-21T10:00:00.000-05:00"
      }
    ])
  })

  it.prop("ignores the order of events and repetitions", { events: Events }, ({ events }) => {
    const acceptance = acceptanceOf(events, false)
    assert.deepStrictEqual(acceptanceOf(events.toReversed(), false), acceptance)
    assert.deepStrictEqual(acceptanceOf([...events, ...events.slice(1), ...events.slice(0, 1)], false), acceptance)
    assert.deepStrictEqual(acceptanceOf(eventsOnce(events), false), acceptance)
  })

  it.prop(
    "shows each event once in the order of time, and a final event decides the status",
    { events: Events },
    ({ events }) => {
      const acceptance = acceptanceOf(events, true)
      assert.isTrue(isAcceptance(acceptance))
      const codes = acceptance.events.map(({ code }) => code)
      assert.sameMembers(codes, [...new Set(events.map(({ code }) => code))])
      const times = acceptance.events.map(({ at: time }) => time)
      assert.deepStrictEqual(times, times.toSorted())
      const isAccepted = ["accepted", "accepted_tacitly"].includes(acceptance.status)
      assert.strictEqual(isAccepted, codes.includes("033") || codes.includes("034"))
      assert.strictEqual(acceptance.status === "unanswered", codes.length === 0)
    }
  )

  it("belongs to invoices on credit terms alone", () => {
    const credit = { payment_means: { type: "2" } }
    assert.isTrue(isOnCredit({ kind: "invoice", ...credit }))
    assert.isFalse(isOnCredit({ kind: "invoice", payment_means: { type: "1" } }))
    assert.isFalse(isOnCredit({ kind: "credit_note", ...credit }))
  })
})
