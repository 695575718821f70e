import {
  Cause,
  Clock,
  Context,
  Effect,
  Exit,
  Layer,
  Metric,
  Option,
  PartitionedSemaphore,
  Random,
  Result
} from "effect"
import type { AccountMode } from "../../schemas/Account.ts"
import type { EmailNoticeType } from "../../schemas/Email.ts"
import type { EmailStatus } from "../../schemas/EmailStatus.ts"
import { DocumentParcel } from "../documents/EmailParcel.ts"
import { timestamp } from "../domain/AuthorityTime.ts"
import { nextEmailDelayMs } from "../domain/RetrySchedule.ts"
import { MailerAbsent, MailerRefused, MailerUnavailable } from "../outbound/Mail.ts"
import { Mailer } from "../outbound/Mailer.ts"
import { Fault } from "../protocol/Fault.ts"
import * as Metrics from "../protocol/Metrics.ts"
import { type DocumentKey, Emails, emailSnapshot, type StoredEmail } from "../store/Emails.ts"
import { Ids } from "../store/Ids.ts"
import { Telling } from "./Telling.ts"
import { Workload } from "./Workload.ts"

/** What a mail provider says of a message that it was given. */
export interface MailNotice {
  readonly invoice_id: string
  readonly id: string
  readonly type: EmailNoticeType
  readonly at: Date
  readonly reason: string | null
}

// Connections of this process to the mail server. Who waits for one has taken nothing yet, and accounts take turns at them.
const sendingMax = 8

// A document that cannot be rendered is no fault of the address: it is not tried for a day.
const brokenMax = 5

const outcomes = ["delivered", "bounced", "complained"] as const satisfies ReadonlyArray<EmailStatus>
const origins: Readonly<Record<(typeof outcomes)[number], ReadonlyArray<EmailStatus>>> = {
  delivered: ["pending"],
  bounced: ["pending", "delivered"],
  complained: ["pending", "delivered"]
}

export class EmailWork extends Context.Service<
  EmailWork,
  {
    /** Sends the e-mails of a document that are due, one after the other. */
    readonly send: (key: DocumentKey) => Effect.Effect<void>
    /** Whether the notice said anything new of an e-mail of this account. */
    readonly note: (of: AccountMode, notice: MailNotice) => Effect.Effect<boolean>
  }
>()("folio/entities/EmailWork") {
  /** What an invoice's actor does to mail its document, apart from the actor. */
  static readonly layer = Layer.effect(
    EmailWork,
    Effect.gen(function* () {
      const emails = yield* Emails
      const ids = yield* Ids
      const mailer = yield* Mailer
      const parcels = yield* DocumentParcel
      const telling = yield* Telling
      const workload = yield* Workload
      const turns = PartitionedSemaphore.makeUnsafe<string>({ permits: sendingMax })

      /** Stores what became of an e-mail, with its event; gives whether that is news. */
      const record = Effect.fnUntraced(function* (
        email: StoredEmail,
        status: (typeof outcomes)[number],
        reason: string | null,
        at: Date
      ) {
        const now = yield* Clock.currentTimeMillis
        const id = yield* ids.event
        const type = `${email.kind}.email.${status}` as const
        const body = JSON.stringify({
          id,
          object: "event",
          type,
          created: timestamp(now),
          livemode: email.livemode,
          account: email.account_id,
          data: { object: emailSnapshot({ ...email, status, reason, status_at: at }) }
        })
        const event = { id, type, body, created_at: new Date(now) }
        const from = origins[status]
        const { endpoints, moved } = yield* emails.record({ email, from, status, reason, at, retryInMs: null, event })
        for (const endpoint of endpoints) {
          yield* telling.deliver({ account_id: email.account_id, livemode: email.livemode, id: endpoint })
        }
        if (moved) yield* Metric.update(Metrics.emails(status), 1)
        return moved
      })

      const wait = Effect.fnUntraced(function* (email: StoredEmail, reason: string, retryInMs: number) {
        const at = new Date(yield* Clock.currentTimeMillis)
        yield* Effect.logInfo("An e-mail was not taken").pipe(Effect.annotateLogs({ email_id: email.id, reason }))
        yield* Metric.update(Metrics.emails("retry"), 1)
        yield* emails.record({ email, from: ["pending"], status: "pending", reason, at, retryInMs, event: null })
      })

      // It tells nobody: no event is for an e-mail that was not sent for a reason of ours.
      const fail = Effect.fnUntraced(function* (email: StoredEmail, reason: string) {
        const at = new Date(yield* Clock.currentTimeMillis)
        yield* Metric.update(Metrics.emails("failed"), 1)
        yield* emails.record({ email, from: ["pending"], status: "failed", reason, at, retryInMs: null, event: null })
      })

      const broke = Effect.fnUntraced(function* (email: StoredEmail, cause: Cause.Cause<unknown>) {
        yield* Effect.logError("An e-mail could not be made", cause).pipe(Effect.annotateLogs({ email_id: email.id }))
        yield* Metric.update(Metrics.poison("email"), 1)
        const delay = nextEmailDelayMs(email.attempts, yield* Random.next)
        const reason = "The message could not be made. This is not the address's fault."
        if (delay === null || email.attempts >= brokenMax) yield* fail(email, reason)
        else yield* wait(email, reason, delay)
      })

      const message = Effect.fnUntraced(function* (email: StoredEmail) {
        const parcel = yield* Effect.mapError(
          parcels.of({ ...email, id: email.invoice_id }, email.document_state, "mail"),
          ({ message: reason }) => new MailerUnavailable({ message: reason })
        )
        return Option.isSome(parcel) ? parcel.value : yield* Effect.die(`nothing to mail of ${email.invoice_id}`)
      })

      const attempt = Effect.fn("EmailWork.attempt")(function* (email: StoredEmail) {
        yield* Effect.annotateCurrentSpan({ account_id: email.account_id, email_id: email.id })
        const envelope = {
          reference: `${email.id}.${email.invoice_id}`,
          livemode: email.livemode,
          to: email.recipient
        }
        const exit = yield* Effect.exit(mailer.send(envelope, message(email)))
        const at = new Date(yield* Clock.currentTimeMillis)
        if (Exit.isSuccess(exit)) {
          yield* Fault.at("after-mail")
          yield* record(email, "delivered", null, at)
          if (exit.value.complained) yield* record(email, "complained", null, at)
          return
        }
        if (Cause.hasInterruptsOnly(exit.cause)) return yield* Effect.interrupt
        const error = Result.getOrUndefined(Cause.findError(exit.cause))
        if (error === undefined) return yield* broke(email, exit.cause)
        if (error instanceof MailerAbsent) return yield* fail(email, error.message)
        if (error instanceof MailerRefused) return yield* Effect.asVoid(record(email, "bounced", error.message, at))
        const delay = nextEmailDelayMs(email.attempts, yield* Random.next)
        if (delay !== null) return yield* wait(email, error.message, delay)
        // To the sender it is all the same why it never arrived: a mail server that gives up says so as well.
        yield* record(email, "bounced", `No server took it within 24 hours: ${error.message}`, at)
      })

      const sendOne = Effect.fnUntraced(function* (key: DocumentKey) {
        const email = yield* emails.take(key)
        if (Option.isSome(email)) yield* attempt(email.value)
        return Option.isSome(email)
      })

      const send = Effect.fn("EmailWork.send")((key: DocumentKey) =>
        // What the sandbox only pretends can wait until there is less to do.
        (key.livemode
          ? turns.withPermits(key.account_id, 1)(sendOne(key))
          : Effect.andThen(workload.calm, sendOne(key))
        ).pipe(Effect.repeat({ while: (sent) => sent }), Effect.asVoid)
      )

      const note: EmailWork["Service"]["note"] = Effect.fn("EmailWork.note")(function* (of, notice) {
        const found = yield* emails.locate(notice.invoice_id, notice.id)
        if (Option.isNone(found)) return false
        const email = found.value
        if (email.account_id !== of.account_id || email.livemode !== of.livemode) return false
        return yield* record(email, notice.type, notice.reason, notice.at)
      })

      return EmailWork.of({ send, note })
    })
  )
}
