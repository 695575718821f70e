import { Context } from "effect"

/**
 * Whether a platform request (`HttpServerRequest.source`) arrived at the metrics port. Undefined without a metrics
 * port: clients and monitors then use the same port.
 */
export class AskedByMonitor extends Context.Reference<((source: object) => boolean) | undefined>(
  "folio/runtime/AskedByMonitor",
  { defaultValue: () => undefined }
) {}
