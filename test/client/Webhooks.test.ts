import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect, Schema } from "effect"
import { verify, verifyEffect, type WebhookFault, WebhookVerificationError } from "folio/webhooks"
import { Webhook } from "standardwebhooks"
import { signatureHeaders } from "../../src/domain/webhooks/WebhookSignature.ts"

const secret = "whsec_Zm9saW8gdGVzdCBzZWNyZXQgb2YgMzIgYnl0ZXMhISE="
const other = "whsec_b3RoZXIgdGVzdCBzZWNyZXQgb2YgMzIgYnl0ZXMhISE="
const payload = '{"id":"evt_1","object":"event","type":"invoice.failed","data":{"object":{"note":"ñ"}}}'
const now = new Date("2026-11-21T15:00:00Z")
const seconds = now.getTime() / 1000
const headers = signatureHeaders({ secret, messageId: "evt_1", timestamp: seconds, body: payload })
const { "Svc-Signature": svc, ...standard } = headers

const faultOf = (webhook: Partial<Parameters<typeof verify>[0]>): WebhookFault | null => {
  try {
    verify({ payload, headers, secret, now, ...webhook })
    return null
  } catch (error) {
    assert.instanceOf(error, WebhookVerificationError)
    assert.isNotEmpty(error.message)
    return error.reason
  }
}

const garbage = Arbitrary.schema(Schema.String)

describe("folio/webhooks", () => {
  it.each([
    ["both signatures", headers],
    ["the one of Svc-Signature", { "svc-signature": svc }],
    ["the one of Standard Webhooks", standard],
    ["lists of values, as node gives them", { "SVC-SIGNATURE": [svc ?? ""] }],
    ["the web's headers", new Headers(headers)],
    ["several v1=, one of them right", { "svc-signature": `${svc},v1=${"0".repeat(64)}` }],
    ["one right signature beside one that cannot be read", { ...standard, "svc-signature": "nonsense" }]
  ])("gives the event of a webhook with %s", (_, given) => {
    assert.strictEqual(verify({ payload, headers: given, secret, now }).type, "invoice.failed")
    assert.strictEqual(verify({ payload: Buffer.from(payload), headers: given, secret, now }).id, "evt_1")
  })

  it("takes several secrets while one is being replaced, and what stock senders sign", () => {
    assert.isNull(faultOf({ secret: [other, secret] }))
    const signed = new Webhook(secret).sign("evt_1", now, payload)
    const stock = { "webhook-id": "evt_1", "webhook-timestamp": String(seconds), "webhook-signature": signed }
    assert.isNull(faultOf({ headers: stock }))
  })

  it.each([
    ["missing", {}],
    ["missing", { "webhook-id": "evt_1" }],
    ["malformed", { "svc-signature": "t=now,v1=1" }],
    ["mismatch", { "svc-signature": `t=${seconds},v1=${"0".repeat(64)}` }]
  ] as const)("says that a signature is %s", (reason, given) => {
    assert.strictEqual(faultOf({ headers: given }), reason)
  })

  it("refuses another secret, and what is five minutes away from its time", () => {
    assert.strictEqual(faultOf({ secret: other }), "mismatch")
    for (const none of ["", "whsec_", [], undefined as never]) {
      const headersOfNone = signatureHeaders({
        secret: "whsec_",
        messageId: "evt_1",
        timestamp: seconds,
        body: payload
      })
      assert.strictEqual(faultOf({ secret: none, headers: headersOfNone }), "unusable")
    }
    const at = (offset: number) => faultOf({ now: new Date(now.getTime() + offset * 1000) })
    assert.deepStrictEqual([at(300), at(-300), at(301), at(-301)], [null, null, "expired", "expired"])
    assert.isNull(faultOf({ now: new Date(now.getTime() + 900_000), toleranceSeconds: 900 }))
    assert.strictEqual(faultOf({ toleranceSeconds: Number.NaN }), "expired")
    assert.strictEqual(faultOf({ now: new Date(Number.NaN) }), "expired")
  })

  it("says what a receiver does wrong itself", () => {
    assert.strictEqual(faultOf({ payload: JSON.parse(payload) }), "unusable")
    assert.strictEqual(faultOf({ headers: undefined as never }), "unusable")
  })

  it("refuses a genuine body that is no event", () => {
    for (const body of ["", "null", "[]", "{}", '{"object":"list"}']) {
      const signed = signatureHeaders({ secret, messageId: "evt_1", timestamp: seconds, body })
      assert.strictEqual(faultOf({ payload: body, headers: signed }), "not_an_event", body)
    }
  })

  it.prop("refuses a body with any byte changed", [Arbitrary.schema(Schema.Natural)], ([at]) => {
    const bytes = Buffer.from(payload)
    const index = at % bytes.length
    bytes.writeUInt8(bytes.readUInt8(index) ^ 1, index)
    assert.strictEqual(faultOf({ payload: bytes }), "mismatch")
  })

  it.prop("never throws anything but its own error, whatever the headers are", [garbage, garbage, garbage], (texts) => {
    const [a, b, c] = texts
    const given = {
      "svc-signature": a,
      "webhook-id": b,
      "webhook-timestamp": c,
      "webhook-signature": `v1,${a} v1,${b}`
    }
    assert.include(["malformed", "mismatch"], faultOf({ headers: given }))
  })

  it.effect("has a face for Effect", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* verifyEffect({ payload, headers, secret, now })).id, "evt_1")
      const error = yield* Effect.flip(verifyEffect({ payload, headers, secret: other, now }))
      assert.strictEqual(error.reason, "mismatch")
    })
  )
})
