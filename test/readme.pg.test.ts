import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { curlIsThere, noteAnswers, tryCommands } from "./support/PageCommands.ts"
import { verify } from "../src/client/Webhooks.ts"
import { until } from "./support/apps/Until.ts"
import { type Receiver, receiver } from "./support/receiver/Receiver.ts"
import { freePort, type ServiceProcess, serviceProcess } from "./support/processes/ServiceProcess.ts"
import { it } from "./support/Tests.ts"

const root = Path.resolve(import.meta.dirname, "..")
const docs = "src/http/docs"
/** Pages whose commands go on in one terminal. */
const terminals = [
  ["README.md", `${docs}/api.md`],
  [`${docs}/start.md`],
  ...["first-invoice", "idempotency", "invoice-contents", "notes", "portal", "sandbox", "webhooks"].map((guide) => [
    `${docs}/guides/${guide}.md`
  ])
]
const openApi = JSON.parse(Fs.readFileSync(Path.join(root, "openapi.json"), "utf8")) as {
  readonly paths: Readonly<Record<string, object>>
}

/** The two commands with which the README and the welcome bring the first webhook. */
const firstWebhook = [
  "npx folio trigger invoice.accepted_by_authority",
  "npx folio listen --forward-to :9099/hook --since 5m -e .env"
] as const

/** Types a command into a terminal in a folder; gives what it has said so far. It ends with the scope. */
const typed = (command: string, cwd: string, env: Readonly<Record<string, string>>) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => {
        const nodes = Path.dirname(process.execPath)
        const PATH = `${nodes}:${process.env["PATH"]}`
        // A group of its own, so that what npx has started ends with it.
        return spawn("bash", ["--norc", "-c", command], { cwd, detached: true, env: { PATH, HOME: cwd, ...env } })
      }),
      (child) =>
        Effect.sync(() => {
          if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, "SIGKILL")
        })
    ),
    (child) => {
      let said = ""
      for (const stream of [child.stdout, child.stderr])
        stream.on("data", (chunk: Buffer) => (said += chunk.toString()))
      return () => said
    }
  )

const lineOf = (text: string) => /^\{.*"object":"invoice".*\n/mu.exec(text)?.[0]

const bringsWebhook = Effect.fnUntraced(function* (service: ServiceProcess, folder: string, hooks: Receiver) {
  const readme = Fs.readFileSync(Path.join(root, "README.md"), "utf8")
  assert.include(readme, ["```sh", ...firstWebhook, "```"].join("\n"))
  const welcome = yield* service.log
  const settings = /^ {2}export FOLIO_URL=(\S+) FOLIO_API_KEY=(\S+)$/mu.exec(welcome)
  assert.include(welcome, firstWebhook.map((line) => `  ${line}\n`).join(""))
  const env = { FOLIO_URL: settings?.[1] ?? "", FOLIO_API_KEY: settings?.[2] ?? "" }

  const [trigger, listen] = firstWebhook
  const triggered = yield* typed(trigger, folder, env)
  const said = yield* until(Effect.sync(triggered), (text) => lineOf(text) !== undefined, "60 seconds")
  const { id } = JSON.parse(lineOf(said) ?? "")
  yield* typed(listen.replace(":9099", `:${hooks.port}`), folder, env)
  const hook = yield* until(
    Effect.sync(() => hooks.received.find(({ event, path }) => path === "/hook" && event.data.object.id === id)),
    (found) => found !== undefined,
    "60 seconds"
  )
  assert.isDefined(hook)
  const secret = /^FOLIO_WEBHOOK_SECRET=(\S+)$/mu.exec(Fs.readFileSync(Path.join(folder, ".env"), "utf8"))?.[1] ?? ""
  const event = yield* Effect.promise(() => verify({ payload: hook.body, headers: hook.headers, secret }))
  assert.strictEqual(event.type, "invoice.accepted_by_authority")
})

const operationOf = (method: string, path: string) => {
  const templates = Object.keys(openApi.paths)
  const fits = (one: string) => new RegExp(`^${one.replaceAll(/\{\w+\}/gu, "[^/]+")}$`, "u").test(path)
  const template = templates.find((one) => one === path) ?? templates.find(fits)
  return `${method} ${template ?? path}`
}

it.live.skipIf(!curlIsThere)(
  "answers each curl (7.75 or later) of the README, of the page of the API and of the guides as they say, has one for each operation, and brings the first webhook",
  function* () {
    const hooks = yield* receiver
    const port = yield* freePort
    const service = yield* serviceProcess({
      webhookAllow: `127.0.0.1:${hooks.port},127.0.0.1:${port}`,
      // As at a terminal, where the first start shows the test key.
      env: { LOG_FORMAT: "pretty" }
    })
    yield* service.start()
    const directory = Path.dirname(service.dataDir)
    noteAnswers(directory)
    const modules = Path.join(directory, "node_modules")
    Fs.mkdirSync(Path.join(modules, ".bin"), { recursive: true })
    Fs.symlinkSync(Path.join(root, "node_modules/@folio-einvoicing"), Path.join(modules, "@folio-einvoicing"))
    Fs.symlinkSync(Path.join(root, "src/cli/folio.js"), Path.join(modules, ".bin/folio"))
    const settings = { API: service.url, FOLIO_URL: service.url, HOOK: hooks.url("/"), PORT: String(port) }

    const shown = new Set<string>()
    let said = ""
    for (const pages of terminals) {
      const { requests, stdout } = yield* tryCommands(pages, settings, directory)
      said += stdout
      for (const { method, path } of requests) shown.add(operationOf(method, path))
    }
    assert.match(said, /^svc-idempotency-cached: true\r?$/imu)
    assert.match(said, /invoice\.accepted_by_authority inv_/u, "what the receiver of the guide prints")

    const missing = Object.entries(openApi.paths)
      .filter(([path]) => path.startsWith("/v1/"))
      .flatMap(([path, operations]) => {
        const methods = Object.keys(operations).map((method) => method.toUpperCase())
        // A POST that is the same as PATCH.
        return methods
          .filter((method) => method !== "POST" || !methods.includes("PATCH"))
          .map((method) => `${method} ${path}`)
      })
      .filter((operation) => !shown.has(operation))
    assert.deepStrictEqual(missing, [], "operations of the interface that the pages do not show")

    yield* bringsWebhook(service, directory, hooks)
  }
)
