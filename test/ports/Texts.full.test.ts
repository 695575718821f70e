import { assert, describe } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as Layers from "../../src/service/Layers.ts"
import { Authority, AuthorityRefusal, type Verdict } from "../../src/invoices/authority/Authority.ts"
import { Mailer, MailerRefused } from "../../src/invoices/mail/Mailer.ts"
import { WebhookSender } from "../../src/webhooks/sender/WebhookSender.ts"
import { accepted, answered, rejected } from "../support/apps/Fakes.ts"
import { customerBody, endpointBody, invoiceBody } from "../support/apps/Invoices.ts"
import * as TestApp from "../support/apps/TestApp.ts"
import { until } from "../support/apps/Until.ts"
import { itOn } from "../support/Tests.ts"

/* Texts and values that a port's type allows but PostgreSQL does not accept. */

const bad = "no\u0000t \ud800taken"
const long = bad.repeat(10_000)
const error = { rule: bad, severity: "rejection" as const, message: long, path: bad, hint: bad }
const cyclic: Record<string, unknown> = {}
cyclic["self"] = cyclic

const verdicts: ReadonlyArray<readonly [name: string, verdict: Verdict, status: string]> = [
  ["errors", { ...rejected, errors: Array.from({ length: 1_000 }, () => error) }, "rejected_by_authority"],
  ["notifications", { ...accepted, notifications: [{ ...error, severity: "notification" }] }, "accepted_by_authority"],
  ["texts of its answer", { ...accepted, answer: { [bad]: [bad, "\\u0000 is fine"] } }, "accepted_by_authority"],
  ["cyclic answer", { ...accepted, answer: cyclic }, "accepted_by_authority"],
  ["bigint of its answer", { ...accepted, answer: { n: 1n } }, "accepted_by_authority"],
  ["missing answer", { ...accepted, answer: undefined }, "accepted_by_authority"],
  ["function of an answer", { ...accepted, answer: () => 1 }, "accepted_by_authority"],
  ["huge answer", { ...accepted, answer: "x".repeat(9 * 1024 * 1024) }, "accepted_by_authority"]
]

// The outcome of the next submission. A document is submitted after the previous one has its outcome.
let next: Effect.Effect<Verdict, AuthorityRefusal> = Effect.succeed(accepted)

const ports = Layer.mergeAll(
  Layer.succeed(Mailer, { send: () => Effect.fail(new MailerRefused({ message: long })) }),
  Layer.succeed(WebhookSender, {
    send: () =>
      Effect.succeed({
        ...answered(500),
        remoteIp: bad,
        headers: { [bad]: long },
        body: long,
        durationMs: 1e15,
        error: { code: "status", message: long }
      })
  })
)

const it = itOn(
  TestApp.layer({
    authority: Layer.succeed(Authority, {
      submit: () => Effect.suspend(() => next),
      verdict: () => Effect.succeed(null)
    }),
    entities: Layers.layerActors.pipe(Layer.provide(ports))
  })
)

const isClean = (text: string) => {
  assert.notInclude(text, "\u0000")
  assert.isTrue(text.isWellFormed())
}

describe("A port's texts that PostgreSQL does not accept", () => {
  it.live("change no outcome of documents, emails and deliveries", function* () {
    const sql = yield* SqlClient.SqlClient
    const { client } = yield* TestApp.TestApp
    const buyer = { ...customerBody(), email: "compras@cliente.test" }
    const customer = yield* client.post("/v1/customers", buyer, { key: "customer" })
    yield* client.post("/v1/webhook-endpoints", endpointBody("https://hooks.example.com/folio"), { key: "endpoint" })
    const ended = Effect.fnUntraced(function* (name: string, status: string) {
      const made = yield* client.post("/v1/invoices", invoiceBody(customer.json.id), { key: name })
      const { json } = yield* until(client.get(`/v1/invoices/${made.json.id}`), (seen) => seen.json.status !== "draft")
      assert.strictEqual(json.status, status, name)
      const [row] = yield* sql<{ version: number }>`select version from invoices where id = ${made.json.id}`
      assert.isAtMost(row?.version ?? 0, 6, name)
      return json
    })
    for (const [name, verdict, status] of verdicts) {
      next = Effect.succeed(verdict)
      const shown = yield* ended(name, status)
      for (const { message } of [...shown.authority_errors, ...shown.authority_notifications]) {
        isClean(message)
        assert.isAtMost(message.length, 4_000)
      }
      assert.isAtMost(shown.authority_errors.length, 500)
    }
    next = Effect.fail(new AuthorityRefusal({ message: long }))
    const { failure } = yield* ended("refusal", "failed")
    assert.strictEqual(failure.code, "authority_refused")
    isClean(failure.message)

    const emails = yield* until(
      sql<{ status: string; reason: string | null }>`select status, reason from emails`,
      (rows) => rows.length === verdicts.length - 1 && rows.every(({ status }) => status !== "pending")
    )
    for (const { reason, status } of emails) {
      assert.strictEqual(status, "bounced")
      assert.match(reason ?? "", /^not /)
      assert.isAtMost(reason?.length ?? 0, 500)
    }
    const attempts = yield* until(
      sql<{ error: { code: string }; body: string; ms: number }>`
        select error, response_body as body, duration_ms as ms from attempts`,
      (rows) => rows.length >= verdicts.length
    )
    for (const { body, error: why, ms } of attempts) {
      assert.strictEqual(why.code, "status")
      assert.match(body, /^not /)
      assert.isAtMost(ms, 20_000)
    }
  })
})
