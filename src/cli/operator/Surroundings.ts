import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { Effect, Layer, Logger, References } from "effect"
import * as ColombianProfile from "../../documents/ColombianProfile.ts"
import * as Postgres from "../../runtime/postgres/Postgres.ts"
import { version } from "../../runtime/Version.ts"
import { Redactor } from "../../runtime/telemetry/Redaction.ts"
import * as AllSettings from "../../service/AllSettings.ts"
import { Accounts } from "../../accounts/store/Accounts.ts"
import { ApiKeys } from "../../accounts/store/ApiKeys.ts"
import { AuditLog } from "../../accounts/store/AuditLog.ts"
import { Platforms } from "../../accounts/store/Platforms.ts"
import { Ids } from "../../database/Ids.ts"
import { AuditChains } from "../../operations/store/AuditChains.ts"
import { AuditEntries } from "../../operations/store/AuditEntries.ts"
import { Retention } from "../../operations/store/Retention.ts"

// Log to standard error: standard output has only the command's result.
const logs = Layer.unwrap(
  Effect.map(Redactor, (redact) =>
    Layer.merge(
      Logger.layer([Logger.withConsoleError(Logger.map(Logger.formatSimple, redact))]),
      Layer.succeed(References.MinimumLogLevel, "Warn")
    )
  )
)

/** The services that every command needs, without a database. */
export const edge = Layer.mergeAll(
  NodeCrypto.layer,
  logs,
  // These commands sign nothing and need no registered software.
  ColombianProfile.layer({ live: undefined })
).pipe(Layer.provideMerge(AllSettings.layer(version)))

const stores = Layer.mergeAll(
  ApiKeys.layer,
  Accounts.layer,
  AuditChains.layer,
  AuditEntries.layer,
  Platforms.layer,
  Retention.layer
).pipe(Layer.provideMerge(Layer.mergeAll(AuditLog.layer, Ids.layer)))

/** The database, shared with a running service, and the commands' stores. */
export const store = stores.pipe(Layer.provideMerge(Postgres.layerCommand), Layer.provideMerge(edge))

/** The same for a command that runs until it is interrupted, and only while the database runs. */
export const storeWhileServed = stores.pipe(Layer.provideMerge(Postgres.layerWhileServed), Layer.provideMerge(edge))
