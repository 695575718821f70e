import { Clock, Config, type Duration, Effect, Layer, Redacted, Schema } from "effect"
import { addressFields } from "../../schemas/Party.ts"
import { signatureHeaders } from "../webhooks/rules/WebhookSignature.ts"
import { isDecodable, isHttp, read, refuse } from "../runtime/Setting.ts"
import { call } from "../runtime/HttpCall.ts"
import { sendTextOverSmtp } from "../invoices/mail/MailerSmtp.ts"
import { smtpSettings, type SmtpOptions } from "../invoices/mail/SmtpSettings.ts"
import { type Alert, AlertFailed, Alerts } from "./Alerts.ts"

/** The channels in the settings: a POST of JSON to `ALERT_URL`, and an email to `ALERT_EMAIL`. */

const postWithin: Duration.Input = "10 seconds"
const mailWithin: Duration.Input = "60 seconds"
const subjectMax = 150

const failed = (message: string) => Effect.fail(new AlertFailed({ message }))

/** The reason for no response, as Node.js names it. */
const reasonOf = (error: unknown): string => {
  const { cause, code, message } = Object(error) as {
    readonly cause?: unknown
    readonly code?: string
    readonly message?: string
  }
  return cause === undefined ? (code ?? message ?? "no response") : reasonOf(cause)
}

/** Moves a user and a password from the URL to `Authorization: Basic`. */
const target = (setting: Redacted.Redacted<string>) => {
  const url = new URL(Redacted.value(setting))
  const [user, password] = [decodeURIComponent(url.username), decodeURIComponent(url.password)]
  url.username = ""
  url.password = ""
  const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`
  return { url, headers: user === "" && password === "" ? {} : { authorization } }
}

/** Posts an alert. The operator chose the URL, so it may be internal. Does not follow redirects. */
const poster = (setting: Redacted.Redacted<string>, secret: Redacted.Redacted<string> | undefined) => {
  const { headers, url } = target(setting)
  return Effect.fn("Alerts.post")(function* (alert: Alert) {
    const body = JSON.stringify(alert)
    const messageId = `${alert.id}-${alert.state}`
    const timestamp = Math.floor((yield* Clock.currentTimeMillis) / 1_000)
    const signed =
      secret === undefined
        ? { "webhook-id": messageId }
        : signatureHeaders({ secret: Redacted.value(secret), messageId, timestamp, body })
    const status = yield* Effect.tryPromise({
      try: async (signal) => {
        const answer = await call(url, {
          method: "POST",
          headers: { "content-type": "application/json", "user-agent": "Folio", ...headers, ...signed },
          body,
          signal
        })
        answer.destroy()
        return answer.statusCode ?? 0
      },
      catch: (error) => new AlertFailed({ message: `${url.host} gave no response: ${reasonOf(error)}` })
    }).pipe(
      Effect.timeoutOrElse({
        duration: postWithin,
        orElse: () => failed(`${url.host} gave no response within ${postWithin}`)
      })
    )
    if (status >= 300 && status < 400) {
      return yield* failed(`${url.host} returned ${status}: redirects are not followed, set ALERT_URL to the target`)
    }
    if (status < 200 || status >= 300) return yield* failed(`${url.host} returned ${status}`)
  })
}

/** The email about an incident's end replies to the first one, so that mail programs group them. */
const mailerTo = (smtp: SmtpOptions, to: ReadonlyArray<string>) => {
  const send = sendTextOverSmtp({ ...smtp, timeout: mailWithin })
  return Effect.fn("Alerts.mail")(
    ({ action, details, id, links, opened_at, severity, since, state, summary, text }: Alert) =>
      send({
        to,
        reference: `${id}-${state}`,
        answers: state === "ended" ? `${id}-opened` : null,
        subject: `[folio] ${state === "ended" ? "ended" : severity}: ${summary.slice(0, subjectMax)}`,
        text: [
          state === "ended" ? text : `${summary}\n\nWhat to do: ${action}`,
          `Since ${since}, noticed ${opened_at}.`,
          ...Object.entries(details).map(([name, value]) => `${name}: ${String(value)}`),
          `Service: ${links.service}\nHelp: ${links.help}`,
          id
        ].join("\n\n")
      }).pipe(Effect.mapError(({ message }) => new AlertFailed({ message: `The mail server: ${message}` })))
  )
}

const config = Config.all({
  url: Config.Redacted("ALERT_URL").pipe(Config.withDefault(undefined)),
  secret: Config.Redacted("ALERT_SECRET").pipe(Config.withDefault(undefined)),
  email: Config.String("ALERT_EMAIL").pipe(Config.withDefault(""))
})

const isAddress = Schema.is(addressFields.email)
const isSecret = (text: string) => /^whsec_[A-Za-z0-9+/]{32,}={0,2}$/.test(text)
const isTarget = (text: string) => isHttp(text) && isDecodable(new URL(text))

/** `ALERT_URL`, `ALERT_SECRET` and `ALERT_EMAIL`. Fails with `SettingsError`. */
export const alertSettings = Effect.gen(function* () {
  const { email, secret, url } = yield* read(config)
  if (url !== undefined && !isTarget(Redacted.value(url))) {
    return yield* refuse(
      "ALERT_URL must be an http or https URL that takes a POST, such as https://alerts.example.com/folio"
    )
  }
  if (secret !== undefined && url === undefined)
    return yield* refuse("ALERT_SECRET signs the requests to ALERT_URL: set ALERT_URL, or unset ALERT_SECRET")
  if (secret !== undefined && !isSecret(Redacted.value(secret))) {
    return yield* refuse(
      'ALERT_SECRET must be whsec_ and at least 24 bytes in base64: echo "whsec_$(openssl rand -base64 32)"'
    )
  }
  const to = email
    .split(",")
    .map((address) => address.trim())
    .filter((address) => address !== "")
  if (!to.every(isAddress)) {
    return yield* refuse(
      "ALERT_EMAIL must be an email address, or several with commas between them, such as ops@example.com"
    )
  }
  const smtp = yield* smtpSettings
  if (to.length > 0 && smtp === undefined) {
    return yield* refuse("ALERT_EMAIL needs a mail server: set SMTP_URL and MAIL_FROM, or unset ALERT_EMAIL")
  }
  return { url, secret, mail: to.length === 0 || smtp === undefined ? undefined : { smtp, to } }
})

/**
 * The channels `url` and `email`, if the settings have them. Fails with `SettingsError`.
 *
 * @internal
 */
export const layerConfig = Layer.effect(
  Alerts,
  Effect.map(alertSettings, ({ mail, secret, url }) => {
    const channels = new Map<string, (alert: Alert) => Effect.Effect<void, AlertFailed>>([
      ...(url === undefined ? [] : [["url", poster(url, secret)] as const]),
      ...(mail === undefined ? [] : [["email", mailerTo(mail.smtp, mail.to)] as const])
    ])
    return {
      channels: [...channels.keys()],
      send: (channel: string, alert: Alert) =>
        channels.get(channel)?.(alert) ?? failed(`There is no channel ${channel}`)
    }
  })
)
