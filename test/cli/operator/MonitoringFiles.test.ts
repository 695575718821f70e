import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { Yaml } from "effect/encoding"
import { execFileSync } from "node:child_process"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { templates, textOf } from "../../../src/cli/operator/templates/Templates.ts"
import folio from "../../../package.json" with { type: "json" }
import descriptions from "../../../src/runtime/Metrics.json" with { type: "json" }
import { families } from "../../../src/runtime/Metrics.ts"
import { versionOf } from "../../../src/runtime/Version.ts"

const root = Path.resolve(import.meta.dirname, "../../..")
const page = Fs.readFileSync(Path.join(root, "src/docs/running/monitoring.md"), "utf8")

/** The metrics of Effect's cluster, which Folio does not create. */
const ofCluster = (name: string) => ({
  type: "gauge",
  labels: name.startsWith("effect_cluster_entit") ? ["type"] : []
})
const metrics = new Map(
  Object.entries(descriptions).map(([name, text]) => [
    name,
    { text, ...(name.startsWith("effect_cluster_") ? ofCluster(name) : families.get(name)) }
  ])
)
// Prometheus adds these two itself.
const always = ["job", "instance"]
const ofPrometheus = new Map([["up", always]])

/** The labels of a metric's series, or undefined for an unknown metric. */
const labelsOf = (series: string): ReadonlyArray<string> | undefined => {
  const known = ofPrometheus.get(series)
  if (known !== undefined) return known
  const plain = metrics.get(series)
  if (plain?.type === "histogram") return undefined
  if (plain !== undefined) return [...always, ...(plain.labels ?? [])]
  const [, name = "", part] = /^(.*)_(bucket|sum|count)$/.exec(series) ?? []
  const histogram = metrics.get(name)
  if (histogram?.type !== "histogram") return undefined
  return [...always, ...(histogram.labels ?? []), ...(part === "bucket" ? ["le"] : [])]
}

const words = new Set(
  "sum max min count rate increase changes absent topk histogram_quantile vector label_values by or".split(" ")
)

/** The faults of an expression: its brackets, an unknown metric, a label that the metric lacks. */
const faultsOf = (expression: string): ReadonlyArray<string> => {
  const faults: Array<string> = []
  const open: Array<string> = []
  const bare = expression.replaceAll(/"[^"]*"/g, '""')
  for (const sign of bare) {
    if ("({[".includes(sign)) open.push(sign)
    else if (")}]".includes(sign) && open.pop() !== "({["[")}]".indexOf(sign)]) faults.push(`a stray ${sign}`)
  }
  if (open.length > 0) faults.push(`${open.join("")} is left open`)
  const grouped = [...bare.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = ""]) => list.split(", "))
  const used: Array<string> = []
  const names = bare.replaceAll(/\bby \([^)]*\)/g, "").replaceAll(/\[[^\]]*\]/g, "")
  for (const [, name = "", , matchers = ""] of names.matchAll(/(?<![\w.])([a-z_]\w*)(\{([^}]*)\})?/gi)) {
    if (words.has(name)) continue
    const labels = labelsOf(name)
    if (labels === undefined) {
      faults.push(`${name} is no metric`)
      continue
    }
    used.push(...labels)
    for (const [, label = ""] of matchers.matchAll(/(\w+)(?:=~|!~|!=|=)/g))
      if (!labels.includes(label)) faults.push(`${name} has no ${label}`)
  }
  for (const label of grouped) if (!used.includes(label)) faults.push(`nothing has ${label}`)
  return faults
}

const textOfTemplate = (name: string) => {
  const template = templates.find((one) => one.name === name)
  if (template === undefined) return assert.fail(`there is no template ${name}`)
  return textOf(template)
}

const Rules = Schema.Struct({
  groups: Schema.Array(
    Schema.Struct({
      name: Schema.String,
      rules: Schema.Array(
        Schema.Struct({
          alert: Schema.String,
          expr: Schema.String,
          labels: Schema.Struct({ severity: Schema.Literals(["critical", "warning"]) }),
          annotations: Schema.Record(Schema.String, Schema.String)
        })
      )
    })
  )
})
const rules = () => {
  const parsed = Schema.decodeUnknownSync(Rules)(Yaml.parse(textOfTemplate("alerts")))
  return parsed.groups.flatMap((group) => group.rules)
}

const Panel = Schema.Struct({
  id: Schema.Int,
  type: Schema.String,
  title: Schema.String,
  description: Schema.optionalKey(Schema.String),
  datasource: Schema.optionalKey(
    Schema.Struct({ type: Schema.Literal("prometheus"), uid: Schema.Literal("${datasource}") })
  ),
  gridPos: Schema.Struct({ x: Schema.Int, y: Schema.Int, w: Schema.Int, h: Schema.Int }),
  fieldConfig: Schema.optionalKey(Schema.Struct({ defaults: Schema.Struct({ unit: Schema.String }) })),
  targets: Schema.optionalKey(Schema.Array(Schema.Struct({ refId: Schema.String, expr: Schema.String })))
})
const Dashboard = Schema.Struct({
  uid: Schema.String,
  schemaVersion: Schema.Int,
  templating: Schema.Struct({ list: Schema.Array(Schema.Struct({ name: Schema.String, type: Schema.String })) }),
  panels: Schema.Array(Panel)
})

describe("The monitoring files", () => {
  it("reports the faults of an expression", () => {
    for (const [expression, fault] of [
      ["max(folio_oldest_invoice) > 1", "folio_oldest_invoice is no metric"],
      ['folio_poison_total{reason="x"}', "folio_poison_total has no reason"],
      ["sum by (le) (rate(folio_emails_total[5m]))", "nothing has le"],
      ["sum(folio_emails_total", "( is left open"],
      ["folio_batch_size > 1", "folio_batch_size is no metric"]
    ] as const)
      assert.deepStrictEqual(faultsOf(expression), [fault])
  })

  it("lists every metric in the table of its page, with its type, labels and words, and no other", () => {
    const rows = [...page.matchAll(/^\| `(folio|process|nodejs|effect)_.*$/gm)].map(([row]) =>
      row
        .split("|")
        .map((cell) => cell.trim())
        .slice(1, -1)
    )
    const expected = [...metrics].map(([name, { labels = [], text, type }]) => [
      `\`${name}\``,
      type,
      labels.map((label) => `\`${label}\``).join(", "),
      text
    ])
    assert.deepStrictEqual(rows, expected)
    assert.deepStrictEqual(
      [...families.keys()].filter((name) => !metrics.has(name)),
      []
    )
  })

  it("raises alerts from existing metrics only, each with an action and a section of the page", () => {
    assert.isAbove(rules().length, 20)
    for (const { alert, annotations, expr } of rules()) {
      assert.deepStrictEqual(faultsOf(expr), [], alert)
      for (const part of ["summary", "description", "action"])
        assert.isNotEmpty(annotations[part], `${part} of ${alert}`)
      assert.match(annotations["runbook_url"] ?? "", new RegExp(`/docs/running/monitoring#${alert.toLowerCase()}$`))
      assert.include(page, `\n### ${alert}\n`)
    }
    const names = rules().map(({ alert }) => alert)
    assert.deepStrictEqual(
      [...page.matchAll(/^### (Folio\w+)$/gm)].map(([, name]) => name),
      names
    )
    assert.strictEqual(new Set(names).size, names.length)
  })

  it("raises FolioVersionsMixed for two builds of one version", () => {
    const folder = Fs.mkdtempSync(Path.join(Os.tmpdir(), "folio-builds-"))
    const git = (...args: ReadonlyArray<string>) =>
      execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.com", ...args], { cwd: folder })
    const { version } = folio
    const build = () => {
      git("commit", "--quiet", "--allow-empty", "--no-gpg-sign", "--message", "A build")
      return versionOf({ version }, folder)
    }
    git("init", "--quiet")
    const builds = [build(), build()]
    const copied = versionOf({ version, commit: "abc1234" }, folder)
    const unknown = versionOf({ version }, Path.join(folder, ".git"))
    Fs.rmSync(folder, { recursive: true })
    for (const one of builds) assert.match(one.slice(version.length), /^\+[0-9a-f]{7}$/)
    assert.deepStrictEqual([copied, unknown], [`${version}+abc1234`, `${version}+unknown`])

    const rule = rules().find(({ alert }) => alert === "FolioVersionsMixed")
    const [, label = ""] =
      /^count\(count by \((\w+)\) \(folio_build_info\{job="folio"\}\)\) > 1$/.exec(rule?.expr ?? "") ?? []
    const series = builds.map((one): Readonly<Record<string, string>> => ({ version: one, node: process.version }))
    assert.strictEqual(new Set(series.map((labels) => labels[label])).size, 2)
  })

  it("draws existing metrics only, each panel with its unit, side by side", () => {
    const { panels, schemaVersion, templating } = Schema.decodeUnknownSync(Dashboard)(
      JSON.parse(textOfTemplate("grafana"))
    )
    assert.isAtLeast(schemaVersion, 39)
    assert.deepInclude(templating.list, { name: "datasource", type: "datasource" })
    assert.strictEqual(new Set(panels.map(({ id }) => id)).size, panels.length)
    const taken = new Set<string>()
    for (const { datasource, description, fieldConfig, gridPos, targets, title, type } of panels) {
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++) {
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          assert.isFalse(taken.has(`${x} ${y}`), `${title} lies over another panel`)
          taken.add(`${x} ${y}`)
        }
      }
      assert.isAtMost(gridPos.x + gridPos.w, 24, title)
      if (type === "row") continue
      for (const part of [description, datasource, fieldConfig]) assert.isDefined(part, title)
      assert.isNotEmpty(targets, title)
      for (const { expr } of targets ?? []) assert.deepStrictEqual(faultsOf(expr), [], `${title}: ${expr}`)
      const ids = (targets ?? []).map(({ refId }) => refId)
      assert.strictEqual(new Set(ids).size, ids.length, title)
    }
  })

  it("draws or alerts on every metric of the service's work", () => {
    const said = textOfTemplate("grafana") + textOfTemplate("alerts")
    const silent = [...metrics.keys()].filter((name) => !said.includes(name))
    assert.deepStrictEqual(silent, [
      "folio_purged_rows_total",
      "effect_cluster_runners",
      "effect_cluster_runners_healthy",
      "effect_cluster_singletons"
    ])
  })
})
