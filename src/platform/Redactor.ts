import { Context, Effect, Layer, Redacted } from "effect"
import { alertSettings } from "../outbound/alerts/AlertsLive.ts"
import { AuthoritySettings } from "../outbound/authority/AuthoritySettings.ts"
import { Limits } from "../settings/Limits.ts"
import { smtpSettings } from "../outbound/mail/SmtpSettings.ts"
import { FolioKey } from "./files/FolioKey.ts"
import { DatabaseUrl } from "./postgres/DatabaseUrl.ts"
import { redactor } from "./Redaction.ts"
import { TraceSettings } from "./TelemetrySettings.ts"

const passwordOf = (redacted: Redacted.Redacted<string> | undefined) => {
  const url = redacted === undefined ? "" : Redacted.value(redacted)
  return URL.canParse(url) ? decodeURIComponent(new URL(url).password) : ""
}

// A shorter path is also part of what is no secret.
const secretPathMin = 20
// A chat's address for incoming messages is a secret: who knows its path may write there.
const pathOf = (redacted: Redacted.Redacted<string> | undefined) => {
  const url = redacted === undefined ? undefined : new URL(Redacted.value(redacted))
  const path = url === undefined ? "" : url.pathname + url.search
  return path.length >= secretPathMin ? path : ""
}

/**
 * The secrets in the settings: passwords in URLs, the sealing key, the secret of mail notices, the PIN, the path and the secret of alerts,
 * and OTLP header values.
 */
const secretsOfSettings = Effect.gen(function* () {
  const key = yield* FolioKey
  const { live } = yield* AuthoritySettings
  const traces = yield* TraceSettings
  const alerts = yield* alertSettings
  const others = [(yield* Limits).noticeSecret, live?.software?.pin].map((secret) => secret && Redacted.value(secret))
  return [
    passwordOf(yield* DatabaseUrl),
    passwordOf((yield* smtpSettings)?.url),
    key && Buffer.from(Redacted.value(key)).toString("base64"),
    ...others,
    alerts.secret && Redacted.value(alerts.secret),
    passwordOf(alerts.url),
    pathOf(alerts.url),
    ...(traces === undefined ? [] : Object.values(Redacted.value(traces.headers)))
  ].filter((secret) => secret !== undefined)
})

/** A function that takes secrets out of a text. All log lines and spans pass it before they leave the process. */
export class Redactor extends Context.Service<Redactor, (text: string) => string>()(
  "@folio-einvoicing/service/Redactor"
) {
  /** Everything with the form of a secret, and each of `secrets` verbatim. */
  static layer(secrets: ReadonlyArray<string> = []) {
    return Layer.succeed(Redactor, redactor(secrets))
  }

  /** Everything with the form of a secret, and the secrets in the settings. Fails with `SettingsError`. */
  static readonly layerConfig = Layer.effect(Redactor, Effect.map(secretsOfSettings, redactor))
}
