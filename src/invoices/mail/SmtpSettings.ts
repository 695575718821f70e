import { Config, type Duration, Effect, Redacted, Schema } from "effect"
import { addressFields } from "../../../schemas/Party.ts"
import { isDecodable, read, refuse } from "../../runtime/Setting.ts"

/** The mail server, the sender address, and the time-out of a message. */
export interface SmtpOptions {
  /** smtp://user:password@host:port, or smtps:// */
  readonly url: Redacted.Redacted<string>
  /** The sender address of all emails. */
  readonly from: string
  /** PEM certificates to trust instead of the system's. */
  readonly ca?: string
  /** Time-out of one message, from connecting to the server's last response; default 60 s. */
  readonly timeout?: Duration.Input
}

const config = Config.all({
  url: Config.Redacted("SMTP_URL").pipe(Config.withDefault(undefined)),
  from: Config.String("MAIL_FROM").pipe(Config.withDefault(""))
})

const isSmtp = (url: string) =>
  URL.canParse(url) && /^smtps?:\/\/[^/]/.test(url) && new URL(url).hostname !== "" && isDecodable(new URL(url))

const isAddress = Schema.is(addressFields.email)

/** `SMTP_URL` and `MAIL_FROM`; undefined if `SMTP_URL` is not set. Fails with `SettingsError`. */
export const smtpSettings = Effect.gen(function* () {
  const { from, url } = yield* read(config)
  if (url === undefined) return undefined
  if (!isSmtp(Redacted.value(url)))
    return yield* refuse(
      "SMTP_URL must be of the form smtp://user:password@mail.example.com:587 or smtps://…:465, with %25 for % in its parts"
    )
  if (!isAddress(from))
    return yield* refuse(
      "MAIL_FROM must be the email address that documents are sent from, such as facturas@example.com"
    )
  return { url, from } satisfies SmtpOptions
})
