import { Effect } from "effect"
import * as Fs from "node:fs"
import { refuse } from "../runtime/Setting.ts"

/** The settings that hold a secret. A setting with the suffix `_FILE` can name a file that holds it. */
export const secretSettings = [
  "ALERT_SECRET",
  "ALERT_URL",
  "DATABASE_URL",
  "FOLIO_KEY",
  "FOLIO_KEY_PREVIOUS",
  "MAIL_NOTICE_SECRET",
  "OTEL_EXPORTER_OTLP_HEADERS",
  "OTEL_EXPORTER_OTLP_TRACES_HEADERS",
  "SMTP_URL",
  "SOFTWARE_PIN"
] as const

/**
 * Replaces each `_FILE` setting of this environment with the secret in its file, as containers and systemd provide
 * secrets. Fails with `SettingsError`.
 */
export const readSecretFiles = (environment: NodeJS.ProcessEnv) =>
  Effect.forEach(
    secretSettings,
    Effect.fnUntraced(function* (name) {
      const setting = `${name}_FILE`
      const path = environment[setting]
      if (path === undefined) return
      if (environment[name] !== undefined) return yield* refuse(`Set ${name} or ${setting}, and not both.`)
      const text = yield* Effect.try({ try: () => Fs.readFileSync(path, "utf8").trim(), catch: String }).pipe(
        Effect.catch((why) => refuse(`${setting} cannot be read (${why}). Name a file that this user may read.`))
      )
      if (text === "") return yield* refuse(`The file ${path} of ${setting} is empty: it should hold ${name}.`)
      environment[name] = text
      // Child processes get the secret itself.
      delete environment[setting]
    }),
    { discard: true }
  )
