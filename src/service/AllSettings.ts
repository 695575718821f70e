import { Effect, Layer, Redacted } from "effect"
import { AuthoritySettings } from "../invoices/authority/AuthoritySettings.ts"
import { smtpSettings } from "../invoices/mail/SmtpSettings.ts"
import * as AlertsLive from "../operations/AlertsLive.ts"
import { DataDir } from "../runtime/process/DataFiles.ts"
import { Settings } from "../runtime/process/Settings.ts"
import { Redactor, redactor } from "../runtime/telemetry/Redaction.ts"
import { Limits } from "../runtime/Limits.ts"
import { ServiceInfo } from "../runtime/ServiceInfo.ts"
import { allowance } from "../webhooks/sender/WebhookAllow.ts"

const passwordOf = (redacted: Redacted.Redacted<string> | undefined) => {
  const url = redacted === undefined ? "" : Redacted.value(redacted)
  return URL.canParse(url) ? decodeURIComponent(new URL(url).password) : ""
}

// A shorter path also occurs in texts that are not secret.
const secretPathMin = 20
// A chat's webhook URL is a secret: its path gives write access.
const pathOf = (redacted: Redacted.Redacted<string> | undefined) => {
  const url = redacted === undefined ? undefined : new URL(Redacted.value(redacted))
  const path = url === undefined ? "" : url.pathname + url.search
  return path.length >= secretPathMin ? path : ""
}

/**
 * The secrets in the settings: passwords in URLs, the encryption keys, the secret of mail notices, the PIN, the path
 * and the secret of alerts, and OTLP header values.
 */
const secretsOfSettings = Effect.gen(function* () {
  const { databaseUrl: database, folioKey, folioKeyPrevious, traces: spans } = yield* Settings
  const { live } = yield* AuthoritySettings
  const alerts = yield* AlertsLive.alertSettings
  const others = [(yield* Limits).noticeSecret, live?.software?.pin].map((secret) => secret && Redacted.value(secret))
  return [
    passwordOf(database),
    passwordOf((yield* smtpSettings)?.url),
    ...[folioKey, folioKeyPrevious].map((key) => key && Buffer.from(Redacted.value(key)).toString("base64")),
    ...others,
    alerts.secret && Redacted.value(alerts.secret),
    passwordOf(alerts.url),
    pathOf(alerts.url),
    ...(spans === undefined ? [] : Object.values(Redacted.value(spans.headers)))
  ].filter((secret) => secret !== undefined)
})

/**
 * All settings that the service reads from the environment, checked before anything starts. `version` is the service's
 * version. Fails with `SettingsError`.
 */
export const layer = (version: string) =>
  Layer.effect(Redactor, Effect.map(secretsOfSettings, redactor)).pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        Limits.layerConfig,
        Settings.layerConfig,
        DataDir.layerConfig,
        ServiceInfo.layerConfig(version),
        Layer.effectDiscard(allowance),
        AuthoritySettings.layerConfig,
        AlertsLive.layerConfig
      )
    )
  )
