import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { accepted, told, typesOf } from "../../support/mail/Mailed.ts"
import { noticeHeaders } from "../../support/mail/MailNotices.ts"
import { layer as app } from "../../support/apps/PostgresApp.ts"
import { get, post } from "../../support/apps/Requests.ts"
import { describeLive } from "../../support/Tests.ts"

const messageOf = (emailId: string, invoiceId: string) => `<${emailId}.${invoiceId}@folio.example.com>`

const notify = Effect.fnUntraced(function* (body: object, secondsAgo?: number, secret?: string) {
  const text = JSON.stringify(body)
  const headers = yield* noticeHeaders(text, secondsAgo, secret)
  return yield* post("/v1/email-notices", text, headers)
})

const notice = (emailId: string, invoiceId: string, type: string) => ({
  message_id: messageOf(emailId, invoiceId),
  type,
  at: "2026-11-21T09:59:58-05:00",
  reason: "550 5.1.1 No such user"
})

const delivered = Effect.gen(function* () {
  const id = yield* accepted("compras@example.com")
  const { json } = yield* get(`/v1/invoices/${id}/emails`)
  return { id, emailId: String(json.data[0].id) }
})

describeLive(app)("POST /v1/email-notices", (it) => {
  it.effect.each(["bounced", "complained"] as const)(
    "changes a delivered email to %s, and emits one event",
    function* (type) {
      const { emailId, id } = yield* delivered
      for (const recorded of [true, false, false]) {
        const { json, status, text } = yield* notify(notice(emailId, id, type))
        assert.deepStrictEqual([status, json], [200, { object: "email_notice", recorded }], text)
      }
      const events = yield* told(id)
      assert.deepStrictEqual(typesOf(events), ["invoice.email.delivered", `invoice.email.${type}`])
      assert.deepInclude(events.at(-1)?.data.object as object, {
        id: emailId,
        status: type,
        at: "2026-11-21T09:59:58.000-05:00",
        reason: "550 5.1.1 No such user"
      })
      assert.deepStrictEqual((yield* get(`/v1/invoices/${id}`)).json.email, {
        status: type,
        at: "2026-11-21T09:59:58.000-05:00"
      })
    }
  )

  it.effect.each([
    ["bounced", "delivered"],
    ["bounced", "complained"],
    ["complained", "bounced"],
    ["complained", "delivered"]
  ] as const)("keeps a final status: %s does not become %s", function* ([first, second]) {
    const { emailId, id } = yield* delivered
    yield* notify(notice(emailId, id, first))
    assert.strictEqual((yield* notify(notice(emailId, id, second))).json.recorded, false)
    assert.strictEqual((yield* get(`/v1/invoices/${id}`)).json.email.status, first)
    assert.lengthOf(yield* told(id), 2)
  })

  it.effect("returns 200 for an unknown message, and records nothing", function* () {
    const { emailId, id } = yield* delivered
    const other = yield* delivered
    for (const message_id of [
      "<someone@else>",
      "x",
      messageOf(emailId, other.id),
      messageOf(`em_${"0".repeat(26)}`, id),
      `${messageOf(emailId, id)} ${messageOf(emailId, id)}`
    ]) {
      const { json, status } = yield* notify({ ...notice(emailId, id, "bounced"), message_id })
      assert.deepStrictEqual([status, json.recorded], [200, false], message_id)
    }
    assert.lengthOf(yield* told(id), 1)
    const bare = { ...notice(emailId, id, "bounced"), message_id: messageOf(emailId, id).slice(1, -1) }
    assert.isTrue((yield* notify(bare)).json.recorded, "without brackets")
  })

  it.effect("rejects a signature that is forged, of another body, too old, from the future, or missing", function* () {
    const { emailId, id } = yield* delivered
    const body = JSON.stringify(notice(emailId, id, "bounced"))
    const right = yield* noticeHeaders(body)
    const anonymous = { authorization: undefined }
    for (const [what, headers, sent = body] of [
      ["another secret", yield* noticeHeaders(body, 0, "another secret")],
      ["an empty secret", yield* noticeHeaders(body, 0, "")],
      ["another body", right, `${body} `],
      ["301 s ago", yield* noticeHeaders(body, 301)],
      ["in 301 s", yield* noticeHeaders(body, -301)],
      ["none", anonymous],
      ["an empty one", { ...anonymous, "svc-signature": "" }],
      ["a bearer key", { authorization: right["svc-signature"] }],
      ["another time", { ...anonymous, "svc-signature": right["svc-signature"].replace(/t=\d+/, "t=1") }]
    ] as ReadonlyArray<readonly [string, Record<string, string | undefined>, string?]>) {
      const { json, status } = yield* post("/v1/email-notices", sent, headers)
      assert.deepStrictEqual([status, json.error?.code], [401, "invalid_api_key"], what)
    }
    assert.lengthOf(yield* told(id), 1)
    for (const secondsAgo of [300, -300]) {
      assert.strictEqual((yield* notify(notice(emailId, id, "bounced"), secondsAgo)).status, 200)
    }
    assert.lengthOf(yield* told(id), 2)
  })

  it.effect.each([
    ["no JSON", "{", "malformed_json", "body"],
    ["no body", "", "parameter_missing", "body"],
    ["another type", { type: "opened" }, "parameter_invalid", "type"],
    ["no type", { type: undefined }, "parameter_missing", "type"],
    ["a malformed time", { at: "yesterday" }, "parameter_invalid", "at"],
    ["a long id", { message_id: "x".repeat(501) }, "parameter_too_long", "message_id"],
    ["a line break in the reason", { reason: "a\r\nb" }, "parameter_invalid", "reason"],
    ["an unknown field", { odd: 1 }, "parameter_unknown", "odd"]
  ] as const)("rejects %s, even with a signature", function* ([, change, code, param]) {
    const base = notice(`em_${"0".repeat(26)}`, `inv_${"0".repeat(26)}`, "bounced")
    const text = typeof change === "string" ? change : JSON.stringify({ ...base, ...change })
    const { json, status } = yield* post("/v1/email-notices", text, yield* noticeHeaders(text))
    assert.deepStrictEqual([status, json.error?.code], [400, code])
    if (code !== "malformed_json") assert.strictEqual(json.error.param, param)
  })
})
