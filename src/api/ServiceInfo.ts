import { Config, Context, Effect, Layer } from "effect"
import { isHttp, read, refuse } from "../settings/Setting.ts"

const config = Config.all({
  host: Config.String("HOST").pipe(Config.withDefault("127.0.0.1")),
  port: Config.Port("PORT").pipe(Config.withDefault(3000)),
  baseUrl: Config.String("BASE_URL").pipe(Config.withDefault(undefined))
})

/** The version of the service, and the base URL of the links in its answers, without a slash at the end. */
export class ServiceInfo extends Context.Service<ServiceInfo, { readonly version: string; readonly baseUrl: string }>()(
  "@folio-einvoicing/service/ServiceInfo"
) {
  /** A version and a base URL from the program itself. */
  static layer(info: ServiceInfo["Service"]) {
    return Layer.succeed(ServiceInfo, info)
  }

  /** The base address is `BASE_URL`; `http://HOST:PORT` when that is not set. Fails with `SettingsError`. */
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
