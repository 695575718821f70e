import { Effect, Metric, Random, Result } from "effect"
import { Singleton } from "effect/cluster"
import { Fault } from "../runtime/Fault.ts"
import * as Metrics from "../runtime/Metrics.ts"
import { callPort } from "../runtime/PortCall.ts"
import { Mailer, MailerAbsent, MailerRefused, sendMethod, type Message } from "../invoices/mail/Mailer.ts"
import { nextEmailDelayMs } from "../webhooks/rules/RetrySchedule.ts"
import { type DueEmail, emailsMax, noticeLeaseSeconds, Notices } from "./store/Notices.ts"
import { repeated, WatchPace } from "./Watch.ts"
import { htmlMessage, oneLine } from "../documents/email/EmailPackage.ts"
import { firstSentence } from "./rules/AccountFindings.ts"

const sending = sendMethod(noticeLeaseSeconds)

/**
 * Opens and ends the notices to issuers every minute, and emails them with the retries of all emails. Rows store the
 * due emails, so a process that is killed repeats at most the emails under way, with the same Message-ID.
 */
export const layer = Singleton.make(
  "NoticeWatch",
  Effect.gen(function* () {
    const mailer = yield* Mailer
    const notices = yield* Notices
    const pace = yield* WatchPace

    const send = Effect.fnUntraced(function* (email: DueEmail) {
      const { email_attempts, id, livemode, recipient } = email
      if (recipient === null) return yield* notices.recordEmail(email, false, null)
      const envelope = { reference: id, livemode, to: recipient }
      const result = yield* Effect.result(
        callPort(sending, () => mailer.send(envelope, Effect.succeed(noticeMail(email))))
      )
      if (Result.isSuccess(result)) {
        yield* Fault.at("after-mail")
        yield* notices.recordEmail(email, true, null)
        return yield* Metric.update(Metrics.emails("delivered"), 1)
      }
      const error = result.failure
      const isFinal = error instanceof MailerAbsent || error instanceof MailerRefused
      const retryInMs = isFinal ? null : nextEmailDelayMs(email_attempts, yield* Random.next)
      yield* Effect.logWarning(
        retryInMs === null ? "A notice could not be emailed" : "A notice was not emailed; Folio will retry",
        error
      ).pipe(Effect.annotateLogs({ notice_id: id, account_id: email.account_id }))
      yield* notices.recordEmail(email, false, retryInMs)
      yield* Metric.update(Metrics.emails(retryInMs === null ? "failed" : "retry"), 1)
    })
    const sendDue = Effect.flatMap(notices.take, Effect.forEach(send, { concurrency: emailsMax, discard: true }))

    yield* Effect.all(
      [
        repeated("The search for notices", notices.search, pace.search),
        repeated("The emails of notices", sendDue, pace.send)
      ],
      { concurrency: "unbounded", discard: true }
    )
  })
)

/** The email of a notice, in Spanish as all emails of the Colombian profile. */
const noticeMail = ({ id, issuer, message_es }: Pick<DueEmail, "id" | "issuer" | "message_es">): Message => {
  const message = oneLine(message_es)
  const paragraphs = [
    `Señores ${oneLine(issuer)}:`,
    message,
    `Folio envía este aviso una vez, al correo del emisor. Referencia: ${id}`
  ]
  return {
    subject: firstSentence(message),
    text: `${paragraphs.join("\n\n")}\n`,
    html: htmlMessage(paragraphs),
    from_name: "Folio",
    reply_to: null,
    archive: null
  }
}
