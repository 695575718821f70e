import { Effect } from "effect"
import * as Fs from "node:fs"
import { refuse } from "../settings/Setting.ts"

/** The settings that hold a secret: each may be given as the path of a file, in a setting whose name ends in `_FILE`. */
export const secretSettings = [
  "ALERT_SECRET",
  "ALERT_URL",
  "DATABASE_URL",
  "FOLIO_KEY",
  "MAIL_NOTICE_SECRET",
  "OTEL_EXPORTER_OTLP_HEADERS",
  "OTEL_EXPORTER_OTLP_TRACES_HEADERS",
  "SMTP_URL",
  "SOFTWARE_PIN"
] as const

/**
 * Reads the secrets that this environment names files for, as containers and systemd give them, into the settings themselves. Fails
 * with `SettingsError`.
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
      // Child processes find the setting itself.
      delete environment[setting]
    }),
    { discard: true }
  )
