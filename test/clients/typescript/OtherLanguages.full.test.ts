import { assert } from "@effect/vitest"
import { Effect } from "effect"
import * as Fs from "node:fs"
import type * as http from "node:http"
import * as https from "node:https"
import type * as Net from "node:net"
import * as Path from "node:path"
import { makeSelfSigned } from "../../../src/documents/signature/Certificate.ts"
import { listening } from "../../support/apps/Listening.ts"
import { it } from "../../support/Tests.ts"
import { languages, linesOf, run } from "./Languages.ts"

interface Said {
  readonly case: string
  readonly outcome: string
  readonly status?: number | null
  readonly code?: string
  readonly key?: string
  readonly said?: string
  /** In seconds. */
  readonly pauses: ReadonlyArray<number>
}

type Reply = "nothing" | "never" | "drip" | "cut" | "endless" | { status: number; headers?: object; body?: unknown }

const refusal = (status: number, code: string, headers: Record<string, string> = {}) => ({
  status,
  headers,
  body: { error: { type: "api_error", code, message: "No.", doc_url: "", request_id: "req_1", errors: [] } }
})
const done = { status: 201, body: { object: "done" } }
const executing: Reply = { status: 202, headers: { "retry-after": "1" }, body: { object: "idempotent_request" } }
const busy = refusal(503, "service_unavailable", { "retry-after": "3", "svc-should-retry": "true" })
const wrong = refusal(400, "parameter_missing")
const error = (status: number, code: string) => ({ outcome: "ApiError", status, code })
const unknown = (status: number | null) => ({ outcome: "NoAnswerError", status })

/** The service's responses (the last one repeats), the program's result, and the program's pauses. */
const cases: Readonly<Record<string, readonly [ReadonlyArray<Reply>, object, ReadonlyArray<number>]>> = {
  nothing: [["nothing", "nothing", done], { outcome: "done" }, [1, 2]],
  never: [["never"], unknown(null), [1, 2, 4]],
  drip: [["drip"], unknown(null), [1, 2, 4]],
  cut: [["cut", done], { outcome: "done" }, [1]],
  broken: [[refusal(500, "internal_error")], error(500, "internal_error"), [1, 2, 4]],
  busy: [[busy, busy, busy, done], { outcome: "done" }, [3, 3, 4]],
  limited: [[refusal(429, "rate_limited", { "retry-after": "2" }), done], { outcome: "done" }, [2]],
  tomorrow: [[refusal(429, "rate_limited", { "retry-after": "86400" })], error(429, "rate_limited"), []],
  date: [[refusal(429, "rate_limited", { "retry-after": "IN 30 SECONDS" }), done], { outcome: "done" }, [28]],
  nextDay: [
    [refusal(503, "service_unavailable", { "retry-after": "NEXT DAY" })],
    error(503, "service_unavailable"),
    []
  ],
  soon: [[refusal(429, "rate_limited", { "retry-after": "soon" }), done], { outcome: "done" }, [1]],
  executing: [[executing, done], { outcome: "done" }, [1]],
  stuck: [[executing], unknown(202), [1, 2, 4]],
  told: [[refusal(404, "moon_missing", { "svc-should-retry": "true" }), done], { outcome: "done" }, [1]],
  stays: [[refusal(500, "internal_error", { "svc-should-retry": "false" })], error(500, "internal_error"), []],
  conflict: [
    [refusal(409, "idempotency_conflict", { "svc-should-retry": "true" })],
    error(409, "idempotency_conflict"),
    []
  ],
  wrong: [[wrong], error(400, "parameter_missing"), []],
  proxy: [[{ status: 404, body: "<html>" }], unknown(404), []],
  login: [[{ status: 200, headers: { "content-type": "text/html" }, body: "<html>" }], unknown(200), []],
  marked: [[{ status: 201, body: `\ufeff${JSON.stringify(done.body)}` }], { outcome: "done" }, []],
  markedError: [[{ status: 400, body: `\ufeff${JSON.stringify(wrong.body)}` }], error(400, "parameter_missing"), []],
  odd: [[{ status: 404, body: { error: "no" } }], unknown(404), []],
  list: [[{ status: 200, body: 5 }], unknown(200), []],
  redirect: [[{ status: 307, headers: { location: "OTHER" } }], unknown(307), []],
  endless: [["endless"], { outcome: "NoAnswerError" }, []]
}

/** An HTTP date, which has no fractions of a second. */
const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1_000).toUTCString()

const answer = (reply: Reply, response: http.ServerResponse, other: string) => {
  if (reply === "never") return
  if (reply === "nothing") return void response.destroy()
  if (reply === "cut") {
    response.writeHead(200, { "content-length": 1000 })
    return void response.write('{"object":', () => response.destroy())
  }
  if (reply === "drip") {
    const drops = setInterval(() => response.write(" "), 50)
    return void response.once("close", () => clearInterval(drops))
  }
  if (reply === "endless") {
    const more = () => {
      while (!response.destroyed && response.write(Buffer.alloc(1 << 20, 32)));
    }
    response.on("drain", more)
    return more()
  }
  const headers = JSON.parse(
    JSON.stringify(reply.headers ?? {})
      .replace("OTHER", other)
      .replace("IN 30 SECONDS", inSeconds(30))
      .replace("NEXT DAY", inSeconds(86_400))
  )
  response.writeHead(reply.status, { "content-type": "application/json", ...headers })
  response.end(typeof reply.body === "string" ? reply.body : JSON.stringify(reply.body))
}

/** A server with an untrusted certificate, which counts the requests that it receives. */
const withBadCertificate = Effect.gen(function* () {
  const pem = yield* makeSelfSigned("127.0.0.1", new Date())
  let requests = 0
  const server = https.createServer({ key: pem, cert: pem }, (_, response) => {
    requests += 1
    response.end('{"object":"read"}')
  })
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
    () => Effect.sync(() => server.close().closeAllConnections())
  )
  return { url: `https://127.0.0.1:${(server.address() as Net.AddressInfo).port}`, requests: () => requests }
})

const apiKey = "sk_test_never_to_be_shown"

for (const language of languages) {
  it.live.skipIf(!language.isThere)(
    `the client in ${language.name} retries only requests that are safe to retry`,
    function* () {
      const seen = new Map<string, Array<http.IncomingMessage>>()
      let strayed = 0
      const elsewhere = yield* listening((_, response) => {
        strayed += 1
        response.end()
      })
      const port = yield* listening((request, response) => {
        const name = request.url?.split("/").at(-1) ?? ""
        const before = seen.get(name) ?? []
        seen.set(name, [...before, request])
        const script = cases[name]?.[0] ?? []
        request.resume().once("end", () => {
          answer(
            script[Math.min(before.length, script.length - 1)] ?? "nothing",
            response,
            `http://127.0.0.1:${elsewhere}/`
          )
        })
      })
      const tls = yield* withBadCertificate
      const stdout = yield* run(language, language.file("attempts"), {
        args: Object.keys(cases),
        env: { FOLIO_URL: `http://127.0.0.1:${port}`, FOLIO_TLS_URL: tls.url, FOLIO_KEY: apiKey }
      })
      const said = new Map(linesOf<Said>(stdout).map((one) => [one.case, one]))

      for (const [name, [, expected, pauses]] of Object.entries(cases)) {
        const one = said.get(name)
        assert.deepInclude(one, expected, name)
        assert.lengthOf(one?.pauses ?? [], pauses.length, name)
        for (const [index, pause] of pauses.entries()) {
          const taken = one?.pauses[index] ?? 0
          const most = name === "date" ? 30 * 1.1 : pause * 1.1
          assert.isTrue(taken >= pause && taken <= most, `${name}: ${taken} s in place of ${pause} s`)
        }
        const requests = seen.get(name) ?? []
        assert.lengthOf(requests, pauses.length + 1, name)
        const keys = new Set(requests.map(({ headers }) => headers["idempotency-key"]))
        assert.strictEqual(keys.size, 1, name)
        assert.match([...keys].join(), /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/, name)
        // A caller who learns that the outcome is unknown can repeat the call.
        if (one?.said !== undefined) assert.isTrue(keys.has(one.key), name)
        for (const { headers, method } of requests) {
          assert.deepInclude({ ...headers, method }, { authorization: `Bearer ${apiKey}`, method: "POST" }, name)
          assert.strictEqual(headers["content-type"], "application/json", name)
        }
      }
      assert.strictEqual(strayed, 0, "a redirect was followed")

      assert.strictEqual(said.get("certificate")?.outcome, "NoAnswerError", stdout)
      assert.strictEqual(tls.requests(), 0, "an untrusted certificate was accepted")
      const refused = ["key", "version", "user", "scheme", "idempotency key", "method", "path", "no id", "parent"]
      for (const name of refused) assert.strictEqual(said.get(name)?.outcome, "refused", name)
      assert.include(said.get("shown")?.outcome, "http://127.0.0.1")
      assert.notInclude(stdout, apiKey)
      assert.notInclude(stdout, "sk_test\\r\\n")
      assert.strictEqual(seen.size, Object.keys(cases).length, "a request was sent that should have been refused")
    }
  )
}

const openApi = JSON.parse(
  Fs.readFileSync(Path.resolve(import.meta.dirname, "../../../schemas/openapi.json"), "utf8")
) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, object>>>>
}

/** Operations without an account's key. A program can call them with `request`. */
const ofOthers = /^(\/health\/|\/v1\/email-notices$)/

/** A POST that is the same as PATCH is one operation. */
const operations = Object.entries(openApi.paths)
  .filter(([path]) => !ofOthers.test(path))
  .flatMap(([path, methods]) =>
    Object.keys(methods)
      .filter((method) => method !== "post" || methods["patch"] === undefined)
      .map((method) => `${method.toUpperCase()} ${path.replaceAll(/\{\w+\}/gu, "{}")}`)
  )
  .toSorted()

for (const language of languages.slice(0, 2)) {
  it.live.skipIf(!language.isThere)(`the client in ${language.name} has a method for each operation`, function* () {
    const called = new Set<string>()
    const port = yield* listening((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? "", "http://folio.test")
      called.add(`${request.method} ${pathname.replace("/x1", "/{}")}`)
      // A method that follows events requests them until there is one.
      const data = searchParams.has("after") ? [{ id: "evt_1" }] : []
      response.end(JSON.stringify({ object: "list", has_more: false, data }))
    })
    const env = { FOLIO_URL: `http://127.0.0.1:${port}` }
    const [said] = linesOf(yield* run(language, language.file("operations"), { env }))
    assert.deepStrictEqual(
      [...called].toSorted(),
      operations,
      "add a method to src/clients, for each operation of openapi.json"
    )
    assert.deepStrictEqual(said, { undocumented: [] })
  })
}
