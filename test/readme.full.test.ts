import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync, spawn } from "node:child_process"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { succeed } from "./packages/Installed.ts"
import { lockWith, registry } from "./packages/Registry.ts"
import { curlIsThere, noteAnswers, pathOfReader, tryCommands } from "./support/PageCommands.ts"
import { until } from "./support/apps/Until.ts"
import { receiver } from "./support/receiver/Receiver.ts"
import { freePort, type ServiceProcess, serviceProcess } from "./support/processes/ServiceProcess.ts"
import { it } from "./support/Tests.ts"

const root = Path.resolve(import.meta.dirname, "..")
const docs = "src/docs"
/** Pages whose commands run in one terminal, one page after another. */
const terminals = [
  ["README.md", `${docs}/api.md`],
  [`${docs}/start.md`],
  ...["first-invoice", "idempotency", "invoice-contents", "notes", "portal", "sandbox", "webhooks"].map((guide) => [
    `${docs}/guides/${guide}.md`
  ])
]
const openApi = JSON.parse(Fs.readFileSync(Path.join(root, "schemas/openapi.json"), "utf8")) as {
  readonly paths: Readonly<Record<string, object>>
}

/** The two commands in the README and in the welcome that lead to the first webhook. */
const firstWebhook = [
  "npx folio trigger invoice.accepted_by_authority",
  "npx folio listen --forward-to :9099/hook --since 5m -e .env"
] as const

/** Types a command into a terminal in a folder, and returns its output so far. The command ends with the scope. */
const typed = (command: string, cwd: string, env: Readonly<Record<string, string>>) =>
  Effect.map(
    Effect.acquireRelease(
      // A process group of its own, so that the children of npx end with it.
      Effect.sync(() =>
        spawn("bash", ["--norc", "-c", command], {
          cwd,
          detached: true,
          env: { PATH: pathOfReader(), HOME: cwd, ...env }
        })
      ),
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

/** Copies the repository into a folder, and installs its packages there as `npm start` does, from the local ones. */
const clone = Effect.fnUntraced(function* (folder: string) {
  const url = yield* registry
  const files = ["-c", "-o", "--exclude-standard", "--", ":!test"]
  const tracked = execFileSync("git", ["ls-files", ...files], { cwd: root, encoding: "utf8" })
    .trim()
    .split("\n")
  for (const file of tracked) {
    const from = Path.join(root, file)
    if (Fs.existsSync(from)) Fs.cpSync(from, Path.join(folder, file))
  }
  Fs.writeFileSync(Path.join(folder, "package-lock.json"), lockWith(url))
  const settings = { npm_config_cache: Path.join(folder, ".npm"), npm_config_registry: url }
  yield* succeed(folder, "npm", ["run", "prestart"], {
    PATH: pathOfReader(),
    ...settings
  })
  Fs.rmSync(Path.join(folder, ".npm"), { recursive: true, force: true })
})

/** The programs of the pages: the file that each is saved as, and the command that runs it. */
const programsOf = (text: string, url: string, port: number) =>
  [...text.matchAll(/^```ts\n(.*?)^```\n\nSave it as `([\w.]+)` and run `([^`]+)`/gmsu)].map(
    ([, program = "", file = "", command = ""]) => ({
      text: program.replace("http://127.0.0.1:3000", url).replace("9099", String(port)),
      file,
      command: command.replace("http://127.0.0.1:3000", url)
    })
  )

const lineOf = (text: string) => /^\{.*"object":"invoice".*\n/mu.exec(text)?.[0]

const bringsWebhook = Effect.fnUntraced(function* (service: ServiceProcess, folder: string) {
  const readme = Fs.readFileSync(Path.join(root, "README.md"), "utf8")
  assert.include(readme, ["```sh", ...firstWebhook, "```"].join("\n"))
  const welcome = yield* service.log
  const settings = /^ {2}export FOLIO_URL=(\S+) FOLIO_API_KEY=(\S+)$/mu.exec(welcome)
  assert.include(welcome, firstWebhook.map((line) => `  ${line}\n`).join(""))
  const env = { FOLIO_URL: settings?.[1] ?? "", FOLIO_API_KEY: settings?.[2] ?? "" }
  const port = yield* freePort
  const typescript = Fs.readFileSync(Path.join(root, docs, "typescript.md"), "utf8")
  const programs = programsOf(readme + typescript, service.url, port)
  assert.deepStrictEqual(
    programs.map(({ file }) => file),
    ["receiver.ts", "client.ts", "stream.ts"]
  )
  for (const { file, text } of programs) Fs.writeFileSync(Path.join(folder, file), text)

  const [trigger, listen] = firstWebhook
  const triggered = yield* typed(trigger, folder, env)
  const said = yield* until(Effect.sync(triggered), (text) => lineOf(text) !== undefined, "60 seconds")
  const { id } = JSON.parse(lineOf(said) ?? "")
  yield* typed(listen.replace(":9099", `:${port}`), folder, env)
  const secrets = Effect.sync(() => Fs.globSync(".env", { cwd: folder }).length)
  yield* until(secrets, (count) => count === 1, "60 seconds")
  const printed: Readonly<Record<string, RegExp>> = {
    "receiver.ts": new RegExp(`^invoice\\.accepted_by_authority ${id}$`, "mu"),
    "client.ts": /^draft\ninv_\w{26}$/mu,
    "stream.ts": /INFO.*\d/u
  }
  for (const { command, file } of programs) {
    const output = yield* typed(command, folder, {})
    yield* until(Effect.sync(output), (text) => printed[file]?.test(text) === true, "60 seconds").pipe(
      Effect.catch(() => Effect.die(`${command}: ${output()}`))
    )
  }
})

const operationOf = (method: string, path: string) => {
  const templates = Object.keys(openApi.paths)
  const fits = (one: string) => new RegExp(`^${one.replaceAll(/\{\w+\}/gu, "[^/]+")}$`, "u").test(path)
  const template = templates.find((one) => one === path) ?? templates.find(fits)
  return `${method} ${template ?? path}`
}

it.live.skipIf(!curlIsThere)(
  "the pages' curl commands (7.75 or later) cover every operation and get the stated status codes, and the programs of the README and of the TypeScript page run with the packages that npm start installs",
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
    yield* clone(directory)
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
        // POST is an alias of PATCH.
        return methods
          .filter((method) => method !== "POST" || !methods.includes("PATCH"))
          .map((method) => `${method} ${path}`)
      })
      .filter((operation) => !shown.has(operation))
    assert.deepStrictEqual(missing, [], "operations of the interface that the pages do not show")

    yield* bringsWebhook(service, directory)
  }
)
