import { Effect, Layer, Redacted, Schema } from "effect"
import { createTransport } from "nodemailer"
import { Mailer, mailer, MailerRefused, MailerUnavailable, type Send } from "./Mailer.ts"
import { smtpSettings, type SmtpOptions } from "./SmtpSettings.ts"

export type { SmtpOptions } from "./SmtpSettings.ts"

// Milliseconds for each step of a connection; `timeout` limits all steps together.
const timeouts = { dnsTimeout: 5_000, connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000 }

const isLoopback = (host: string) => host === "localhost" || host === "[::1]" || /^127(\.\d+){3}$/.test(host)

/** The options of nodemailer. If the URL names no port, the port is 465 for smtps and 587 for smtp. */
const transportOptions = ({ ca, url }: SmtpOptions) => {
  const { hostname, password, port, protocol, username } = new URL(Redacted.value(url))
  const secure = protocol === "smtps:"
  const loopback = isLoopback(hostname)
  return {
    host: hostname.replaceAll(/[[\]]/g, ""),
    port: port === "" ? (secure ? 465 : 587) : Number(port),
    secure,
    // Only a mail server on this machine may be used without TLS.
    requireTLS: !secure && !loopback,
    ignoreTLS: !secure && loopback && ca === undefined,
    tls: { minVersion: "TLSv1.2" as const, ...(ca === undefined ? {} : { ca }) },
    ...(username === "" ? {} : { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
    ...timeouts,
    disableFileAccess: true,
    disableUrlAccess: true
  }
}

/** The fields of a nodemailer error with the reason of a failed attempt. */
const Failure = Schema.Struct({
  message: Schema.String,
  code: Schema.optionalKey(Schema.String),
  command: Schema.optionalKey(Schema.String),
  responseCode: Schema.optionalKey(Schema.Finite)
})
const readFailure = Schema.decodeUnknownOption(Failure)
const reasonMax = 500

/**
 * Classifies a nodemailer error. A 5xx response to RCPT TO or DATA permanently rejects the recipient or the message.
 * Every other failure may be temporary: an unreachable server, a failed login, a temporary rejection.
 */
const failureOf = (error: unknown) => {
  const read = readFailure(error)
  if (read._tag === "None") return new MailerUnavailable({ message: "The message could not be sent." })
  const { code, command, message, responseCode = 0 } = read.value
  const isAboutIt = command === "RCPT TO" || command === "DATA"
  const reason = { message: message.slice(0, reasonMax) }
  if (isAboutIt && responseCode >= 500) return new MailerRefused(reason)
  // nodemailer rejects an address that SMTP cannot carry, without asking the server.
  return code === "EENVELOPE" && command === "API" ? new MailerRefused(reason) : new MailerUnavailable(reason)
}

type Mail = Parameters<ReturnType<typeof createTransport>["sendMail"]>[0]

/**
 * Makes a function that sends mails over SMTP, each over its own connection. TLS is required unless the server is on
 * this machine. A mail's id comes from its reference.
 */
const sending = (options: SmtpOptions) => {
  const transport = createTransport(transportOptions(options))
  const domain = options.from.slice(options.from.lastIndexOf("@") + 1)
  const idOf = (reference: string) => `<${reference}@${domain}>`
  const send = (reference: string, mail: Mail) =>
    Effect.tryPromise({
      try: () => transport.sendMail({ ...mail, messageId: idOf(reference) }),
      catch: failureOf
    }).pipe(
      Effect.timeoutOrElse({
        duration: options.timeout ?? "60 seconds",
        orElse: () => Effect.fail(new MailerUnavailable({ message: "The mail server did not respond in time." }))
      })
    )
  return { idOf, send }
}

/** Makes a function that sends emails over SMTP. */
export const sendOverSmtp = (options: SmtpOptions): Send => {
  const { send } = sending(options)
  return Effect.fn("MailerSmtp.send")(function* (envelope, message) {
    const { archive, from_name, html, reply_to, subject, text } = yield* message
    yield* send(envelope.reference, {
      from: { name: from_name, address: options.from },
      to: { name: "", address: envelope.to },
      ...(reply_to === null ? {} : { replyTo: { name: from_name, address: reply_to } }),
      subject,
      text,
      html,
      attachments:
        archive === null
          ? []
          : [{ filename: archive.name, content: Buffer.from(archive.bytes), contentType: "application/zip" }]
    })
    return { complained: false }
  })
}

/** A text message. `answers`: the reference of the message to which it replies, or null. */
interface TextMessage {
  readonly reference: string
  readonly answers: string | null
  readonly to: ReadonlyArray<string>
  readonly subject: string
  readonly text: string
}

/**
 * Makes a function that sends text messages, with the same settings as `sendOverSmtp`.
 *
 * @internal
 */
export const sendTextOverSmtp = (options: SmtpOptions) => {
  const { idOf, send } = sending(options)
  return ({ answers, reference, subject, text, to }: TextMessage) =>
    send(reference, {
      ...(answers === null ? {} : { inReplyTo: idOf(answers), references: idOf(answers) }),
      from: { name: "Folio", address: options.from },
      to: [...to],
      subject,
      text
    })
}

/** Sends live emails over SMTP; test emails are simulated. */
export const layer = (smtp: SmtpOptions): Layer.Layer<Mailer> => Mailer.layerWith(sendOverSmtp(smtp))

/**
 * The mail server of `SMTP_URL` and `MAIL_FROM`. If they are not set, live emails fail. Fails with `SettingsError`.
 */
export const layerConfig = Layer.effect(
  Mailer,
  Effect.gen(function* () {
    const smtp = yield* smtpSettings
    if (smtp !== undefined) return mailer(sendOverSmtp(smtp))
    yield* Effect.logInfo("SMTP_URL is not set: live documents are not emailed")
    return mailer()
  })
)
