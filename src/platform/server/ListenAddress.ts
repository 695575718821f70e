import { Config, Context, Layer } from "effect"
import { read } from "../../settings/Setting.ts"

const config = Config.all({
  host: Config.String("HOST").pipe(Config.withDefault("127.0.0.1")),
  port: Config.Port("PORT").pipe(Config.withDefault(3000))
})

/**
 * The address on which the HTTP server listens. Port 0 stands for any free port.
 *
 * @example
 * ```ts
 * import { ListenAddress } from "@folio-einvoicing/service/platform"
 *
 * export const address = ListenAddress.layer({ host: "::1", port: 8080 })
 * ```
 */
export class ListenAddress extends Context.Service<ListenAddress, { readonly host: string; readonly port: number }>()(
  "folio/platform/ListenAddress"
) {
  /** An address that the program chooses. */
  static layer(address: ListenAddress["Service"]) {
    return Layer.succeed(ListenAddress, address)
  }

  /** `HOST` and `PORT`. Fails with `SettingsError`. */
  static readonly layerConfig = Layer.effect(ListenAddress, read(config))
}
