import { assert } from "@effect/vitest"
import { folioCommand } from "../../support/processes/FolioCommand.ts"
import { refusalOf } from "../../support/processes/Refusing.ts"
import { serviceProcess } from "../../support/processes/ServiceProcess.ts"
import { it } from "../../support/Tests.ts"

const WEBHOOK_ALLOW = "127.0.0.1:9"

it.live("WEBHOOK_ALLOW and live keys exclude each other in one database", function* () {
  const service = yield* serviceProcess({ webhookAllow: WEBHOOK_ALLOW })
  yield* service.start()
  const env = { DATA_DIR: service.dataDir }
  const [sandbox] = yield* service.rows<{ id: string }>("select id from accounts")
  const newKey = ["keys", "create", "--account", sandbox?.id ?? "", "--mode", "live", "--json"]
  const issuer = ["--nit", "900373115", "--legal-name", "Tienda", "--email", "a@folio.test", "--address", "Calle 1"]
  const newAccount = ["accounts", "create", ...issuer, "--city-code", "11001", "--mode", "live"]
  // The command's own environment lacks the setting: the setting of the service counts.
  for (const words of [newKey, newAccount]) {
    const refused = yield* folioCommand(words, env)
    assert.strictEqual(refused.code, 1, refused.out)
    assert.match(refused.error, /^folio: The service runs with WEBHOOK_ALLOW[^\n]*\n$/)
  }
  assert.deepStrictEqual(yield* service.rows("select from api_keys where livemode"), [])

  yield* service.signal("SIGTERM")
  yield* service.ended
  const { json } = yield* folioCommand(newKey, env)
  assert.match(json.key, /^sk_live_/)
  assert.match(
    yield* refusalOf({ ...env, WEBHOOK_ALLOW }),
    /^folio: WEBHOOK_ALLOW is for development: .*this database has live keys\. Unset it, or revoke them/
  )
  yield* folioCommand(["keys", "revoke", json.id], env)
  yield* service.start()
})
