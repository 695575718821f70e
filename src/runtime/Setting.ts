import { type Config, Effect, Schema } from "effect"

/** A setting that cannot be used. The message is one line that says what to do. */
export class SettingsError extends Schema.TaggedError<SettingsError>()("SettingsError", { message: Schema.String }) {}

/** Fails with `SettingsError`. */
export const refuse = (message: string) => Effect.fail(new SettingsError({ message }))

/** The one-line error for a setting in the wrong format, made from the message of a `ConfigError`. */
export const unusable = (message: string): string => {
  const line = message.replaceAll(/\s+/g, " ").replace(/^SchemaError\((.*)\)$/, "$1")
  const [, expected, name] = /^Expected (.*?) at \["(\w+)"\]/.exec(line) ?? []
  if (expected === undefined || name === undefined) return `A setting cannot be used: ${line}`
  return `${name} must be ${expected.replace("a string representing a finite number", "a number").replaceAll(" | ", " or ")}.`
}

/** Reads settings from the environment. Fails with `SettingsError` if one of them has the wrong format. */
export const read = <A>(config: Config.Config<A>): Effect.Effect<A, SettingsError> =>
  Effect.mapError(config, ({ message }) => new SettingsError({ message: unusable(message) }))

export const isHttp = (url: string): boolean => URL.canParse(url) && /^https?:/.test(url)

/** Whether all parts of a URL can be percent-decoded: `new URL` also accepts URLs with parts that cannot. */
export const isDecodable = ({ hostname, password, pathname, username }: URL): boolean => {
  try {
    return [username, password, pathname, hostname].map(decodeURIComponent).length > 0
  } catch {
    return false
  }
}
