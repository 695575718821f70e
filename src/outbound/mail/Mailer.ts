import { Context, Effect, Layer, Schema } from "effect"

/** Which e-mail is sent, in which mode, and to which address. */
export interface Envelope {
  /** Part of the Message-ID, the same at every attempt, so that a recipient can recognize a duplicate. */
  readonly reference: string
  readonly livemode: boolean
  readonly to: string
}

/** The content of an e-mail. `archive` is its one attachment, a ZIP of at most 2 MB. */
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
 */
export interface Sent {
  readonly complained: boolean
}

/**
 * The mail server gave no answer, or refused for now. Whether the message was taken is unknown; the service sends the message
 * again later.
 */
export class MailerUnavailable extends Schema.TaggedError<MailerUnavailable>()("MailerUnavailable", {
  message: Schema.String
}) {}

/**
 * The mail server refuses the message to this address for good. The service does not send the message again, and the e-mail
 * counts as bounced.
 */
export class MailerRefused extends Schema.TaggedError<MailerRefused>()("MailerRefused", { message: Schema.String }) {}

/** No mail server is configured. The e-mail fails at once, and the service does not send the e-mail again. */
export class MailerAbsent extends Schema.TaggedError<MailerAbsent>()("MailerAbsent", { message: Schema.String }) {}

/**
 * Sends an e-mail. `message` makes the content: run it only when the content is needed. A send must end within two minutes;
 * after that time another process may begin the same send.
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
 */
export class Mailer extends Context.Service<Mailer, { readonly send: Send }>()("@folio-einvoicing/service/Mailer") {
  /** Sends no e-mails of the live mode: they fail with `MailerAbsent`. Those of the test mode are simulated. */
  static readonly layer = Layer.succeed(Mailer, mailer())

  /** `live` sends the e-mails of the live mode. Those of the test mode are simulated. */
  static layerWith(live: Send) {
    return Layer.succeed(Mailer, mailer(live))
  }
}
