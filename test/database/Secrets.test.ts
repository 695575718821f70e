import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { assert, describe } from "@effect/vitest"
import { Effect, Exit, Layer, Option, Redacted, Schema } from "effect"
import { keyName, Secrets } from "../../src/database/Secrets.ts"
import { it } from "../support/Tests.ts"

const key = (byte: number) => Redacted.make(new Uint8Array(32).fill(byte))
const [former, next, other] = [key(1), key(2), key(3)]
type Key = typeof former

/** What an effect returns with these keys. */
const withKeys = <A>(one: Key, previous: Key | undefined, use: (secrets: Secrets["Service"]) => Effect.Effect<A>) =>
  Effect.provide(Effect.flatMap(Secrets, use), Layer.provide(Secrets.layerOf(one, previous), NodeCrypto.layer))

const sealedBy = (one: Key, previous: Key | undefined, plain: string, place: string) =>
  withKeys(one, previous, (secrets) => secrets.seal(plain, place))

/** The opened text and the name of its key; null and undefined if neither key opens it. */
const opened = (one: Key, previous: Key | undefined, text: string, place: string) =>
  withKeys(one, previous, (secrets) =>
    Effect.all([
      Effect.map(Effect.exit(secrets.open(text, place)), (exit) => Option.getOrNull(Exit.getSuccess(exit))),
      secrets.keyOf(text, place)
    ])
  )

describe("A sealed secret", () => {
  it.effect.prop(
    "opens with its key, as the current or the previous one, and only in its place",
    [Schema.String, Schema.String],
    Effect.fnUntraced(function* ([any, place]) {
      // UTF-8 has no lone surrogates.
      const plain = any.toWellFormed()
      const text = yield* sealedBy(former, undefined, plain, place)
      assert.deepStrictEqual(yield* opened(former, undefined, text, place), [plain, "current"])
      assert.deepStrictEqual(yield* opened(former, next, text, place), [plain, "current"])
      assert.deepStrictEqual(yield* opened(next, former, text, place), [plain, "previous"])
      assert.deepStrictEqual(yield* opened(next, undefined, text, place), [null, undefined])
      assert.deepStrictEqual(yield* opened(next, other, text, place), [null, undefined])
      assert.deepStrictEqual(yield* opened(next, former, text, `${place}.`), [null, undefined])
      assert.deepStrictEqual(yield* opened(next, former, text.slice(0, -4), place), [null, undefined])
    })
  )

  it.effect("never gets the previous key", function* () {
    const text = yield* sealedBy(next, former, "plain", "place")
    assert.deepStrictEqual(yield* opened(next, undefined, text, "place"), ["plain", "current"])
    assert.deepStrictEqual(yield* opened(former, undefined, text, "place"), [null, undefined])
  })

  it.effect("has a key whose name differs from the names of other keys, and does not contain it", function* () {
    yield* Effect.void
    assert.strictEqual(new Set([former, next, other].map(keyName)).size, 3)
    assert.match(keyName(former), /^[0-9a-f]{16}$/)
    assert.notInclude(keyName(former), "0101")
  })
})
