import { Config, Context, Effect, Layer } from "effect"
import { read, refuse } from "../../settings/Setting.ts"

const config = Config.all({
  host: Config.String("HOST").pipe(Config.withDefault("127.0.0.1")),
  port: Config.Port("PORT").pipe(Config.withDefault(3000)),
  metricsPort: Config.Port("METRICS_PORT").pipe(Config.withDefault(undefined))
})

/**
 * The address on which the HTTP server listens. Port 0 stands for any free port. With a `metricsPort`, `/metrics` is served there and
 * no longer at `port`, and `/health/…` at both.
 */
export class ListenAddress extends Context.Service<
  ListenAddress,
  { readonly host: string; readonly port: number; readonly metricsPort?: number | undefined }
>()("@folio-einvoicing/service/ListenAddress") {
  /** An address that the program chooses. */
  static layer(address: ListenAddress["Service"]) {
    return Layer.succeed(ListenAddress, address)
  }

  /** `HOST`, `PORT` and `METRICS_PORT`. Fails with `SettingsError`. */
  static readonly layerConfig = Layer.effect(
    ListenAddress,
    Effect.gen(function* () {
      const address = yield* read(config)
      if (address.metricsPort !== undefined && address.metricsPort === address.port)
        return yield* refuse(
          "METRICS_PORT must be another port than PORT, such as 9464; unset it to have /metrics at PORT."
        )
      return address
    })
  )
}
