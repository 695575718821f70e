import { type Duration, Effect, Metric, Schedule } from "effect"
import { Singleton } from "effect/cluster"
import { ServiceInfo } from "../api/ServiceInfo.ts"
import { judge, type Look } from "../domain/incidents/Incidents.ts"
import { alertOf } from "../domain/incidents/Told.ts"
import { nextAlertDelayMs } from "../domain/webhooks/RetrySchedule.ts"
import { Alerts } from "../outbound/alerts/Alerts.ts"
import { withDeadline } from "../protocol/PortCall.ts"
import { Fault } from "../protocol/Fault.ts"
import * as Metrics from "../protocol/Metrics.ts"
import { Incidents, type Telling, tellingLeaseSeconds } from "../store/incidents/Incidents.ts"
import type { Source } from "../store/incidents/Sources.ts"
import { WatchPace } from "./WatchPace.ts"

// Alerts of one channel that are under way at a time.
const atOnce = 4

// Less than the lease of a telling, so that no other process tells the same meanwhile.
const sendWithinSeconds = tellingLeaseSeconds - 30

/** Looks for what is wrong. A source that breaks leaves the incidents of its kinds as they are. */
const lookAt = ({ kinds, look }: Source): Effect.Effect<Look> =>
  look.pipe(
    Effect.map((found) => ({ kinds, ...found })),
    Effect.catchCause((cause) =>
      Effect.as(
        Effect.logWarning(
          `Whether there is any ${kinds.join(", ")} could not be looked up; the next look is in a minute`,
          cause
        ),
        { kinds, isAll: false, causes: null }
      )
    )
  )

const repeated = (what: string, work: Effect.Effect<void>, interval: Duration.Duration) =>
  work.pipe(
    Effect.catchCause((cause) => Effect.logWarning(`${what} failed; the next try follows`, cause)),
    Effect.repeat(Schedule.spaced(interval))
  )

/**
 * Looks once a minute for what whoever runs the service must know, opens and ends incidents, and tells each channel of them. A row says
 * what is to be told and what was: several of these, or one that is killed, tell nobody twice but for an alert that was under way.
 */
export const layer = Singleton.make(
  "Watch",
  Effect.gen(function* () {
    const alerts = yield* Alerts
    const incidents = yield* Incidents
    const { baseUrl } = yield* ServiceInfo
    const pace = yield* WatchPace

    const look = Effect.gen(function* () {
      const looks = yield* Effect.forEach(incidents.sources, lookAt)
      yield* incidents.record(judge(yield* incidents.open, looks), alerts.channels)
    })

    const tell = Effect.fnUntraced(function* (channel: string, telling: Telling) {
      const { attempts, id, state } = telling
      const sending = Effect.suspend(() => alerts.send(channel, alertOf(telling, state, baseUrl)))
      const failure = yield* withDeadline(sending, sendWithinSeconds * 1_000, () =>
        Effect.die(new Error(`Alerts.send did not end within ${sendWithinSeconds} s`))
      ).pipe(
        Effect.as(null),
        Effect.catchTag("AlertFailed", ({ message }) => Effect.succeed(message)),
        Effect.catchCause((cause) =>
          Effect.as(Effect.logError("An alert broke what sends it", cause), "Alerts.send broke: the log tells")
        )
      )
      yield* Fault.at("after-alert")
      const retryInMs = failure === null ? null : nextAlertDelayMs(attempts)
      yield* incidents.told({ incident_id: id, channel, state, attempts, error: failure, retryInMs })
      yield* Metric.update(
        Metrics.alerts(channel, failure === null ? "told" : retryInMs === null ? "failed" : "retry"),
        1
      )
      if (failure === null) return
      const next = retryInMs === null ? "it is given up" : "it is told again later"
      yield* Effect.logWarning(
        `Nobody was told of an incident: ${next}. See that the channel works: npx folio incidents test`
      ).pipe(Effect.annotateLogs({ incident_id: id, state, channel, attempts, reason: failure }))
    })
    const tellAll = Effect.fnUntraced(function* (channel: string) {
      const due = yield* incidents.take(channel)
      yield* Effect.forEach(due, (telling) => tell(channel, telling), { concurrency: atOnce, discard: true })
    })

    yield* Effect.all(
      [
        repeated("A look for incidents", look, pace.look),
        ...alerts.channels.map((channel) => repeated("Telling of incidents", tellAll(channel), pace.tell))
      ],
      { concurrency: "unbounded", discard: true }
    )
  })
)
