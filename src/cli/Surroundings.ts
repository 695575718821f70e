import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { Effect, Layer, Logger, References } from "effect"
import * as Postgres from "../platform/postgres/Postgres.ts"
import { redactor, secretsOf } from "../platform/Redaction.ts"
import { fromSettings, Settings } from "../platform/Settings.ts"
import { Accounts } from "../store/accounts/Accounts.ts"
import { ApiKeys } from "../store/accounts/ApiKeys.ts"
import { AuditLog } from "../store/accounts/AuditLog.ts"
import { Ids } from "../store/sql/Ids.ts"
import { Resolutions } from "../store/accounts/Resolutions.ts"
import { Retention, RetentionDays } from "../store/sql/Retention.ts"

// Logs go to standard error, because standard output holds only the command's answer.
const logs = Layer.unwrap(
  Effect.map(Settings, (settings) =>
    Layer.merge(
      Logger.layer([Logger.withConsoleError(Logger.map(Logger.formatSimple, redactor(secretsOf(settings))))]),
      Layer.succeed(References.MinimumLogLevel, "Warn")
    )
  )
)

/** The services that every command needs, without a database. */
export const edge = Layer.mergeAll(
  NodeCrypto.layer,
  fromSettings(RetentionDays, ({ retentionDays }) => retentionDays),
  logs
).pipe(Layer.provideMerge(Settings.layer))

/** The database, opened beside a service that may be running, and the stores that the commands use. */
export const store = Layer.mergeAll(ApiKeys.layer, Accounts.layer, Resolutions.layer, Retention.layer).pipe(
  Layer.provideMerge(Layer.mergeAll(AuditLog.layer, Ids.layer)),
  Layer.provideMerge(Postgres.commandLayer),
  Layer.provideMerge(edge)
)
