import { Clock, Effect, Layer, Redacted, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import * as Fs from "node:fs"
import { X509Certificate } from "node:crypto"
import * as Path from "node:path"
import { makeApiKey } from "../domain/ApiKeyFormat.ts"
import { fromPem, makeSelfSigned, SandboxCertificate } from "../documents/Certificate.ts"
import { SecretKey } from "../store/Secrets.ts"
import { Settings } from "./Settings.ts"

/** `DATA_DIR` cannot be used. The message is one line that says what to do. */
export class DataDirError extends Schema.TaggedError<DataDirError>()("DataDirError", { message: Schema.String }) {}

/**
 * The content of a file of `DATA_DIR` that is made once, for its owner alone (0600), and read ever after. It is whole when it
 * is there at all: written under another name, flushed and renamed.
 */
const keep = Effect.fnUntraced(function* <R>(name: string, make: Effect.Effect<string, never, R>) {
  const { dataDir } = yield* Settings
  const path = Path.join(dataDir, name)
  const attempt = <A>(run: () => A) =>
    Effect.try({
      try: run,
      catch: (cause) =>
        new DataDirError({
          message: `${path} cannot be read or written (${cause instanceof Error ? cause.message : String(cause)}). Set DATA_DIR to a directory that this user may write to.`
        })
    })
  const found = yield* attempt(() => (Fs.existsSync(path) ? Fs.readFileSync(path, "utf8") : undefined))
  if (found !== undefined) return { path, content: found.trim(), made: false }
  const content = yield* make
  yield* attempt(() => {
    Fs.mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    const unfinished = `${path}.${process.pid}`
    Fs.writeFileSync(unfinished, `${content}\n`, { mode: 0o600, flush: true })
    Fs.renameSync(unfinished, path)
  })
  return { path, content, made: true }
})

const random32 = Effect.flatMap(SecureRandom.SecureRandom, (random) => random.randomBytes(32))

/** The key that seals secrets at rest, as it is: nothing is made. */
export const existingSecretKey = Effect.map(Settings, ({ dataDir, secretKey }) => {
  if (secretKey !== undefined) return { _tag: "Key", key: secretKey } as const
  const path = Path.join(dataDir, "secret-key")
  if (!Fs.existsSync(path)) return { _tag: "None" } as const
  if ((Fs.statSync(path).mode & 0o077) !== 0) return { _tag: "Exposed", path } as const
  return { _tag: "Key", key: keyOf(Fs.readFileSync(path, "utf8")) } as const
})

const keyOf = (content: string) => Redacted.make(new Uint8Array(Buffer.from(content.trim(), "base64")))

/** The sandbox's certificate, as it is: undefined when there is none. */
export const existingCertificate = Effect.map(Settings, ({ dataDir }) => {
  const path = Path.join(dataDir, "sandbox-certificate.pem")
  if (!Fs.existsSync(path)) return undefined
  const { subject, validToDate } = new X509Certificate(Fs.readFileSync(path))
  return { path, subject, notAfter: validToDate }
})

/** The key that seals secrets at rest: `FOLIO_KEY`, or the file `secret-key`. */
export const secretKeyLayer = Layer.effect(
  SecretKey,
  Effect.gen(function* () {
    const { secretKey } = yield* Settings
    if (secretKey !== undefined) return secretKey
    const { content, made, path } = yield* keep(
      "secret-key",
      Effect.map(random32, (bytes) => Buffer.from(bytes).toString("base64"))
    )
    if (made) {
      yield* Effect.logWarning(
        `A key that seals secrets at rest was made in ${path}. Back it up apart from the database: without it signing secrets are lost. In production set FOLIO_KEY.`
      )
    }
    return keyOf(content)
  })
)

/** The sandbox's signing certificate: the file `sandbox-certificate.pem`. */
export const sandboxCertificateLayer = Layer.effect(
  SandboxCertificate,
  Effect.gen(function* () {
    const now = new Date(yield* Clock.currentTimeMillis)
    const { content } = yield* keep("sandbox-certificate.pem", makeSelfSigned("Folio sandbox", now))
    return fromPem(content)
  })
)

/** The sandbox account's test key: the file `test-key`. It is on disk before the database learns of it. */
export const testKey = keep(
  "test-key",
  Effect.map(random32, (bytes) => makeApiKey("test", bytes))
)

/** Takes the file back: another process has made the account, with a key of its own. */
export const discardTestKey = Effect.map(Settings, ({ dataDir }) => Fs.rmSync(Path.join(dataDir, "test-key")))
