import { Duration, Effect, Metric, Schedule, Context } from "effect"
import { Singleton } from "effect/cluster"
import { ServiceInfo } from "../runtime/ServiceInfo.ts"
import { judge, type Look } from "./rules/IncidentRules.ts"
import { alertOf } from "./rules/AlertContent.ts"
import { nextAlertDelayMs } from "../webhooks/rules/RetrySchedule.ts"
import { Alerts } from "./Alerts.ts"
import { withDeadline } from "../runtime/PortCall.ts"
import { Fault } from "../runtime/Fault.ts"
import * as Metrics from "../runtime/Metrics.ts"
import { Incidents, type DueAlert, alertLeaseSeconds } from "./store/Incidents.ts"
import type { Source } from "./store/Sources.ts"

// Alerts of one channel under way at a time.
const atOnce = 4

// Less than the lease of an alert, so that no other process sends the same alert in that time.
const sendWithinSeconds = alertLeaseSeconds - 30

/** Searches for incidents. If a source fails, the incidents of its kinds stay unchanged. */
const searchIn = ({ kinds, search }: Source): Effect.Effect<Look> =>
  search.pipe(
    Effect.map((found) => ({ kinds, ...found })),
    Effect.catchCause((cause) =>
      Effect.as(
        Effect.logWarning(
          `Incidents of these kinds could not be read: ${kinds.join(", ")}. The next search is in a minute`,
          cause
        ),
        { kinds, isAll: false, causes: null }
      )
    )
  )

/** Repeats the work for ever, also after a failure. */
export const repeated = (what: string, work: Effect.Effect<void>, interval: Duration.Duration) =>
  work.pipe(
    Effect.catchCause((cause) => Effect.logWarning(`${what} failed; it will be retried`, cause)),
    Effect.repeat(Schedule.spaced(interval))
  )

/**
 * Opens, closes and reports incidents every minute. A row stores the due alerts and the sent alerts. Several processes,
 * or a process that is killed, therefore repeat at most the alert in progress.
 */
export const layer = Singleton.make(
  "Watch",
  Effect.gen(function* () {
    const alerts = yield* Alerts
    const incidents = yield* Incidents
    const { baseUrl } = yield* ServiceInfo
    const pace = yield* WatchPace

    const search = Effect.gen(function* () {
      const searches = yield* Effect.forEach(incidents.sources, searchIn)
      yield* incidents.record(judge(yield* incidents.open, searches), alerts.channels)
    })

    const sendAlert = Effect.fnUntraced(function* (channel: string, alert: DueAlert) {
      const { attempts, id, state } = alert
      const sending = Effect.suspend(() => alerts.send(channel, alertOf(alert, state, baseUrl)))
      const failure = yield* withDeadline(sending, sendWithinSeconds * 1_000, () =>
        Effect.die(new Error(`Alerts.send did not end within ${sendWithinSeconds} s`))
      ).pipe(
        Effect.as(null),
        Effect.catchTag("AlertFailed", ({ message }) => Effect.succeed(message)),
        Effect.catchCause((cause) =>
          Effect.as(Effect.logError("An alert could not be sent", cause), "Alerts.send failed: see the log")
        )
      )
      yield* Fault.at("after-alert")
      const retryInMs = failure === null ? null : nextAlertDelayMs(attempts)
      yield* incidents.recordAttempt({ incident_id: id, channel, state, attempts, error: failure, retryInMs })
      yield* Metric.update(
        Metrics.alerts(channel, failure === null ? "sent" : retryInMs === null ? "failed" : "retry"),
        1
      )
      if (failure === null) return
      const next = retryInMs === null ? "no attempt is left" : "it will be retried"
      yield* Effect.logWarning(
        `The alert of an incident was not sent: ${next}. Check the channel: npx folio incidents test`
      ).pipe(Effect.annotateLogs({ incident_id: id, state, channel, attempts, reason: failure }))
    })
    const sendAll = Effect.fnUntraced(function* (channel: string) {
      const due = yield* incidents.take(channel)
      yield* Effect.forEach(due, (alert) => sendAlert(channel, alert), { concurrency: atOnce, discard: true })
    })

    yield* Effect.all(
      [
        repeated("The search for incidents", search, pace.search),
        ...alerts.channels.map((channel) => repeated("The alerts of incidents", sendAll(channel), pace.send))
      ],
      { concurrency: "unbounded", discard: true }
    )
  })
)

/** How often Folio searches for incidents (`search`) and sends their alerts (`send`). Tests search more often. */
export const WatchPace = Context.Reference<{
  readonly search: Duration.Duration
  readonly send: Duration.Duration
}>("folio/operations/WatchPace", { defaultValue: () => ({ search: Duration.minutes(1), send: Duration.seconds(5) }) })
