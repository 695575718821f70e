import { Context, Duration, Effect, Layer, Schema } from "effect"
import type { PortMethod } from "../../runtime/PortCall.ts"

/** An email's identity: its reference, mode and recipient. */
export interface Envelope {
  /** Part of the Message-ID, the same in every attempt, so that a recipient can recognize a duplicate. */
  readonly reference: string
  readonly livemode: boolean
  readonly to: string
}

/**
 * The content of an email. `archive` is its only attachment, a ZIP of at most 2 MB. A notice to the issuer has neither
 * `archive` nor `reply_to`: both are null.
 */
export interface Message {
  readonly subject: string
  readonly text: string
  readonly html: string
  readonly from_name: string
  readonly reply_to: string | null
  readonly archive: { readonly name: string; readonly bytes: Uint8Array } | null
}

/**
 * The mail server has accepted the message. `complained`: the recipient immediately marked it as spam, which only the
 * sandbox reports.
 */
export interface Sent {
  readonly complained: boolean
}

/**
 * Failure without a response, or with a temporary rejection. The mail server may still have accepted the message. Folio
 * retries it later.
 */
export class MailerUnavailable extends Schema.TaggedError<MailerUnavailable>()("MailerUnavailable", {
  message: Schema.String
}) {}

/** Permanent rejection of the message to this address. Folio does not retry, and the email counts as bounced. */
export class MailerRefused extends Schema.TaggedError<MailerRefused>()("MailerRefused", { message: Schema.String }) {}

/** Failure without a configured mail server. The email fails without an attempt, and Folio does not retry. */
export class MailerAbsent extends Schema.TaggedError<MailerAbsent>()("MailerAbsent", { message: Schema.String }) {}

/**
 * Sends an email. `message` makes the content: run it only when needed. Must end within two minutes; after that,
 * another process may start the same send.
 */
export type Send = (
  envelope: Envelope,
  message: Effect.Effect<Message, MailerUnavailable>
) => Effect.Effect<Sent, MailerUnavailable | MailerRefused | MailerAbsent>

/**
 * The method and the checks of its result. The call ends before the lease of an attempt, so that no other process sends
 * the email in that time.
 *
 * @internal
 */
export const sendMethod = (leaseSeconds: number): PortMethod => ({
  name: "Mailer.send",
  isAnswer: Schema.is(Schema.Struct({ complained: Schema.Boolean })),
  isFailure: (error) =>
    error instanceof MailerUnavailable || error instanceof MailerRefused || error instanceof MailerAbsent,
  within: Duration.seconds(leaseSeconds - 10)
})

const withoutMailServer: Send = () =>
  Effect.fail(new MailerAbsent({ message: "The service has no mail server: SMTP_URL is not set." }))

/**
 * The outcome of a test-mode email, which never leaves the machine; its content is built when a client reads it. An
 * address at bounced.test bounces. An address at complained.test gets the email and complains. Any other address gets
 * it.
 */
const sendInSandbox = ({ to }: Envelope): Effect.Effect<Sent, MailerRefused> => {
  const domain = to.slice(to.lastIndexOf("@") + 1).toLowerCase()
  if (domain === "bounced.test") {
    return Effect.fail(new MailerRefused({ message: "550 5.1.1 The sandbox bounces addresses at bounced.test." }))
  }
  return Effect.succeed({ complained: domain === "complained.test" })
}

/**
 * The sandbox simulates the test mode's emails; `live` sends the live mode's.
 *
 * @internal
 */
export const mailer = (live: Send = withoutMailServer) => ({
  send: ((envelope, message) => (envelope.livemode ? live(envelope, message) : sendInSandbox(envelope))) satisfies Send
})

/**
 * Sends the emails of documents, and notices to issuers. A team's own layer gets the emails of both modes.
 * `Mailer.layerWith` gives the team only the live emails, and simulates test emails.
 */
export class Mailer extends Context.Service<Mailer, { readonly send: Send }>()("@folio-einvoicing/service/Mailer") {
  /** Live emails fail with `MailerAbsent`; test emails are simulated. */
  static readonly layer = Layer.succeed(Mailer, mailer())

  /** `live` sends the live emails; test emails are simulated. */
  static layerWith(live: Send) {
    return Layer.succeed(Mailer, mailer(live))
  }
}
