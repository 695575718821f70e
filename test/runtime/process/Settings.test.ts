import { assert, describe } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { starting } from "../../../src/runtime/process/Welcome.ts"
import { Limits } from "../../../src/runtime/Limits.ts"
import { layerSettings } from "../../support/database/Postgres.ts"
import { it } from "../../support/Tests.ts"

/** An invalid value for each setting that has a form. */
const bad = {
  BASE_URL: "folio",
  CLUSTER: "several",
  CONNECTIONS: "many",
  AUDIT_RETENTION_DAYS: "29",
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
  "Setting %s rejects %s in one line that begins with its name",
  function* ([name, value]) {
    const cluster = name === "RUNNER_PORT" ? { CLUSTER: "socket" } : {}
    const error = yield* Effect.flip(Effect.scoped(Layer.build(layerSettings({ [name]: value, ...cluster }))))
    assert.match(error.message, new RegExp(`^${name} (?:must|is)\\b.*$`))
    assert.notMatch(error.message, /Expected|SchemaError|\[/)
  }
)

it.effect(
  "The line of a start names the version, the address and the data directory, and appears only at a terminal",
  () =>
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

const root = Path.join(import.meta.dirname, "../../..")
const read = (file: string) => Fs.readFileSync(Path.join(root, file), "utf8")

const variablesIn = (text = "") => [...text.matchAll(/`([A-Z][A-Z_]+)`/g)].map(([, name = ""]) => name)

describe("The operators' page", () => {
  const page = read("src/docs/operating.md")
  const table = [...(page.split("\n## Settings\n")[1]?.split("\n## ")[0] ?? "").matchAll(/^\| `.*$/gm)]
  const rows = table.map(([row]) => row.split(" | ").map((cell) => cell.replaceAll(/^\| | \|$/g, "").trim()))
  const listed = rows.flatMap(([variables]) => variablesIn(variables))
  const sources = Fs.globSync("src/**/*.ts", { cwd: root }).map((file) => [file, read(file)] as const)

  it.effect("lists exactly the variables that the service reads", () =>
    Effect.sync(() => {
      // The clients and the CLI have their own variables. The monitoring page lists those of traces.
      const ofService = sources.filter(([file]) => !/^src\/(clients|cli\/user|http\/pages)\//.test(file))
      const found = ofService.flatMap(([, text]) => [...text.matchAll(/Config\.\w+\("([A-Z_]+)"\)/g)])
      const variables = new Set(found.map(([, name = ""]) => name))
      assert.isAbove(variables.size, 30)
      const others = `${page}${read("src/docs/running/monitoring.md")}${read("src/docs/running/backup.md")}`
      assert.deepStrictEqual(
        [...variables].filter((name) => !listed.includes(name) && !others.includes(name)),
        []
      )
      assert.deepStrictEqual(
        listed.filter((name) => !sources.some(([, text]) => new RegExp(`\\b${name}\\b`).test(text))),
        []
      )
    })
  )

  it.effect("states the default of each limit", () =>
    Effect.sync(() => {
      const { auditRetentionDays, connections, contingencyAfter, rate, retentionDays } = Limits.defaults
      const defaults = {
        AUDIT_RETENTION_DAYS: [auditRetentionDays],
        CONNECTIONS: [connections.max],
        CONTINGENCY_AFTER: [contingencyAfter],
        RATE_LIMIT: [rate.perSecond, rate.burst],
        RETENTION_DAYS: [retentionDays]
      }
      for (const [name, values] of Object.entries(defaults)) {
        const row = rows.find(([variables = ""]) => variables.startsWith(`\`${name}\``))
        assert.strictEqual(row?.at(-1), values.map((value) => `\`${value}\``).join(", "), name)
      }
    })
  )
})
