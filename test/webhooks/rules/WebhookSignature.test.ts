import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Result, Schema } from "effect"
import Crypto from "node:crypto"
import { syncBuiltinESMExports } from "node:module"
import { Webhook } from "standardwebhooks"
import { Stripe } from "stripe"
import { onTestFinished, vi } from "vitest"
import { makeWebhookSecret } from "../../../src/accounts/rules/ApiKeyFormat.ts"
import { signatureHeaders, verify } from "../../../src/webhooks/rules/WebhookSignature.ts"

const byte = Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 })))
const secrets = Arbitrary.map(Arbitrary.array(byte, { minLength: 32, maxLength: 32 }), (bytes) =>
  makeWebhookSecret(Uint8Array.from(bytes))
)
const seconds = Schema.Int.check(Schema.isBetween({ minimum: 1_000_000_000, maximum: 99_999_999_999 }))
const wellFormed = Arbitrary.map(Arbitrary.schema(Schema.String), (text) => text.toWellFormed())

const secret = "whsec_Zm9saW8gdGVzdCBzZWNyZXQgb2YgMzIgYnl0ZXMhISE="
const messageId = "evt_01k0000000000000000000000a"
const body = '{"id":"evt_01k0000000000000000000000a","object":"event","note":"ñ"}'
const timestamp = 1_795_273_200

const failure = (result: Result.Result<void, string>) => (Result.isFailure(result) ? result.failure : null)
const svc = (headers: Record<string, string>) => headers["Svc-Signature"] ?? ""

describe("signatureHeaders", () => {
  it("writes the known signatures", () => {
    assert.deepStrictEqual(signatureHeaders({ secret, messageId, timestamp, body }), {
      "Svc-Signature": "t=1795273200,v1=9840a84a307daee0db92137eca61d268ea57ee891887f00c09814562486da96e",
      "webhook-id": messageId,
      "webhook-timestamp": "1795273200",
      "webhook-signature": "v1,xqdpG/YA3AtIgFRbfy6VTcYhFMYD2GTG1c/APeFltXw="
    })
  })

  it.prop("passes the verifier of stripe", [secrets, wellFormed, seconds], ([key, text, now]) => {
    const payload = JSON.stringify({ id: "evt_1", object: "event", text })
    const header = svc(signatureHeaders({ secret: key, messageId, timestamp: now, body: payload }))
    const receivedMs = now * 1000 + 1000
    const event = Stripe.webhooks.constructEvent(payload, header, key, 300, undefined, receivedMs)
    assert.strictEqual(event.id, "evt_1")
    assert.throws(() => Stripe.webhooks.constructEvent(`${payload} `, header, key, 300, undefined, receivedMs))
  })

  it.prop("passes the verifier of Standard Webhooks", [secrets, wellFormed], ([key, text]) => {
    const payload = JSON.stringify({ text })
    const now = Math.floor(Date.now() / 1000)
    const headers = signatureHeaders({ secret: key, messageId, timestamp: now, body: payload })
    assert.deepStrictEqual(new Webhook(key).verify(payload, headers), { text })
    assert.throws(() => new Webhook(key).verify(`${payload} `, headers))
    assert.throws(() => new Webhook(key).verify(payload, { ...headers, "webhook-id": "evt_2" }))
  })
})

describe("verify", () => {
  const header = svc(signatureHeaders({ secret, messageId, timestamp, body }))

  it.prop("accepts a signed body, as text and as bytes", [secrets, wellFormed, seconds], ([key, text, now]) => {
    const own = svc(signatureHeaders({ secret: key, messageId, timestamp: now, body: text }))
    assert.isTrue(Result.isSuccess(verify({ secret: key, header: own, body: text, now })))
    assert.isTrue(Result.isSuccess(verify({ secret: key, header: own, body: Buffer.from(text), now })))
  })

  const flips = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 255 }))
  it.prop("rejects a change in any byte of the body", [flips], ([flip]) => {
    const bytes = Buffer.from(body)
    for (let index = 0; index < bytes.length; index++) {
      const tampered = Uint8Array.from(bytes, (value, at) => (at === index ? value ^ flip : value))
      assert.strictEqual(failure(verify({ secret, header, body: tampered, now: timestamp })), "mismatch")
    }
  })

  it("rejects a change in any character of the header or the secret", () => {
    for (let index = 0; index < header.length; index++) {
      const other = header[index] === "0" ? "1" : "0"
      const tampered = header.slice(0, index) + other + header.slice(index + 1)
      assert.isTrue(Result.isFailure(verify({ secret, header: tampered, body, now: timestamp })), tampered)
    }
    for (let index = 0; index < secret.length; index++) {
      const tampered = `${secret.slice(0, index)}0${secret.slice(index + 1)}`
      if (tampered === secret) continue
      assert.strictEqual(failure(verify({ secret: tampered, header, body, now: timestamp })), "mismatch")
    }
  })

  it("tolerates 300 seconds in both directions, or the given tolerance", () => {
    const given = { secret, header, body }
    for (const apart of [-300, 0, 300]) assert.isNull(failure(verify({ ...given, now: timestamp + apart })))
    for (const apart of [-301, 301])
      assert.strictEqual(failure(verify({ ...given, now: timestamp + apart })), "expired")
    const strict = { ...given, toleranceSeconds: 10 }
    assert.isNull(failure(verify({ ...strict, now: timestamp + 10 })))
    assert.strictEqual(failure(verify({ ...strict, now: timestamp + 11 })), "expired")
  })

  it("reports only a genuine header as expired", () => {
    assert.strictEqual(failure(verify({ secret, header, body: "{}", now: timestamp + 301 })), "mismatch")
  })

  it("accepts one right signature among several, and next to other schemes", () => {
    const right = header.slice(header.indexOf("v1="))
    const wrong = `v1=${"0".repeat(64)}`
    const t = `t=${timestamp}`
    const pass = [
      `${t},${wrong},${right}`,
      `${t},${right},${wrong}`,
      `${t},${right},${right}`,
      `${right},${t}`,
      `${t}, v0=x, ${right}`,
      `${t},v1=,${right}`
    ]
    for (const text of pass) assert.isNull(failure(verify({ secret, header: text, body, now: timestamp })), text)
    const refused = [
      `${t},${wrong},${wrong}`,
      `${t},${right}0`,
      `${t},${right.slice(0, -1)}`,
      `${t},v1=`,
      `${t},v1=${right}`
    ]
    for (const text of refused)
      assert.strictEqual(failure(verify({ secret, header: text, body, now: timestamp })), "mismatch")
    const upper = `${t},v1=${right.slice(3).toUpperCase()}`
    assert.strictEqual(failure(verify({ secret, header: upper, body, now: timestamp })), "mismatch")
  })

  it("compares every signature in constant time, whether an earlier one was right or not", () => {
    const right = header.slice(header.indexOf("v1="))
    const [before, after] = ["0", "f"].map((digit) => `v1=${digit.repeat(64)}`)
    const compare = vi.spyOn(Crypto, "timingSafeEqual")
    onTestFinished(() => {
      compare.mockRestore()
      syncBuiltinESMExports()
    })
    syncBuiltinESMExports()
    verify({ secret, header: `t=${timestamp},${before},${right},${after}`, body, now: timestamp })
    assert.strictEqual(compare.mock.calls.length, 3)
  })

  it("reports a header that cannot be read", () => {
    const right = header.slice(header.indexOf("v1="))
    const unreadable = [
      "",
      "t=1",
      right,
      `t=,${right}`,
      `t=x,${right}`,
      `t=-1,${right}`,
      `t=1.5,${right}`,
      `t=1e3,${right}`,
      `t=${"9".repeat(13)},${right}`,
      `t=1,t=2,${right}`,
      `t=${timestamp},v0=${right.slice(3)}`
    ]
    for (const text of unreadable) {
      assert.strictEqual(failure(verify({ secret, header: text, body, now: timestamp })), "malformed", text)
    }
  })
})
