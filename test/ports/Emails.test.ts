import { assert, describe } from "@effect/vitest"
import { Clock, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import type { DocumentKey } from "../../schemas/FiscalDocument.ts"
import { SigningUnavailable } from "../../src/documents/signature/Certificate.ts"
import { NationalProfile, Unsignable } from "../../src/documents/NationalProfile.ts"
import { Printer } from "../../src/documents/print/Printer.ts"
import { Backpressure } from "../../src/invoices/Backpressure.ts"
import { Busyness } from "../../src/runtime/turns/Busyness.ts"
import { Mailer, MailerAbsent, MailerRefused, MailerUnavailable } from "../../src/invoices/mail/Mailer.ts"
import { alone, invoiceOwner, mailOwner } from "../support/apps/ActorsAlone.ts"
import { accepted, FakeAuthority } from "../support/apps/Fakes.ts"
import { otherAccount, rangeId, testMode } from "../support/apps/Accounts.ts"
import { addCustomer, addNumbered, become } from "../support/apps/MemoryRows.ts"
import { patiently } from "../support/apps/Until.ts"
import { existing, MemoryTables } from "../support/memory/MemoryTables.ts"
import { itOn } from "../support/Tests.ts"
import { breakable, breaking, faultOf, installed } from "./Faults.ts"
import { busyness, mailer, type Outcome, printer, profile } from "./PortTable.ts"

const words = "450 4.2.0 Greylisted\u0000".repeat(100)
const failures = {
  SigningUnavailable: new SigningUnavailable({ message: words }),
  Unsignable: new Unsignable({ code: "no_software", message: "None." }),
  MailerUnavailable: new MailerUnavailable({ message: words }),
  MailerRefused: new MailerRefused({ message: words }),
  MailerAbsent: new MailerAbsent({ message: words })
}
const noAnswers = [undefined, null, {}, "sent", { complained: "no" }]
type Port = "Mailer.send" | "Printer.emailPackage" | "NationalProfile.attach"

const cases = [
  ...Object.entries(mailer.send).map(([fault, outcome]) => ["Mailer.send", fault, outcome] as const),
  ...Object.entries(printer.emailPackage).map(([fault, outcome]) => ["Printer.emailPackage", fault, outcome] as const),
  ...Object.entries(profile.attach).map(([fault, outcome]) => ["NationalProfile.attach", fault, outcome] as const)
] as ReadonlyArray<readonly [Port, string, Outcome]>

/** An accepted document with a due email, and the actor that sends it. */
const mailing = Effect.fnUntraced(function* (port: Port, fault: string) {
  const { tables } = yield* MemoryTables
  const switched = breakable()
  // Makes the message of every email, as a server does that accepts it.
  const taking: typeof Mailer.Service = { send: (_, message) => Effect.as(message, { complained: false }) }
  if (port === "Printer.emailPackage") yield* installed(yield* Printer, "emailPackage", switched)
  if (port === "NationalProfile.attach") {
    yield* installed(yield* NationalProfile, "attach", switched)
    const fake = yield* FakeAuthority
    const answer = { XmlBase64Bytes: Buffer.from("<accepted/>").toString("base64") }
    fake.onSubmit = () => Effect.succeed({ ...accepted, answer })
  }
  const mails = port === "Mailer.send" ? breaking(taking, "send", switched) : taking
  const mail = yield* Effect.provideService(mailOwner, Mailer, mails)
  const proceed = yield* invoiceOwner
  const added = Effect.gen(function* () {
    const customer = yield* addCustomer()
    const row = existing(tables.customers, customer)
    tables.customers.set(customer, { ...row, acquirer: { ...row.acquirer, email: "compras@cliente.test" } })
    const key = yield* addNumbered(customer)
    yield* patiently(proceed(key))
    const [email] = [...tables.emails.values()].filter(({ invoice_id }) => invoice_id === key.id)
    return { key, id: email?.id ?? "" }
  })
  const emailOf = (id: string) => existing(tables.emails, id)
  const eventsOf = (id: string) =>
    tables.events.filter(({ object_id, type }) => object_id === id && type.includes("email")).map(({ type }) => type)
  const attempt = Effect.fnUntraced(function* ({ key }: Effect.Success<typeof added>) {
    if (switched.fault === null || !fault.startsWith("hangs")) return yield* patiently(mail(key))
    const before = switched.calls
    const fiber = yield* Effect.forkScoped(mail(key), { startImmediately: true })
    yield* patiently(Effect.repeat(Effect.yieldNow, { until: () => switched.calls > before }))
    yield* TestClock.adjust(port === "Mailer.send" ? "110 seconds" : "45 seconds")
    yield* patiently(Fiber.join(fiber))
  })
  const breaks = () => (switched.fault = faultOf(fault, failures, noAnswers))
  const mends = () => (switched.fault = null)
  return { added, attempt, breaks, emailOf, eventsOf, mail, mends, switched }
})

/** The same email for another account: on a small machine, an account has only one turn at the printer. */
const moved = Effect.fnUntraced(function* ({ id, key }: { readonly id: string; readonly key: DocumentKey }) {
  const { tables } = yield* MemoryTables
  const owner = { ...testMode, account_id: otherAccount }
  yield* become(key.id, { ...owner, resolution_id: rangeId(owner) })
  tables.emails.set(id, { ...existing(tables.emails, id), ...owner })
  return { id, key: { ...key, ...owner } }
})

const ended: Partial<Record<Outcome, { status: string; attempts: number; event: string | null }>> = {
  "mailed for a day": { status: "bounced", attempts: 9, event: "invoice.email.bounced" },
  bounced: { status: "bounced", attempts: 1, event: "invoice.email.bounced" },
  "not mailed": { status: "failed", attempts: 1, event: null },
  "mailed five times": { status: "failed", attempts: 5, event: null }
}

const it = itOn(alone)

describe("An email", () => {
  it.effect.each(cases)("has the documented outcome when %s %s: %s", function* ([port, fault, outcome]) {
    const { added, attempt, breaks, emailOf, eventsOf } = yield* mailing(port, fault)
    const email = yield* added
    const wanted = ended[outcome] ?? assert.fail(outcome)
    breaks()
    for (let times = 1; times <= wanted.attempts; times++) {
      assert.strictEqual(emailOf(email.id).status, "pending")
      yield* attempt(email)
      assert.strictEqual(emailOf(email.id).attempts, times)
      yield* TestClock.adjust("1 day")
    }
    const { next_attempt_at, reason, status } = emailOf(email.id)
    assert.deepStrictEqual([status, next_attempt_at], [wanted.status, null])
    assert.isNotNull(reason)
    assert.isBelow((reason ?? "").length, 600)
    assert.notInclude(reason ?? "", "\u0000")
    assert.deepStrictEqual(eventsOf(email.key.id), wanted.event === null ? [] : [wanted.event])
  })

  it.effect.each(cases.filter(([, , outcome]) => (ended[outcome]?.attempts ?? 0) > 1))(
    "waits while %s %s, and is sent when the port works again",
    function* ([port, fault]) {
      const { added, attempt, breaks, emailOf, eventsOf, mail, mends } = yield* mailing(port, fault)
      const email = yield* added
      breaks()
      for (let times = 1; times <= 3; times++) {
        yield* attempt(email)
        yield* patiently(mail(email.key))
        assert.strictEqual(emailOf(email.id).attempts, times, "it is not sent before it is due")
        yield* TestClock.adjust("1 day")
      }
      mends()
      yield* attempt(email)
      assert.strictEqual(emailOf(email.id).status, "delivered")
      assert.deepStrictEqual(eventsOf(email.key.id), ["invoice.email.delivered"])
    }
  )

  it.effect.each(cases.filter(([, fault]) => fault.startsWith("hangs")))(
    "is sent while the %s of another account's %s",
    function* ([port, fault]) {
      const { added, breaks, emailOf, mail, mends, switched } = yield* mailing(port, fault)
      const stuck = yield* added
      const well = yield* moved(yield* added)
      breaks()
      yield* Effect.forkScoped(mail(stuck.key), { startImmediately: true })
      yield* patiently(Effect.repeat(Effect.yieldNow, { until: () => switched.calls > 0 }))
      mends()
      yield* patiently(mail(well.key))
      assert.strictEqual(emailOf(well.id).status, "delivered")
    }
  )

  it.effect.each(Object.keys(busyness.measure))("is sent while the measure of busyness %s", function* (fault) {
    const measure = fault === "throws" ? faultOf(fault, {}, []) : () => "busy"
    const idle = yield* Effect.provide(
      Backpressure,
      Layer.fresh(Backpressure.layer).pipe(Layer.provide(Layer.succeed(Busyness, measure as () => number)))
    )
    const { added, emailOf, mail } = yield* mailing("Mailer.send", "dies").pipe(
      Effect.provideService(Backpressure, idle)
    )
    const email = yield* added
    const begin = yield* Clock.currentTimeMillis
    yield* Effect.forkScoped(mail(email.key), { startImmediately: true })
    yield* patiently(Effect.repeat(TestClock.adjust("10 millis"), { until: () => emailOf(email.id).attempts === 1 }))
    const waited = (yield* Clock.currentTimeMillis) - begin
    assert.isTrue(waited >= 100 && waited < 10_000, `${waited} ms`)
    const { until } = yield* MemoryTables
    yield* until(({ emails }) => existing(emails, email.id).status === "delivered")
  })
})
