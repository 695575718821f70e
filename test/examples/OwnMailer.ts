/*
 * The service with a mailer that sends live emails through a mail provider's HTTP API instead of SMTP:
 *
 *   MAIL_API_URL=https://mail.example.com/v1 MAIL_API_KEY=… MAIL_FROM=invoices@example.com node OwnMailer.ts
 */
import { main } from "@folio-einvoicing/service"
import { Mailer, MailerRefused, MailerUnavailable, type Send } from "@folio-einvoicing/service/ports"
import { Config, Effect, Layer, Redacted } from "effect"

const settings = Config.all({
  url: Config.String("MAIL_API_URL"),
  key: Config.Redacted("MAIL_API_KEY"),
  from: Config.String("MAIL_FROM")
})

const unavailable = (message: string) => new MailerUnavailable({ message: message.slice(0, 500) })

const outcomeOf = (status: number, answer: string) => {
  if (status >= 200 && status < 300) return Effect.succeed({ complained: false })
  // This provider returns 422 for an address that can never get mail. Other failures may pass, so Folio retries.
  if (status === 422) return Effect.fail(new MailerRefused({ message: answer.slice(0, 500) }))
  return Effect.fail(unavailable(`The mail provider answered ${status}: ${answer}`))
}

const sendBy = ({ from, key, url }: Config.Success<typeof settings>): Send =>
  Effect.fnUntraced(function* (envelope, message) {
    const { archive, from_name, html, reply_to, subject, text } = yield* message
    const body = JSON.stringify({
      from: { name: from_name, address: from },
      to: envelope.to,
      reply_to,
      subject,
      text,
      html,
      attachments:
        archive === null ? [] : [{ name: archive.name, content: Buffer.from(archive.bytes).toString("base64") }]
    })
    // The reference is the same at every attempt, so that a provider with idempotency keys sends the message once.
    const headers = {
      Authorization: `Bearer ${Redacted.value(key)}`,
      "Content-Type": "application/json",
      "Idempotency-Key": envelope.reference
    }
    const [status, answer] = yield* Effect.tryPromise({
      try: async (signal) => {
        const response = await fetch(`${url}/messages`, { method: "POST", headers, body, signal })
        return [response.status, await response.text()] as const
      },
      catch: (cause) => unavailable(`The mail provider was not reached: ${String(cause)}`)
    }).pipe(
      Effect.timeoutOrElse({
        duration: "30 seconds",
        orElse: () => Effect.fail(unavailable("The mail provider did not answer in 30 s."))
      })
    )
    return yield* outcomeOf(status, answer)
  })

/** `Mailer.layerWith` keeps the sandbox: emails in test mode never leave the service. */
const mailer = Layer.unwrap(Effect.map(settings, (values) => Mailer.layerWith(sendBy(values))))

main({ mailer })
