import { Context, Effect, Layer, Redacted } from "effect"
import { Aead, SecureRandom } from "effect/crypto"
import { Base64 } from "effect/encoding"

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

const form = "v1."
const nonceLength = 12

/**
 * Seals secrets at rest with AES-256-GCM. Each secret is bound to its context in the database, so that a ciphertext in
 * another row does not open. A sealed secret is `v1.` followed by the base64 of nonce, ciphertext and tag.
 *
 * @internal
 */
export class Secrets extends Context.Service<Secrets>()("folio/database/Secrets", {
  make: Effect.gen(function* () {
    const aead = yield* Aead.Aead
    const random = yield* SecureRandom.SecureRandom
    const key = yield* Aead.key(Aead.aes256Gcm, Redacted.value(yield* SecretKey)).pipe(Effect.orDie)

    const seal = Effect.fnUntraced(function* (plain: string, context: string) {
      const nonce = yield* random.randomBytes(nonceLength)
      const sealed = yield* aead.encrypt(key, encoder.encode(plain), { nonce, aad: encoder.encode(context) })
      return form + Base64.encode(Buffer.concat([nonce, sealed]))
    }, Effect.orDie)

    /** Opens a sealed secret. Dies if another key sealed it, or this key for another context. */
    const open = Effect.fnUntraced(function* (sealed: string, context: string) {
      const bytes = yield* Effect.fromResult(Base64.decode(sealed.slice(form.length)))
      const plain = yield* aead.decrypt(key, bytes.subarray(nonceLength), {
        nonce: bytes.subarray(0, nonceLength),
        aad: encoder.encode(context)
      })
      return decoder.decode(plain)
    }, Effect.orDie)

    return { seal, open }
  })
}) {
  static readonly layer = Layer.effect(Secrets, Secrets.make)
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()
