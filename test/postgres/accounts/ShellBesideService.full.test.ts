import { assert, describe } from "@effect/vitest"
import * as Fs from "node:fs"
import { makeClient } from "../../support/apps/Client.ts"
import { endpointBody } from "../../support/apps/Invoices.ts"
import { until } from "../../support/apps/Until.ts"
import { folioCommand, issuer, notedIn, wrongIn } from "../../support/processes/FolioCommand.ts"
import { serviceProcess } from "../../support/processes/ServiceProcess.ts"
import { it } from "../../support/Tests.ts"

describe("folio", () => {
  it.live("works next to the service on its embedded database, and finds a revoked key without a wait", function* () {
    const service = yield* serviceProcess({ webhookAllow: "127.0.0.1:9" })
    const env = { DATA_DIR: service.dataDir }
    const nowhere = yield* folioCommand(["doctor", "--json"], env)
    assert.deepStrictEqual([nowhere.code, wrongIn(nowhere)], [0, []])
    assert.include(nowhere.out, "the first start creates the database")
    assert.isFalse(Fs.existsSync(service.dataDir), "the doctor creates nothing")
    yield* service.start()
    const made = yield* folioCommand(["accounts", "create", ...issuer, "--json"], env)
    const { account, api_key } = made.json
    const client = makeClient(service.url, api_key.key)
    assert.strictEqual((yield* client.get("/v1/account")).json.id, account.id)
    assert.strictEqual((yield* client.post("/v1/webhook-endpoints", endpointBody("https://example.com"))).status, 201)
    const doctor = yield* folioCommand(["doctor", "--json"], env)
    assert.deepStrictEqual(wrongIn(doctor), [], doctor.out)
    assert.strictEqual(doctor.code, 0)
    const isOfNobody = process.getuid?.() === 0 && !/^folio:/m.test(Fs.readFileSync("/etc/passwd", "utf8"))
    assert.strictEqual(notedIn(doctor).includes("server user"), isOfNobody, doctor.out)
    assert.strictEqual((yield* folioCommand(["keys", "revoke", api_key.id], env)).code, 0)
    yield* until(client.get("/v1/account"), ({ status }) => status === 401)
    assert.strictEqual(yield* service.ready, 200)
    yield* service.signal("SIGTERM")
    yield* service.ended
    // The service is stopped: a command starts the database for itself, and leaves no process behind.
    assert.include((yield* folioCommand(["accounts", "list"], env)).out, account.id)
    assert.strictEqual(yield* service.postmaster, 0)
  })
})
