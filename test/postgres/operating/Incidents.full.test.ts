import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { randomBytes } from "node:crypto"
import { makeClient } from "../../support/apps/Client.ts"
import { customerBody, endpointBody, invoiceBody, resolutionBody } from "../../support/apps/Invoices.ts"
import { until } from "../../support/apps/Until.ts"
import { keyFile } from "../../support/authority/LiveAccounts.ts"
import { standInAuthority } from "../../support/authority/StandInAuthority.ts"
import { freshDatabase } from "../../support/database/Postgres.ts"
import { folioCommand } from "../../support/processes/FolioCommand.ts"
import { freePort, never, type ServiceProcess, serviceProcess } from "../../support/processes/ServiceProcess.ts"
import { alertReceiver } from "../../support/receiver/AlertReceiver.ts"
import { receiver } from "../../support/receiver/Receiver.ts"
import { it } from "../../support/Tests.ts"
import { liveService, readCufe } from "../authority/LiveService.ts"

const often = { WATCH_MS: "200" }

/** Makes scheduled alerts due immediately. */
const hurry = (service: ServiceProcess) =>
  Effect.andThen(
    service.rows("update incident_alerts set next_attempt_at = now() where next_attempt_at > now()"),
    service.rows(
      "update incidents set gone_since = now() - interval '5 minutes' where ended_at is null and gone_since is not null"
    )
  )

const waitFor = (what: Effect.Effect<ReadonlyArray<string>>, line: string) =>
  until(what, (lines) => lines.includes(line))

/** Runs several checks, after which no alert may be left. */
const someLooks = (service: ServiceProcess) =>
  Effect.gen(function* () {
    const began = performance.now()
    yield* until(hurry(service), () => performance.now() - began > 1_200, "180 seconds", "200 millis")
  })

describe("Alerts to the operator", () => {
  it.live(
    "report an endpoint and a range once from two processes, even if one is killed and the first alerts are rejected",
    function* () {
      const alerts = yield* alertReceiver
      alerts.state.answer = 503
      const hooks = yield* receiver
      hooks.answerWith(() => 500)
      const env = {
        ...often,
        CLUSTER: "socket",
        DATABASE_URL: yield* freshDatabase,
        FOLIO_KEY: randomBytes(32).toString("base64"),
        ALERT_URL: alerts.url
      }
      const start = Effect.gen(function* () {
        const RUNNER_PORT = String(yield* freePort)
        const one = yield* serviceProcess({ webhookAllow: `127.0.0.1:${hooks.port}`, env: { ...env, RUNNER_PORT } })
        yield* one.start(never)
        return one
      })
      const one = yield* start
      const other = yield* start
      const client = one.client()
      const endpoint = yield* client.post("/v1/webhook-endpoints", endpointBody(hooks.url("/hooks")))
      const customer = yield* client.post("/v1/customers", customerBody(), { key: "customer" })
      yield* client.post("/v1/resolutions", resolutionBody({ prefix: "DZ", to_number: 10 }), { key: "range" })
      for (const key of ["1", "2", "3", "4", "5", "6", "7", "8", "9"]) {
        const answer = yield* client.post(
          "/v1/invoices",
          { ...invoiceBody(String(customer.json.id), { key }), prefix: "DZ" },
          { key }
        )
        assert.strictEqual(answer.status, 202, answer.text)
      }
      yield* until(
        other.rows<{ id: string }>(
          "update webhook_endpoints set failing_since = now() - interval '2 hours' where failing_since is not null returning id"
        ),
        (rows) => rows.length === 1
      )
      yield* waitFor(Effect.sync(alerts.told), "opened endpoint_failing")
      yield* waitFor(Effect.sync(alerts.told), "opened range_filling")
      const error = yield* until(
        other.rows<{ error: string | null }>("select error from incident_alerts"),
        (rows) => rows.length === 2 && rows.every((row) => row.error !== null)
      )
      assert.match(error[0]?.error ?? "", /^127\.0\.0\.1:\d+ returned 503$/)

      // Killed before the receiver accepts an alert. Otherwise the process might not record a sent alert, which would
      // be repeated.
      yield* one.signal("SIGKILL")
      yield* one.ended
      alerts.state.answer = 200
      const before = alerts.received.length
      yield* until(
        Effect.andThen(
          hurry(other),
          other.rows<{ told: number }>("select count(sent_at)::int as told from incident_alerts")
        ),
        ([row]) => row?.told === 2,
        "180 seconds",
        "200 millis"
      )
      yield* someLooks(other)
      const taken = alerts.received.slice(before).map(({ alert }) => alert)
      assert.deepStrictEqual(taken.map(({ kind }) => kind).toSorted(), ["endpoint_failing", "range_filling"])
      const failing = taken.find(({ kind }) => kind === "endpoint_failing")!
      assert.deepInclude(failing, { state: "opened", severity: "info", subject: endpoint.json.id, ended_at: null })
      assert.include(failing.text, "To redeliver the failed events")
      assert.strictEqual(failing.account?.issuer, "Folio Sandbox S.A.S.")
      assert.notInclude(JSON.stringify(taken), String(hooks.port))

      // The end of the endpoint's incident is reported once. The range's incident continues.
      hooks.answerWith(() => 200)
      yield* makeClient(other.url, client.apiKey).request("PATCH", `/v1/webhook-endpoints/${endpoint.json.id}`, {
        body: { is_active: false }
      })
      yield* until(
        Effect.andThen(hurry(other), Effect.sync(alerts.told)),
        (lines) => lines.includes("ended endpoint_failing"),
        "180 seconds",
        "200 millis"
      )
      yield* someLooks(other)
      const ends = alerts.received.filter(({ alert }) => alert.state === "ended").map(({ alert }) => alert)
      assert.deepStrictEqual(
        ends.map(({ id, kind }) => [id, kind]),
        [[failing.id, "endpoint_failing"]]
      )
      assert.isNotNull(ends[0]?.ended_at)
      assert.lengthOf(alerts.received, before + 3)

      const settings = { DATABASE_URL: env.DATABASE_URL, FOLIO_KEY: env.FOLIO_KEY, ALERT_URL: alerts.url }
      const { json } = yield* folioCommand(["incidents", "--json"], settings)
      assert.deepStrictEqual(
        json.incidents.map((row: { kind: string; ended_at: string | null }) => [row.kind, row.ended_at === null]),
        [
          ["range_filling", true],
          ["endpoint_failing", false]
        ]
      )
      assert.notInclude(yield* other.log, "T0001")
    }
  )

  it.live(
    "repeat at most once, with the same id, if the process is killed before it has recorded the first",
    function* () {
      const alerts = yield* alertReceiver
      const service = yield* serviceProcess({ webhookAllow: "", env: { ...often, ALERT_URL: alerts.url } })
      yield* service.start({ point: "after-alert", hit: 1, action: "kill" })
      const client = service.client()
      yield* client.post("/v1/webhook-endpoints", endpointBody("https://hooks.example.com/folio"))
      yield* service.rows("update webhook_endpoints set failing_since = now() - interval '2 hours'")
      yield* service.ended
      assert.deepStrictEqual(alerts.told(), ["opened endpoint_failing"])
      yield* service.start(never)
      yield* until(
        Effect.andThen(
          hurry(service),
          service.rows<{ told: number }>("select count(sent_at)::int as told from incident_alerts")
        ),
        ([row]) => row?.told === 1,
        "180 seconds",
        "200 millis"
      )
      yield* someLooks(service)
      assert.deepStrictEqual(alerts.told(), ["opened endpoint_failing", "opened endpoint_failing"])
      const [first, second] = alerts.received
      assert.strictEqual(first?.alert.id, second?.alert.id)
      assert.strictEqual(first?.headers["webhook-id"], second?.headers["webhook-id"])
    }
  )

  it.live("report an expiring live certificate and documents in contingency, and the ends of both", function* () {
    const alerts = yield* alertReceiver
    const authority = yield* standInAuthority({ readCufe })
    const settings = { ...often, ALERT_URL: alerts.url, CONTINGENCY_AFTER: "1" }
    const live = yield* liveService(authority.url, settings, never)
    const told = Effect.sync(alerts.told)
    yield* authority.connections("refused")
    const path = yield* live.issue
    yield* until(
      Effect.andThen(live.hurry, live.client.get(path)),
      ({ json }) => json.status === "accepted_contingency",
      "180 seconds",
      "200 millis"
    )
    yield* waitFor(told, "opened contingency_entered")
    // The 48-hour deadline is near before the document is transmitted, and the authority is still down.
    yield* live.service.rows(
      "update invoices set transmit_before = now() + interval '11 hours', next_action_at = now() + interval '1 hour' where state = 'accepted_contingency'"
    )
    yield* waitFor(told, "opened contingency_deadline")
    yield* authority.connections("taken")
    yield* until(
      Effect.andThen(live.hurry, live.client.get(path)),
      ({ json }) => json.status === "accepted_by_authority",
      "180 seconds",
      "200 millis"
    )
    const ended = (line: string) =>
      until(Effect.andThen(hurry(live.service), told), (lines) => lines.includes(line), "180 seconds", "200 millis")
    yield* ended("ended contingency_entered")
    yield* ended("ended contingency_deadline")

    const send = (to: number) => {
      const { password, pkcs12 } = keyFile({ to })
      return live.client.post("/v1/account/certificate", { pkcs12, password })
    }
    yield* live.service.rows("delete from certificates")
    yield* send(20)
    yield* waitFor(told, "opened certificate_expiring")
    yield* send(300)
    yield* ended("ended certificate_expiring")
    yield* someLooks(live.service)
    assert.deepStrictEqual(
      alerts
        .told()
        .filter((line) => line.startsWith("opened"))
        .toSorted(),
      ["opened certificate_expiring", "opened contingency_deadline", "opened contingency_entered"]
    )
    assert.lengthOf(new Set(alerts.told()), alerts.received.length)
    assert.isTrue(alerts.received.every(({ alert }) => alert.severity !== "info"))
  })
})
