import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import { apiKeyHash, apiKeyMode, makeApiKey, makeWebhookSecret } from "../../../src/accounts/rules/ApiKeyFormat.ts"

const byte = Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 })))
const random = Arbitrary.map(Arbitrary.array(byte, { minLength: 32, maxLength: 32 }), (bytes) => Uint8Array.from(bytes))
const mode = Schema.Literals(["test", "live"])
const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
const step = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 61 }))

describe("ApiKeyFormat", () => {
  it("makes the known keys", () => {
    assert.strictEqual(
      makeApiKey("test", new Uint8Array(32)),
      "sk_test_00000000000000000000000000000000000000000001NyHUD"
    )
    assert.strictEqual(
      makeApiKey("live", new Uint8Array(32).fill(255)),
      "sk_live_yhjskwdA6OZ1AL1YmHWZWm8LLG7HjnuCA2j5rOw8Xp14Z47sr"
    )
    assert.strictEqual(makeWebhookSecret(new Uint8Array(32)), "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=")
    assert.strictEqual(makeWebhookSecret(new Uint8Array(32).fill(251)), `whsec_${"+/v7".repeat(10)}+/s=`)
    assert.strictEqual(apiKeyHash("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
  })

  it("takes exactly 32 bytes, so that no key is weaker than it looks", () => {
    for (const length of [0, 31, 33]) {
      assert.throws(() => makeApiKey("test", new Uint8Array(length)), RangeError)
      assert.throws(() => makeWebhookSecret(new Uint8Array(length)), RangeError)
    }
  })

  it.prop("reads the mode of every key that it makes", [mode, random], ([given, bytes]) => {
    const key = makeApiKey(given, bytes)
    assert.match(key, /^sk_(test|live)_[0-9A-Za-z]{49}$/)
    assert.strictEqual(apiKeyMode(key), given)
  })

  it.prop("encodes all 32 bytes", [random], ([bytes]) => {
    let number = 0n
    for (const character of makeApiKey("live", bytes).slice(8, -6))
      number = number * 62n + BigInt(alphabet.indexOf(character))
    assert.strictEqual(number.toString(16).padStart(64, "0"), Buffer.from(bytes).toString("hex"))
  })

  it.prop("rejects every mistake in one character", [mode, random, step], ([given, bytes, by]) => {
    const key = makeApiKey(given, bytes)
    for (let index = 0; index < key.length; index++) {
      const other = alphabet.charAt((alphabet.indexOf(key.charAt(index)) + by + 62) % 62)
      const typo = key.slice(0, index) + other + key.slice(index + 1)
      assert.strictEqual(apiKeyMode(typo), null, typo)
      assert.strictEqual(apiKeyMode(key.slice(0, index) + key.slice(index + 1)), null)
      assert.strictEqual(apiKeyMode(key.slice(0, index) + other + key.slice(index)), null)
    }
  })

  it.prop("rejects every swap of two neighbours", [mode, random], ([given, bytes]) => {
    const key = makeApiKey(given, bytes)
    for (let index = 0; index < key.length - 1; index++) {
      if (key[index] === key[index + 1]) continue
      const swapped = key.slice(0, index) + key.charAt(index + 1) + key.charAt(index) + key.slice(index + 2)
      assert.strictEqual(apiKeyMode(swapped), null, swapped)
    }
  })

  it.prop("rejects a key of one mode with the prefix of the other", [random], ([bytes]) => {
    assert.isNull(apiKeyMode(makeApiKey("test", bytes).replace("sk_test_", "sk_live_")))
  })

  it.prop("rejects any other text", [Schema.String], ([text]) => {
    assert.isNull(apiKeyMode(text))
  })
})
