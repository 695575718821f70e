import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { HttpServer } from "effect/http"
import { execFile } from "node:child_process"
import * as Fs from "node:fs/promises"
import * as Os from "node:os"
import * as Path from "node:path"
import { promisify } from "node:util"
import { signatureHeaders } from "../../src/domain/webhooks/WebhookSignature.ts"
import { sampleEvent } from "../../src/domain/webhooks/SampleEvent.ts"
import { keys, layer as app } from "../support/apps/MemoryApp.ts"
import { describeOn } from "../support/Tests.ts"

const root = Path.join(import.meta.dirname, "../..")

const secret = "whsec_Zm9saW8gdGVzdCBzZWNyZXQgb2YgMzIgYnl0ZXMhISE="
const body = sampleEvent({
  id: "evt_01k00000000000000000000000",
  type: "invoice.accepted_by_authority",
  account_id: "ten_01k00000000000000000000000",
  livemode: false,
  created: "2026-11-21T10:00:00.000-05:00",
  ulid: "01k00000000000000000000000"
}).body
const now = 1_795_273_200
const headers = signatureHeaders({ secret, messageId: "evt_1", timestamp: now, body })

const calls = (baseUrl: string) => `
import { Effect, Redacted } from "effect"
import { FetchHttpClient } from "effect/http"
import { make } from "folio/client"
const folio = await Effect.runPromise(
  make({ apiKey: Redacted.make("${keys.test}"), baseUrl: "${baseUrl}" }).pipe(Effect.provide(FetchHttpClient.layer))
)
const account = await Effect.runPromise(folio.account.retrieveAccount({ headers: {} }))
console.log(JSON.stringify({ said: account.key_mode, loaded }))
`

const verifies = `
import { verify } from "folio/webhooks"
const event = verify({ now: new Date(${now * 1000}), ...${JSON.stringify({ payload: body, headers, secret })} })
console.log(JSON.stringify({ said: event.type, loaded }))
`

/** Writes down every module that is loaded, of this project and of others. */
const recorder = `
import { registerHooks } from "node:module"
const loaded = globalThis.loaded = []
registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) })
`

interface Said {
  readonly said: string
  readonly loaded: ReadonlyArray<string>
}

/** Runs a program in a folder that has nothing but this package, as npm links it, and effect. */
const outside = (program: string) =>
  Effect.acquireUseRelease(
    Effect.promise(() => Fs.mkdtemp(Path.join(Os.tmpdir(), "folio-outside-"))),
    (folder) =>
      Effect.promise(async (signal): Promise<Said> => {
        await Fs.mkdir(Path.join(folder, "node_modules"))
        await Fs.symlink(root, Path.join(folder, "node_modules/folio"))
        await Fs.symlink(Path.join(root, "node_modules/effect"), Path.join(folder, "node_modules/effect"))
        await Fs.writeFile(Path.join(folder, "recorder.mjs"), recorder)
        await Fs.writeFile(Path.join(folder, "program.mjs"), program)
        const args = ["--import", "./recorder.mjs", "program.mjs"]
        const { stdout } = await promisify(execFile)(process.execPath, args, {
          cwd: folder,
          signal,
          maxBuffer: 16 * 1024 * 1024
        })
        return JSON.parse(stdout)
      }),
    (folder) => Effect.promise(() => Fs.rm(folder, { recursive: true, force: true }))
  )

/** The files of this project among what was loaded, and the packages beside effect. */
const partsOf = (loaded: ReadonlyArray<string>) => {
  const paths = loaded.filter((url) => url.startsWith("file:")).map((url) => new URL(url).pathname)
  return {
    own: paths
      .filter((path) => path.startsWith(`${root}/`) && !path.includes("/node_modules/"))
      .map((path) => path.slice(root.length + 1)),
    packages: paths.filter((path) => path.includes("/node_modules/") && !path.includes("/node_modules/effect/"))
  }
}

const mayBeLoaded = /^(schemas|src\/(api|client|domain))\//

describeOn(app)("the package, from a folder outside", (it) => {
  it.effect("gives folio/client, which brings no code of the server along", function* () {
    const { loaded, said } = yield* outside(calls(HttpServer.formatAddress((yield* HttpServer.HttpServer).address)))
    assert.strictEqual(said, "test")
    const { own, packages } = partsOf(loaded)
    assert.include(own, "src/client/Client.ts")
    assert.deepStrictEqual(
      own.filter((path) => !mayBeLoaded.test(path)),
      []
    )
    assert.deepStrictEqual(packages, [])
    // What only Node has would keep it from a browser.
    assert.deepStrictEqual(
      loaded.filter((url) => url.startsWith("node:crypto")),
      []
    )
  })

  it.effect("gives folio/webhooks, which brings no code of the server along", function* () {
    const { loaded, said } = yield* outside(verifies)
    assert.strictEqual(said, "invoice.accepted_by_authority")
    const { own, packages } = partsOf(loaded)
    assert.include(own, "src/client/Webhooks.ts")
    assert.deepStrictEqual(
      own.filter((path) => !/^(schemas\/|src\/client\/Webhooks|src\/domain\/webhooks\/WebhookSignature)/.test(path)),
      []
    )
    assert.deepStrictEqual(packages, [])
  })
})
