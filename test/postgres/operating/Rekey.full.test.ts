import { assert, describe } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { makeApiKey } from "../../../src/accounts/rules/ApiKeyFormat.ts"
import { makeClient } from "../../support/apps/Client.ts"
import { customerBody, endpointBody, invoiceBody } from "../../support/apps/Invoices.ts"
import { until } from "../../support/apps/Until.ts"
import { dataDirectory, freshDatabase, layerAdmin, query } from "../../support/database/Postgres.ts"
import { base64Of, newSecretKey, plainSecrets, sealedRange, seedSecrets } from "../../support/database/SealedRows.ts"
import { secretKey as former } from "../../support/apps/TestSettings.ts"
import { folioCommand } from "../../support/processes/FolioCommand.ts"
import { killed } from "../../support/processes/KilledCommand.ts"
import { refusalOf } from "../../support/processes/Refusing.ts"
import { freePort, serviceProcess } from "../../support/processes/ServiceProcess.ts"
import { receiver } from "../../support/receiver/Receiver.ts"
import { isSignedWith } from "../../support/receiver/Signatures.ts"
import { it } from "../../support/Tests.ts"

const [old, next] = [base64Of(former), newSecretKey()]
const changed = { FOLIO_KEY: base64Of(next), FOLIO_KEY_PREVIOUS: old }

const unfinished = "The change of the encryption key is not finished"

type Settings = Record<string, string>

/** Stops a service if it runs, and starts it with these settings in `env`, from which it reads them. */
const restarted = Effect.fnUntraced(function* (
  service: Effect.Success<ReturnType<typeof serviceProcess>>,
  env: Settings,
  settings: Settings
) {
  if ((yield* service.ready) !== 0) {
    yield* service.signal("SIGTERM")
    assert.deepStrictEqual(yield* service.ended, { code: 0, signal: null })
  }
  delete env["FOLIO_KEY_PREVIOUS"]
  Object.assign(env, settings)
  yield* service.start()
})

const statusOf = (url: string) => Effect.promise(async () => (await fetch(url)).status)

describe("A change of the key", () => {
  it.live(
    "loses no secret of a service with traffic, although folio rekey is killed, and runs twice at a time",
    function* () {
      const hooks = yield* receiver
      const DATABASE_URL = yield* freshDatabase
      const DATA_DIR = yield* dataDirectory
      const env: Settings = {
        DATABASE_URL,
        FOLIO_KEY: old,
        CLUSTER: "socket",
        RUNNER_PORT: String(yield* freePort)
      }
      const service = yield* serviceProcess({ webhookAllow: `127.0.0.1:${hooks.port}`, env })
      yield* seedSecrets(DATABASE_URL)
      // The service makes its own certificate, and delivers only to its own endpoints.
      for (const table of ["webhook_endpoints", "sandbox_certificate"])
        yield* query(DATABASE_URL, `delete from ${table}`)
      yield* service.start()
      const client = makeClient(service.url, makeApiKey("test", new Uint8Array(32).fill(1)))

      const endpoint = yield* client.post("/v1/webhook-endpoints", endpointBody(hooks.url("/hooks")), {
        key: "endpoint"
      })
      const rotate = client.post(`/v1/webhook-endpoints/${endpoint.json.id}/rotate-secret`, undefined, {
        key: "rotate"
      })
      const rotated = yield* rotate
      assert.strictEqual(rotated.status, 201, rotated.text)
      const secret = String(rotated.json.secret)
      const customer = String((yield* client.post("/v1/customers", customerBody(), { key: "customer" })).json.id)

      let count = 0
      const invoice = Effect.suspend(() => {
        const key = `invoice ${++count}`
        return client.post("/v1/invoices", invoiceBody(customer, { key }), { key })
      })
      /** Issues an invoice and waits for its delivery, signed with the rotated secret. */
      const deliver = Effect.gen(function* () {
        const { json, status, text } = yield* invoice
        assert.strictEqual(status, 202, text)
        const [post] = yield* until(
          Effect.sync(() =>
            hooks.received.filter(({ body, path }) => path === "/hooks" && body.includes(String(json.id)))
          ),
          ({ length }) => length > 0
        )
        assert.isTrue(isSignedWith(secret, post!))
        return String(json.id)
      })
      const linkOf = (id: string) => Effect.map(client.get(`/v1/invoices/${id}`), ({ json }) => String(json.pdf_url))
      const formerLink = yield* linkOf(yield* deliver)
      assert.strictEqual(yield* statusOf(formerLink), 200)
      const plain = yield* plainSecrets(DATABASE_URL, former)

      yield* restarted(service, env, changed)
      assert.include(yield* service.log, unfinished)
      assert.strictEqual(yield* statusOf(formerLink), 200)
      const traffic = yield* Effect.forkScoped(
        Effect.forever(
          Effect.gen(function* () {
            yield* invoice
            const made = yield* client.post("/v1/webhook-endpoints", endpointBody(hooks.url("/other")))
            yield* client.post(`/v1/webhook-endpoints/${made.json.id}/rotate-secret`, undefined, {
              key: `${made.json.id}`
            })
            yield* client.request("DELETE", `/v1/webhook-endpoints/${made.json.id}`)
          })
        )
      )

      // The command waits for the row of the certificate when it is killed, after it has resealed the endpoints.
      const waits = `select from pg_stat_activity where query like '%update "certificates"%' and wait_event_type = 'Lock'`
      const isInTheMiddle = Effect.map(query(DATABASE_URL, waits), ({ rows }) => rows.length > 0)
      const command = { DATABASE_URL, DATA_DIR, ...changed }
      const wasKilled = yield* Effect.flatMap(SqlClient.SqlClient, (sql) =>
        sql.withTransaction(
          Effect.andThen(sql`select from certificates for update`, killed(["rekey"], command, isInTheMiddle))
        )
      ).pipe(Effect.provide(layerAdmin(DATABASE_URL)))
      assert.isTrue(wasKilled)
      const half = yield* plainSecrets(DATABASE_URL, next)
      assert.strictEqual(half[`webhook_endpoints|${endpoint.json.id}`], secret, "the endpoint is resealed")
      assert.isNull(half["key_canary"])
      const onlyNew = { DATABASE_URL, DATA_DIR, FOLIO_KEY: changed.FOLIO_KEY, CLUSTER: "socket" }
      const refused =
        /^folio: The key in FOLIO_KEY is not the one .* set FOLIO_KEY_PREVIOUS to the former key, and run folio rekey\./
      assert.match(yield* refusalOf(onlyNew), refused)
      yield* deliver

      const both = yield* Effect.all(
        [folioCommand(["rekey", "--json"], command), folioCommand(["rekey", "--json"], command)],
        {
          concurrency: "unbounded"
        }
      )
      for (const said of both) assert.strictEqual(said.code, 0, said.error)
      yield* deliver
      assert.isUndefined(traffic.pollUnsafe(), "every request of the traffic got a response")
      yield* Fiber.interrupt(traffic)
      assert.match(yield* refusalOf({ ...onlyNew, FOLIO_KEY: old }), refused)

      yield* restarted(service, env, { FOLIO_KEY: changed.FOLIO_KEY })
      assert.lengthOf((yield* service.log).split(unfinished), 2, "only the start before folio rekey reports the change")
      yield* deliver
      const replayed = yield* rotate
      assert.deepStrictEqual([replayed.status, replayed.text], [201, rotated.text])
      assert.strictEqual(replayed.headers.get("svc-idempotency-cached"), "true")
      const range = yield* client.get(`/v1/resolutions/${sealedRange}`)
      assert.strictEqual(range.json.technical_key, "technical key", range.text)
      assert.strictEqual(yield* statusOf(formerLink), 403)
      assert.strictEqual(yield* statusOf(yield* linkOf(yield* deliver)), 200)
      const after = yield* plainSecrets(DATABASE_URL, next)
      for (const [place, text] of Object.entries(plain)) assert.strictEqual(after[place], text, place)
      assert.notInclude(Object.values(after), null)
    }
  )

  it.live("interrupts no service of several processes, each restarted on its own", function* () {
    const hooks = yield* receiver
    const DATABASE_URL = yield* freshDatabase
    const DATA_DIR = yield* dataDirectory
    const common = { DATABASE_URL, CLUSTER: "socket", FOLIO_KEY: old }
    const envs: ReadonlyArray<Settings> = [
      { ...common, RUNNER_PORT: String(yield* freePort) },
      { ...common, RUNNER_PORT: String(yield* freePort) }
    ]
    const [one, two] = yield* Effect.forEach(envs, (env) =>
      serviceProcess({ webhookAllow: `127.0.0.1:${hooks.port}`, env })
    )
    for (const service of [one!, two!]) yield* service.start()
    const clients = [one!, two!].map(({ url }) => makeClient(url, one!.client().apiKey))
    const customer = String((yield* clients[0]!.post("/v1/customers", customerBody(), { key: "customer" })).json.id)

    /** Each process creates an endpoint, and issues an invoice that both endpoints receive. */
    const secrets = new Map<string, string>()
    const work = Effect.fnUntraced(function* (step: string) {
      for (const [index, client] of clients.entries()) {
        const path = `/${step}-${index}`
        const made = yield* client.post("/v1/webhook-endpoints", endpointBody(hooks.url(path)), { key: path })
        assert.strictEqual(made.status, 201, made.text)
        secrets.set(path, String(made.json.secret))
        const invoice = yield* client.post("/v1/invoices", invoiceBody(customer), { key: `invoice ${path}` })
        assert.strictEqual(invoice.status, 202, invoice.text)
        const posts = yield* until(
          Effect.sync(() => hooks.received.filter(({ body }) => body.includes(String(invoice.json.id)))),
          (received) => new Set(received.map((post) => post.path)).size === secrets.size
        )
        for (const post of posts) assert.isTrue(isSignedWith(secrets.get(post.path)!, post), `${step} ${post.path}`)
      }
    })
    const rekey = folioCommand(["rekey"], { DATABASE_URL, DATA_DIR, ...changed })

    yield* work("former")
    for (const [index, service] of [one!, two!].entries()) {
      yield* restarted(service, envs[index]!, { FOLIO_KEY_PREVIOUS: changed.FOLIO_KEY })
    }
    yield* restarted(one!, envs[0]!, changed)
    yield* work("mixed")
    const early = yield* rekey
    assert.match(early.error, /^folio: 1 process still encrypts secrets with another key/)
    yield* restarted(two!, envs[1]!, changed)
    const said = yield* rekey
    assert.strictEqual(said.code, 0, said.error)
    yield* restarted(one!, envs[0]!, { FOLIO_KEY: changed.FOLIO_KEY })
    yield* work("half")
    yield* restarted(two!, envs[1]!, { FOLIO_KEY: changed.FOLIO_KEY })
    yield* work("next")
    assert.notInclude(Object.values(yield* plainSecrets(DATABASE_URL, next)), null)
    for (const service of [one!, two!]) assert.notInclude(yield* service.log, "RUNNER_PORT refused")
  })
})
