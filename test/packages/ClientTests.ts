import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { HttpServer } from "effect/http"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { fileURLToPath } from "node:url"
import { sampleEvent } from "../../src/webhooks/rules/SampleEvent.ts"
import { signatureHeaders } from "../../src/webhooks/rules/WebhookSignature.ts"
import { keys } from "../support/apps/Accounts.ts"
import { bytesOf, complaints, run, succeed, write } from "./Installed.ts"
import { Packages, type Test } from "./Packages.ts"

const root = Path.join(import.meta.dirname, "../..")

/** The program of a Node version from npm's package `node`; undefined if the package has none for this machine. */
export const node = (major: 20 | 22 | 24) => {
  const name = `node${major === 24 ? "" : major}-${process.platform}-${process.arch}`
  const binary = Path.join(root, "node_modules", name, "bin/node")
  return Fs.existsSync(binary) ? binary : undefined
}

const secret = "whsec_Zm9saW8gdGVzdCBzZWNyZXQgb2YgMzIgYnl0ZXMhISE="
const payload = sampleEvent({
  id: "evt_01k00000000000000000000000",
  type: "invoice.accepted_by_authority",
  account_id: "ten_01k00000000000000000000000",
  livemode: false,
  created: "2026-11-21T10:00:00.000-05:00",
  ulid: "01k00000000000000000000000"
}).body
const now = 1_795_273_200
const headers = signatureHeaders({ secret, messageId: "evt_1", timestamp: now, body: payload })

const verifies = `
const received = { now: new Date(${now * 1_000}), ...${JSON.stringify({ payload, secret, headers })} }
const wrong = { ...received, payload: received.payload.replace("accepted", "rejected") }
verify(received).then((event) =>
  verify(wrong).catch((error) =>
    console.log([event.type, error instanceof WebhookVerificationError, error.reason, process.version].join(" "))
  )
)
`
const verifier = "{ verify, WebhookVerificationError }"

const calls = `
const folio = createClient({ baseUrl: process.env.FOLIO_URL, apiKey: process.env.FOLIO_API_KEY })
const wrong = createClient({ baseUrl: process.env.FOLIO_URL, apiKey: "sk_test_" + "x".repeat(49) })
folio.account.retrieveAccount().then((account) =>
  wrong.account.retrieveAccount().catch((error) =>
    console.log([account.key_mode, error instanceof ApiError, error.status, process.version].join(" "))
  )
)
`
const client = "{ ApiError, createClient }"

/** The same programs as modules for `import` and for `require`. */
const programs = {
  "verify.mjs": `import ${verifier} from "@folio-einvoicing/client/webhooks"${verifies}`,
  "verify.cjs": `const ${verifier} = require("@folio-einvoicing/client/webhooks")${verifies}`,
  "calls.mjs": `import ${client} from "@folio-einvoicing/client"${calls}`,
  "calls.cjs": `const ${client} = require("@folio-einvoicing/client")${calls}`
}

// Only the language: no effect, no types of Node, no DOM.
const bare = `
import { createClient } from "@folio-einvoicing/client"
import { verify } from "@folio-einvoicing/client/webhooks"
const folio = createClient({ baseUrl: "http://127.0.0.1:3000", apiKey: "" })
const name: string = (await folio.customers.retrieveCustomer({ params: { id: "cust_1" } })).legal_name
const event = await verify({ payload: "", headers: { "svc-signature": name }, secret: "whsec_" })
const id: string = event.data.object.id
// @ts-expect-error -- no such type of event
const isWrong = event.type === "invoice.accepted"
// @ts-expect-error -- a number
await folio.customers.listCustomers({ query: { limit: "5" } })
// @ts-expect-error -- not a list
folio.customers.allCustomer()
export { id, isWrong }
`

/** The programs of the README, unchanged except for the address. */
export const ofReadme = (name: string, baseUrl: string) => {
  const pages = ["README.md", "src/docs/typescript.md"].map((page) => Fs.readFileSync(Path.join(root, page), "utf8"))
  const code = [...pages.join("\n").matchAll(/^```ts\n(.*?)^```$/gmsu)]
  const [program = "", ...others] = code.map(([, text = ""]) => text).filter((text) => text.includes(`from "${name}"`))
  assert.lengthOf(others, 0)
  return program.replace("http://127.0.0.1:3000", baseUrl)
}

/**
 * The work of a program as V8 counts it: the bytes of the modules that Node loaded, and the calls of their functions.
 */
const workIn = (coverage: string) => {
  const counts: ReadonlyArray<Coverage> = Fs.readdirSync(coverage).map((file) =>
    JSON.parse(Fs.readFileSync(Path.join(coverage, file), "utf8"))
  )
  const modules = counts.flatMap(({ result }) => result).filter(({ url }) => url.startsWith("file:"))
  const counted = modules.flatMap(({ functions }) => functions).map(({ ranges: [whole] }) => whole.count)
  return {
    bytes: sum(modules.map(({ url }) => Fs.statSync(fileURLToPath(url)).size)),
    calls: sum(counted)
  }
}

/** The part of a `NODE_V8_COVERAGE` file that these tests read. */
interface Coverage {
  readonly result: ReadonlyArray<{
    readonly url: string
    readonly functions: ReadonlyArray<{ readonly ranges: readonly [{ readonly count: number }] }>
  }>
}

const sum = (values: ReadonlyArray<number>) => values.reduce((total, value) => total + value, 0)

/** Tests of the client's package, installed alone, against a running service. */
export const clientTests = (it: Test<HttpServer.HttpServer>) => {
  const settings = Effect.map(HttpServer.HttpServer, ({ address }) => ({
    FOLIO_URL: HttpServer.formatAddress(address),
    FOLIO_API_KEY: keys.test
  }))

  for (const major of [20, 22, 24] as const) {
    const binary = node(major)
    const when = binary === undefined ? ", which has no build for this machine" : ""
    it.effect.skipIf(binary === undefined)(
      `verify webhooks and call the service on Node ${major}${when}, by import and by require`,
      function* () {
        const { alone } = yield* Packages
        write(alone, programs)
        const env = yield* settings
        for (const file of Object.keys(programs)) {
          const said = yield* succeed(alone, binary ?? "", [file], env)
          const expected = file.startsWith("verify") ? "invoice.accepted_by_authority true mismatch" : "test true 401"
          assert.match(said, new RegExp(`^${expected} v${major}\\.`), file)
        }
      }
    )
  }

  it.effect("install a folio command that starts with little work on every Node", function* () {
    const { alone } = yield* Packages
    const env = yield* settings
    for (const major of [20, 22, 24] as const) {
      const binary = node(major)
      if (binary === undefined) continue
      const coverage = Fs.mkdtempSync(Path.join(alone, "coverage-"))
      const command = ["node_modules/.bin/folio", "api", "GET", "/v1/account"]
      const { code, stderr, stdout } = yield* run(alone, binary, command, { ...env, NODE_V8_COVERAGE: coverage })
      assert.deepStrictEqual([code, JSON.parse(stdout).object], [0, "account"], stderr)
      // The test counts work instead of time: the same start takes 150 ms of CPU on one machine and 450 ms on another.
      const work = workIn(coverage)
      assert.isAbove(work.calls, 1_000, `calls on Node ${major}`)
      assert.isBelow(work.calls, 40_000, `calls on Node ${major}`)
      assert.isBelow(work.bytes, 600_000, `bytes of modules on Node ${major}`)
    }
  })

  it.effect("add no dependency to a verifier, and less than 15 MB with the client", function* () {
    const { alone } = yield* Packages
    const names = Fs.readdirSync(Path.join(alone, "node_modules")).filter((entry) => !entry.startsWith("."))
    assert.deepStrictEqual(names, ["@folio-einvoicing"])
    assert.isBelow(bytesOf(Path.join(alone, "node_modules")), 15_000_000)
    const inside = Path.join(alone, "node_modules/@folio-einvoicing/client")
    const read = (file: string) => Fs.readFileSync(Path.join(inside, file), "utf8")
    assert.notMatch(read("src/clients/typescript/Webhooks.js"), /^\s*import\b|\bimport\(|\brequire\(/m)
    // The client contains the interface, and nothing of the server.
    assert.sameMembers(Fs.readdirSync(Path.join(inside, "src")), ["api", "clients"])
    for (const file of Fs.globSync("{src,schemas}/**/*.js", { cwd: inside })) {
      assert.notMatch(read(file), /from "node:/, `${file} runs in a browser`)
    }
  })

  it.effect("run the programs of the TypeScript page", function* () {
    const { together } = yield* Packages
    const env = yield* settings
    write(together, {
      "plain.ts": ofReadme("@folio-einvoicing/client", env.FOLIO_URL),
      "streaming.ts": ofReadme("@folio-einvoicing/client/effect", env.FOLIO_URL)
    })
    const [status, id] = (yield* succeed(together, process.execPath, ["plain.ts"], env)).split("\n")
    assert.strictEqual(status, "draft")
    assert.match(id ?? "", /^inv_/)
    yield* succeed(together, process.execPath, ["streaming.ts"], env)
  })

  it.effect("typecheck with only the language's own types", function* () {
    const { alone } = yield* Packages
    write(alone, { "bare.ts": bare })
    assert.strictEqual(yield* complaints(alone, ["bare.ts"], ["--lib", "es2022"]), "")
  })
}
