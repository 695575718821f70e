import { Config, Context, Effect, Layer, Redacted } from "effect"
import { read, refuse } from "../../settings/Setting.ts"

const secretMin = 32

/**
 * The secret with which the mail provider signs its notices of bounces and complaints; undefined when the service takes no
 * notices.
 */
export class NoticeSecret extends Context.Service<NoticeSecret, Redacted.Redacted<string> | undefined>()(
  "@folio-einvoicing/service/NoticeSecret"
) {
  /** This secret; without one, the service takes no notices. */
  static layer(secret?: Redacted.Redacted<string>) {
    return Layer.succeed(NoticeSecret, secret)
  }

  /** `MAIL_NOTICE_SECRET`. Fails with `SettingsError`. */
  static readonly layerConfig = Layer.effect(
    NoticeSecret,
    Effect.filterOrElse(
      read(Config.Redacted("MAIL_NOTICE_SECRET").pipe(Config.withDefault(undefined))),
      (secret) => secret === undefined || Redacted.value(secret).length >= secretMin,
      () => refuse(`MAIL_NOTICE_SECRET must have at least ${secretMin} characters: openssl rand -hex 32`)
    )
  )
}
