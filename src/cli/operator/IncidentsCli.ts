import { Clock, Effect, Layer } from "effect"
import { Command } from "effect/cli"
import { ServiceInfo } from "../../runtime/ServiceInfo.ts"
import { testAlert } from "../../operations/rules/AlertContent.ts"
import { Alerts } from "../../operations/Alerts.ts"
import * as Postgres from "../../runtime/postgres/Postgres.ts"
import { finding, good, noted } from "../../runtime/postgres/PostgresInspection.ts"
import { Incidents, type ListedIncident } from "../../operations/store/Incidents.ts"
import { Ids } from "../../database/Ids.ts"
import { json, say, table } from "./Answers.ts"
import { refuse } from "../../runtime/Setting.ts"
import { ReportedFailure } from "../../service/Run.ts"
import { edge } from "./Surroundings.ts"

/** Incidents for the operator, and a test of the alert channels. */

const settingOf: Readonly<Record<string, string>> = { url: "ALERT_URL", email: "ALERT_EMAIL" }

/** The store of incidents, for a command's database. */
export const incidentStore = Incidents.layer.pipe(Layer.provideMerge(Ids.layer))

const minute = (date: Date) => date.toISOString().slice(0, 16).replace("T", " ")

const alertWords = ({ alerts }: ListedIncident) =>
  alerts.length === 0
    ? "not reported"
    : alerts
        .map(({ channel, error, next_attempt_at, state, sent_at }) => {
          if (sent_at !== null) return `${channel}: ${state} reported`
          const rest = error === null ? "" : ` (${error})`
          return `${channel}: ${state} ${next_attempt_at === null ? "not reported, retries ended" : "not reported yet"}${rest}`
        })
        .join("; ")

const list = Command.make(
  "incidents",
  { json },
  Effect.fn(
    function* (flags) {
      const incidents = yield* (yield* Incidents).list
      const rows = incidents.map((one) => [
        one.id,
        one.ended_at === null ? one.severity : `ended ${minute(one.ended_at)}`,
        one.kind,
        minute(one.opened_at),
        one.summary
      ])
      const lines = table([["ID", "STATE", "KIND", "OPENED (UTC)", "WHAT"], ...rows])
      const details = incidents.flatMap((one, index) => [
        lines[index + 1] ?? "",
        `    ${one.action}`,
        `    ${alertWords(one)}`
      ])
      yield* say(
        flags.json,
        { incidents },
        incidents.length === 0 ? ["No incident yet."] : [lines[0] ?? "", ...details]
      )
    },
    Effect.provide(Layer.provide(incidentStore, Postgres.layerCommand))
  )
)

const test = Command.make(
  "test",
  { json },
  Effect.fn(function* (flags) {
    const { channels, send } = yield* Alerts
    if (channels.length === 0) {
      return yield* refuse("No alert channel is set: set ALERT_URL or ALERT_EMAIL")
    }
    const { baseUrl } = yield* ServiceInfo
    const alert = testAlert(yield* (yield* Ids).incident, new Date(yield* Clock.currentTimeMillis), baseUrl)
    const outcomes = yield* Effect.forEach(
      channels,
      (channel) =>
        send(channel, alert).pipe(
          Effect.as({ channel, ok: true, message: "accepted the test alert" }),
          Effect.catchTag("AlertFailed", ({ message }) => Effect.succeed({ channel, ok: false, message }))
        ),
      { concurrency: "unbounded" }
    )
    const failed = outcomes.filter(({ ok }) => !ok).length
    yield* say(
      flags.json,
      { ok: failed === 0, id: alert.id, channels: outcomes },
      outcomes.map(
        ({ channel, message, ok }) => `${ok ? "ok   " : "WRONG"}  ${settingOf[channel] ?? channel}: ${message}`
      )
    )
    if (failed > 0) return yield* new ReportedFailure({ message: `${failed} channels failed` })
  }, Effect.provide(Ids.layer))
).pipe(
  Command.withDescription(
    "Send a test alert to ALERT_URL and ALERT_EMAIL, and print the results; exits with 1 if an alert failed"
  )
)

export const incidents = list.pipe(
  Command.withDescription("List incidents, open ones first; test: send a test alert"),
  Command.withSubcommands([test]),
  Command.provide(edge)
)

/** The doctor's note if no alert channel is set. */
export const alertSettings = Effect.map(Alerts, ({ channels }) =>
  channels.length > 0
    ? []
    : [
        noted(
          "alerts",
          "ALERT_URL and ALERT_EMAIL are not set: no incident is reported",
          "Set ALERT_URL or ALERT_EMAIL, then run: npx folio incidents test."
        )
      ]
)

/** The doctor's findings on open incidents, and on the last alert to each channel. */
export const alertFindings = Effect.gen(function* () {
  const { channels } = yield* Alerts
  const { channels: statuses, open } = yield* Incidents
  const openNow = (yield* open).length
  const count =
    openNow === 0
      ? "No incident is open"
      : `${openNow === 1 ? "1 incident is" : `${openNow} incidents are`} open: npx folio incidents`
  const known = new Map((yield* statuses).map((one) => [one.channel, one]))
  const ofChannels = channels.map((channel) => {
    const name = settingOf[channel] ?? channel
    const last = known.get(channel)
    if (last === undefined) return good("alerts", `${name} is set; no alert was sent yet`)
    const { error, sent_at, waiting } = last
    return finding(
      "alerts",
      error === null,
      error === null
        ? `${name} accepted the last alert${sent_at === null ? "" : ` on ${minute(sent_at)} UTC`}`
        : `${name} did not accept the last alert: ${error} (${waiting} waiting)`,
      "Fix the cause, then run: npx folio incidents test. Folio retries waiting alerts."
    )
  })
  return [good("incidents", count), ...ofChannels]
}).pipe(Effect.provide(incidentStore))
