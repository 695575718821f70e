import { assert } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { describe } from "vitest"
import { shownJson } from "../../../src/cli/user/Table.ts"
import { until } from "../../support/apps/Until.ts"
import { listening } from "../../support/apps/Listening.ts"
import { it } from "../../support/Tests.ts"
import { folio, folioInTerminal, hasTerminals } from "./Spawned.ts"

// A title for the window, another line, and text from right to left, with 8-bit control characters.
const hostile = "\u001b]0;owned\u0007\u009b2J\nfolio: all is well\u2028\u202eevil"
// A colour that the CLI uses too, and its end.
const painted = "\u001b[32mowned-colour\u001b[0m"

const event = {
  id: "evt_01k00000000000000000000000",
  type: `invoice.${hostile}`,
  created: "2026-11-21T10:00:00.000-05:00",
  data: { object: { id: "inv_01k00000000000000000000000", full_number: hostile } }
}

/** A service whose responses may do harm on the caller's machine. */
const service = listening((request, response) => {
  const path = request.url ?? ""
  const body = path.startsWith("/v1/account")
    ? { object: "account", id: "../../../../outside", name: hostile, key_mode: "test" }
    : path.startsWith("/v1/events?")
      ? { object: "list", has_more: false, data: path.includes("after=") ? [] : [event] }
      : path.startsWith("/v1/invoices")
        ? {
            object: "list",
            has_more: false,
            data: [{ ...event.data.object, status: hostile, legal_name: painted, buyer: { legal_name: painted } }]
          }
        : path.startsWith("/v1/refused")
          ? {
              error: {
                type: "api_error",
                code: "x",
                message: hostile,
                param: hostile,
                doc_url: hostile,
                request_id: "req"
              }
            }
          : { ...event, metadata: hostile }
  response.writeHead(path.startsWith("/v1/refused") ? 400 : 200, { "content-type": "application/json" })
  response.end(JSON.stringify(body))
})

const place = Effect.gen(function* () {
  const directory = Fs.mkdtempSync(Path.join(Os.tmpdir(), "folio-hostile-"))
  yield* Effect.addFinalizer(() => Effect.sync(() => Fs.rmSync(directory, { recursive: true })))
  const own = Path.join(directory, "a/b/c/d")
  const env = { FOLIO_URL: `http://127.0.0.1:${yield* service}`, FOLIO_API_KEY: "sk_test_x", XDG_CONFIG_HOME: own }
  return { directory, env, own }
})

/** The output of a command, without the codes of its own colours and of the line that it overwrites. */
const foreign = (out: string) => out.replaceAll(/\u001b\[(?:[012]|3[123])m|\r?\u001b\[2?[JK]|\u001b\[\?25[lh]|\r/g, "")

describe("a hostile service", () => {
  it.live.skipIf(!hasTerminals)("writes no control character to the caller's terminal", function* () {
    const { env, own } = yield* place
    for (const words of [
      ["api", "GET", "/v1/anything"],
      ["api", "GET", "/v1/refused"],
      ["events", "get", event.id],
      ["events", "tail", "--limit", "1", "--since", "evt_01k00000000000000000000001"],
      ["invoices", "list"],
      ["invoices", "get", "inv_01k00000000000000000000000"]
    ]) {
      const { out } = yield* folioInTerminal(words, [], { cwd: "/tmp", env })
      // oxlint-disable-next-line no-control-regex -- what is looked for
      assert.notMatch(foreign(out), /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u202e]/, words.join(" "))
      assert.notMatch(foreign(out), /^folio: all is well/m, words.join(" "))
      assert.notInclude(out, painted, words.join(" "))
    }
    assert.isFalse(Fs.existsSync(Path.join(own, "folio/profile.json")))
  })

  it.live("causes one line for each odd response, without a stack trace", function* () {
    const get = ["invoices", "get", "FE1"]
    for (const [type, body, said, words = get] of [
      ["text/html", "<html>Log in</html>", "text/html"],
      ["application/json", "<html>Log in</html>", "not a JSON object"],
      ["application/json", "null", "not a JSON object"],
      ["application/json", "[]", "not a JSON object"],
      ["application/json", "{}", "not a list of objects"],
      ["application/json", '{"data": 5, "has_more": false}', "not a list of objects"],
      ["application/json", '{"data": [null], "has_more": false}', "not a list of objects"],
      ["application/json", '{"id": "inv_1"}', "The command failed", ["invoices", "timeline", event.data.object.id]],
      ["application/json", " ".repeat((32 << 20) + 1), "more than 33554432 bytes"]
    ] as const) {
      const port = yield* listening((_, response) => {
        response.writeHead(200, { "content-type": type })
        response.end(body)
      })
      const env = { FOLIO_URL: `http://127.0.0.1:${port}`, FOLIO_API_KEY: "sk_test_x" }
      const { code, error } = yield* folio(words, { env })
      assert.oneOf(code, [1, 3], said)
      assert.include(error, said)
      assert.match(error, /^folio: .*\n(?: {2}.*\n)?$/, said)
    }
  })

  it.live("cannot name a directory on the listener's machine", function* () {
    const { directory, env, own } = yield* place
    const files = Effect.sync(() => Fs.globSync("**/*", { cwd: directory }))
    const interrupt = until(files, (all) => all.some((path) => path.endsWith("secret"))).pipe(Effect.orDie)
    yield* folio(["listen", "--forward-to", "127.0.0.1:1"], { env, interrupt })
    const made = yield* files
    assert.isAbove(made.length, 0)
    assert.deepStrictEqual(
      made.filter((path) => !`${directory}/${path}`.startsWith(own) && !own.startsWith(`${directory}/${path}`)),
      []
    )
  })

  it.live("cannot have a name and password in its URL, which messages could show", function* () {
    const { env } = yield* place
    const { code, error } = yield* folio(["api", "GET", "/v1/account"], {
      env: { ...env, FOLIO_URL: "http://ana:hunter2@127.0.0.1:1" }
    })
    assert.strictEqual(code, 2)
    assert.notInclude(error, "hunter2")
  })

  it.live.prop(
    "sends text that the terminal shows as equivalent JSON",
    // Values only: `JSON.parse` of Node 24 misreads the key "\n" as "\\" after an object with a key "\\" in its place.
    [Schema.Array(Schema.String)],
    ([values]) =>
      Effect.sync(() => {
        const all = { values, [hostile]: `${hostile}\u{e0041}` }
        const quoted = shownJson(JSON.stringify(all))
        assert.deepStrictEqual(JSON.parse(quoted), all)
        assert.notMatch(quoted, /[\u007f-\u009f\u2028\u202e]|\u{e0041}/u)
      })
  )
})
