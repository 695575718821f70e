import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { type Alert, AlertFailed, Alerts } from "../../src/outbound/alerts/Alerts.ts"
import { Incidents } from "../../src/store/incidents/Incidents.ts"
import { serviceWith } from "../support/apps/MemoryApp.ts"
import { addEndpoint } from "../support/apps/MemoryRows.ts"
import { patiently } from "../support/apps/Until.ts"
import { MemoryTables } from "../support/memory/MemoryTables.ts"
import { describeOn } from "../support/Tests.ts"
import { breakable, faultOf, installed } from "./Faults.ts"
import { alerts } from "./PortTable.ts"

const cases = Object.keys(alerts.send)

const taken: Array<readonly [channel: string, alert: Alert]> = []
const twoChannels = Layer.succeed(Alerts, {
  channels: ["one", "other"],
  send: (channel, alert) => Effect.sync(() => void taken.push([channel, alert]))
})

/** Lets the service look and tell again and again until this holds. */
const watched = <A>(look: Effect.Effect<A>, holds: (seen: A) => boolean) =>
  patiently(
    Effect.repeat(
      TestClock.adjust("30 seconds").pipe(
        Effect.andThen(Effect.promise(() => new Promise(setImmediate))),
        Effect.andThen(look)
      ),
      { until: holds }
    )
  )

describeOn(serviceWith(twoChannels))("An alert", (it) => {
  it.effect.each(cases)("of an incident whose Alerts.send %s: told again", function* (fault) {
    const { tables } = yield* MemoryTables
    const incidents = yield* Incidents
    const port = yield* Alerts
    const switched = breakable()
    yield* installed(port, "send", switched)
    switched.fault = faultOf(fault, { AlertFailed: new AlertFailed({ message: "no" }) }, [])
    const endpoint = yield* addEndpoint()
    const failing_since = new Date(0)
    tables.endpoints.set(endpoint.id, { ...tables.endpoints.get(endpoint.id)!, failing_since })
    const about = () => taken.filter(([, { subject }]) => subject === endpoint.id)

    yield* watched(
      Effect.sync(() => switched.calls),
      (calls) => calls >= 3
    )
    assert.isEmpty(about())
    switched.fault = null
    yield* watched(Effect.sync(about), (some) => some.length === 2)
    assert.deepStrictEqual(
      about()
        .map(([channel, { kind, state }]) => [channel, kind, state])
        .toSorted(),
      ["one", "other"].map((channel) => [channel, "endpoint_failing", "opened"])
    )
    const [row] = (yield* incidents.list).filter(({ subject }) => subject === endpoint.id)
    assert.isTrue(row?.told.every(({ next_attempt_at, told_at }) => told_at !== null && next_attempt_at === null))

    // It is told once, and once when it has been gone for five minutes.
    tables.endpoints.delete(endpoint.id)
    yield* TestClock.adjust("4 minutes")
    assert.lengthOf(about(), 2)
    yield* watched(Effect.sync(about), (some) => some.length === 4)
    yield* TestClock.adjust("10 minutes")
    assert.deepStrictEqual(
      about()
        .slice(2)
        .map(([, { id, state }]) => [id, state]),
      [
        [row?.id, "ended"],
        [row?.id, "ended"]
      ]
    )
  })
})
