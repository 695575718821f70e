import { Context, Effect, Layer } from "effect"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { isAnythingSealed, isOfDatabase } from "../operations/store/KeyCanary.ts"
import { PreviousSecretKey, SecretKey } from "../database/Secrets.ts"
import { damaged, DataDir, DataDirError, keep, random32 } from "../runtime/process/DataFiles.ts"
import { fileName, keyOf } from "../runtime/process/SealingKey.ts"
import { Settings } from "../runtime/process/Settings.ts"

const restore =
  "Restore that file from its backup, or set FOLIO_KEY to its content: another key cannot decrypt the secrets in the database."

const wrongKey = (source: string, previous: typeof PreviousSecretKey.Service) =>
  new DataDirError({
    message: `The key in ${source} is not the one that encrypted the secrets in the database${previous === undefined ? "" : ", nor is FOLIO_KEY_PREVIOUS"}. Restore that key: the file ${fileName} of the DATA_DIR that this database was first served with, or the FOLIO_KEY. To change the key, set FOLIO_KEY_PREVIOUS to the former key, and run folio rekey.`
  })

const unfinished =
  "The change of the encryption key is not finished: stored secrets are still encrypted with FOLIO_KEY_PREVIOUS. When every process has the new key, run: folio rekey."

/** Both keys, after a check that one of them is the database's. Fails with the error for `source`. */
const checked = Effect.fnUntraced(function* (
  key: typeof SecretKey.Service,
  previous: typeof PreviousSecretKey.Service,
  source: string
) {
  if (!(yield* isOfDatabase(key))) {
    if (previous === undefined || !(yield* isOfDatabase(previous))) return yield* wrongKey(source, previous)
    yield* Effect.logWarning(unfinished)
  }
  return Context.add(Context.make(SecretKey, key), PreviousSecretKey, previous)
})

/**
 * The default `SecretKey`: the key of the settings, or of the file `secret-key` in `DataDir`, which is created only for
 * a database without secrets. The `PreviousSecretKey` is that of the settings. Requires a `SqlClient`. Fails with
 * `DataDirError` if the key is not the database's.
 */
export const layerSecretKey = Layer.effectContext(
  Effect.gen(function* () {
    const dataDir = yield* DataDir
    const { folioKey: secretKey, folioKeyPrevious: previous } = yield* Settings
    if (secretKey !== undefined) return yield* checked(secretKey, previous, "FOLIO_KEY")
    const file = Path.join(dataDir, fileName)
    if (!Fs.existsSync(file) && (yield* isAnythingSealed)) {
      return yield* new DataDirError({
        message: `There is no ${file}, and the database holds encrypted secrets. ${restore}`
      })
    }
    const { content, made, path } = yield* keep(
      fileName,
      Effect.map(random32, (bytes) => Buffer.from(bytes).toString("base64"))
    )
    const key = keyOf(content)
    if (key === undefined) return yield* damaged(path, content, "32 bytes in base64", restore)
    const keys = yield* checked(key, previous, path).pipe(
      // Another process has just stored the first key of this database.
      Effect.tapError(() => Effect.sync(() => made && Fs.rmSync(path)))
    )
    if (made) {
      yield* Effect.logWarning(
        `Created the encryption key ${path}. Back it up apart from the database: without it, the encrypted secrets are lost. In production, set FOLIO_KEY.`
      )
    }
    return keys
  })
)

/** A team's own `SecretKey`. Requires a `SqlClient`. Fails with `DataDirError` if the key is not the database's. */
export const layerOf = <E, R>(own: Layer.Layer<SecretKey, E, R>) =>
  Layer.effectContext(
    Effect.gen(function* () {
      return yield* checked(yield* SecretKey, yield* PreviousSecretKey, "the part secretKey")
    })
  ).pipe(Layer.provide(own))
