import { Config, Context, Effect, Layer, Redacted } from "effect"
import { read, refuse } from "../../settings/Setting.ts"

/** The 32 bytes that encrypt secrets in the database; undefined: the key is a file in `DataDir`. */
export class FolioKey extends Context.Service<FolioKey, Redacted.Redacted<Uint8Array> | undefined>()(
  "@folio-einvoicing/service/FolioKey"
) {
  /** This key; without one, the key is a file in `DataDir`. */
  static layer(key?: Redacted.Redacted<Uint8Array>) {
    return Layer.succeed(FolioKey, key)
  }

  /** `FOLIO_KEY`. Fails with `SettingsError`. */
  static readonly layerConfig = Layer.effect(
    FolioKey,
    Effect.gen(function* () {
      const text = yield* read(Config.Redacted("FOLIO_KEY").pipe(Config.withDefault(undefined)))
      if (text === undefined) return undefined
      const key = new Uint8Array(Buffer.from(Redacted.value(text), "base64"))
      if (key.length !== 32)
        return yield* refuse("FOLIO_KEY must be 32 random bytes in base64: openssl rand -base64 32")
      return Redacted.make(key)
    })
  )
}
