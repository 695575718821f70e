import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { makeClient } from "../../support/apps/Client.ts"
import { endpointBody } from "../../support/apps/Invoices.ts"
import { until } from "../../support/apps/Until.ts"
import { mailServer } from "../../support/mail/MailServer.ts"
import { folioCommand, issuer } from "../../support/processes/FolioCommand.ts"
import { never, serviceProcess } from "../../support/processes/ServiceProcess.ts"
import { it } from "../../support/Tests.ts"

/** A service that searches for notices every 200 ms, and a live account whose endpoint has just begun to fail. */
const noticing = Effect.gen(function* () {
  const server = yield* mailServer()
  const env = {
    WATCH_MS: "200",
    SMTP_URL: `smtp://127.0.0.1:${server.port}`,
    MAIL_FROM: "documentos@folio.test"
  }
  const service = yield* serviceProcess({ webhookAllow: "", env })
  yield* service.start(never)
  const words = ["accounts", "create", ...issuer, "--mode", "live", "--json"]
  const made = yield* folioCommand(words, { ...env, DATA_DIR: service.dataDir })
  const client = makeClient(service.url, made.json.api_key.key)
  yield* client.post("/v1/webhook-endpoints", endpointBody("https://hooks.example.com/folio"))
  const fail = service.rows("update webhook_endpoints set failing_since = now() - interval '2 hours'")

  const notices = Effect.map(client.get("/v1/notices"), ({ json }) => json.data)
  // The lease of an email that was under way at a kill lasts two minutes.
  const emailed = until(
    Effect.andThen(service.rows("update notices set next_email_at = now() where next_email_at > now()"), notices),
    ([one]) => one?.emailed_at !== null,
    "180 seconds",
    "200 millis"
  )
  /** Lets the service search some more times, and returns the notices. */
  const settled = Effect.gen(function* () {
    const began = performance.now()
    yield* until(notices, () => performance.now() - began > 1_200, "180 seconds", "200 millis")
    return yield* notices
  })
  const ids = () => server.arrived.map(({ mail }) => mail.messageId)
  return { emailed, fail, ids, server, service, settled }
})

it.live("A notice that is found before a kill opens once, and is emailed once after the restart", function* () {
  const { emailed, fail, ids, server, service, settled } = yield* noticing
  // The email is under way, but the server does not have it.
  server.onRecipient = () => "silence"
  yield* fail
  const [found] = yield* until(
    service.rows<{ id: string }>("select id from notices where email_attempts > 0"),
    (rows) => rows.length > 0
  )
  yield* service.signal("SIGKILL")
  yield* service.ended
  assert.deepStrictEqual(ids(), [])
  server.onRecipient = () => "take"
  yield* service.start(never)
  yield* emailed
  const [notice, ...others] = yield* settled
  assert.deepStrictEqual([notice.id, notice.kind, others], [found?.id, "endpoint_failing", []])
  assert.deepStrictEqual(ids(), [`<${found?.id}@folio.test>`])
})

it.live(
  "A notice whose email was sent but not recorded before a kill is emailed twice, with one Message-ID",
  function* () {
    const { emailed, fail, ids, service, settled } = yield* noticing
    yield* service.arm({ point: "after-mail", hit: 1 })
    yield* fail
    yield* service.ended
    yield* service.start(never)
    yield* emailed
    const [notice, ...others] = yield* settled
    assert.deepStrictEqual([notice.kind, others], ["endpoint_failing", []])
    assert.deepStrictEqual(ids(), [`<${notice.id}@folio.test>`, `<${notice.id}@folio.test>`])
  }
)
