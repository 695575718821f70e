import { Config, Context, Effect, Layer, Redacted } from "effect"
import { isDecodable, read, refuse } from "../../settings/Setting.ts"

const isPostgres = (url: string) =>
  URL.canParse(url) && /^postgres(ql)?:/.test(new URL(url).protocol) && isDecodable(new URL(url))

/**
 * The URL of an external PostgreSQL; undefined: the service runs the embedded PostgreSQL in `DataDir`.
 *
 * @example
 * ```ts
 * import { DatabaseUrl } from "@folio-einvoicing/service/platform"
 * import { Redacted } from "effect"
 * import { readFileSync } from "node:fs"
 *
 * const password = encodeURIComponent(readFileSync("/run/secrets/database-password", "utf8").trim())
 *
 * export const databaseUrl = DatabaseUrl.layer(Redacted.make(`postgres://folio:${password}@db.example.com:5432/folio`))
 * ```
 */
export class DatabaseUrl extends Context.Service<DatabaseUrl, Redacted.Redacted<string> | undefined>()(
  "folio/platform/DatabaseUrl"
) {
  /** This URL; without one, the service runs the embedded PostgreSQL. */
  static layer(url?: Redacted.Redacted<string>) {
    return Layer.succeed(DatabaseUrl, url)
  }

  /** `DATABASE_URL`. Fails with `SettingsError`. */
  static readonly layerConfig = Layer.effect(
    DatabaseUrl,
    Effect.filterOrElse(
      read(Config.Redacted("DATABASE_URL").pipe(Config.withDefault(undefined))),
      (url) => url === undefined || isPostgres(Redacted.value(url)),
      () => refuse("DATABASE_URL must be of the form postgres://user:password@db.example.com:5432/database")
    )
  )
}
