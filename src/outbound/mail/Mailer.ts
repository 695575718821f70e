import { Context, Effect, Layer, Schema } from "effect"

/**
 * Which e-mail is sent, in which mode, and to which address.
 *
 * @example
 * ```ts
 * import type { Envelope } from "@folio-einvoicing/service/Mailer"
 *
 * // The headers by which a mail provider recognizes a repeated request.
 * export const headersOf = ({ reference, to }: Envelope) => ({ "Idempotency-Key": reference, "X-Recipient": to })
 * ```
 */
export interface Envelope {
  /** Part of the Message-ID, the same at every attempt, so that a recipient can recognize a duplicate. */
  readonly reference: string
  readonly livemode: boolean
  readonly to: string
}

/**
 * The content of an e-mail. `archive` is its one attachment, a ZIP of at most 2 MB.
 *
 * @example
 * ```ts
 * import type { Message } from "@folio-einvoicing/service/Mailer"
 *
 * // The body of a request to a mail provider that takes JSON.
 * export const bodyOf = ({ archive, from_name, html, reply_to, subject, text }: Message) =>
 *   JSON.stringify({
 *     from: `${from_name} <facturas@example.com>`,
 *     replyTo: reply_to,
 *     subject,
 *     text,
 *     html,
 *     attachments: [{ name: archive.name, content: Buffer.from(archive.bytes).toString("base64") }]
 *   })
 * ```
 */
export interface Message {
  readonly subject: string
  readonly text: string
  readonly html: string
  readonly from_name: string
  readonly reply_to: string
  readonly archive: { readonly name: string; readonly bytes: Uint8Array }
}

/**
 * The mail server has accepted the message. `complained`: the recipient marked the message as spam at once, which only the
 * sandbox reports.
 *
 * @example
 * ```ts
 * import type { Sent } from "@folio-einvoicing/service/Mailer"
 * import { Metric } from "effect"
 *
 * const complaints = Metric.counter("mail_complaints_total")
 *
 * export const count = ({ complained }: Sent) => Metric.update(complaints, complained ? 1 : 0)
 * ```
 */
export interface Sent {
  readonly complained: boolean
}

/**
 * The mail server gave no answer, or refused for now. Whether the message was taken is unknown; the service sends the message
 * again later.
 *
 * @example
 * ```ts
 * import { MailerUnavailable } from "@folio-einvoicing/service/Mailer"
 * import { Effect } from "effect"
 *
 * export const post = (url: string, body: string) =>
 *   Effect.tryPromise({
 *     try: (signal) => fetch(url, { method: "POST", body, signal }),
 *     catch: (cause) => new MailerUnavailable({ message: `The mail provider does not answer: ${cause}` })
 *   })
 * ```
 */
export class MailerUnavailable extends Schema.TaggedError<MailerUnavailable>()("MailerUnavailable", {
  message: Schema.String
}) {}

/**
 * The mail server refuses the message to this address for good. The service does not send the message again, and the e-mail
 * counts as bounced.
 *
 * @example
 * ```ts
 * import { MailerRefused } from "@folio-einvoicing/service/Mailer"
 * import { Effect } from "effect"
 *
 * export const check = (status: number, reason: string) =>
 *   status === 422 ? Effect.fail(new MailerRefused({ message: reason })) : Effect.void
 * ```
 */
export class MailerRefused extends Schema.TaggedError<MailerRefused>()("MailerRefused", { message: Schema.String }) {}

/**
 * No mail server is configured. The e-mail fails at once, and the service does not send the e-mail again.
 *
 * @example
 * ```ts
 * import { MailerAbsent, type Send } from "@folio-einvoicing/service/Mailer"
 * import { Effect } from "effect"
 *
 * // For a team that sends all e-mails by another way than the service.
 * export const never: Send = () => Effect.fail(new MailerAbsent({ message: "Our own system sends the invoices." }))
 * ```
 */
export class MailerAbsent extends Schema.TaggedError<MailerAbsent>()("MailerAbsent", { message: Schema.String }) {}

/**
 * Sends an e-mail. `message` makes the content: run it only when the content is needed. A send must end within two minutes;
 * after that time another process may begin the same send.
 *
 * @example
 * ```ts
 * import { MailerUnavailable, type Send } from "@folio-einvoicing/service/Mailer"
 * import { Effect } from "effect"
 *
 * export const send: Send = Effect.fnUntraced(function* ({ to }, message) {
 *   const { subject, text } = yield* message
 *   yield* Effect.tryPromise({
 *     try: (signal) =>
 *       fetch("https://mail.example.com/send", { method: "POST", body: JSON.stringify({ to, subject, text }), signal }),
 *     catch: () => new MailerUnavailable({ message: "The mail provider does not answer." })
 *   }).pipe(
 *     Effect.timeoutOrElse({
 *       duration: "30 seconds",
 *       orElse: () => Effect.fail(new MailerUnavailable({ message: "The mail provider takes too long." }))
 *     })
 *   )
 *   return { complained: false }
 * })
 * ```
 */
export type Send = (
  envelope: Envelope,
  message: Effect.Effect<Message, MailerUnavailable>
) => Effect.Effect<Sent, MailerUnavailable | MailerRefused | MailerAbsent>

const nobody: Send = () =>
  Effect.fail(new MailerAbsent({ message: "The service has no mail server: SMTP_URL is not set." }))

/**
 * Decides the outcome of an e-mail of the test mode, which never leaves the machine: its content is built when a client reads it.
 * Addresses at bounced.test bounce, those at complained.test are delivered and then complain, all others are delivered.
 */
const sendInSandbox = ({ to }: Envelope): Effect.Effect<Sent, MailerRefused> => {
  const domain = to.slice(to.lastIndexOf("@") + 1).toLowerCase()
  if (domain === "bounced.test") {
    return Effect.fail(new MailerRefused({ message: "550 5.1.1 The sandbox bounces addresses at bounced.test." }))
  }
  return Effect.succeed({ complained: domain === "complained.test" })
}

/**
 * The sandbox handles e-mails of the test mode, `live` sends e-mails of the live mode.
 *
 * @internal
 */
export const mailer = (live: Send = nobody) => ({
  send: ((envelope, message) => (envelope.livemode ? live(envelope, message) : sendInSandbox(envelope))) satisfies Send
})

/**
 * Sends the e-mails of documents. A layer of a team sees the e-mails of both modes; `Mailer.layerWith` simulates those of the test
 * mode, and gives only live ones to the team.
 *
 * @example
 * ```ts
 * import { Mailer, MailerUnavailable } from "@folio-einvoicing/service/Mailer"
 * import { main } from "@folio-einvoicing/service/node"
 * import { Effect } from "effect"
 *
 * // Live e-mails go to a mail provider by its HTTP interface.
 * const mailer = Mailer.layerWith(
 *   Effect.fnUntraced(function* ({ reference, to }, message) {
 *     const { archive, html, subject, text } = yield* message
 *     const attachment = { name: archive.name, content: Buffer.from(archive.bytes).toString("base64") }
 *     const request = {
 *       method: "POST",
 *       headers: { "Idempotency-Key": reference },
 *       body: JSON.stringify({ to, subject, text, html, attachments: [attachment] })
 *     }
 *     yield* Effect.tryPromise((signal) => fetch("https://mail.example.com/messages", { ...request, signal })).pipe(
 *       Effect.filterOrFail(({ ok }) => ok, ({ status }) => new MailerUnavailable({ message: `It answered ${status}.` })),
 *       Effect.timeout("30 seconds"),
 *       Effect.mapError(({ message: reason }) => new MailerUnavailable({ message: `The mail provider: ${reason}` }))
 *     )
 *     return { complained: false }
 *   })
 * )
 *
 * main({ mailer })
 * ```
 */
export class Mailer extends Context.Service<Mailer, { readonly send: Send }>()("@folio-einvoicing/service/Mailer") {
  /** Sends no e-mails of the live mode: they fail with `MailerAbsent`. Those of the test mode are simulated. */
  static readonly layer = Layer.succeed(Mailer, mailer())

  /** `live` sends the e-mails of the live mode. Those of the test mode are simulated. */
  static layerWith(live: Send) {
    return Layer.succeed(Mailer, mailer(live))
  }
}
