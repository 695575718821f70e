import { Layer, Metric, Redacted } from "effect"
import { type SettingValues, Settings } from "../../../src/runtime/process/Settings.ts"
import { Limits } from "../../../src/runtime/Limits.ts"

/**
 * The settings of a single process that listens at this address, without its own database; by default at any free port.
 */
export const settingsOf = (listen: Partial<SettingValues["listen"]> = {}) =>
  Layer.succeed(Settings, {
    databaseUrl: undefined,
    folioKey: undefined,
    folioKeyPrevious: undefined,
    instance: "test",
    listen: { host: "127.0.0.1", port: 0, ...listen },
    log: { level: "Info", format: "json" },
    processes: 1,
    runner: undefined,
    traces: undefined
  })

/** The default turns without pauses: tests send the largest requests in a row. */
export const withoutRest = {
  ...Limits.defaults.requests,
  restMsOfKib: { answer: 0, body: 0, document: { sent: 0, copied: 0, moved: 0 } },
  slowRead: { fromMs: 0, restMsMax: 0 },
  // No creation is refused, however slow the tests' machine is.
  creation: { ...Limits.defaults.requests.creation, maxDelay: "1 hour" as const }
}

/** A registry of metrics for each service, without the counts of other services in this process. */
export const ownMetrics = Layer.sync(Metric.MetricRegistry, () => new Map())

// The clock of a test in memory does not advance: a bucket is never refilled.
export const unlimited = { perSecond: 1_000, burst: 1_000_000 }

export const baseUrl = "http://folio.test"
export const secretKey = Redacted.make(new Uint8Array(32).fill(7))
export const noticeSecret = "a secret of the mail provider and us"

/** The limits of a service whose tests are not about limits. */
export const layerTestLimits = Limits.layerChanged({
  // No test waits for the end of a pause, except the tests of pauses.
  clients: { pauseMs: 0 },
  noticeSecret: Redacted.make(noticeSecret),
  rate: unlimited,
  requests: withoutRest
})
