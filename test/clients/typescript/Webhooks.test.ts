import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect, Schema } from "effect"
import { verify, type WebhookFault, WebhookVerificationError } from "@folio-einvoicing/client/webhooks"
import { Webhook } from "standardwebhooks"
import { makeWebhookSecret } from "../../../src/accounts/rules/ApiKeyFormat.ts"
import { signatureHeaders } from "../../../src/webhooks/rules/WebhookSignature.ts"

const secret = "whsec_Zm9saW8gdGVzdCBzZWNyZXQgb2YgMzIgYnl0ZXMhISE="
const other = "whsec_b3RoZXIgdGVzdCBzZWNyZXQgb2YgMzIgYnl0ZXMhISE="
const payload = '{"id":"evt_1","object":"event","type":"invoice.failed","data":{"object":{"note":"ñ"}}}'
const now = new Date("2026-11-21T15:00:00Z")
const seconds = now.getTime() / 1000
const headers = signatureHeaders({ secret, messageId: "evt_1", timestamp: seconds, body: payload })
const { "Svc-Signature": svc = "", ...standard } = headers

type Given = Parameters<typeof verify>[0]

const faultOf = async (webhook: Partial<Given>): Promise<WebhookFault | null> => {
  try {
    await verify({ payload, headers, secret, now, ...webhook })
    return null
  } catch (error) {
    assert.instanceOf(error, WebhookVerificationError)
    assert.isNotEmpty(error.message)
    return error.reason
  }
}

const byte = Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 })))
const secrets = Arbitrary.map(Arbitrary.array(byte, { minLength: 32, maxLength: 32 }), (bytes) =>
  makeWebhookSecret(Uint8Array.from(bytes))
)
const wellFormed = Arbitrary.map(Arbitrary.schema(Schema.String), (text) => text.toWellFormed())
const garbage = Arbitrary.schema(Schema.String)

/** The same text with another character at one position. */
const changed = (text: string, index: number) =>
  `${text.slice(0, index)}${text[index] === "0" ? "1" : "0"}${text.slice(index + 1)}`

const changes = (text: string) => Array.from(text, (_, index) => changed(text, index))

/** The bytes of a Standard Webhooks signature. */
const bytesOf = (signature: string) => Buffer.from(signature.slice("v1,".length), "base64")

describe("@folio-einvoicing/client/webhooks", () => {
  it.each([
    ["both signatures", headers],
    ["the signature of Svc-Signature", { "svc-signature": svc }],
    ["the signature of Standard Webhooks", standard],
    ["lists of values, as node gives them", { "SVC-SIGNATURE": [svc] }],
    ["the web's headers", new Headers(headers)],
    ["several v1=, one of them right", { "svc-signature": `${svc},v1=${"0".repeat(64)}` }],
    ["a right signature next to a malformed one", { ...standard, "svc-signature": "nonsense" }]
  ])("returns the event of a webhook with %s", async (_, given) => {
    const bytes = new TextEncoder().encode(payload)
    for (const body of [payload, bytes, Buffer.from(payload), bytes.buffer]) {
      const { id, type } = await verify({ payload: body, headers: given, secret, now })
      assert.deepStrictEqual({ id, type: String(type) }, { id: "evt_1", type: "invoice.failed" })
    }
  })

  it.effect.prop(
    "verifies all webhooks that the service signs, by each of the two signatures",
    [secrets, wellFormed],
    ([key, note]) =>
      Effect.promise(async () => {
        const body = JSON.stringify({
          id: "evt_1",
          object: "event",
          type: "invoice.failed",
          data: { object: { note } }
        })
        const signed = signatureHeaders({ secret: key, messageId: "evt_1", timestamp: seconds, body })
        const { "Svc-Signature": own = "", ...stock } = signed
        for (const given of [signed, { "svc-signature": own }, stock]) {
          const event = await verify({ payload: body, headers: given, secret: key, now })
          assert.deepStrictEqual(event, JSON.parse(body))
          assert.strictEqual(await faultOf({ payload: body, headers: given, secret: other }), "mismatch")
          assert.strictEqual(await faultOf({ payload: `${body} `, headers: given, secret: key }), "mismatch")
          assert.strictEqual(
            await faultOf({ payload: body, headers: given, secret: key, now: new Date(now.getTime() + 301_000) }),
            "expired"
          )
        }
      })
  )

  it("accepts several secrets during a replacement, and the signatures of stock senders", async () => {
    assert.isNull(await faultOf({ secret: [other, secret] }))
    const signed = new Webhook(secret).sign("evt_1", now, payload)
    const stock = { "webhook-id": "evt_1", "webhook-timestamp": String(seconds), "webhook-signature": signed }
    assert.isNull(await faultOf({ headers: stock }))
  })

  it.each([
    ["missing", {}],
    ["missing", { "webhook-id": "evt_1" }],
    ["malformed", { "svc-signature": "t=now,v1=1" }],
    ["mismatch", { "svc-signature": `t=${seconds},v1=${"0".repeat(64)}` }]
  ] as const)("reports a wrong signature as %s", async (reason, given) => {
    assert.strictEqual(await faultOf({ headers: given }), reason)
  })

  it("rejects another secret, and a time more than five minutes from the receiver's clock", async () => {
    assert.strictEqual(await faultOf({ secret: other }), "mismatch")
    const at = (offset: number) => faultOf({ now: new Date(now.getTime() + offset * 1000) })
    assert.deepStrictEqual(await Promise.all([300, -300, 301, -301].map(at)), [null, null, "expired", "expired"])
    assert.isNull(await faultOf({ now: new Date(now.getTime() + 900_000), toleranceSeconds: 900 }))
    assert.strictEqual(await faultOf({ toleranceSeconds: Number.NaN }), "expired")
    assert.strictEqual(await faultOf({ now: new Date(Number.NaN) }), "expired")
  })

  it("reports the most helpful of several faults", async () => {
    const late = new Date(now.getTime() + 301_000)
    assert.strictEqual(await faultOf({ headers: { ...standard, "svc-signature": "nonsense" }, now: late }), "expired")
    assert.strictEqual(await faultOf({ secret: [other, secret], now: late }), "expired")
    assert.strictEqual(
      await faultOf({ headers: { ...standard, "svc-signature": "nonsense" }, secret: other }),
      "mismatch"
    )
  })

  it("checks the bytes as they were when the call began", async () => {
    const bytes = new TextEncoder().encode(payload)
    const event = verify({ payload: bytes, headers, secret, now })
    bytes.fill(0)
    assert.strictEqual((await event).id, "evt_1")
  })

  it("rejects a secret that anybody could sign with", async () => {
    for (const none of ["", "whsec_", [], undefined as never]) {
      const ofNone = signatureHeaders({ secret: "whsec_", messageId: "evt_1", timestamp: seconds, body: payload })
      const { "Svc-Signature": own = "" } = ofNone
      assert.strictEqual(await faultOf({ secret: none, headers: ofNone }), "unusable")
      assert.strictEqual(await faultOf({ secret: none, headers: { "svc-signature": own } }), "unusable")
    }
    // As base64, these characters are no bytes: the key of the second signature would be empty.
    for (const empty of ["whsec_=", "whsec_!", "whsec_ "]) {
      const { "Svc-Signature": _, ...ofEmpty } = signatureHeaders({
        secret: "whsec_",
        messageId: "evt_1",
        timestamp: seconds,
        body: payload
      })
      assert.strictEqual(await faultOf({ secret: empty, headers: ofEmpty }), "mismatch")
    }
  })

  it("reports a receiver's own mistakes", async () => {
    const wrong: ReadonlyArray<Partial<Given>> = [
      { payload: JSON.parse(payload) },
      { payload: null as never },
      { headers: undefined as never },
      { headers: "svc-signature" as never },
      { now: "2026-11-21" as never }
    ]
    for (const one of wrong) assert.strictEqual(await faultOf(one), "unusable")
    const nothing = await verify(undefined as never).catch((error: unknown) => error)
    assert.instanceOf(nothing, WebhookVerificationError)
    assert.strictEqual(nothing.reason, "unusable")
  })

  it("rejects a genuine body that is no event", async () => {
    for (const body of ["", "null", "[]", "{}", '{"object":"list"}']) {
      const signed = signatureHeaders({ secret, messageId: "evt_1", timestamp: seconds, body })
      assert.strictEqual(await faultOf({ payload: body, headers: signed }), "not_an_event", body)
    }
  })

  it.effect.prop("rejects a body with any byte changed", [Arbitrary.schema(Schema.Natural)], ([at]) =>
    Effect.promise(async () => {
      const bytes = Buffer.from(payload)
      const index = at % bytes.length
      bytes.writeUInt8(bytes.readUInt8(index) ^ 1, index)
      assert.strictEqual(await faultOf({ payload: bytes }), "mismatch")
    })
  )

  it("rejects headers and secrets with any character changed", async () => {
    const signature = standard["webhook-signature"] ?? ""
    // The last two bits of the last digit are unused: four digits decode to the same bytes.
    const twins = Array.from("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", (digit) =>
      signature.replace(/.=$/, `${digit}=`)
    ).filter((one) => one !== signature && bytesOf(one).equals(bytesOf(signature)))
    assert.lengthOf(twins, 3)
    const tampered: ReadonlyArray<Partial<Given>> = [
      ...changes(svc).map((one) => ({ headers: { "svc-signature": one } })),
      ...changes(signature).map((one) => ({ headers: { ...standard, "webhook-signature": one } })),
      ...twins.map((one) => ({ headers: { ...standard, "webhook-signature": one } })),
      ...["webhook-id", "webhook-timestamp"].flatMap((name) =>
        changes(String(standard[name])).map((one) => ({ headers: { ...standard, [name]: one } }))
      ),
      ...changes(secret)
        .slice("whsec_".length)
        .flatMap((one) => [
          { secret: one, headers: { "svc-signature": svc } },
          { secret: one, headers: standard }
        ])
    ]
    for (const one of tampered) assert.include(["mismatch", "malformed"], await faultOf(one), JSON.stringify(one))
    const upper = svc.replace(/v1=(.*)/, (_, hex) => `v1=${hex.toUpperCase()}`)
    assert.strictEqual(await faultOf({ headers: { "svc-signature": upper } }), "mismatch")
  })

  it("hashes the body a few times only, even if a request has many signatures", async () => {
    const wrong = `v1=${"0".repeat(64)}`
    const right = svc.slice(svc.indexOf("v1="))
    const among = (place: number) =>
      faultOf({ headers: { "svc-signature": [`t=${seconds}`, ...Array(place).fill(wrong), right].join(",") } })
    assert.deepStrictEqual([await among(7), await among(8)], [null, "mismatch"])
  })

  it.effect.prop("throws only its own error, for any headers", [garbage, garbage, garbage], ([a, b, c]) =>
    Effect.promise(async () => {
      const given = {
        "svc-signature": a,
        "webhook-id": b,
        "webhook-timestamp": c,
        "webhook-signature": `v1,${a} v1,${b}`
      }
      assert.include(["malformed", "mismatch"], await faultOf({ headers: given }))
    })
  )
})
