import { assert, describe } from "@effect/vitest"
import { ConfigProvider, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { IncidentId } from "../../schemas/Id.ts"
import { testAlert } from "../../src/operations/rules/AlertContent.ts"
import { Alerts } from "../../src/operations/Alerts.ts"
import * as AlertsLive from "../../src/operations/AlertsLive.ts"
import { until } from "../support/apps/Until.ts"
import { mailServer } from "../support/mail/MailServer.ts"
import { alertReceiver } from "../support/receiver/AlertReceiver.ts"
import { informingProxy } from "../support/receiver/InformingProxy.ts"
import { isSignedWith } from "../support/receiver/Signatures.ts"
import { it } from "../support/Tests.ts"

const opened = testAlert(IncidentId.make(`inc_${"a".repeat(26)}`), new Date(), "http://folio.test")
const ended = { ...opened, state: "ended" as const, ended_at: opened.opened_at }
const secret = `whsec_${Buffer.alloc(32, 5).toString("base64")}`

const alertsOf = (env: Readonly<Record<string, string>>) =>
  Alerts.pipe(
    Effect.provide(AlertsLive.layerConfig.pipe(Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env })))))
  )

const failureOf = (env: Readonly<Record<string, string>>) =>
  Effect.flip(alertsOf(env)).pipe(Effect.map(({ message }) => message))

describe("The alert settings", () => {
  it.effect("open no channel when all of them are omitted", function* () {
    assert.deepStrictEqual((yield* alertsOf({})).channels, [])
  })

  it.effect.each([
    [{ ALERT_EMAIL: "ops@example.com" }, "ALERT_EMAIL needs a mail server: set SMTP_URL and MAIL_FROM"],
    [{ ALERT_EMAIL: "ops" }, "ALERT_EMAIL must be an email address"],
    [{ ALERT_URL: "ftp://example.com" }, "ALERT_URL must be an http or https URL"],
    [{ ALERT_URL: "not a url" }, "ALERT_URL must be an http or https URL"],
    [{ ALERT_SECRET: secret }, "ALERT_SECRET signs the requests to ALERT_URL"],
    [{ ALERT_URL: "http://127.0.0.1:1", ALERT_SECRET: "hunter2" }, "ALERT_SECRET must be whsec_ and at least 24 bytes"]
  ] as const)("reject %o with one line that says what to do", function* ([env, begin]) {
    const message = yield* failureOf(env)
    assert.isTrue(message.startsWith(begin), message)
    assert.notInclude(message, "\n")
    assert.notInclude(message, "hunter2")
  })
})

describe("ALERT_URL", () => {
  it.live("receives JSON with a text, signed so that standard verifiers accept it", function* () {
    const receiver = yield* alertReceiver
    const { channels, send } = yield* alertsOf({ ALERT_URL: receiver.url, ALERT_SECRET: secret })
    assert.deepStrictEqual(channels, ["url"])
    yield* send("url", opened)
    const [one] = receiver.received
    assert.deepStrictEqual(one?.alert, opened)
    assert.strictEqual(one?.headers["content-type"], "application/json")
    assert.strictEqual(one?.headers["webhook-id"], `${opened.id}-opened`)
    assert.isTrue(isSignedWith(secret, one!))
    assert.isFalse(isSignedWith(`whsec_${Buffer.alloc(32, 6).toString("base64")}`, one!))
  })

  it.live("may send unrequested informational responses", function* () {
    const receiver = yield* alertReceiver
    const { send } = yield* alertsOf({ ALERT_URL: yield* informingProxy(receiver.url) })
    yield* send("url", opened)
    assert.strictEqual(receiver.received.length, 1)
  })

  it.live("receives its user and password as Basic, and no signature without a secret", function* () {
    const receiver = yield* alertReceiver
    const { send } = yield* alertsOf({ ALERT_URL: receiver.url.replace("://", "://ops:s%40cret@") })
    yield* send("url", opened)
    const { headers } = receiver.received[0]!
    assert.strictEqual(headers["authorization"], `Basic ${Buffer.from("ops:s@cret").toString("base64")}`)
    assert.isUndefined(headers["webhook-signature"])
  })

  it.live("causes an error after any status except 2xx, redirects included, and no error shows its path", function* () {
    const other = yield* alertReceiver
    const receiver = yield* alertReceiver
    const { send } = yield* alertsOf({ ALERT_URL: receiver.url })
    receiver.state.location = other.url
    for (const status of [302, 400, 404, 500]) {
      receiver.state.answer = status
      const { message } = yield* Effect.flip(send("url", opened))
      assert.include(message, `returned ${status}`)
      assert.notInclude(message, "T0001")
    }
    assert.isEmpty(other.received)
    const away = yield* alertsOf({ ALERT_URL: "http://127.0.0.1:2/services/T0001" })
    assert.strictEqual(
      (yield* Effect.flip(away.send("url", opened))).message,
      "127.0.0.1:2 gave no response: ECONNREFUSED"
    )
  })

  it.effect("has ten seconds to respond", function* () {
    const receiver = yield* alertReceiver
    receiver.state.answer = "never"
    const { send } = yield* alertsOf({ ALERT_URL: receiver.url })
    const sending = yield* Effect.forkChild(Effect.flip(send("url", opened)))
    yield* TestClock.withLive(
      until(
        Effect.sync(() => receiver.received.length),
        (count) => count === 1
      )
    )
    yield* TestClock.adjust("10 seconds")
    const { message } = yield* Fiber.join(sending)
    assert.include(message, "within 10 seconds")
  })
})

describe("ALERT_EMAIL", () => {
  it.live("receives a plain-text email, and the end of the incident as a reply to it", function* () {
    const server = yield* mailServer()
    const { channels, send } = yield* alertsOf({
      ALERT_EMAIL: "ops@example.com, boss@example.com",
      SMTP_URL: `smtp://127.0.0.1:${server.port}`,
      MAIL_FROM: "facturas@example.com"
    })
    assert.deepStrictEqual(channels, ["email"])
    yield* send("email", opened)
    yield* send("email", ended)
    const [first, second] = server.arrived
    assert.deepStrictEqual(first?.to, ["ops@example.com", "boss@example.com"])
    assert.strictEqual(first?.mail.subject, "[folio] info: This is a test: nothing is wrong.")
    assert.include(first?.mail.text, "What to do: There is nothing to do.")
    assert.strictEqual(first?.mail.messageId, `<${opened.id}-opened@example.com>`)
    assert.strictEqual(second?.mail.inReplyTo, first?.mail.messageId)
    server.onMessage = () => ({ code: 451, text: "later" })
    assert.include((yield* Effect.flip(send("email", opened))).message, "The mail server: ")
  })
})
