import { Config, Context, Effect, Layer, Redacted } from "effect"
import { isDecodable, read, refuse } from "../../settings/Setting.ts"

// The parameters that the driver reads. It ignores all others, so a misspelled sslmode would leave TLS off.
const known = [
  "sslmode",
  "host",
  "port",
  "user",
  "password",
  "dbname",
  "connect_timeout",
  "application_name",
  "options"
]

/** A sentence about the parameters of a URL that Folio does not know; undefined if there are none. */
const strangeIn = (url: string): string | undefined => {
  const strange = [...new Set(new URL(url).searchParams.keys())].filter((name) => !known.includes(name))
  if (strange.length === 0) return undefined
  return `DATABASE_URL has unknown parameters: ${strange.join(", ")}. Correct or remove them; the known parameters are ${known.join(", ")}.`
}

const isPostgres = (url: string) =>
  URL.canParse(url) && /^postgres(ql)?:/.test(new URL(url).protocol) && isDecodable(new URL(url))

/** The URL of an external PostgreSQL; undefined: the service runs the embedded PostgreSQL in `DataDir`. */
export class DatabaseUrl extends Context.Service<DatabaseUrl, Redacted.Redacted<string> | undefined>()(
  "@folio-einvoicing/service/DatabaseUrl"
) {
  /** This URL; without one, the service runs the embedded PostgreSQL. */
  static layer(url?: Redacted.Redacted<string>) {
    return Layer.succeed(DatabaseUrl, url)
  }

  /** `DATABASE_URL`. Fails with `SettingsError`. */
  static readonly layerConfig = Layer.effect(
    DatabaseUrl,
    Effect.gen(function* () {
      const url = yield* read(Config.Redacted("DATABASE_URL").pipe(Config.withDefault(undefined)))
      if (url === undefined) return undefined
      if (!isPostgres(Redacted.value(url))) {
        return yield* refuse("DATABASE_URL must be of the form postgres://user:password@db.example.com:5432/database")
      }
      const strange = strangeIn(Redacted.value(url))
      return strange === undefined ? url : yield* refuse(strange)
    })
  )
}
