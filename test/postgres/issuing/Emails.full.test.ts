import { assert } from "@effect/vitest"
import { Array, Effect } from "effect"
import { readSignedDocument } from "../../../src/documents/signature/SignedDocument.ts"
import { makeClient } from "../../support/apps/Client.ts"
import { folioCommand } from "../../support/processes/FolioCommand.ts"
import { invoiceBody, resolutionBody } from "../../support/apps/Invoices.ts"
import { keyFile, softwareSettings } from "../../support/authority/LiveAccounts.ts"
import { mailServer } from "../../support/mail/MailServer.ts"
import { never, serviceProcess } from "../../support/processes/ServiceProcess.ts"
import { accepted } from "../../support/authority/StandInAnswers.ts"
import { standInAuthority } from "../../support/authority/StandInAuthority.ts"
import { until } from "../../support/apps/Until.ts"
import { it } from "../../support/Tests.ts"

const customer = {
  identification: { type: "31", number: "900373115", check_digit: "3" },
  legal_name: "Cliente S.A.S.",
  organization_type: "1",
  email: "compras@cliente.test"
}

interface Row {
  readonly id: string
  readonly invoice_id: string
  readonly status: string
  readonly attempts: number
}

/** A service that sends live documents to an authority and emails to a real server, and a client with a live key. */
const mailing = Effect.gen(function* () {
  const server = yield* mailServer()
  const authority = yield* standInAuthority({ readCufe: (signed) => readSignedDocument(signed)?.cufe ?? null })
  authority.judgeBy(({ cufe }) => accepted("", cufe))
  const env = {
    AUTHORITY_URL: authority.url,
    ...softwareSettings,
    SMTP_URL: `smtp://127.0.0.1:${server.port}`,
    MAIL_FROM: "documentos@folio.test",
    LOG_LEVEL: "Info"
  }
  const service = yield* serviceProcess({ webhookAllow: "", env })
  yield* service.start(never)
  const [account] = yield* service.rows<{ id: string }>("select id from accounts")
  const words = ["keys", "create", "--account", account?.id ?? "", "--mode", "live", "--copy-issuer", "--json"]
  const made = yield* folioCommand(words, { ...env, DATA_DIR: service.dataDir })
  const client = makeClient(service.url, made.json.key)
  const { password, pkcs12 } = keyFile()
  yield* client.request("PATCH", "/v1/account", { body: { vat_responsible: true } })
  yield* client.post("/v1/account/certificate", { pkcs12, password })
  yield* client.post("/v1/resolutions", resolutionBody(), { key: "range" })
  const { json } = yield* client.post("/v1/customers", customer, { key: "customer" })

  const issue = (key: string) => client.post("/v1/invoices", invoiceBody(json.id), { key })
  const emails = service.rows<Row>("select id, invoice_id, status, attempts from emails order by id")
  // A busy machine may fail an attempt, and the next attempt would be minutes later.
  const hurried = Effect.andThen(
    service.rows("update emails set next_attempt_at = now() where status = 'pending' and worker is null"),
    emails
  )
  return { server, service, client, emails, hurried, issue }
})

const count = 6

it.live(
  "A kill between sending and recording emails loses none, and a repeated email has the same Message-ID",
  function* () {
    const { client, emails, hurried, issue, server, service } = yield* mailing
    let issued = 0
    for (const point of ["after-outcome", "after-mail"] as const) {
      yield* service.arm({ point, hit: 3 })
      const keys = Array.makeBy(count, (index) => `${point} ${index}`)
      yield* Effect.forEach(keys, (key) => Effect.exit(issue(key)), { concurrency: "unbounded" })
      assert.deepStrictEqual(yield* service.ended, { code: null, signal: "SIGKILL" }, point)
      yield* service.start(never)
      yield* Effect.forEach(keys, (key) => until(issue(key), ({ status }) => status === 202))
      issued += count
      yield* until(
        hurried,
        (rows) => rows.length === issued && rows.every(({ status }) => status === "delivered"),
        "180 seconds",
        "200 millis"
      )
    }
    const rows = yield* emails
    const arrived = server.arrived.map(({ mail }) => mail.messageId)
    assert.sameMembers(
      [...new Set(arrived)],
      rows.map(({ id, invoice_id }) => `<${id}.${invoice_id}@folio.test>`)
    )
    assert.isAbove(arrived.length, rows.length, "emails that were sent before the kill came again")
    // At most the emails in progress when the process died.
    assert.isAtMost(arrived.length - rows.length, 8)
    const events = yield* service.rows<{ events: bigint }>(`
    select count(*) as events from events where type = 'invoice.email.delivered' group by object_id`)
    assert.deepStrictEqual(
      events.map((row) => row.events),
      rows.map(() => 1n)
    )
    const { json } = yield* client.get(`/v1/invoices/${rows[0]?.invoice_id}`)
    assert.strictEqual(json.email.status, "delivered")
  }
)

it.live(
  "A server that rejects the recipient bounces an email, and after a cut connection the server gets the email again",
  function* () {
    const { emails, hurried, issue, server, service } = yield* mailing
    server.onRecipient = () => ({ code: 550, text: "5.1.1 No such user" })
    yield* issue("bounces")
    yield* until(emails, ([row]) => row?.status === "bounced")
    const [bounce] = yield* service.rows<{ reason: string; body: string }>(`
    select reason, body from emails join events on object_id = invoice_id and type = 'invoice.email.bounced'`)
    assert.include(bounce?.reason, "5.1.1 No such user")
    assert.deepInclude(JSON.parse(bounce?.body ?? "").data.object, { status: "bounced", reason: bounce?.reason })

    server.onRecipient = () => "take"
    server.onMessage = () => "cut"
    yield* issue("is cut")
    yield* until(emails, ([, row]) => row?.status === "pending" && row.attempts === 1)
    yield* until(
      Effect.sync(() => server.arrived.length),
      (arrived) => arrived === 1
    )
    server.onMessage = () => "take"
    yield* until(hurried, ([, row]) => row?.status === "delivered")
    const [first, second, ...more] = server.arrived.map(({ mail }) => mail)
    assert.deepStrictEqual([second?.messageId, more], [first?.messageId, []])
    assert.strictEqual(second?.subject, first?.subject)
    assert.deepStrictEqual(second?.attachments[0]?.content, first?.attachments[0]?.content)
  }
)
