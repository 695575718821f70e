import { assert, describe } from "@effect/vitest"
import { Cause, Effect, Layer } from "effect"
import { TestConsole } from "effect/testing"
import { hostname } from "node:os"
import * as Telemetry from "../../../src/runtime/telemetry/Telemetry.ts"
import { layerSettings } from "../../support/database/Postgres.ts"
import { it } from "../../support/Tests.ts"

const password = "correct horse"

/** The lines that an effect writes while it runs. */
const linesOf = Effect.fnUntraced(function* (env: Record<string, string>, effect: Effect.Effect<void>) {
  yield* Effect.provide(effect, Telemetry.layer("1.2.3").pipe(Layer.provide(layerSettings(env))))
  return (yield* TestConsole.logLines).map(String)
}, Effect.provide(TestConsole.layer))

const talk = Effect.gen(function* () {
  yield* Effect.logDebug("not at this level")
  yield* Effect.logInfo("A webhook delivery failed").pipe(Effect.annotateLogs({ delivery_id: "whd_1", attempt: 2 }))
  yield* Effect.logError("It broke", Cause.die(new Error("at postgres://folio:hunter2@db"))).pipe(
    Effect.annotateLogs({ level: "forged", time: "never", request_id: "req_1", key: `sk_test_${"x".repeat(49)}` })
  )
})

const refused = (env: Record<string, string>) =>
  Effect.map(Effect.flip(Effect.scoped(Layer.build(layerSettings(env)))), ({ message }) => message)

const nameOf = (env: Record<string, string>) =>
  Effect.map(
    linesOf({ LOG_FORMAT: "json", ...env }, Effect.logInfo("hello")),
    (lines) => JSON.parse(lines.at(-1) ?? "")["service.instance.id"]
  )

describe("Telemetry", () => {
  it.effect("writes one line of JSON per entry", function* () {
    const lines = yield* linesOf({ LOG_FORMAT: "json", LOG_LEVEL: "Info" }, talk)
    const [first, second, ...rest] = lines.map((line) => JSON.parse(line))
    assert.lengthOf(rest, 0)
    const { time, ...told } = first
    assert.deepStrictEqual(told, {
      level: "info",
      message: "A webhook delivery failed",
      delivery_id: "whd_1",
      attempt: 2,
      "service.instance.id": `${hostname()}:${process.pid}`,
      "service.version": "1.2.3"
    })
    assert.match(time, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
    assert.deepInclude(second, { level: "error", message: "It broke", request_id: "req_1", key: "sk_test_…" })
    assert.notStrictEqual(second.time, "never")
    assert.match(second.error, /^Error: at postgres:\/\/folio:…@db\n/)
  })

  it.effect("writes for people if LOG_FORMAT says so, also without secrets", function* () {
    const lines = yield* linesOf(
      { LOG_FORMAT: "pretty", DATABASE_URL: `postgres://folio:${encodeURIComponent(password)}@db/folio` },
      Effect.andThen(talk, Effect.logWarning(`it is ${password}`))
    )
    assert.match(lines[0] ?? "", /^[\d:.]{12} INFO {2}A webhook delivery failed delivery_id=whd_1 attempt=2$/)
    assert.match(lines[1] ?? "", /ERROR It broke .*key=sk_test_…\nError: at postgres:\/\/folio:…@db/)
    assert.match(lines[2] ?? "", /WARN {2}it is …$/)
  })

  it.effect("hides the secrets of the mail server and of mail notices", function* () {
    const notices = "n".repeat(32)
    const env = {
      SMTP_URL: `smtp://folio:${encodeURIComponent(password)}@mail.example.com`,
      MAIL_FROM: "facturas@example.com",
      MAIL_NOTICE_SECRET: notices
    }
    const lines = yield* linesOf({ ...env, LOG_FORMAT: "pretty" }, Effect.logWarning(`${password} and ${notices}`))
    assert.match(lines[0] ?? "", /WARN {2}… and …$/)
  })

  it.effect("names the process as the settings do", function* () {
    const OTEL_RESOURCE_ATTRIBUTES = "deployment.environment=eu,service.instance.id=two%2F1"
    assert.strictEqual(yield* nameOf({ SERVICE_INSTANCE: "one", OTEL_RESOURCE_ATTRIBUTES }), "one")
    assert.strictEqual(yield* nameOf({ OTEL_RESOURCE_ATTRIBUTES }), "two/1")
  })

  it.effect("rejects invalid settings at the start", function* () {
    const OTEL_EXPORTER_OTLP_ENDPOINT = "http://127.0.0.1:4318"
    const traced = (env: Record<string, string>) => refused({ OTEL_EXPORTER_OTLP_ENDPOINT, ...env })
    assert.match(
      yield* refused({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "here" }),
      /^OTEL_EXPORTER_OTLP_TRACES_ENDPOINT must/
    )
    assert.match(yield* traced({ OTEL_TRACES_EXPORTER: "zipkin" }), /^OTEL_TRACES_EXPORTER must/)
    assert.match(yield* traced({ OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }), /^OTEL_EXPORTER_OTLP_PROTOCOL must/)
    assert.match(yield* traced({ OTEL_TRACES_SAMPLER_ARG: "10" }), /^OTEL_TRACES_SAMPLER_ARG must/)
    assert.match(yield* traced({ OTEL_TRACES_SAMPLER: "jaeger_remote" }), /OTEL_TRACES_SAMPLER/)
    assert.match(yield* refused({ METRICS_PORT: "3000" }), /^METRICS_PORT must be another port than PORT/)
    assert.match(yield* refused({ OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4318" }), /^OTEL_EXPORTER_OTLP_ENDPOINT must/)
    assert.match(yield* refused({ LOG_FORMAT: "xml" }), /LOG_FORMAT/)
    assert.match(yield* refused({ RETENTION_DAYS: "0" }), /^RETENTION_DAYS must/)
    assert.match(yield* refused({ CONTINGENCY_AFTER: "0" }), /^CONTINGENCY_AFTER must/)
    assert.match(yield* refused({ RATE_LIMIT: "0" }), /^RATE_LIMIT .* at least 1/)
    assert.match(yield* refused({ RATE_LIMIT_BURST: "-1" }), /^RATE_LIMIT .* at least 1/)
    assert.match(yield* refused({ SMTP_URL: "mail.example.com:587" }), /^SMTP_URL must/)
    assert.match(yield* refused({ SMTP_URL: "https://mail.example.com" }), /^SMTP_URL must/)
    const bare = "smtp://folio:100%sure@mail.example.com:587"
    assert.match(yield* refused({ SMTP_URL: bare, MAIL_FROM: "a@b.co" }), /^SMTP_URL must .* %25 for %/)
    for (const from of [undefined, "facturas", "a@b.co, c@d.co", "a@b.co\r\nBcc: c@d.co"]) {
      const env = { SMTP_URL: "smtp://mail.example.com", ...(from === undefined ? {} : { MAIL_FROM: from }) }
      assert.match(yield* refused(env), /^MAIL_FROM must/)
    }
    assert.match(yield* refused({ MAIL_NOTICE_SECRET: "short" }), /^MAIL_NOTICE_SECRET must .* 32 characters/)
  })
})
