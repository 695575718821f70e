/** The keys in a backup, encrypted with a passphrase. */
import { Effect, Redacted, Schema } from "effect"
import { createCipheriv, createDecipheriv, randomBytes, scrypt } from "node:crypto"
import { BackupError } from "./BackupFile.ts"

/**
 * Keys and files outside the database: the key that encrypts secrets at rest (base64), during a change of this key the
 * second one, the sandbox account's test key, and the certificate that signs test documents (PEM).
 */
export const Keys = Schema.Struct({
  secret_key: Schema.String,
  previous_secret_key: Schema.optionalKey(Schema.String),
  test_key: Schema.optionalKey(Schema.String),
  sandbox_certificate: Schema.optionalKey(Schema.String)
})
export type Keys = typeof Keys.Type

const KeysJson = Schema.fromJsonString(Keys)

const Sealed = Schema.fromJsonString(
  Schema.Struct({
    // 128 MiB and about half a second per attempt.
    scrypt: Schema.Struct({ N: Schema.Literal(131_072), r: Schema.Literal(8), p: Schema.Literal(1) }),
    salt: Schema.Uint8ArrayFromBase64,
    nonce: Schema.Uint8ArrayFromBase64,
    sealed: Schema.Uint8ArrayFromBase64
  })
)
const cost = { N: 131_072, r: 8, p: 1 } as const

const address = Buffer.from("folio-backup keys")
const tagLength = 16

const derived = (passphrase: Redacted.Redacted<string>, salt: Uint8Array) =>
  Effect.callback<Buffer>((resume) => {
    const bytes = Buffer.from(Redacted.value(passphrase).normalize("NFC"), "utf8")
    scrypt(bytes, salt, 32, { ...cost, maxmem: 256 * 1024 * 1024 }, (error, key) =>
      resume(error === null ? Effect.succeed(key) : Effect.die(error))
    )
  })

/** Encrypts keys with AES-256-GCM, under a key that scrypt derives from the passphrase. */
export const seal = Effect.fnUntraced(function* (keys: Keys, passphrase: Redacted.Redacted<string>) {
  const [salt, nonce] = [randomBytes(16), randomBytes(12)]
  const cipher = createCipheriv("aes-256-gcm", yield* derived(passphrase, salt), nonce).setAAD(address)
  const text = yield* Effect.orDie(Schema.encodeEffect(KeysJson)(keys))
  const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()])
  return Buffer.from(yield* Effect.orDie(Schema.encodeEffect(Sealed)({ scrypt: cost, salt, nonce, sealed })))
})

const wrong = () =>
  new BackupError({
    message:
      "The passphrase does not open the keys of this backup. Give the backup's passphrase in FOLIO_BACKUP_PASSPHRASE or in the file of --passphrase-file."
  })

/** Decrypts encrypted keys. Fails with `BackupError` for a wrong passphrase. */
export const open = Effect.fnUntraced(function* (content: Uint8Array, passphrase: Redacted.Redacted<string>) {
  const { nonce, salt, sealed } = yield* Effect.mapError(
    Schema.decodeEffect(Sealed)(Buffer.from(content).toString()),
    () => new BackupError({ message: "The keys of this backup are damaged. Restore it with FOLIO_KEY set." })
  )
  const key = yield* derived(passphrase, salt)
  const text = yield* Effect.try({
    try: () => {
      const decipher = createDecipheriv("aes-256-gcm", key, nonce).setAAD(address)
      decipher.setAuthTag(sealed.subarray(-tagLength))
      return Buffer.concat([decipher.update(sealed.subarray(0, -tagLength)), decipher.final()]).toString()
    },
    catch: wrong
  })
  return yield* Effect.mapError(Schema.decodeEffect(KeysJson)(text), wrong)
})
