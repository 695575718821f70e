import { Context, Effect, Exit, Layer, Redacted } from "effect"
import { Aead, SecureRandom } from "effect/crypto"
import { Base64 } from "effect/encoding"
import { hkdfSync } from "node:crypto"

/**
 * The 32-byte key that encrypts all secrets in the database (AES-256-GCM): certificates, signing secrets of webhooks,
 * software PINs, and technical keys of ranges. All processes of a database need the same key.
 *
 * @example
 * ```ts
 * import { main } from "@folio-einvoicing/service"
 * import { SecretKey } from "@folio-einvoicing/service/ports"
 * import { Effect, Layer, Redacted } from "effect"
 *
 * // The key comes from a vault of the team.
 * const secretKey = Layer.effect(
 *   SecretKey,
 *   Effect.promise(async () => {
 *     const response = await fetch("http://127.0.0.1:8200/v1/folio/key")
 *     return Redacted.make(new Uint8Array(Buffer.from(await response.text(), "base64")))
 *   })
 * )
 *
 * main({ secretKey })
 * ```
 */
export class SecretKey extends Context.Service<SecretKey, Redacted.Redacted<Uint8Array>>()(
  "@folio-einvoicing/service/SecretKey"
) {}

/**
 * A second key that decrypts secrets, during a change of the `SecretKey`. It never encrypts. By default undefined: only
 * the `SecretKey` opens secrets.
 *
 * @example
 * ```ts
 * import { main } from "@folio-einvoicing/service"
 * import { PreviousSecretKey, SecretKey } from "@folio-einvoicing/service/ports"
 * import { Effect, Layer, Redacted } from "effect"
 *
 * const keyAt = (name: string) =>
 *   Effect.promise(async () => {
 *     const response = await fetch(`http://127.0.0.1:8200/v1/folio/${name}`)
 *     return Redacted.make(new Uint8Array(Buffer.from(await response.text(), "base64")))
 *   })
 *
 * // Until `folio rekey` has run, the former key still opens secrets.
 * const secretKey = Layer.merge(
 *   Layer.effect(SecretKey, keyAt("key")),
 *   Layer.effect(PreviousSecretKey, keyAt("former-key"))
 * )
 *
 * main({ secretKey })
 * ```
 */
export class PreviousSecretKey extends Context.Reference<Redacted.Redacted<Uint8Array> | undefined>(
  "@folio-einvoicing/service/PreviousSecretKey",
  { defaultValue: () => undefined }
) {}

/** The name of a key. Different keys have different names. The name does not reveal the key. */
export const keyName = (key: Redacted.Redacted<Uint8Array>): string =>
  Buffer.from(hkdfSync("sha256", Redacted.value(key), "", "folio secret key name", 8)).toString("hex")

const cipherOf = (key: Redacted.Redacted<Uint8Array>) => Effect.orDie(Aead.key(Aead.aes256Gcm, Redacted.value(key)))

const form = "v1."
const nonceLength = 12

/**
 * Encrypts secrets at rest with AES-256-GCM. Each secret is bound to its context in the database, so that a ciphertext
 * in another row cannot be decrypted. An encrypted secret is `v1.` followed by the base64 of nonce, ciphertext and tag.
 * It does not name its key, so that processes of earlier releases can open it.
 *
 * @internal
 */
export class Secrets extends Context.Service<Secrets>()("folio/database/Secrets", {
  make: Effect.gen(function* () {
    const aead = yield* Aead.Aead
    const random = yield* SecureRandom.SecureRandom
    const current = yield* cipherOf(yield* SecretKey)
    const second = yield* PreviousSecretKey
    const previous = second === undefined ? undefined : yield* cipherOf(second)

    const seal = Effect.fnUntraced(function* (plain: string, context: string) {
      const nonce = yield* random.randomBytes(nonceLength)
      const sealed = yield* aead.encrypt(current, encoder.encode(plain), { nonce, aad: encoder.encode(context) })
      return form + Base64.encode(Buffer.concat([nonce, sealed]))
    }, Effect.orDie)

    const openWith = Effect.fnUntraced(function* (key: typeof current, sealed: string, context: string) {
      const bytes = yield* Effect.fromResult(Base64.decode(sealed.slice(form.length)))
      const plain = yield* aead.decrypt(key, bytes.subarray(nonceLength), {
        nonce: bytes.subarray(0, nonceLength),
        aad: encoder.encode(context)
      })
      return decoder.decode(plain)
    })

    /** Decrypts an encrypted secret. Dies if neither key encrypted it, or a key encrypted it for another context. */
    const open = (sealed: string, context: string) =>
      openWith(current, sealed, context).pipe(
        Effect.catch((error) => (previous === undefined ? Effect.fail(error) : openWith(previous, sealed, context))),
        Effect.orDie
      )

    /** The key that decrypts an encrypted secret; undefined if neither does. */
    const keyOf = Effect.fnUntraced(function* (sealed: string, context: string) {
      const opens = (key: typeof current) => Effect.map(Effect.exit(openWith(key, sealed, context)), Exit.isSuccess)
      if (yield* opens(current)) return "current"
      return previous !== undefined && (yield* opens(previous)) ? "previous" : undefined
    })

    return { seal, open, keyOf }
  })
}) {
  static readonly layer = Layer.effect(Secrets, Secrets.make)

  /** Encrypts with `key`, and decrypts with both keys. */
  static readonly layerOf = (key: Redacted.Redacted<Uint8Array>, previous?: Redacted.Redacted<Uint8Array>) =>
    Layer.provide(
      Secrets.layer,
      Layer.mergeAll(Layer.succeed(SecretKey, key), Layer.succeed(PreviousSecretKey, previous))
    )
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()
