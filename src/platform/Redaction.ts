import { Redacted } from "effect"
import type { Settings } from "./Settings.ts"

const patterns: ReadonlyArray<readonly [form: RegExp, shown: string]> = [
  [/\bsk_(test|live)_\w+/g, "sk_$1_…"],
  [/\bwhsec_[\w+/=-]+/g, "whsec_…"],
  [/\b(Bearer|Basic)\s+[^\s"',;\\]+/gi, "$1 …"],
  [/(:\/\/[^\s/:@"]*):[^\s/@"]+@/g, "$1:…@"]
]

// Shorter than this it would be found in innocent words.
const secretLengthMin = 4

/**
 * The last wall before anything is written or sent: takes out what has the form of a secret (API keys, signing secrets,
 * credentials of a header or a URL) and, word for word, the secrets of the settings. Texts may be JSON.
 */
export const redactor = (secrets: ReadonlyArray<string>) => {
  const forms = secrets.flatMap((secret) => [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)])
  const words = [...new Set(forms)].filter((form) => form.length >= secretLengthMin)
  return (text: string): string => {
    let clean = text
    for (const word of words) clean = clean.replaceAll(word, "…")
    for (const [form, shown] of patterns) clean = clean.replaceAll(form, shown)
    return clean
  }
}

/** What the settings hold that nobody may read. */
export const secretsOf = (settings: Settings["Service"]): ReadonlyArray<string> => {
  const { authority, databaseUrl, mail, mailNoticeSecret, otlp, secretKey } = settings
  const passwords = [databaseUrl, mail?.url].map((redacted) => {
    const url = redacted === undefined ? "" : Redacted.value(redacted)
    return URL.canParse(url) ? decodeURIComponent(new URL(url).password) : ""
  })
  const notices = mailNoticeSecret === undefined ? undefined : Redacted.value(mailNoticeSecret)
  const key = secretKey === undefined ? undefined : Buffer.from(Redacted.value(secretKey)).toString("base64")
  const headers = otlp === undefined ? [] : Object.values(Redacted.value(otlp.headers))
  const pin = authority === undefined ? undefined : Redacted.value(authority.software.pin)
  return [...passwords, key, notices, pin, ...headers].filter((secret) => secret !== undefined)
}
