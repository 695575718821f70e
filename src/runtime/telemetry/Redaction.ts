import { Context } from "effect"

const patterns: ReadonlyArray<readonly [form: RegExp, shown: string]> = [
  [/\bsk_(test|live)_\w+/g, "sk_$1_…"],
  // A key in base64, as in Basic authentication.
  [/\bc2tf(?:dGVzdF|bGl2ZV)[\w+/=-]*/g, "sk_…"],
  [/\bwhsec_[\w+/=-]+/g, "whsec_…"],
  [/\b(Bearer|Basic)\s+[^\s"',;\\]+/gi, "$1 …"],
  [/(\/portal\/+enter\/+)[\w-]+/gi, "$1…"],
  [/(:\/\/[^\s/:@"]*):[^\s/@"]+@/g, "$1:…@"]
]

// A shorter secret would also match parts of ordinary words.
const secretLengthMin = 4

/**
 * Makes the function that redacts a text, which may be JSON. It redacts every text in the form of a secret (API keys,
 * signing secrets, credentials of a header or a URL), and each of `secrets`: verbatim, URL-encoded or escaped for JSON.
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

/** Removes secrets from a text. All log lines and spans pass through it before they leave the process. */
export class Redactor extends Context.Service<Redactor, (text: string) => string>()(
  "@folio-einvoicing/service/Redactor"
) {}
