import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { starting } from "../../src/platform/Welcome.ts"
import { layerSettings } from "../support/database/Postgres.ts"
import { it } from "../support/Tests.ts"

/** A bad value of each setting that has a form. */
const bad = {
  BASE_URL: "folio",
  CLUSTER: "several",
  CONNECTIONS: "many",
  CONNECTIONS_PER_ADDRESS: "many",
  CONTINGENCY_AFTER: "soon",
  DRAIN_SECONDS: "long",
  LOG_FORMAT: "xml",
  LOG_LEVEL: "loud",
  METRICS_PORT: "abc",
  PORT: "abc",
  PROCESSES: "many",
  RATE_LIMIT: "much",
  RATE_LIMIT_BURST: "much",
  RETENTION_DAYS: "ever",
  RUNNER_PORT: "abc"
}

it.effect.each(Object.entries(bad))(
  "Setting %s refuses %s in one line that begins with its name",
  function* ([name, value]) {
    const cluster = name === "RUNNER_PORT" ? { CLUSTER: "socket" } : {}
    const error = yield* Effect.flip(Effect.scoped(Layer.build(layerSettings({ [name]: value, ...cluster }))))
    assert.match(error.message, new RegExp(`^${name} (?:must|is)\\b.*$`))
    assert.notMatch(error.message, /Expected|SchemaError|\[/)
  }
)

it.effect("The line of a start says what starts where, at a terminal alone", () =>
  Effect.sync(() => {
    const env = { PORT: "3001", DATA_DIR: "/var/lib/folio" }
    assert.strictEqual(
      starting(env, "0.1.0+abc1234", true),
      "Starting Folio 0.1.0+abc1234 at http://127.0.0.1:3001, with PostgreSQL and its data in /var/lib/folio. The first start takes longer, up to a minute."
    )
    assert.isUndefined(starting(env, "0.1.0", false))
    assert.isUndefined(starting({ ...env, LOG_FORMAT: "json" }, "0.1.0", true))
    assert.isUndefined(starting({ ...env, FOLIO_SUPERVISED: "first" }, "0.1.0", true))
  })
)
