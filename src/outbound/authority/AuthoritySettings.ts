import { Config, Context, Effect, Layer, Redacted } from "effect"
import { checkDigit, isNit } from "../../domain/accounts/CheckDigit.ts"
import { read, refuse } from "../../settings/Setting.ts"

const config = Config.all({
  sandboxLatencyMs: Config.Int("SANDBOX_LATENCY_MS").pipe(Config.withDefault(0)),
  url: Config.String("AUTHORITY_URL").pipe(Config.withDefault("")),
  id: Config.String("SOFTWARE_ID").pipe(Config.withDefault("")),
  pin: Config.Redacted("SOFTWARE_PIN").pipe(Config.withDefault(Redacted.make(""))),
  nit: Config.String("SOFTWARE_NIT").pipe(Config.withDefault(""))
})

const loopback = ["127.0.0.1", "[::1]", "localhost"]

const faultOf = (url: URL | null, id: string, pin: string, number: string, digit: string | undefined) => {
  if (url?.protocol !== "https:" && !(url?.protocol === "http:" && loopback.includes(url.hostname)))
    return "AUTHORITY_URL must be the https address of the authority's service (http is for this machine alone)."
  if (url.username !== "" || url.hash !== "")
    return "AUTHORITY_URL must be the address of the service alone, without user name and fragment."
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id))
    return "SOFTWARE_ID must be the id that the authority gave the software: 36 characters, such as f0110000-0000-4000-8000-000000000000."
  if (!/^[!-~]{1,64}$/.test(pin))
    return "SOFTWARE_PIN must be the PIN of the software: 1 to 64 characters without spaces."
  if (!isNit(number)) return "SOFTWARE_NIT must be the NIT of who provides the software, such as 900373115-3."
  if (digit !== undefined && digit !== checkDigit(number))
    return `SOFTWARE_NIT has the check digit ${digit}; that of ${number} is ${checkDigit(number)}.`
  return undefined
}

/**
 * The web service of the authority that receives live documents, and the software (provider, id, PIN) that live documents name.
 *
 * @example
 * ```ts
 * import { AuthoritySettings, type LiveAuthority } from "@folio-einvoicing/service/AuthoritySettings"
 * import { Redacted } from "effect"
 *
 * const live: LiveAuthority = {
 *   url: "https://vpfe.dian.gov.co/WcfDianCustomerServices.svc",
 *   software: {
 *     provider: { number: "900373115", check_digit: "3" },
 *     id: "f0110000-0000-4000-8000-000000000000",
 *     pin: Redacted.make("12345")
 *   }
 * }
 *
 * export const settings = AuthoritySettings.layer({ live })
 * ```
 */
export interface LiveAuthority {
  readonly url: string
  readonly software: {
    readonly provider: { readonly number: string; readonly check_digit: string }
    readonly id: string
    readonly pin: Redacted.Redacted<string>
  }
}

const settings = Effect.gen(function* () {
  const { id, nit, pin, sandboxLatencyMs, url } = yield* read(config)
  const all = { AUTHORITY_URL: url, SOFTWARE_ID: id, SOFTWARE_PIN: Redacted.value(pin), SOFTWARE_NIT: nit }
  const missing = Object.entries(all).flatMap(([name, value]) => (value === "" ? [name] : []))
  if (missing.length === Object.keys(all).length) return { sandboxLatencyMs, live: undefined }
  if (missing.length > 0)
    return yield* refuse(
      `${Object.keys(all).join(", ")} go together: set ${missing.join(", ")} as well, or none of them.`
    )
  const [number = "", digit] = nit.split("-")
  const fault = faultOf(URL.parse(url), id, Redacted.value(pin), number, digit)
  if (fault !== undefined) return yield* refuse(fault)
  const live: LiveAuthority = { url, software: { provider: { number, check_digit: checkDigit(number) }, id, pin } }
  return { sandboxLatencyMs, live }
})

/**
 * The settings of the default authority. `live`: where live documents go; undefined when they are refused. `sandboxLatencyMs`:
 * the time in milliseconds that the simulated authority takes for an answer.
 *
 * @example
 * ```ts
 * import * as App from "@folio-einvoicing/service"
 * import { AuthoritySettings } from "@folio-einvoicing/service/AuthoritySettings"
 * import { Layer } from "effect"
 *
 * // Live documents are refused, whatever the environment says.
 * export const authority = App.authorityLayer.pipe(Layer.provide(AuthoritySettings.layer({ live: undefined })))
 * ```
 */
export class AuthoritySettings extends Context.Service<
  AuthoritySettings,
  { readonly live: LiveAuthority | undefined; readonly sandboxLatencyMs: number }
>()("folio/outbound/AuthoritySettings") {
  /** These values; without any, live documents are refused, and the simulated authority answers at once. */
  static layer(values: Partial<AuthoritySettings["Service"]> = {}) {
    return Layer.succeed(AuthoritySettings, { live: undefined, sandboxLatencyMs: 0, ...values })
  }

  /**
   * `AUTHORITY_URL`, `SOFTWARE_ID`, `SOFTWARE_PIN`, `SOFTWARE_NIT` and `SANDBOX_LATENCY_MS`. Fails with `SettingsError`, and so when
   * only some of the first four are set.
   */
  static readonly layerConfig = Layer.effect(AuthoritySettings, settings)
}
