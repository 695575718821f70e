import { assert } from "@effect/vitest"
import { Duration, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { MailerAbsent, MailerRefused, MailerUnavailable } from "../../src/invoices/mail/Mailer.ts"
import { WatchPace } from "../../src/operations/Watch.ts"
import { account, keys } from "../support/apps/Accounts.ts"
import { FakeMailer } from "../support/apps/Fakes.ts"
import { serviceWith } from "../support/apps/PostgresApp.ts"
import { addEndpoint, change } from "../support/apps/PostgresRows.ts"
import { bearer, get, send } from "../support/apps/Requests.ts"
import { until } from "../support/apps/Until.ts"
import { describeLive } from "../support/Tests.ts"

const often = Layer.succeed(WatchPace, { search: Duration.millis(50), send: Duration.millis(20) })
const hourMs = 3_600_000

const list = (query = "", key = keys.test) =>
  Effect.map(send({ method: "GET", path: `/v1/notices${query}`, headers: bearer(key) }), ({ json }) => json.data)

describeLive(serviceWith(often))("A notice", (it) => {
  it.effect("opens in test mode without an email, is listed to its account only, and ends", function* () {
    const fake = yield* FakeMailer
    const endpoint = yield* addEndpoint()
    yield* change("webhook_endpoints", endpoint, { failing_since: new Date(Date.now() - 2 * hourMs) })
    const [notice, ...others] = yield* until(list("?status=open"), (data) => data.length > 0)
    assert.isEmpty(others)
    assert.deepInclude(notice, {
      object: "notice",
      livemode: false,
      kind: "endpoint_failing",
      object_type: "webhook_endpoint",
      object_id: endpoint,
      ended_at: null,
      emailed_at: null
    })
    assert.match(
      notice.message,
      new RegExp(
        `^Webhook endpoint hooks.example.com has accepted no delivery since \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d\\. .*/v1/webhook-endpoints/${endpoint}/recover\\.$`
      )
    )
    assert.deepStrictEqual((yield* get(`/v1/notices/${notice.id}`)).json, notice)
    assert.deepStrictEqual(yield* list("?kind=endpoint_failing&status=open"), [notice])
    assert.isEmpty(yield* list("?kind=endpoint_full"))
    assert.isEmpty(yield* list("?status=ended"))
    for (const key of [keys.live, keys.otherAccount]) assert.isEmpty(yield* list("", key))
    yield* change("webhook_endpoints", endpoint, { failing_since: null })
    const [ended] = yield* until(list("?status=ended"), (data) => data.length > 0)
    assert.deepInclude(ended, { id: notice.id, message: notice.message })
    assert.isString(ended.ended_at)
    assert.isEmpty(fake.sent)
  })

  it.effect("reaches the issuer in live mode once, in Spanish, after retries", function* () {
    const fake = yield* FakeMailer
    const sql = yield* SqlClient.SqlClient
    fake.onSend = () => Effect.fail(new MailerUnavailable({ message: "no" }))
    const [certificate] = yield* sql<{
      id: string
    }>`select id from certificates where account_id = ${account} order by not_after desc`
    const due = sql`update notices set next_email_at = now() where next_email_at > now() returning id`
    yield* change("certificates", certificate!.id, { not_after: new Date(Date.now() + 240 * hourMs) })
    yield* until(
      Effect.map(due, () => fake.sent.length),
      (count) => count >= 2
    )
    fake.onSend = () => Effect.succeed({ complained: false })
    const [notice] = yield* until(
      Effect.andThen(due, list("?status=open", keys.live)),
      ([one]) => one?.emailed_at !== null
    )
    assert.deepInclude(notice, { kind: "certificate_expiring", livemode: true })
    const { envelope, message } = fake.sent.at(-1)!
    const [mode] = yield* sql<{ email: string }>`
      select issuer ->> 'email' as email from account_modes where account_id = ${account} and livemode`
    assert.deepStrictEqual(envelope, { reference: notice.id, livemode: true, to: mode!.email })
    assert.match(message.subject, /^El certificado de firma vence el \d{4}-\d\d-\d\d$/)
    assert.include(message.text, "súbalo en Ajustes, Certificado.")
    assert.deepStrictEqual([message.archive, message.reply_to], [null, null])
    const sent = fake.sent.length
    yield* sql`update notices set message = 'changed'`
    yield* until(list("?status=open", keys.live), ([one]) => one.message === notice.message)
    assert.lengthOf(fake.sent, sent)
    yield* change("certificates", certificate!.id, { not_after: new Date(Date.now() + 2_400 * hourMs) })
    yield* until(list("?status=open", keys.live), (data) => data.length === 0)
  })

  it.effect("stays open after a final failure, without a retry", function* () {
    const fake = yield* FakeMailer
    const sql = yield* SqlClient.SqlClient
    for (const error of [new MailerRefused({ message: "no" }), new MailerAbsent({ message: "no" })]) {
      yield* sql`delete from notices`
      fake.sent.length = 0
      fake.onSend = () => Effect.fail(error)
      const [id] = yield* sql<{ id: string }>`
        insert into webhook_endpoints (account_id, livemode, id, url, subscribed_events, max_in_flight, metadata, api_version, secret,
          full_since, created_at, updated_at)
        values (${account}, true, ${`we_${error._tag.length}`}, 'https://a.example.com/', '{*}', 1, '{}', '2026-01-01', 's', now(), now(), now())
        returning id`
      yield* until(
        Effect.zip(
          Effect.sync(() => fake.sent.length),
          sql`select from notices where kind = 'endpoint_full' and next_email_at is null and email_attempts = 1`
        ),
        ([count, rows]) => count === 1 && rows.length === 1
      )
      assert.deepInclude((yield* list("?status=open", keys.live))[0], { kind: "endpoint_full", emailed_at: null })
      yield* sql`delete from webhook_endpoints where id = ${id!.id}`
      yield* until(list("?status=open", keys.live), (data) => data.length === 0)
    }
  })
})
