import { Duration, Effect, Redacted, Schema } from "effect"
import { createTransport } from "nodemailer"
import { MailerRefused, MailerUnavailable } from "./Mail.ts"
import type { Send } from "./Mailer.ts"

export interface SmtpOptions {
  /** smtp://user:password@host:port, or smtps:// */
  readonly url: Redacted.Redacted<string>
  /** The address that all e-mails are from. */
  readonly from: string
  /** Certificates to trust beside the system's, as PEM. */
  readonly ca?: string
  /** How long all of an attempt may take. */
  readonly timeout?: Duration.Input
}

const timeoutDefault = Duration.seconds(60)

// Of what the connection waits for next; the whole has a limit of its own.
const patience = { dnsTimeout: 5_000, connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000 }

const isLoopback = (host: string) => host === "localhost" || host === "[::1]" || /^127(\.\d+){3}$/.test(host)

/** The protocol's own port where the URL names none. */
const transportOptions = ({ ca, url }: SmtpOptions) => {
  const { hostname, password, port, protocol, username } = new URL(Redacted.value(url))
  const secure = protocol === "smtps:"
  const loopback = isLoopback(hostname)
  return {
    host: hostname.replaceAll(/[[\]]/g, ""),
    port: port === "" ? (secure ? 465 : 587) : Number(port),
    secure,
    // Nothing is said in the clear but to a server on this machine.
    requireTLS: !secure && !loopback,
    ignoreTLS: !secure && loopback && ca === undefined,
    tls: { minVersion: "TLSv1.2" as const, ...(ca === undefined ? {} : { ca }) },
    ...(username === "" ? {} : { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
    ...patience,
    disableFileAccess: true,
    disableUrlAccess: true
  }
}

/** What a failed attempt is told by. */
const Failure = Schema.Struct({
  message: Schema.String,
  code: Schema.optionalKey(Schema.String),
  command: Schema.optionalKey(Schema.String),
  responseCode: Schema.optionalKey(Schema.Finite)
})
const readFailure = Schema.decodeUnknownOption(Failure)
const reasonMax = 500

/**
 * The server's no to this recipient or this message is final when it says so (5xx). All else may pass: a server that is away,
 * one that does not know us, one that says later.
 */
const failureOf = (error: unknown) => {
  const read = readFailure(error)
  if (read._tag === "None") return new MailerUnavailable({ message: "The message could not be sent." })
  const { code, command, message, responseCode = 0 } = read.value
  const isAboutIt = command === "RCPT TO" || command === "DATA"
  const reason = { message: message.slice(0, reasonMax) }
  if (isAboutIt && responseCode >= 500) return new MailerRefused(reason)
  // An address that the protocol cannot carry was refused before anybody was asked.
  return code === "EENVELOPE" && command === "API" ? new MailerRefused(reason) : new MailerUnavailable(reason)
}

/** Sends over SMTP, each message over a connection of its own. TLS is required unless the server is on this machine. */
export const sendOverSmtp = (options: SmtpOptions): Send => {
  const transport = createTransport(transportOptions(options))
  const domain = options.from.slice(options.from.lastIndexOf("@") + 1)

  return Effect.fn("MailerSmtp.send")(function* (envelope, message) {
    const { archive, from_name, html, reply_to, subject, text } = yield* message
    const mail = {
      messageId: `<${envelope.reference}@${domain}>`,
      from: { name: from_name, address: options.from },
      to: { name: "", address: envelope.to },
      replyTo: { name: from_name, address: reply_to },
      subject,
      text,
      html,
      attachments: [{ filename: archive.name, content: Buffer.from(archive.bytes), contentType: "application/zip" }]
    }
    yield* Effect.tryPromise({ try: () => transport.sendMail(mail), catch: failureOf }).pipe(
      Effect.timeoutOrElse({
        duration: options.timeout ?? timeoutDefault,
        orElse: () => Effect.fail(new MailerUnavailable({ message: "The mail server did not answer in time." }))
      })
    )
    return { complained: false }
  })
}
