import { assert, describe } from "@effect/vitest"
import { Clock, Effect, Queue, Semaphore } from "effect"
import { TestClock } from "effect/testing"
import { unzipSync } from "fflate"
import type { AccountMode } from "../../schemas/Account.ts"
import type { DocumentKey } from "../../schemas/FiscalDocument.ts"
import { InvoiceId } from "../../schemas/Id.ts"
import { MailerAbsent, MailerRefused, MailerUnavailable } from "../../src/invoices/mail/Mailer.ts"
import { Ids } from "../../src/database/Ids.ts"
import { FakeMailer, Told } from "../support/apps/Fakes.ts"
import { account, otherAccount, rangeId, testMode } from "../support/apps/Accounts.ts"
import { actors } from "../support/apps/MemoryApp.ts"
import { addCustomer, addNumbered, become } from "../support/apps/MemoryRows.ts"
import { MemoryTables } from "../support/memory/MemoryTables.ts"
import { patiently } from "../support/apps/Until.ts"
import { alone, invoiceOwner, mailOwner } from "../support/apps/ActorsAlone.ts"
import { itOn } from "../support/Tests.ts"
import { atCalls, atNoCalls } from "../support/memory/Calls.ts"

const it = itOn(alone)

const liveMode: AccountMode = { account_id: account, livemode: true }

/** An accepted document of that mode, and its email that no actor has begun to send. */
const addEmail = Effect.fnUntraced(function* (owner: AccountMode = liveMode, to = "compras@cliente.test") {
  const { tables } = yield* MemoryTables
  const ids = yield* Ids
  const { id } = yield* addNumbered(yield* addCustomer())
  const now = yield* Clock.currentTimeMillis
  yield* become(id, {
    ...owner,
    resolution_id: rangeId(owner),
    state: "accepted_by_authority",
    next_action_at: null
  })
  tables.documents.set(id, { signed: Buffer.from("<Invoice/>"), authority_answer: null })
  const email = yield* ids.email
  tables.emails.set(email, {
    ...owner,
    id: email,
    invoice_id: InvoiceId.make(id),
    document_state: "accepted_by_authority",
    recipient: to,
    status: "pending",
    reason: null,
    status_at: now,
    attempts: 0,
    next_attempt_at: now,
    created_at: now
  })
  const key: DocumentKey = { ...owner, id: InvoiceId.make(id) }
  return { key, email }
})

const emailOf = Effect.fnUntraced(function* (id: string) {
  const { tables } = yield* MemoryTables
  return tables.emails.get(id) ?? (yield* Effect.die(`no email ${id}`))
})

const eventsOf = ({ id }: { readonly id: string }) =>
  Effect.map(MemoryTables, ({ tables }) =>
    tables.events
      .filter(({ object_id }) => object_id === id)
      .map(({ body, type }) => ({ type, body: JSON.parse(body) }))
  )

const unavailable = Effect.fail(new MailerUnavailable({ message: "450 4.2.0 Greylisted" }))

/** An email, the actor that sends it, and the mail server. */
const mailing = Effect.fnUntraced(function* (owner?: AccountMode) {
  const fake = yield* FakeMailer
  const mail = yield* mailOwner
  return { fake, mail, ...(yield* addEmail(owner)) }
})

describe("an email", () => {
  it.effect("sends a live document once, whole, and ends as delivered", function* () {
    const { email, fake, key, mail } = yield* mailing()
    yield* mail(key)
    yield* mail(key)
    const [{ envelope, message }, ...more] = fake.sent as [(typeof fake.sent)[0]]
    assert.lengthOf(more, 0)
    assert.deepStrictEqual(envelope, { reference: `${email}.${key.id}`, livemode: true, to: "compras@cliente.test" })
    assert.match(message.subject, /^900373115;Folio Sandbox S\.A\.S\.;SETP990000000;01;/)
    assert.deepStrictEqual(Object.keys(unzipSync(message.archive!.bytes)), ["SETP990000000.xml", "SETP990000000.pdf"])
    assert.deepInclude(yield* emailOf(email), { status: "delivered", attempts: 1, next_attempt_at: null })
    const [told, ...others] = yield* eventsOf(key)
    assert.lengthOf(others, 0)
    assert.deepInclude(told?.body, { type: "invoice.email.delivered", livemode: true, account: key.account_id })
  })

  it.effect("retries for a day with growing waits, and then bounces", function* () {
    const { email, fake, key, mail } = yield* mailing()
    const { sent } = fake
    fake.onSend = () => unavailable
    const begin = yield* Clock.currentTimeMillis
    const waits: Array<number> = []
    for (;;) {
      yield* mail(key)
      const { next_attempt_at, status } = yield* emailOf(email)
      if (next_attempt_at === null) {
        assert.strictEqual(status, "bounced")
        break
      }
      const wait = next_attempt_at - (yield* Clock.currentTimeMillis)
      waits.push(wait)
      yield* TestClock.adjust(wait - 1)
      yield* mail(key)
      assert.lengthOf(sent, waits.length, "not a moment too early")
      assert.lengthOf(yield* eventsOf(key), 0)
      yield* TestClock.adjust(1)
    }
    assert.lengthOf(waits, 8)
    assert.deepStrictEqual(
      waits,
      waits.toSorted((a, b) => a - b)
    )
    const hours = ((yield* Clock.currentTimeMillis) - begin) / 3_600_000
    assert.isTrue(hours >= 24 && hours <= 26.4, `${hours} h`)
    const [told] = yield* eventsOf(key)
    assert.strictEqual(told?.type, "invoice.email.bounced")
    assert.include(told?.body.data.object.reason, "24 hours: 450 4.2.0 Greylisted")
    assert.strictEqual(new Set(sent.map(({ envelope }) => envelope.reference)).size, 1)
  })

  it.effect("bounces immediately when the server rejects it", function* () {
    const { email, fake, key, mail } = yield* mailing()
    fake.onSend = () => Effect.fail(new MailerRefused({ message: "550 5.1.1 No such user" }))
    yield* mail(key)
    assert.deepInclude(yield* emailOf(email), { status: "bounced", reason: "550 5.1.1 No such user", attempts: 1 })
    assert.lengthOf(yield* eventsOf(key), 1)
  })

  it.effect("fails without an event if the service has no mail server", function* () {
    const { email, fake, key, mail } = yield* mailing()
    fake.onSend = () => Effect.fail(new MailerAbsent({ message: "SMTP_URL is not set." }))
    yield* mail(key)
    assert.deepInclude(yield* emailOf(email), { status: "failed", next_attempt_at: null })
    assert.deepStrictEqual(yield* eventsOf(key), [])
  })

  it.effect("fails after five attempts if it cannot be made, and delays no other email", function* () {
    const { tables } = yield* MemoryTables
    const fake = yield* FakeMailer
    const mail = yield* mailOwner
    const broken = yield* addEmail()
    const whole = yield* addEmail()
    tables.documents.delete(broken.key.id)
    for (let attempt = 1; attempt <= 5; attempt++) {
      assert.strictEqual((yield* emailOf(broken.email)).status, "pending")
      yield* mail(broken.key)
      yield* TestClock.adjust("1 day")
    }
    yield* mail(whole.key)
    assert.deepInclude(yield* emailOf(broken.email), { status: "failed", attempts: 5, next_attempt_at: null })
    assert.deepStrictEqual(yield* eventsOf(broken.key), [])
    assert.strictEqual((yield* emailOf(whole.email)).status, "delivered")
    assert.deepStrictEqual(
      fake.sent.map(({ envelope }) => envelope.reference),
      [`${whole.email}.${whole.key.id}`]
    )
  })

  it.effect(
    "sends again with the same reference when its lease has ended and its outcome was not stored",
    function* () {
      const fake = yield* FakeMailer
      const mail = yield* mailOwner
      const { email, key } = yield* addEmail()
      yield* atCalls("Emails.record", Effect.die("the database went away"))
      yield* mail(key)
      yield* atNoCalls
      yield* mail(key)
      assert.lengthOf(fake.sent, 1)
      yield* TestClock.adjust("2 minutes")
      yield* mail(key)
      assert.deepStrictEqual(
        fake.sent.map(({ envelope }) => envelope.reference),
        [`${email}.${key.id}`, `${email}.${key.id}`]
      )
      assert.lengthOf(yield* eventsOf(key), 1)
    }
  )

  it.effect("ends as delivered and as complained if the receiver complains, or is sent again", function* () {
    const { email, fake, key, mail } = yield* mailing()
    fake.onSend = () => Effect.succeed({ complained: true })
    yield* atCalls("Emails.record", Effect.die("the connection broke"))
    yield* mail(key)
    assert.deepStrictEqual([(yield* emailOf(email)).status, yield* eventsOf(key)], ["pending", []])
    // Only the first statement that records an attempt succeeds.
    let calls = 0
    yield* atCalls(
      "Emails.record",
      Effect.suspend(() => (++calls === 1 ? Effect.void : Effect.die("the process was killed")))
    )
    yield* TestClock.adjust("2 minutes")
    yield* mail(key)
    assert.deepInclude(yield* emailOf(email), { status: "complained", next_attempt_at: null })
    const told = yield* eventsOf(key)
    assert.deepStrictEqual(
      told.map(({ body, type }) => [type, body.data.object.status]),
      ["delivered", "complained"].map((status) => [`invoice.email.${status}`, status])
    )
    assert.lengthOf(fake.sent, 2)
  })

  it.effect("ends as complained if the receiver complains after a notice of its delivery", function* () {
    const { tables } = yield* MemoryTables
    const { email, fake, key, mail } = yield* mailing()
    fake.onSend = () =>
      Effect.sync(() => {
        tables.emails.set(email, { ...tables.emails.get(email)!, status: "delivered", next_attempt_at: null })
        return { complained: true }
      })
    yield* mail(key)
    assert.strictEqual((yield* emailOf(email)).status, "complained")
    assert.deepStrictEqual(
      (yield* eventsOf(key)).map(({ type }) => type),
      ["invoice.email.complained"]
    )
  })

  it.effect("waits for a turn of its account, and not behind all emails of another account", function* () {
    const fake = yield* FakeMailer
    const mail = yield* mailOwner
    const server = Semaphore.makeUnsafe(0)
    const begun = yield* Queue.unbounded<string>()
    const begins = patiently(Queue.take(begun))
    fake.onSend = ({ reference }) =>
      Effect.as(Effect.andThen(Queue.offer(begun, reference), server.take(1)), { complained: false })
    const many = yield* Effect.replicateEffect(addEmail(), 24)
    for (const { key } of many) yield* Effect.forkScoped(mail(key))
    const first = yield* Effect.replicateEffect(begins, 8)
    const one = yield* addEmail({ account_id: otherAccount, livemode: true })
    yield* Effect.forkScoped(mail(one.key))
    const next = yield* Effect.replicateEffect(Effect.andThen(server.release(1), begins), many.length - first.length)
    assert.include(next, `${one.email}.${one.key.id}`, "emails of the other account came first")
    yield* server.release(many.length)
  })

  it.effect("ends as delivered in test mode, without a message and without a call of the server", function* () {
    const memory = yield* MemoryTables
    const { email, fake, key, mail } = yield* mailing(testMode)
    yield* mail(key)
    assert.deepStrictEqual([fake.sent, memory.count("Invoices.signedDocument")], [[], 0])
    assert.strictEqual((yield* emailOf(email)).status, "delivered")
  })

  it.effect("reaches its actor after the commit that accepts its document", function* () {
    const { tables } = yield* MemoryTables
    const told = yield* Told
    const proceed = yield* invoiceOwner
    const customer = yield* addCustomer()
    const row = tables.customers.get(customer)
    if (row !== undefined) tables.customers.set(customer, { ...row, acquirer: { ...row.acquirer, email: "a@b.test" } })
    const key = yield* addNumbered(customer)
    yield* proceed(key)
    assert.strictEqual(tables.emails.size, 1)
    const heard = yield* Queue.clear(told)
    assert.deepStrictEqual(
      heard.map(({ tell }) => tell),
      ["Mail"]
    )
  })

  itOn(actors).effect("reaches the sweeper if no actor was notified", function* () {
    const memory = yield* MemoryTables
    const { email } = yield* addEmail()
    yield* TestClock.adjust("2 seconds")
    yield* memory.until(({ emails }) => emails.get(email)?.status === "delivered")
  })
})
