import { Array, type Cause, Clock, Context, Effect, Layer, Metric, Option, Random, Result } from "effect"
import type { AccountMode } from "../../schemas/Account.ts"
import type { EmailNoticeType } from "../../schemas/Email.ts"
import type { EmailStatus } from "../../schemas/EmailStatus.ts"
import type { DocumentKey } from "../../schemas/FiscalDocument.ts"
import { DocumentFiles } from "./DocumentFiles.ts"
import { storableText } from "../runtime/json/Storable.ts"
import { nextEmailDelayMs } from "../webhooks/rules/RetrySchedule.ts"
import { Mailer, MailerAbsent, MailerRefused, MailerUnavailable, sendMethod } from "./mail/Mailer.ts"
import { Fault } from "../runtime/Fault.ts"
import * as Metrics from "../runtime/Metrics.ts"
import { callPort, PortBroken } from "../runtime/PortCall.ts"
import * as Turns from "../runtime/turns/Turns.ts"
import { Emails, emailSnapshot, mailLeaseSeconds, type StoredEmail } from "./store/Emails.ts"
import { Ids } from "../database/Ids.ts"
import { Notify } from "../accounts/Notify.ts"
import { Backpressure } from "./Backpressure.ts"
import { eventFor } from "./Steps.ts"

/** A mail provider's notice about a message that it has received. */
export interface MailNotice {
  readonly invoice_id: string
  readonly id: string
  readonly type: EmailNoticeType
  readonly at: Date
  readonly reason: string | null
}

// Connections of this process to the mail server. Accounts take turns. An email that waits for a connection has no
// lease yet.
const sendingMax = 8

// Attempts until an email fails because Folio cannot render its document. The address is not the cause, so Folio does
// not retry for a whole day.
const brokenMax = 5

// The longest text of a mail server that an email stores and shows.
const reasonMax = 500

const sending = sendMethod(mailLeaseSeconds)
const late = "The mailer did not respond in time."

/** The statuses from which each outcome may follow. */
const origins: Readonly<Record<EmailNoticeType, ReadonlyArray<EmailStatus>>> = {
  delivered: ["pending"],
  bounced: ["pending", "delivered"],
  complained: ["pending", "delivered"]
}

/** The email work of an invoice's actor. */
export class Mailing extends Context.Service<Mailing>()("folio/invoices/Mailing", {
  make: Effect.gen(function* () {
    const emails = yield* Emails
    const ids = yield* Ids
    const mailer = yield* Mailer
    const files = yield* DocumentFiles
    const notify = yield* Notify
    const backpressure = yield* Backpressure
    const turns = Turns.make({ atOnce: sendingMax, ofOwnerAtOnce: sendingMax })

    /**
     * Stores outcomes of an email together, each with its event, and notifies the endpoints' actors. The last outcome
     * becomes the email's status. Returns whether the status changed.
     */
    const record = Effect.fnUntraced(function* (
      email: StoredEmail,
      outcomes: Array.NonEmptyReadonlyArray<EmailNoticeType>,
      reason: string | null,
      at: Date
    ) {
      const now = yield* Clock.currentTimeMillis
      const events = yield* Effect.forEach(outcomes, (status) =>
        Effect.map(ids.event, (id) => {
          const about = emailSnapshot({ ...email, status, reason, status_at: at })
          return eventFor(email, `${email.kind}.email.${status}`, id, now, about)
        })
      )
      const status = Array.lastNonEmpty(outcomes)
      const from = origins[outcomes[0]]
      const { endpoints, moved } = yield* emails.record({ email, from, status, reason, at, retryInMs: null, events })
      for (const id of endpoints) {
        yield* notify.deliver({ account_id: email.account_id, livemode: email.livemode, id })
      }
      if (moved) yield* Effect.forEach(outcomes, (each) => Metric.update(Metrics.emails(each), 1))
      return moved
    })

    /** Delays an email or, without a delay, fails it. Makes no event, so endpoints receive nothing. */
    const postpone = Effect.fnUntraced(function* (email: StoredEmail, reason: string, retryInMs: number | null) {
      const at = new Date(yield* Clock.currentTimeMillis)
      const status = retryInMs === null ? "failed" : "pending"
      if (status === "pending") {
        yield* Effect.logInfo("An email was not accepted by the mail server").pipe(
          Effect.annotateLogs({ email_id: email.id, reason })
        )
      }
      yield* Metric.update(Metrics.emails(status === "pending" ? "retry" : status), 1)
      yield* emails.record({ email, from: ["pending"], status, reason, at, retryInMs, events: [] })
    })

    const broke = Effect.fnUntraced(function* (email: StoredEmail, cause: Cause.Cause<unknown>) {
      yield* Effect.logError("Folio could not make an email", cause).pipe(Effect.annotateLogs({ email_id: email.id }))
      yield* Metric.update(Metrics.poison("email"), 1)
      const delay = email.attempts >= brokenMax ? null : nextEmailDelayMs(email.attempts, yield* Random.next)
      yield* postpone(email, "Folio could not make the message. The address is not the cause.", delay)
    })

    const message = Effect.fnUntraced(function* (email: StoredEmail) {
      const emailPackage = yield* Effect.mapError(
        files.emailPackage({ ...email, id: email.invoice_id }, email.document_state, "mail"),
        ({ message: reason }) => new MailerUnavailable({ message: reason })
      )
      return Option.isSome(emailPackage)
        ? emailPackage.value
        : yield* Effect.die(`nothing to mail of ${email.invoice_id}`)
    })

    const attempt = Effect.fn("Mailing.attempt")(function* (email: StoredEmail) {
      yield* Effect.annotateCurrentSpan({ account_id: email.account_id, email_id: email.id })
      const envelope = {
        reference: `${email.id}.${email.invoice_id}`,
        livemode: email.livemode,
        to: email.recipient
      }
      const result = yield* Effect.result(callPort(sending, () => mailer.send(envelope, message(email))))
      const at = new Date(yield* Clock.currentTimeMillis)
      if (Result.isSuccess(result)) {
        yield* Fault.at("after-mail")
        if (!result.success.complained) return yield* Effect.asVoid(record(email, ["delivered"], null, at))
        // Both in one statement. Folio doesn't send a delivered email again, so a complaint stored separately could be
        // lost.
        const stored = yield* record(email, ["delivered", "complained"], null, at)
        // If a notice reported the delivery before, only the complaint is new.
        if (!stored) yield* record(email, ["complained"], null, at)
        return
      }
      const error = result.failure
      if (error instanceof PortBroken && !error.isLate) return yield* broke(email, error.cause)
      const reason = storableText(error instanceof PortBroken ? late : error.message, reasonMax)
      if (error instanceof MailerAbsent) return yield* postpone(email, reason, null)
      if (error instanceof MailerRefused) return yield* Effect.asVoid(record(email, ["bounced"], reason, at))
      const delay = nextEmailDelayMs(email.attempts, yield* Random.next)
      if (delay !== null) return yield* postpone(email, reason, delay)
      // An email that no server accepted within 24 hours counts as bounced, because for the sender it never arrived.
      yield* record(email, ["bounced"], `No server accepted it within 24 hours: ${reason}`, at)
    })

    const sendOne = Effect.fnUntraced(function* (key: DocumentKey) {
      const email = yield* emails.take(key)
      if (Option.isSome(email)) yield* attempt(email.value)
      return Option.isSome(email)
    })

    /** Sends the due emails of a document, one by one. */
    const send = Effect.fn("Mailing.send")((key: DocumentKey) =>
      // The sandbox only simulates emails, so test emails can wait until the process is not busy.
      (key.livemode
        ? turns.inTurn(Turns.askerOf(key), sendOne(key))
        : Effect.andThen(backpressure.idle, sendOne(key))
      ).pipe(Effect.repeat({ while: (sent) => sent }), Effect.asVoid)
    )

    /** Records a notice. Returns whether it changed the status of an email of this account. */
    const note = Effect.fn("Mailing.note")(function* (account: AccountMode, notice: MailNotice) {
      const found = yield* emails.locate(notice.invoice_id, notice.id)
      if (Option.isNone(found)) return false
      const email = found.value
      if (email.account_id !== account.account_id || email.livemode !== account.livemode) return false
      return yield* record(email, [notice.type], notice.reason, notice.at)
    })

    return { send, note }
  })
}) {
  static readonly layer = Layer.effect(Mailing, Mailing.make)
}
