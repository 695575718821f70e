/** The keys of a backup's source, and of a restore's target. */
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { Effect, Exit, Layer, Option, Redacted } from "effect"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { canaryContext } from "../store/Inspection.ts"
import { Secrets } from "../../database/Secrets.ts"
import { attempt, DataDir } from "../../runtime/process/DataFiles.ts"
import { existingSecretKey } from "../../runtime/process/SealingKey.ts"
import { BackupError } from "./BackupFile.ts"
import type { Keys } from "./BackupKeys.ts"
import { Settings } from "../../runtime/process/Settings.ts"

const files = { test_key: "test-key", sandbox_certificate: "sandbox-certificate.pem" } as const

/** The file in `DATA_DIR` to which a restore writes the second key of a backup. */
export const previousKeyFile = "secret-key-previous"

const base64 = (key: Redacted.Redacted<Uint8Array>) => Buffer.from(Redacted.value(key)).toString("base64")

/** Whether a key opens a canary, the text that identifies the key of a database's secrets. */
export const opensCanary = (canary: string, key: Redacted.Redacted<Uint8Array>) =>
  Effect.flatMap(Secrets, (secrets) => Effect.exit(secrets.open(canary, canaryContext))).pipe(
    Effect.map(Exit.isSuccess),
    Effect.provide(Layer.provide(Secrets.layerOf(key), NodeCrypto.layer))
  )

/** The key that opens the canary, or the first key if nothing is encrypted; none if no key opens it. */
export const keyOfCanary = (
  canary: string | null,
  keys: ReadonlyArray<Redacted.Redacted<Uint8Array> | undefined>
): Effect.Effect<Option.Option<Redacted.Redacted<Uint8Array>>> =>
  Effect.findFirst(
    keys.filter((key) => key !== undefined),
    (key) => (canary === null ? Effect.succeed(true) : opensCanary(canary, key))
  )

/** The keys of this place. Fails with the fix if there is no key to include. */
export const keysHere = Effect.gen(function* () {
  const found = yield* existingSecretKey
  if (found._tag !== "Key") {
    return yield* new BackupError({
      message:
        "The encryption key is missing, so the backup cannot include it. Set FOLIO_KEY or DATA_DIR to the service's value, or omit --with-key and keep the key in another place."
    })
  }
  const dataDir = yield* DataDir
  const others = Object.entries(files).flatMap(([name, file]) => {
    const path = Path.join(dataDir, file)
    return Fs.existsSync(path) ? [[name, Fs.readFileSync(path, "utf8")]] : []
  })
  return {
    secret_key: base64(found.key),
    ...(found.previous === undefined ? {} : { previous_secret_key: base64(found.previous) }),
    ...Object.fromEntries(others)
  } satisfies Keys
})

const other = (source: string) =>
  new BackupError({
    message: `The key in ${source} is not the one that encrypted the secrets of this backup. Set FOLIO_KEY to the service's key, or replace the file with the service's file secret-key.`
  })

const none = new BackupError({
  message:
    "The secrets of this backup are encrypted, and their key is missing. Set FOLIO_KEY to the service's key, or put the service's file secret-key into DATA_DIR. Without it, signing certificates, PINs and webhook secrets are lost."
})

/**
 * The key of this place, or else from the keys of a backup, that opens the backup's canary; undefined if nothing is
 * encrypted. `isNew`: write the key into `DataDir`.
 */
export const keyFor = Effect.fnUntraced(function* (canary: string | null, keys: Keys | undefined) {
  const found = yield* existingSecretKey
  if (found._tag === "Exposed" || found._tag === "Damaged") {
    return yield* new BackupError({
      message: `${found.path} cannot be used. Restore it from its backup, readable by its owner only (chmod 600).`
    })
  }
  if (found._tag === "Key") {
    const source = (yield* Settings).folioKey === undefined ? "DATA_DIR/secret-key" : "FOLIO_KEY"
    const key = yield* keyOfCanary(canary, [found.key, found.previous])
    return Option.isNone(key) ? yield* other(source) : { key: key.value, isNew: false }
  }
  if (keys !== undefined) {
    const included = [keys.secret_key, keys.previous_secret_key].map((text) =>
      text === undefined ? undefined : Redacted.make(new Uint8Array(Buffer.from(text, "base64")))
    )
    const key = yield* keyOfCanary(canary, included)
    return Option.isNone(key) ? yield* other("the backup") : { key: key.value, isNew: true }
  }
  return canary === null ? undefined : yield* none
})

/** Writes the missing keys into `DataDir`. Returns the paths of the files. */
export const writeKeys = Effect.fnUntraced(function* (keys: Keys, isNew: boolean) {
  const dataDir = yield* DataDir
  const wanted = [
    ...(isNew ? [["secret-key", keys.secret_key] as const] : []),
    ...(isNew && keys.previous_secret_key !== undefined ? [[previousKeyFile, keys.previous_secret_key] as const] : []),
    ...(keys.test_key === undefined ? [] : [[files.test_key, keys.test_key] as const]),
    ...(keys.sandbox_certificate === undefined ? [] : [[files.sandbox_certificate, keys.sandbox_certificate] as const])
  ]
  const paths: Array<string> = []
  for (const [name, content] of wanted) {
    const path = Path.join(dataDir, name)
    if (Fs.existsSync(path)) continue
    yield* attempt(path, () => {
      Fs.mkdirSync(dataDir, { recursive: true, mode: 0o700 })
      Fs.writeFileSync(path, `${content.trim()}\n`, { mode: 0o600, flush: true, flag: "wx" })
    })
    paths.push(path)
  }
  return paths
})
