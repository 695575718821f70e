import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { signatureHeaders } from "../../../src/webhooks/rules/WebhookSignature.ts"
import * as TestApp from "../../support/apps/TestApp.ts"
import { until } from "../../support/apps/Until.ts"
import { freePort } from "../../support/processes/ServiceProcess.ts"
import { it } from "../../support/Tests.ts"
import { environment, type Language, php, python, run } from "./Languages.ts"

const root = Path.resolve(import.meta.dirname, "../../..")

const nameOf = (block: string) => /^(?:<\?php \/\/|#) (\w+\.\w+)$/u.exec(block.split("\n")[0] ?? "")?.[1]

/** The code blocks of a page: blocks whose first line names a file, by that name, and all others as one program. */
const blocksOf = (page: string, language: string) => {
  const text = Fs.readFileSync(Path.join(root, `src/docs/${page}.md`), "utf8")
  const blocks = [...text.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, "gmsu"))].map(
    ([, block = ""]) => block
  )
  return {
    program: blocks.filter((block) => nameOf(block) === undefined).join("\n"),
    files: new Map(blocks.map((block) => [nameOf(block), block]))
  }
}

/** The output that the page states for each line, with `…` for anything. */
const promised = (program: string) =>
  [...program.matchAll(/^\s*(?:print\(.*\) {2}#|echo .*; \/\/) (.*)$/gmu)].map(([, text = ""]) => text)

const asPattern = (text: string) =>
  new RegExp(`^${text.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&").replaceAll("…", ".*")}$`, "u")

/** A folder with the client at the place that the pages name, and with the files of the page. */
const folderOf = ({ files, program }: ReturnType<typeof blocksOf>, extension: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const folder = Fs.mkdtempSync(Path.join(Os.tmpdir(), "folio-page-"))
      Fs.symlinkSync(Path.join(root, "src/clients/php"), Path.join(folder, "folio"))
      Fs.writeFileSync(Path.join(folder, `program.${extension}`), program)
      for (const [name, text] of files) if (name !== undefined) Fs.writeFileSync(Path.join(folder, name), text)
      return folder
    }),
    (folder) => Effect.sync(() => Fs.rmSync(folder, { recursive: true, force: true }))
  )

const secret = "whsec_Zm9saW8gdGVzdCBzZWNyZXQgb2YgMzIgYnl0ZXMhISE="
const event = '{"id":"evt_1","object":"event","type":"invoice.accepted_by_authority","data":{}}'

/** Starts the page's receiver in its folder. It prints a genuine webhook and returns 2xx, and returns 400 otherwise. */
const tryReceiver = Effect.fnUntraced(function* (
  folder: string,
  commandOf: (port: number) => ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = {}
) {
  const port = yield* freePort
  const [command = "", ...args] = commandOf(port)
  let printed = ""
  const child = yield* Effect.acquireRelease(
    Effect.sync((): ChildProcess => {
      const own = { ...environment(), PORT: String(port), FOLIO_WEBHOOK_SECRET: secret }
      return spawn(command, args, { cwd: folder, env: { ...own, ...env }, stdio: ["ignore", "pipe", "pipe"] })
    }),
    (one) => Effect.sync(() => one.kill("SIGKILL"))
  )
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (chunk: Buffer) => (printed += chunk.toString()))

  const post = (by: string) =>
    Effect.tryPromise((signal) => {
      const headers = signatureHeaders({
        secret: by,
        messageId: "evt_1",
        timestamp: (Date.now() / 1000) | 0,
        body: event
      })
      return fetch(`http://127.0.0.1:${port}/`, { method: "POST", body: event, headers, signal })
    })
  const forged = yield* until(
    Effect.option(post("whsec_b3RoZXI=")),
    (one) => one._tag === "Some" || child.exitCode !== null
  )
  if (forged._tag === "None") return assert.fail(printed)
  assert.strictEqual(forged.value.status, 400, printed)
  assert.notInclude(printed, "evt_1")
  assert.strictEqual((yield* post(secret)).status, 204, printed)
  yield* until(
    Effect.sync(() => printed),
    (text) => text.includes("evt_1 invoice.accepted_by_authority")
  )
})

const hasFlask = (() => {
  try {
    execFileSync("python3", ["-c", "import flask"], { stdio: "ignore" })
    return true
  } catch {
    return false
  }
})()

const tryProgram = Effect.fnUntraced(function* (language: Language, folder: string, file: string, program: string) {
  const { apiKey, url } = yield* TestApp.TestApp
  const env = { FOLIO_URL: url, FOLIO_API_KEY: apiKey }
  const stdout = yield* run(language, Path.join(folder, file), { cwd: folder, env })
  const lines = stdout.trimEnd().split("\n")
  const expected = promised(program)
  assert.isAbove(expected.length, 10)
  assert.strictEqual(lines.length, expected.length, stdout)
  for (const [index, line] of lines.entries()) assert.match(line, asPattern(expected[index] ?? ""))
})

it.live.skipIf(!python.isThere)(`the page of ${python.name} shows the real output of its lines`, function* () {
  const page = blocksOf("python", "python")
  const folder = yield* folderOf(page, "py")
  yield* Effect.provide(tryProgram(python, folder, "program.py", page.program), TestApp.layer())
  yield* tryReceiver(folder, () => [...python.command, "receiver.py"])
})

it.live.skipIf(!python.isThere || !hasFlask)(
  `the page of ${python.name} verifies webhooks in Flask, if that is installed`,
  function* () {
    const folder = yield* folderOf(blocksOf("python", "python"), "py")
    yield* tryReceiver(folder, (port) => ["python3", "-m", "flask", "--app", "app", "run", "--port", String(port)])
  }
)

const serve = (script: string) => (port: number) => [...php.command, "-S", `127.0.0.1:${port}`, script]

it.live.skipIf(!php.isThere)(`the page of ${php.name} shows the real output of its lines`, function* () {
  const page = blocksOf("php", "php")
  const folder = yield* folderOf(page, "php")
  yield* Effect.provide(tryProgram(php, folder, "program.php", page.program), TestApp.layer())
  yield* tryReceiver(folder, serve("receiver.php"))
  yield* tryReceiver(folder, serve(php.file("laravel")), { FOLIO_ROUTE: Path.join(folder, "api.php") })
})
