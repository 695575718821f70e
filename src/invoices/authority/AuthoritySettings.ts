import { Config, Context, Effect, Layer, Redacted } from "effect"
import { pinForm, softwareIdForm } from "../../../schemas/Software.ts"
import { numberOfNit, providerOf, type Software } from "../../documents/rules/parties/SoftwareRules.ts"
import { read, refuse } from "../../runtime/Setting.ts"

const config = Config.all({
  sandboxLatencyMs: Config.Int("SANDBOX_LATENCY_MS").pipe(Config.withDefault(0)),
  url: Config.String("AUTHORITY_URL").pipe(Config.withDefault("")),
  testUrl: Config.String("AUTHORITY_TEST_URL").pipe(Config.withDefault("")),
  id: Config.String("SOFTWARE_ID").pipe(Config.withDefault("")),
  pin: Config.Redacted("SOFTWARE_PIN").pipe(Config.withDefault(Redacted.make(""))),
  nit: Config.String("SOFTWARE_NIT").pipe(Config.withDefault(""))
})

const loopback = ["127.0.0.1", "[::1]", "localhost"]

const faultOfUrl = (name: string, text: string) => {
  const url = URL.parse(text)
  if (url?.protocol !== "https:" && !(url?.protocol === "http:" && loopback.includes(url.hostname)))
    return `${name} must be the https address of the authority's service (http only on this machine).`
  return url.username !== "" || url.hash !== ""
    ? `${name} must be the address of the service, without user name and fragment.`
    : undefined
}

// On this machine, one fake authority may serve both.
const isOneHost = (live: string, test: string) => {
  const [a, b] = [new URL(live), new URL(test)]
  return a.host === b.host && !loopback.includes(a.hostname)
}

const faultOfSoftware = (id: string, pin: string) => {
  if (!softwareIdForm.pattern.test(id)) return `SOFTWARE_ID ${softwareIdForm.message}.`
  return pinForm.pattern.test(pin) ? undefined : `SOFTWARE_PIN ${pinForm.message}.`
}

/**
 * The authority's web service for live documents, and the software (provider, id, PIN) for accounts without their own.
 */
export interface LiveAuthority {
  readonly url: string
  /** Omitted if each account must have its own software. */
  readonly software?: Omit<Software, "pin"> & { readonly pin: Redacted.Redacted<string> }
}

const software = Effect.fnUntraced(function* ({ id, nit, pin }: Record<"id" | "nit" | "pin", string>) {
  const all = { SOFTWARE_ID: id, SOFTWARE_PIN: pin, SOFTWARE_NIT: nit }
  const missing = Object.entries(all).flatMap(([name, value]) => (value === "" ? [name] : []))
  if (missing.length === Object.keys(all).length) return undefined
  if (missing.length > 0)
    return yield* refuse(
      `${Object.keys(all).join(", ")} go together: set ${missing.join(", ")} as well, or none of them.`
    )
  const fault = faultOfSoftware(id, pin)
  if (fault !== undefined) return yield* refuse(fault)
  const provider = numberOfNit(nit, "SOFTWARE_NIT")
  if ("fault" in provider) return yield* refuse(provider.fault)
  return { provider: providerOf(provider.number), id, pin: Redacted.make(pin) }
})

const settings = Effect.gen(function* () {
  const { id, nit, pin, sandboxLatencyMs, testUrl, url } = yield* read(config)
  const faultOfTest = testUrl === "" ? undefined : faultOfUrl("AUTHORITY_TEST_URL", testUrl)
  if (faultOfTest !== undefined) return yield* refuse(faultOfTest)
  const test = testUrl === "" ? undefined : { url: testUrl }
  const own = yield* software({ id, nit, pin: Redacted.value(pin) })
  if (url === "") {
    if (own === undefined) return { sandboxLatencyMs, test, live: undefined }
    return yield* refuse(
      "SOFTWARE_ID, SOFTWARE_PIN and SOFTWARE_NIT name the software of live documents: set AUTHORITY_URL as well, or none of them."
    )
  }
  const fault = faultOfUrl("AUTHORITY_URL", url)
  if (fault !== undefined) return yield* refuse(fault)
  if (testUrl !== "" && isOneHost(url, testUrl)) {
    return yield* refuse(
      "AUTHORITY_TEST_URL must be the address of the authority's test environment (habilitación), and names the host of AUTHORITY_URL, which takes live documents."
    )
  }
  const live: LiveAuthority = { url, ...(own === undefined ? {} : { software: own }) }
  return { sandboxLatencyMs, test, live }
})

/**
 * The settings of the default authority. `live`: the service for live documents; if undefined, live documents fail.
 * `test`: the authority's test environment, for enablement; undefined if there is none. `sandboxLatencyMs`: the
 * simulated authority's response time in milliseconds.
 */
export class AuthoritySettings extends Context.Service<
  AuthoritySettings,
  {
    readonly live: LiveAuthority | undefined
    readonly test: { readonly url: string } | undefined
    readonly sandboxLatencyMs: number
  }
>()("@folio-einvoicing/service/AuthoritySettings") {
  /** These values. By default, live documents are rejected, and the simulated authority responds immediately. */
  static layer(values: Partial<AuthoritySettings["Service"]> = {}) {
    return Layer.succeed(AuthoritySettings, { live: undefined, test: undefined, sandboxLatencyMs: 0, ...values })
  }

  /**
   * `AUTHORITY_URL`, `AUTHORITY_TEST_URL`, `SOFTWARE_ID`, `SOFTWARE_PIN`, `SOFTWARE_NIT` and `SANDBOX_LATENCY_MS`.
   * Fails with `SettingsError`, also if only some of the three software settings are set, or if they are set without
   * `AUTHORITY_URL`.
   */
  static readonly layerConfig = Layer.effect(AuthoritySettings, settings)
}
