import { Config, Context, Effect, Layer } from "effect"
import { read, refuse } from "../../settings/Setting.ts"

const config = Config.all({
  cluster: Config.Literals(["single", "socket"], "CLUSTER").pipe(Config.withDefault("single" as const)),
  host: Config.String("RUNNER_HOST").pipe(Config.withDefault("127.0.0.1")),
  port: Config.Port("RUNNER_PORT").pipe(Config.withDefault(34_431)),
  databaseUrl: Config.Redacted("DATABASE_URL").pipe(Config.withDefault(undefined)),
  key: Config.Redacted("FOLIO_KEY").pipe(Config.withDefault(undefined))
})

/** The address at which other processes reach the actors of this process; undefined: there is only this process. */
export class OwnRunner extends Context.Service<
  OwnRunner,
  { readonly host: string; readonly port: number } | undefined
>()("@folio-einvoicing/service/OwnRunner") {
  /** This address; without one, there is only this process. */
  static layer(address?: { readonly host: string; readonly port: number }) {
    return Layer.succeed(OwnRunner, address)
  }

  /** `CLUSTER`, `RUNNER_HOST` and `RUNNER_PORT`. Fails with `SettingsError`. */
  static readonly layerConfig = Layer.effect(
    OwnRunner,
    Effect.gen(function* () {
      const { cluster, databaseUrl, host, key, port } = yield* read(config)
      if (cluster === "single") return undefined
      if (databaseUrl === undefined || key === undefined)
        return yield* refuse(
          "CLUSTER=socket needs DATABASE_URL and FOLIO_KEY, the same ones in every process: a key that each makes for itself would not do."
        )
      return { host, port }
    })
  )
}
