import { Context, Effect } from "effect"
import {
  type Envelope,
  MailerAbsent,
  type MailerRefused,
  type MailerUnavailable,
  type Message,
  type Sent
} from "./Mail.ts"
import { sendInSandbox } from "./MailerSandbox.ts"

/** Sends a message that is put together when it is needed. It ends within the lease of an attempt. */
export type Send = (
  envelope: Envelope,
  message: Effect.Effect<Message, MailerUnavailable>
) => Effect.Effect<Sent, MailerUnavailable | MailerRefused | MailerAbsent>

const nobody: Send = () =>
  Effect.fail(new MailerAbsent({ message: "The service has no mail server: SMTP_URL is not set." }))

/** What sends e-mails: the sandbox those of the test mode, `live` the others. */
export const mailer = (live: Send = nobody) => ({
  send: ((envelope, message) => (envelope.livemode ? live(envelope, message) : sendInSandbox(envelope))) satisfies Send
})

/** Teams bring their own by providing another. */
export class Mailer extends Context.Reference<{ readonly send: Send }>("folio/outbound/Mailer", {
  defaultValue: () => mailer()
}) {}
