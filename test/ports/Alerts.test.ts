import { assert } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { TestRunner } from "effect/cluster"
import { TestClock } from "effect/testing"
import { IncidentId } from "../../schemas/Id.ts"
import * as Watch from "../../src/operations/Watch.ts"
import { ServiceInfo } from "../../src/runtime/ServiceInfo.ts"
import { nextAlertDelayMs } from "../../src/webhooks/rules/RetrySchedule.ts"
import { AlertFailed, Alerts } from "../../src/operations/Alerts.ts"
import { type Attempted, Incidents, type DueAlert, alertLeaseSeconds } from "../../src/operations/store/Incidents.ts"
import { patiently } from "../support/apps/Until.ts"
import { itOn } from "../support/Tests.ts"
import { breakable, faultOf, installed } from "./Faults.ts"
import { alerts } from "./PortTable.ts"

const channels = ["one", "other"]
const opened: Omit<DueAlert, "attempts"> = {
  id: IncidentId.make(`inc_${"a".repeat(26)}`),
  kind: "endpoint_failing",
  subject: "we_1",
  severity: "warning",
  account_id: null,
  livemode: null,
  issuer: null,
  summary: "The endpoint fails.",
  action: "Repair it.",
  details: {},
  since: new Date(0),
  opened_at: new Date(0),
  ended_at: null,
  state: "opened"
}

const taken: Array<string> = []
const attempts: Array<Attempted> = []

/** An incident that two channels report, each when it is due. */
const oneIncident = Layer.unwrap(
  Effect.sync(() => {
    taken.length = 0
    attempts.length = 0
    const due = new Map(channels.map((channel) => [channel, 0]))
    const countOf = (channel: string) => attempts.filter((one) => one.channel === channel).length
    return Layer.mock(Incidents)({
      sources: [],
      open: Effect.succeed([]),
      record: () => Effect.void,
      take: (channel) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          if (now < due.get(channel)!) return []
          due.set(channel, now + alertLeaseSeconds * 1_000)
          return [{ ...opened, attempts: countOf(channel) + 1 }]
        }),
      recordAttempt: (one) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          attempts.push(one)
          due.set(one.channel, now + (one.retryInMs ?? Infinity))
        })
    })
  })
)

const watch = Watch.layer.pipe(
  Layer.provideMerge(
    Layer.mergeAll(
      TestRunner.layer,
      oneIncident,
      Layer.succeed(ServiceInfo, { version: "0.1.0", baseUrl: "http://folio.test" }),
      Layer.sync(Alerts, () => ({ channels, send: (channel) => Effect.sync(() => void taken.push(channel)) }))
    )
  )
)

/** Advances the clock until the condition holds. */
const watched = (holds: () => boolean) =>
  patiently(
    Effect.repeat(
      Effect.andThen(
        TestClock.adjust("10 seconds"),
        Effect.promise(() => new Promise(setImmediate))
      ),
      { until: holds }
    )
  )

itOn(watch).effect.each(Object.keys(alerts.send))(
  "An alert is sent again on each channel after Alerts.send %s",
  function* (fault) {
    const switched = breakable()
    yield* installed(yield* Alerts, "send", switched)
    switched.fault = faultOf(fault, { AlertFailed: new AlertFailed({ message: "no" }) }, [])
    yield* watched(() => attempts.length >= 4)
    assert.isEmpty(taken)
    switched.fault = null
    yield* watched(() => taken.length === 2)
    yield* TestClock.adjust("1 hour")
    assert.sameMembers(taken, channels)
    for (const channel of channels) {
      const own = attempts.filter((one) => one.channel === channel)
      for (const [index, one] of own.slice(0, -1).entries()) {
        assert.match(one.error ?? "", fault === "AlertFailed" ? /^no$/ : /failed: see the log/)
        assert.deepStrictEqual([one.attempts, one.retryInMs], [index + 1, nextAlertDelayMs(index + 1)])
      }
      assert.deepInclude(own.at(-1), { incident_id: opened.id, state: "opened", error: null, retryInMs: null })
    }
  }
)
