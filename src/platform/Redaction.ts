import { Redacted } from "effect"
import type { Settings } from "./Settings.ts"

const patterns: ReadonlyArray<readonly [form: RegExp, shown: string]> = [
  [/\bsk_(test|live)_\w+/g, "sk_$1_…"],
  [/\bwhsec_[\w+/=-]+/g, "whsec_…"],
  [/\b(Bearer|Basic)\s+[^\s"',;\\]+/gi, "$1 …"],
  [/(:\/\/[^\s/:@"]*):[^\s/@"]+@/g, "$1:…@"]
]

// A shorter secret would also match parts of ordinary words.
const secretLengthMin = 4

/**
 * Makes the function that redacts a text, which may be JSON: everything with the form of a secret (API keys, signing secrets,
 * credentials of a header or a URL), and each of `secrets`, verbatim, URL-encoded or escaped for JSON.
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

/** The secrets in the settings: passwords in URLs, the sealing key, the secret of mail notices, the PIN, and OTLP header values. */
export const secretsOf = (settings: Settings["Service"]): ReadonlyArray<string> => {
  const { authority, databaseUrl, mail, mailNoticeSecret, otlp, secretKey } = settings
  const passwords = [databaseUrl, mail?.url].map((redacted) => {
    const url = redacted === undefined ? "" : Redacted.value(redacted)
    return URL.canParse(url) ? decodeURIComponent(new URL(url).password) : ""
  })
  const key = secretKey && Buffer.from(Redacted.value(secretKey)).toString("base64")
  const headers = otlp === undefined ? [] : Object.values(Redacted.value(otlp.headers))
  const others = [mailNoticeSecret, authority?.software.pin].map((secret) => secret && Redacted.value(secret))
  return [...passwords, key, ...others, ...headers].filter((secret) => secret !== undefined)
}
