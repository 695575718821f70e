import { Config, Context, Effect, Layer } from "effect"
import { isHttp, read, refuse } from "./Setting.ts"

const config = Config.all({
  host: Config.String("HOST").pipe(Config.withDefault("127.0.0.1")),
  port: Config.Port("PORT").pipe(Config.withDefault(3000)),
  baseUrl: Config.String("BASE_URL").pipe(Config.withDefault(undefined))
})

/** The version of Folio, and the base URL of the links in responses, without a trailing slash. */
export class ServiceInfo extends Context.Service<ServiceInfo, { readonly version: string; readonly baseUrl: string }>()(
  "@folio-einvoicing/service/ServiceInfo"
) {
  /** Uses a fixed version and base URL. */
  static layer(info: ServiceInfo["Service"]) {
    return Layer.succeed(ServiceInfo, info)
  }

  /** Uses `BASE_URL` as the base URL, by default `http://HOST:PORT`. Fails with `SettingsError`. */
  static layerConfig(version: string) {
    return Layer.effect(
      ServiceInfo,
      Effect.gen(function* () {
        const { baseUrl, host, port } = yield* read(config)
        const url = baseUrl ?? `http://${host.includes(":") ? `[${host}]` : host}:${port}`
        if (!isHttp(url))
          return yield* refuse(`BASE_URL must be an http or https URL such as https://folio.example.com, not ${url}`)
        return { version, baseUrl: url.replace(/\/+$/, "") }
      })
    )
  }
}
