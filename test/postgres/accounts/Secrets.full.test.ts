import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { randomBytes } from "node:crypto"
import { makeApiKey } from "../../../src/accounts/rules/ApiKeyFormat.ts"
import { colombianSandbox } from "../../../src/documents/rules/parties/SandboxIds.ts"
import { makeClient } from "../../support/apps/Client.ts"
import { collector } from "../../support/apps/Collector.ts"
import { customerBody, endpointBody, invoiceBody, resolutionBody } from "../../support/apps/Invoices.ts"
import { folioCommand } from "../../support/processes/FolioCommand.ts"
import { keyFile, softwareSettings } from "../../support/authority/LiveAccounts.ts"
import { query } from "../../support/database/Postgres.ts"
import { canary, secretLogin } from "../../support/database/SecretLogin.ts"
import { receiver } from "../../support/receiver/Receiver.ts"
import { serviceProcess } from "../../support/processes/ServiceProcess.ts"
import { standInAuthority } from "../../support/authority/StandInAuthority.ts"
import { until } from "../../support/apps/Until.ts"
import { it } from "../../support/Tests.ts"

/** Every row of every table as text, as a dump contains it. */
const dump = Effect.fnUntraced(function* (url: string) {
  const tables = yield* query(
    url,
    "select oid::regclass::text as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace"
  )
  const parts = yield* Effect.forEach(tables.rows, ({ name }) =>
    Effect.map(query(url, `select t::text as row from ${name} t`), ({ rows }) =>
      rows.map(({ row }) => `${name} ${row}`)
    )
  )
  return parts.flat().join("\n")
})

/** A secret as text, and in the usual encodings of bytes. */
const forms = (secret: string) => [
  secret,
  Buffer.from(secret).toString("hex"),
  Buffer.from(secret).toString("base64").replace(/=+$/, "").slice(0, -1)
]

describe("a secret", () => {
  it.live.each(["json", "pretty"])("appears in no log (%s), error, span or table", function* (format) {
    const hooks = yield* receiver
    const { bytes, url: collectorUrl } = yield* collector
    const database = yield* secretLogin
    const softwarePin = canary("pin")
    const accountPin = canary("account-pin")
    const sealing = randomBytes(32).toString("base64")
    const previous = randomBytes(32).toString("base64")
    const authority = yield* standInAuthority({ readCufe: () => null })
    const settings = {
      DATABASE_URL: database.url,
      FOLIO_KEY: sealing,
      FOLIO_KEY_PREVIOUS: previous,
      LOG_LEVEL: "Debug",
      LOG_FORMAT: format,
      OTEL_EXPORTER_OTLP_ENDPOINT: collectorUrl,
      AUTHORITY_URL: authority.url,
      ...softwareSettings,
      SOFTWARE_PIN: softwarePin
    }
    const tests = yield* serviceProcess({ webhookAllow: `127.0.0.1:${hooks.port}`, env: settings })
    yield* tests.start()
    let client = tests.client()

    // Creates each secret, and then replays the stored response of each creation.
    const made = yield* Effect.forEach([1, 2], () => client.post("/v1/api-keys", { name: "till" }, { key: "k" }))
    const [first] = made
    const path = `/v1/api-keys/${first?.json.id}/roll`
    const rolled = yield* client.post(path, { expires_in: 0 }, { key: "r" })
    const endpoint = yield* client.post("/v1/webhook-endpoints", endpointBody(hooks.url("/hooks")), { key: "e" })
    const rotate = `/v1/webhook-endpoints/${endpoint.json.id}/rotate-secret`
    const rotated = yield* client.post(rotate, undefined, { key: "s" })
    assert.strictEqual(made[1]?.text, first?.text)
    const secrets: ReadonlyArray<string> = [
      client.apiKey,
      first?.json.key,
      rolled.json.key,
      endpoint.json.secret,
      rotated.json.secret
    ]
    for (const secret of secrets) assert.match(secret, /^(sk_test|whsec)_.{40}/)

    // The invoice gets its number from the range whose key no table contains in the clear.
    const technicalKey = randomBytes(20).toString("hex")
    const ranged = yield* client.post(
      "/v1/resolutions",
      { ...resolutionBody(), prefix: "KEYS", technical_key: technicalKey },
      { key: "t" }
    )
    assert.deepStrictEqual([ranged.status, ranged.json.technical_key], [201, technicalKey])

    const customer = yield* client.post("/v1/customers", customerBody(), { key: "c" })
    yield* client.post("/v1/invoices", invoiceBody(String(customer.json.id)), { key: "i" })
    yield* until(
      Effect.sync(() => hooks.received.length),
      (count) => count > 0
    )

    // Live keys and receivers on this machine exclude each other.
    yield* tests.signal("SIGTERM")
    yield* tests.ended
    const service = yield* serviceProcess({ webhookAllow: "", env: settings })
    yield* service.start()
    client = makeClient(service.url, client.apiKey)

    // The key and password of a live account, and the PINs of both softwares: used, but never shown.
    const account = (yield* client.get("/v1/account")).json.id
    const env = { DATABASE_URL: database.url, FOLIO_KEY: sealing }
    const newKey = ["keys", "create", "--account", account, "--mode", "live", "--copy-issuer", "--json"]
    const liveKey = yield* folioCommand(newKey, env)
    const live = makeClient(service.url, String(liveKey.json.key))
    const file = keyFile()
    const upload = { pkcs12: file.pkcs12, password: file.password }
    const uploads = yield* Effect.forEach([upload, { ...upload, password: `${file.password}x` }], (body, index) =>
      live.post("/v1/account/certificate", body, { key: `upload ${index}` })
    )
    assert.deepStrictEqual(
      uploads.map(({ status }) => status),
      [200, 400]
    )
    const software = { id: "56f2ae4e-9812-4fad-9255-08fcfcd5ccb0", pin: accountPin }
    const puts = yield* Effect.forEach(
      [software, software, { ...software, pin: accountPin.repeat(64) }, { ...software, pim: accountPin }],
      (body, index) => live.request("PUT", "/v1/account/software", { body, key: `software ${index % 3}` })
    )
    assert.deepStrictEqual(
      puts.map(({ status }) => status),
      [200, 200, 400, 400]
    )
    const testKey = randomBytes(20).toString("hex")
    const range = { ...colombianSandbox.range, technical_key: testKey }
    const set = { test_set_id: "b7d1c2a4-93cf-4a9e-8a2f-000000000001", invoices: 1, credit_notes: 0, debit_notes: 0 }
    const enabling = yield* live.post("/v1/account/enablement", { ...set, range }, { key: "enable" })
    assert.strictEqual(enabling.status, 403, enabling.text)
    const imported = yield* live.post("/v1/resolutions/import", undefined, { key: "import" })
    assert.strictEqual(imported.status, 403, imported.text)
    assert.lengthOf(authority.refusals, 1, "the authority received a signed query")

    // Errors of every kind that a holder of secrets may cause.
    const unknown = makeApiKey("live", randomBytes(32))
    const basic = Buffer.from(`${client.apiKey}:canarybasic`).toString("base64")
    const ended = makeClient(service.url, String(first?.json.key))
    yield* until(ended.get("/v1/account"), ({ status }) => status === 401)
    const withHeader = Effect.promise(async () => {
      const answer = await fetch(`${service.url}/v1/account`, { headers: { Authorization: `Basic ${basic}` } })
      return { status: answer.status, text: await answer.text() }
    })
    const wrong = [
      yield* ended.get("/v1/account"),
      yield* makeClient(service.url, unknown).get("/v1/account"),
      yield* client.get(`/v1/account?api_key=${rolled.json.key}`),
      yield* client.post("/v1/api-keys", { key: rolled.json.key }),
      yield* client.post("/v1/api-keys", { name: 5 }, { key: "k" }),
      yield* client.post("/v1/api-keys", { name: "other" }, { key: "k" }),
      yield* client.post(path, { expires_in: 0 }),
      yield* withHeader
    ]
    // The database rejects the value, and its error quotes it.
    yield* query(database.admin, "alter table api_keys add constraint never check (name is null) not valid")
    wrong.push(yield* client.post("/v1/api-keys", { name: "never" }))
    assert.deepStrictEqual(
      wrong.map(({ status }) => status),
      [401, 401, 400, 400, 400, 409, 409, 401, 500]
    )
    yield* service.signal("SIGTERM")
    assert.deepStrictEqual(yield* service.ended, { code: 0, signal: null })

    // The text log of the first start shows the test key on purpose. The JSON log never contains it.
    const log = `${yield* tests.log}${yield* service.log}`.split("\n")
    const welcome = log.filter((line) => /^ {2}(sk_test_|curl |export )/.test(line))
    assert.lengthOf(welcome, format === "json" ? 0 : 4)
    const told = {
      log: log.filter((line) => !welcome.includes(line)).join("\n"),
      spans: bytes.join("\n"),
      tables: yield* dump(database.admin)
    }
    const errors = [...wrong, ...uploads, ...puts].map(({ text }) => text).join("\n")
    const ofCertificate = [file.password, softwarePin, accountPin, file.keyText, technicalKey, testKey]
    const hidden = [...secrets, unknown, basic, sealing, previous, database.password, live.apiKey, ...ofCertificate]
    for (const [where, text] of Object.entries({ ...told, errors })) {
      assert.isAbove(text.length, 1_000, where)
      for (const secret of hidden.flatMap(forms)) assert.notInclude(text, secret, `in the ${where}`)
    }
    assert.include(told.tables, "api_key.rolled")
    assert.match(told.tables, /v1\.[A-Za-z0-9+/]{40}/, "the tables contain sealed secrets")
  })
})
