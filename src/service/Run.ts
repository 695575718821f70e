import "effect/schema/SchemaJITCompiler/enable"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Cause, Console, Effect, Exit, Predicate, Result, type Runtime, Schema } from "effect"
import { failureOfDatabase } from "../runtime/postgres/PostgresAddress.ts"
import { redactor } from "../runtime/telemetry/Redaction.ts"
import { onSupervisorEnd } from "../runtime/process/Supervised.ts"
import { type SettingsError, unusable, refuse } from "../runtime/Setting.ts"
import * as Fs from "node:fs"

// The settings may be unreadable, so this redacts only texts in the form of a secret, not the secrets of the settings.
const redact = redactor([])

/** A failure that the command has already printed: the process only exits, with `exitCode` or with 1. */
export class ReportedFailure extends Schema.TaggedError<ReportedFailure>()("ReportedFailure", {
  message: Schema.String,
  exitCode: Schema.optionalKey(Schema.Int)
}) {}

const unexpected = (cause: Cause.Cause<unknown>) => {
  const failure = failureOfDatabase(Result.getOrUndefined(Cause.findDefect(cause)))
  return failure === undefined ? Cause.pretty(cause) : `folio: ${failure}`
}

// A team's layer can read its settings with effect's `Config`, and so fail with a `ConfigError`.
const lineOf = (error: { readonly message: string }) =>
  Predicate.isTagged(error, "ConfigError") ? unusable(error.message) : error.message

/**
 * Reads the secrets in files, runs a program, and prints its failure to standard error: one line for an expected error,
 * the whole cause for an unexpected one.
 */
export const run = <A, E extends { readonly message: string }>(
  program: Effect.Effect<A, E>
): Effect.Effect<A, E | SettingsError> =>
  Effect.tapCause(Effect.andThen(readSecretFiles(process.env), program), (cause) => {
    if (Cause.hasInterruptsOnly(cause)) return Effect.void
    const error = Result.getOrUndefined(Cause.findError(cause))
    if (error instanceof ReportedFailure) return Effect.void
    return Console.error(redact(error === undefined ? unexpected(cause) : `folio: ${lineOf(error)}`))
  })

const codeOf = (cause: Cause.Cause<unknown>) => {
  const error = Result.getOrUndefined(Cause.findError(cause))
  return (error instanceof ReportedFailure ? error.exitCode : undefined) ?? 1
}

/** Exits with 0 after success or a stop signal, and with 1 if the process could not start or continue. */
export const teardown: Runtime.Teardown = (exit, onExit) =>
  onExit(Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause) ? 0 : codeOf(exit.cause))

const stop = () => void process.emit("SIGTERM", "SIGTERM")

/** Runs a program as this process, until the program ends or the process gets a stop signal. */
export const start = (program: Effect.Effect<unknown, unknown>): void => {
  NodeRuntime.runMain<unknown, unknown>(program, { teardown, disableErrorReporting: true })
  // A closed terminal (SIGHUP) stops the process as SIGTERM does. Its output then has no reader, and a failed write
  // must not end the process.
  process.on("SIGHUP", stop)
  onSupervisorEnd(stop)
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {})
}

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
