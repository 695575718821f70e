import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { execFile, execFileSync } from "node:child_process"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { receiver } from "./support/receiver/Receiver.ts"
import { serviceProcess } from "./support/processes/ServiceProcess.ts"
import { it } from "./support/Tests.ts"

const root = Path.resolve(import.meta.dirname, "..")
// The commands of the second page go on in the terminal of the first.
const pages = ["README.md", "src/http/docs/api.md"]
const readme = pages.map((page) => Fs.readFileSync(Path.join(root, page), "utf8")).join("\n")
const openApi = JSON.parse(Fs.readFileSync(Path.join(root, "openapi.json"), "utf8")) as {
  readonly paths: Readonly<Record<string, object>>
}

/** All that the pages have a reader type into one terminal, in order. */
const script = [...readme.matchAll(/^```\w*\n(.*?)^```$/gmsu)]
  .map(([, block = ""]) => block)
  .filter((block) => /\bcurl\b/u.test(block))
  .join("\n")

/** What the pages say of each command: the status it is answered with. */
const promises = [...script.matchAll(/^# (\d{3}): (.*)$/gmu)].map(([, status, what]) => ({ status, what }))

// With bash as well. Its configuration file can write the method of a request since 7.72, and its URL since 7.75.
const curlIsThere = (() => {
  try {
    const [, major = 0, minor = 0] = (
      /^curl (\d+)\.(\d+)/u.exec(execFileSync("bash", ["--norc", "-c", "curl --version"], { encoding: "utf8" })) ?? []
    ).map(Number)
    return major > 7 || minor >= 75
  } catch {
    return false
  }
})()

/** The reader's own settings are the only lines that are not run as they stand. */
const withSettings = (settings: Readonly<Record<string, string>>) =>
  Object.entries(settings).reduce((text, [name, value]) => {
    const line = new RegExp(`^${name}=.*$`, "gmu")
    assert.lengthOf([...text.matchAll(line)], 1, `the pages set ${name} once`)
    return text.replace(line, () => `${name}=${value}`)
  }, script)

const shell = (text: string, cwd: string) =>
  Effect.callback<{ readonly code: number; readonly stderr: string; readonly stdout: string }>((resume) => {
    const env = { PATH: process.env["PATH"], CURL_HOME: cwd, LANG: "C.UTF-8" }
    const child = execFile(
      "bash",
      ["--norc", "-eu", "-c", text],
      { cwd, env, maxBuffer: 1 << 24 },
      (error, stdout, stderr) =>
        resume(Effect.succeed({ code: error === null ? 0 : Number(error.code), stdout, stderr }))
    )
    return Effect.sync(() => child.kill("SIGKILL"))
  })

const operationOf = (method: string, path: string) => {
  const templates = Object.keys(openApi.paths)
  const fits = (one: string) => new RegExp(`^${one.replaceAll(/\{\w+\}/gu, "[^/]+")}$`, "u").test(path)
  const template = templates.find((one) => one === path) ?? templates.find(fits)
  return `${method} ${template ?? path}`
}

it.live.skipIf(!curlIsThere)(
  "answers each curl (7.75 or later) of the README and the page of the API as they say, and has one for each operation",
  function* () {
    const hooks = yield* receiver
    const service = yield* serviceProcess({ webhookAllow: `127.0.0.1:${hooks.port}` })
    yield* service.start()
    const directory = Path.dirname(service.dataDir)
    Fs.writeFileSync(
      Path.join(directory, ".curlrc"),
      'silent\nwrite-out = "%{stderr}%{http_code} %{method} %{url}\\n"\n'
    )

    const { code, stderr, stdout } = yield* shell(withSettings({ API: service.url, HOOK: hooks.url("/") }), directory)
    const answers = [...stderr.matchAll(/^(\d{3}) ([A-Z]+) (http.*)$/gmu)].map(([, ...words]) => words)
    assert.deepStrictEqual(
      answers.map(([status, method, url], index) => `${status}: ${promises[index]?.what} (${method} ${url})`),
      answers.map(
        ([, method, url], index) => `${promises[index]?.status}: ${promises[index]?.what} (${method} ${url})`
      ),
      stdout
    )
    assert.deepStrictEqual([answers.length, code], [promises.length, 0], stderr)
    assert.match(stdout, /^svc-idempotency-cached: true\r?$/imu)

    const shown = new Set(answers.map(([, method = "", url = ""]) => operationOf(method, new URL(url).pathname)))
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
  }
)
