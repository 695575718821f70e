import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect, Schema } from "effect"
import { TestClock } from "effect/testing"
import { verify, verifyEffect, type WebhookHeaders, WebhookRefused } from "folio/webhooks"
import { Webhook } from "svix"
import { eventTypes } from "../../schemas/Event.ts"
import { sampleEvent } from "../../src/domain/SampleEvent.ts"
import { signatureHeaders } from "../../src/domain/WebhookSignature.ts"

const secret = "whsec_Zm9saW8gdGVzdCBzZWNyZXQgb2YgMzIgYnl0ZXMhISE="
const messageId = "evt_01k00000000000000000000000"
const now = 1_795_273_200

const bodyOf = (type: (typeof eventTypes)[number]) =>
  sampleEvent({
    id: messageId,
    type,
    account_id: "ten_01k00000000000000000000000",
    livemode: false,
    created: "2026-11-21T10:00:00.000-05:00",
    ulid: "01k00000000000000000000000"
  }).body

const body = bodyOf("invoice.rejected_by_authority")
const headers = signatureHeaders({ secret, messageId, timestamp: now, body })
const { "Svc-Signature": svcSignature = "", ...standard } = headers
const own = { "Svc-Signature": svcSignature }
const schemes: ReadonlyArray<readonly [name: string, headers: Record<string, string>]> = [
  ["Svc-Signature", own],
  ["Standard Webhooks", standard]
]

/** The code of what is thrown, which must be the documented error. */
const codeOf = (delivery: Parameters<typeof verify>[0]): string => {
  try {
    verify(delivery)
    return "taken"
  } catch (error) {
    assert.instanceOf(error, WebhookRefused)
    return (error as WebhookRefused).code
  }
}

const index = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: body.length - 1 }))
const flip = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 255 }))
const garbage = Arbitrary.schema(Schema.String)

describe.each(schemes)("verify, by %s", (_name, signed) => {
  const given = { body, headers: signed, secret, now }

  it("gives the typed event of every type", () => {
    for (const type of eventTypes) {
      const text = bodyOf(type)
      const all = signatureHeaders({ secret, messageId, timestamp: now, body: text })
      const kept = Object.fromEntries(Object.keys(signed).map((name) => [name, all[name] ?? ""]))
      const event = verify({ body: text, headers: kept, secret, now })
      assert.strictEqual(event.type, type)
      assert.strictEqual(event.data.object.object, type.split(".")[0])
    }
  })

  it("takes text and bytes, and headers of any kind", () => {
    const kinds: ReadonlyArray<WebhookHeaders> = [
      signed,
      new Headers(signed),
      Object.fromEntries(Object.entries(signed).map(([name, value]) => [name.toUpperCase(), value])),
      Object.fromEntries(Object.entries(signed).map(([name, value]) => [name.toLowerCase(), [value]]))
    ]
    for (const kind of kinds) {
      assert.strictEqual(verify({ ...given, headers: kind }).id, messageId)
      assert.strictEqual(verify({ ...given, headers: kind, body: Buffer.from(body) }).id, messageId)
    }
  })

  it.prop("refuses a body with one byte flipped", [index, flip], ([at, by]) => {
    const bytes = Uint8Array.from(Buffer.from(body), (value, position) => (position === at ? value ^ by : value))
    assert.strictEqual(codeOf({ ...given, body: bytes }), "mismatch")
  })

  it.prop("refuses any other secret", [garbage], ([other]) => {
    for (const wrong of [other, `whsec_${other}`]) {
      if (wrong !== secret) assert.strictEqual(codeOf({ ...given, secret: wrong }), "mismatch")
    }
  })

  it.prop("refuses what is older or newer than is tolerated", [flip], ([apart]) => {
    for (const at of [now - 300 - apart, now + 300 + apart])
      assert.strictEqual(codeOf({ ...given, now: at }), "expired")
    assert.strictEqual(codeOf({ ...given, now: now + apart }), "taken")
    assert.strictEqual(codeOf({ ...given, now: now + apart, toleranceSeconds: apart - 1 }), "expired")
  })

  it.prop(
    "throws nothing but the documented error, whatever the headers and the body are",
    [garbage, garbage],
    ([a, b]) => {
      for (const name of Object.keys(signed)) {
        assert.include(["malformed", "mismatch"], codeOf({ ...given, headers: { ...signed, [name]: `${a}!` } }))
        assert.include(["malformed", "mismatch"], codeOf({ ...given, headers: { ...signed, [name]: [a, b] } }))
      }
      assert.strictEqual(codeOf({ ...given, headers: { [a]: b } }), "malformed")
      const text = b.toWellFormed()
      const genuine = signatureHeaders({ secret, messageId, timestamp: now, body: text })
      assert.strictEqual(codeOf({ ...given, body: text, headers: genuine }), "unknown_event")
    }
  )

  it("refuses what was signed with the empty secret of a forgotten setting, and what is not there at all", () => {
    for (const empty of ["", "whsec_"]) {
      const forged = signatureHeaders({ secret: empty, messageId, timestamp: now, body })
      assert.strictEqual(codeOf({ ...given, headers: forged, secret: empty }), "mismatch")
    }
    for (const nothing of [undefined, null]) {
      assert.strictEqual(codeOf({ ...given, secret: nothing as never }), "mismatch")
      assert.strictEqual(codeOf({ ...given, headers: nothing as never }), "malformed")
      assert.strictEqual(codeOf({ ...given, body: nothing as never }), "malformed")
    }
  })

  it("refuses a body that was parsed before", () => {
    assert.strictEqual(codeOf({ ...given, body: JSON.parse(body) }), "malformed")
  })

  it.effect("has an Effect face, by its clock", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(now * 1000 + 300_000)
      assert.strictEqual((yield* verifyEffect({ body, headers: signed, secret })).id, messageId)
      yield* TestClock.adjust("1 second")
      const refusal = yield* Effect.flip(verifyEffect({ body, headers: signed, secret }))
      assert.deepStrictEqual([refusal._tag, refusal.code], ["WebhookRefused", "expired"])
    })
  )
})

describe("verify", () => {
  it("takes one right signature among several, of either scheme", () => {
    const wrong = { svc: `v1=${"0".repeat(64)}`, standard: `v1,${"A".repeat(43)}=` }
    const several = { "svc-signature": svcSignature.replace(",", `,${wrong.svc},`) }
    assert.strictEqual(codeOf({ body, headers: several, secret, now }), "taken")
    const right = standard["webhook-signature"]
    for (const text of [`${wrong.standard} ${right}`, `v1a,x ${right} ${wrong.standard}`]) {
      assert.strictEqual(codeOf({ body, headers: { ...standard, "webhook-signature": text }, secret, now }), "taken")
    }
    const none = { ...standard, "webhook-signature": `${wrong.standard} v2${right?.slice(2)}` }
    assert.strictEqual(codeOf({ body, headers: none, secret, now }), "mismatch")
  })

  it("does not fall back to another scheme when Svc-Signature is wrong", () => {
    const both = { ...standard, "Svc-Signature": svcSignature.replace(/v1=./, "v1=x") }
    assert.strictEqual(codeOf({ body, headers: both, secret, now }), "mismatch")
  })

  it.prop("says the same as svix of what it signs", [garbage], ([text]) => {
    const payload = JSON.stringify({ ...JSON.parse(body), note: text.toWellFormed() })
    const at = new Date()
    const signature = new Webhook(secret).sign(messageId, at, payload)
    const signed = {
      "webhook-id": messageId,
      "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
      "webhook-signature": signature
    }
    assert.strictEqual(verify({ body: payload, headers: signed, secret }).id, messageId)
  })
})
