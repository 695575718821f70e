import { Effect, Redacted } from "effect"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { attempt, DataDir } from "./DataFiles.ts"
import { Settings } from "./Settings.ts"

/** The file in `DataDir` for the key that encrypts secrets at rest. */
export const fileName = "secret-key"

/** The key in the content of that file; undefined if the content is damaged. */
export const keyOf = (content: string) => {
  const bytes = new Uint8Array(Buffer.from(content.trim(), "base64"))
  return bytes.length === 32 && /^[A-Za-z0-9+/]{43}=$/.test(content.trim()) ? Redacted.make(bytes) : undefined
}

/**
 * The existing key that encrypts secrets at rest with `FOLIO_KEY_PREVIOUS`, or the reason why there is none. Creates no
 * key.
 *
 * @internal
 */
export const existingSecretKey = Effect.gen(function* () {
  const dataDir = yield* DataDir
  const { folioKey: secretKey, folioKeyPrevious: previous } = yield* Settings
  if (secretKey !== undefined) return { _tag: "Key", key: secretKey, previous } as const
  const path = Path.join(dataDir, fileName)
  if (!Fs.existsSync(path)) return { _tag: "None" } as const
  if ((Fs.statSync(path).mode & 0o077) !== 0) return { _tag: "Exposed", path } as const
  const key = keyOf(yield* attempt(path, () => Fs.readFileSync(path, "utf8")))
  return key === undefined ? ({ _tag: "Damaged", path } as const) : ({ _tag: "Key", key, previous } as const)
})
