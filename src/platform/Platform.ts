/*
 * What runs the service on Node and PostgreSQL, for teams that compose `App.layer` themselves: each part can be used without the
 * others, with its settings from the environment (`layerConfig`) or given (`layer`).
 */

/** An `HttpServer`. Asks for `ListenAddress`, `ServiceInfo` and what `Server.layerLimits` has the defaults of. */
export * as Server from "./server/Server.ts"
export { ConnectionLimits } from "./server/Connections.ts"
export { ListenAddress } from "./server/ListenAddress.ts"

/** A `SqlClient` of a migrated PostgreSQL, and the lock of who serves it. Asks for `DatabaseUrl`, `DataDir` and `OwnRunner`. */
export * as Postgres from "./postgres/Postgres.ts"
export { ServiceLock } from "./postgres/ServiceLock.ts"
export { DatabaseUrl } from "./postgres/DatabaseUrl.ts"
export { DataDir } from "./files/DataDir.ts"

/** `Sharding`, for one process or for several. Asks for `OwnRunner`. */
export * as Cluster from "./cluster/Cluster.ts"
export { OwnRunner } from "./cluster/OwnRunner.ts"
export { Processes } from "./Processes.ts"

/** The `SecretKey`: that of `FolioKey`, or a file in `DataDir`. Refuses a key that is not the database's. */
export { layerSecretKey } from "./files/SealingKey.ts"
export { FolioKey } from "./files/FolioKey.ts"

/** The certificate that signs test documents: a file in `DataDir`. */
export { layerSandboxCertificate } from "./files/SandboxCertificateFile.ts"

/** Log lines, spans and metrics of the process. Asks for `LogSettings`, `ServiceInstance`, `TraceSettings` and `Redactor`. */
export * as Telemetry from "./Telemetry.ts"
export { LogSettings, ServiceInstance, TraceSettings } from "./TelemetrySettings.ts"
export { Redactor } from "./Redactor.ts"

/** All settings of the service at once, from the environment. */
export * as Settings from "./Settings.ts"
export { SettingsError } from "../settings/Setting.ts"
