import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { execFile } from "node:child_process"
import * as Fs from "node:fs"
import type * as http from "node:http"
import * as Os from "node:os"
import * as Path from "node:path"
import { type Operation, resources } from "../../../src/http/pages/reference/Resources.ts"
import { beginnings, type Language, samplesOf } from "../../../src/http/pages/reference/Samples.ts"
import { environment, php, python, run } from "../../clients/typescript/Languages.ts"
import { compile, folderOf } from "../../support/apps/GeneratedClient.ts"
import { listening } from "../../support/apps/Listening.ts"
import { keys } from "../../support/apps/Accounts.ts"
import { layer as app } from "../../support/apps/PostgresApp.ts"
import { noticeSecret } from "../../support/apps/TestSettings.ts"
import { fetchBytes } from "../../support/apps/Requests.ts"
import { describeLive } from "../../support/Tests.ts"

const root = Path.resolve(import.meta.dirname, "../../..")
const operations = resources.flatMap((resource) => resource.operations)

interface Shown {
  readonly operation: Operation
  readonly text: string
}

/** The samples of a language, in the order of the pages. */
const samplesIn = (language: Language): ReadonlyArray<Shown> =>
  operations.flatMap((operation) =>
    samplesOf(operation)
      .filter((sample) => sample.language === language)
      .map(({ text }) => ({ operation, text }))
  )

interface Seen {
  readonly method: string
  readonly url: string
  readonly headers: http.IncomingHttpHeaders
  readonly body: string
}

const patternOf = (path: string) => new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[a-z0-9_-]+")}(\\?|$)`)

/** The media type of an operation's response: that of its file, or JSON. */
const typeOf = (method: string | undefined, url: string | undefined) =>
  operations.find((one) => one.method === method && patternOf(one.path).test(url ?? ""))?.answers[0]?.mediaType ??
  "application/json"

/**
 * Runs programs against a server that records the requests, and returns an empty list in the media type of the
 * operation.
 */
const seenBy = <E, R>(send: (url: string, folder: string) => Effect.Effect<unknown, E, R>) =>
  Effect.gen(function* () {
    const seen: Array<Seen> = []
    const port = yield* listening((request, response) => {
      const { headers, method = "", url = "" } = request
      let body = ""
      request.on("data", (chunk: Buffer) => (body += chunk.toString()))
      request.on("end", () => {
        seen.push({ method, url, headers, body })
        response.writeHead(200, { "content-type": typeOf(method, url) })
        response.end('{"object":"list","has_more":false,"data":[]}')
      })
    })
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => Fs.mkdtempSync(Path.join(Os.tmpdir(), "folio-samples-"))),
      (one) => Effect.sync(() => Fs.rmSync(one, { recursive: true, force: true }))
    )
    Fs.writeFileSync(Path.join(folder, "logo.png"), "a picture")
    yield* send(`http://127.0.0.1:${port}`, folder)
    return seen
  })

const settings = (url: string) => ({
  FOLIO_URL: url,
  FOLIO_API_KEY: keys.test,
  MAIL_NOTICE_SECRET: noticeSecret
})

/** All curl samples in one shell. */
const curl = (url: string, folder: string) =>
  Effect.callback<string>((resume) => {
    const text = ["set -eu", ...samplesIn("curl").map((sample) => sample.text)].join("\n")
    execFile(
      "bash",
      ["--norc", "-c", text],
      { cwd: folder, env: { ...environment(), ...settings(url), CURL_HOME: folder }, maxBuffer: 1 << 26 },
      (error, _, stderr) => resume(error === null ? Effect.succeed(stderr) : Effect.die(new Error(stderr)))
    )
  })

const essence = ({ body, headers, method, url }: Seen) => ({
  request: `${method} ${decodeURIComponent(url)}`,
  body: body === "" || headers["content-type"] !== "application/json" ? undefined : JSON.parse(body),
  authorization: headers.authorization
})

/** Asserts that a program has sent the same request as curl for each sample, in the same order. */
const assertSame = (seen: ReadonlyArray<Seen>, language: Language, expected: ReadonlyArray<Seen>) => {
  const shown = samplesIn("curl").flatMap(({ operation }, index) => {
    const isShown = samplesOf(operation).some((sample) => sample.language === language)
    const one = expected[index]
    return isShown && one !== undefined ? [{ operation, one }] : []
  })
  assert.strictEqual(seen.length, shown.length, language)
  for (const [index, { one, operation }] of shown.entries()) {
    const sent = seen[index]
    assert.isDefined(sent)
    // A client sends its key with every request, and curl only if the operation needs one.
    const authorization = `Bearer ${keys.test}`
    assert.deepStrictEqual(essence(sent), { ...essence(one), authorization }, `${language}: ${operation.name}`)
    const key = one.headers["idempotency-key"]
    if (key !== undefined) assert.strictEqual(sent.headers["idempotency-key"], key, `${language}: ${operation.name}`)
  }
}

const faults = new Set([
  "malformed_json",
  "parameter_missing",
  "parameter_unknown",
  "parameter_invalid",
  "idempotency_key_missing",
  "invalid_api_key",
  "route_not_found",
  "method_not_allowed",
  "unsupported_media_type",
  "internal_error"
])

describeLive(app)("the samples of the reference", (it) => {
  it.effect("in curl are requests that the service accepts: with a key, at a route, with a right body", function* () {
    const seen = yield* seenBy(curl)
    const samples = samplesIn("curl")
    assert.strictEqual(seen.length, samples.length)
    assert.isAbove(seen.length, 65)
    for (const [index, { body, headers, method, url }] of seen.entries()) {
      const operation = samples[index]?.operation
      assert.match(url, patternOf(operation?.path ?? ""))
      assert.strictEqual(method, operation?.method)
      const { host, ...sent } = headers
      assert.isDefined(host)
      const answer = yield* fetchBytes({
        method,
        path: url,
        headers: { authorization: undefined, "idempotency-key": undefined, ...(sent as Record<string, string>) },
        ...(body === "" ? {} : { body })
      })
      const text = answer.bytes.toString()
      const code = answer.status < 400 ? "" : JSON.parse(text).error.code
      // The uploaded file is no picture.
      if (sent["content-type"] === "image/png") assert.strictEqual(code, "parameter_invalid")
      else assert.isFalse(faults.has(code), `${method} ${url}: ${text}`)
    }
  })

  it.effect("in TypeScript typecheck, and send the same requests as curl", function* () {
    const program = [
      beginnings.typescript,
      ...samplesIn("typescript").map(({ text }) => `{\n${text}\n}`),
      "export {}"
    ].join("\n")
    const folder = yield* folderOf({
      "samples.ts": program,
      "process.d.ts": "declare const process: { readonly env: Record<string, string | undefined> }"
    })
    assert.strictEqual(yield* compile(folder), "")
    const seen = yield* seenBy((url) =>
      Effect.callback<void>((resume) => {
        const options = { cwd: folder, env: { ...environment(), ...settings(url) } }
        execFile(process.execPath, ["samples.ts"], options, (error, _, stderr) =>
          resume(error === null ? Effect.void : Effect.die(new Error(stderr)))
        )
      })
    )
    assertSame(seen, "typescript", yield* seenBy(curl))
  })

  for (const [language, runner, extension] of [
    ["php", php, "php"],
    ["python", python, "py"]
  ] as const) {
    it.effect.skipIf(!runner.isThere)(
      `in ${runner.name} call existing methods, and send the same requests as curl`,
      function* () {
        const seen = yield* seenBy((url, folder) => {
          const file = Path.join(folder, `samples.${extension}`)
          Fs.writeFileSync(file, [beginnings[language], ...samplesIn(language).map(({ text }) => text)].join("\n"))
          Fs.symlinkSync(Path.join(root, "src/clients/php"), Path.join(folder, "folio"))
          return run(runner, file, { cwd: folder, env: settings(url) })
        })
        assertSame(seen, language, yield* seenBy(curl))
      }
    )
  }
})
