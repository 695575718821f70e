import { assert } from "@effect/vitest"
import { Duration, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { WatchPace } from "../../src/operations/Watch.ts"
import { type Alert, AlertFailed, Alerts } from "../../src/operations/Alerts.ts"
import { Incidents } from "../../src/operations/store/Incidents.ts"
import { serviceWith } from "../support/apps/PostgresApp.ts"
import { addEndpoint, change } from "../support/apps/PostgresRows.ts"
import { until } from "../support/apps/Until.ts"
import { describeLive } from "../support/Tests.ts"
import { breakable, installed } from "./Faults.ts"

const taken: Array<readonly [channel: string, alert: Alert]> = []
const twoChannels = Layer.succeed(Alerts, {
  channels: ["one", "other"],
  send: (channel, alert) => Effect.sync(() => void taken.push([channel, alert]))
})
const often = Layer.succeed(WatchPace, { search: Duration.millis(50), send: Duration.millis(20) })

describeLive(serviceWith(Layer.merge(twoChannels, often)))("An alert", (it) => {
  it.effect("reaches each channel once when its incident opens, and once when the incident has ended", function* () {
    const incidents = yield* Incidents
    const sql = yield* SqlClient.SqlClient
    const switched = breakable()
    yield* installed(yield* Alerts, "send", switched)
    switched.fault = () => Effect.fail(new AlertFailed({ message: "no" }))
    const endpoint = yield* addEndpoint()
    yield* change("webhook_endpoints", endpoint, { failing_since: new Date(0) })

    const hurry = sql`update incident_alerts set next_attempt_at = now() where error is not null and next_attempt_at > now()`
    yield* until(
      Effect.map(hurry, () => switched.calls),
      (calls) => calls >= 3
    )
    assert.isEmpty(taken)
    switched.fault = null
    yield* until(
      Effect.map(hurry, () => taken.length),
      (count) => count === 2
    )
    const told = (alerts: typeof taken) =>
      alerts.map(([channel, { kind, state, subject }]) => [channel, kind, state, subject]).toSorted()
    const both = (state: string) => ["one", "other"].map((channel) => [channel, "endpoint_failing", state, endpoint])
    assert.deepStrictEqual(told(taken), both("opened"))
    const [row] = yield* until(incidents.list, ([one]) => one!.alerts.every(({ sent_at }) => sent_at !== null))
    assert.isTrue(row?.alerts.every(({ next_attempt_at }) => next_attempt_at === null))

    yield* change("webhook_endpoints", endpoint, { failing_since: null })
    const pass = (time: string) =>
      sql`update incidents set gone_since = now() - ${time}::interval where gone_since is not null returning id`
    yield* until(pass("4 minutes"), (rows) => rows.length === 1)
    assert.lengthOf(taken, 2)
    yield* pass("5 minutes")
    yield* until(
      Effect.sync(() => taken.length),
      (count) => count === 4
    )
    assert.deepStrictEqual(told(taken.slice(2)), both("ended"))
    assert.deepStrictEqual(new Set(taken.map(([, { id }]) => id)), new Set([row?.id]))
  })
})
