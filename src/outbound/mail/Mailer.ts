import { Context, Effect, Schema } from "effect"

/** The identity and the recipient of an e-mail. */
export interface Envelope {
  /** Part of the Message-ID, the same at every attempt, so that a recipient can recognize a duplicate. */
  readonly reference: string
  readonly livemode: boolean
  readonly to: string
}

export interface Message {
  readonly subject: string
  readonly text: string
  readonly html: string
  readonly from_name: string
  readonly reply_to: string
  readonly archive: { readonly name: string; readonly bytes: Uint8Array }
}

/** The mail server accepted the message. `complained`: the acquirer marked it as spam at once, which only the sandbox reports. */
export interface Sent {
  readonly complained: boolean
}

/** The mail server gave no answer or a temporary refusal. Whether the message was taken is unknown; the message is sent again. */
export class MailerUnavailable extends Schema.TaggedError<MailerUnavailable>()("MailerUnavailable", {
  message: Schema.String
}) {}

/** The mail server permanently refuses the message to this address. */
export class MailerRefused extends Schema.TaggedError<MailerRefused>()("MailerRefused", { message: Schema.String }) {}

/** No mail server is configured. */
export class MailerAbsent extends Schema.TaggedError<MailerAbsent>()("MailerAbsent", { message: Schema.String }) {}

/** Sends an e-mail. `message` runs only if the content is needed. The send ends within the lease of an attempt. */
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

/** The e-mail port: the sandbox handles e-mails of the test mode, `live` sends e-mails of the live mode. */
export const mailer = (live: Send = nobody) => ({
  send: ((envelope, message) => (envelope.livemode ? live(envelope, message) : sendInSandbox(envelope))) satisfies Send
})

/** The port that sends e-mails. A team replaces the port by providing another `Mailer`. */
export class Mailer extends Context.Reference<{ readonly send: Send }>("folio/outbound/Mailer", {
  defaultValue: () => mailer()
}) {}
