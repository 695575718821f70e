import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { Effect, Layer, Logger, References } from "effect"
import * as Postgres from "../platform/Postgres.ts"
import { redactor, secretsOf } from "../platform/Redaction.ts"
import { Settings } from "../platform/Settings.ts"
import { Accounts } from "../store/Accounts.ts"
import { ApiKeys } from "../store/ApiKeys.ts"
import { AuditLog } from "../store/AuditLog.ts"
import { Ids } from "../store/Ids.ts"
import { Resolutions } from "../store/Resolutions.ts"
import { Retention, RetentionDays } from "../store/Retention.ts"

// The answer is on standard output; what is noteworthy on the way to it is not.
const logs = Layer.unwrap(
  Effect.map(Settings, (settings) =>
    Layer.merge(
      Logger.layer([Logger.withConsoleError(Logger.map(Logger.formatSimple, redactor(secretsOf(settings))))]),
      Layer.succeed(References.MinimumLogLevel, "Warn")
    )
  )
)

const retentionDays = Layer.effect(
  RetentionDays,
  Effect.map(Settings, (settings) => settings.retentionDays)
)

/** What every command needs, without a database. */
export const edge = Layer.mergeAll(NodeCrypto.layer, retentionDays, logs).pipe(Layer.provideMerge(Settings.layer))

/** The database, beside a service that may be running, and what the commands do with it. */
export const store = Layer.mergeAll(ApiKeys.layer, Accounts.layer, Resolutions.layer, Retention.layer).pipe(
  Layer.provideMerge(Layer.mergeAll(AuditLog.layer, Ids.layer)),
  Layer.provideMerge(Postgres.commandLayer),
  Layer.provideMerge(edge)
)
