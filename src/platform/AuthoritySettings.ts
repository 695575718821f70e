import { Redacted, Result } from "effect"
import { checkDigit, isNit } from "../domain/CheckDigit.ts"

/** Where live documents go to, and the software that they name. */
export interface AuthoritySettings {
  readonly url: string
  readonly software: {
    readonly provider: { readonly number: string; readonly check_digit: string }
    readonly id: string
    readonly pin: Redacted.Redacted<string>
  }
}

const loopback = ["127.0.0.1", "[::1]", "localhost"]

const urlFault = (text: string): string | undefined => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol === "https:" || (url?.protocol === "http:" && loopback.includes(url.hostname))) {
    return url.username === "" && url.hash === ""
      ? undefined
      : "AUTHORITY_URL must be the address of the service alone, without user name and fragment."
  }
  return "AUTHORITY_URL must be the https address of the authority's service (http is for this machine alone)."
}

const softwareFault = ({ id, nit, pin }: { readonly id: string; readonly nit: string; readonly pin: string }) => {
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id)) {
    return "SOFTWARE_ID must be the id that the authority gave the software: 36 characters, such as f0110000-0000-4000-8000-000000000000."
  }
  if (!/^[!-~]{1,64}$/.test(pin))
    return "SOFTWARE_PIN must be the PIN of the software: 1 to 64 characters without spaces."
  const [number = "", digit] = nit.split("-")
  if (!isNit(number)) return "SOFTWARE_NIT must be the NIT of who provides the software, such as 900373115-3."
  if (digit !== undefined && digit !== checkDigit(number)) {
    return `SOFTWARE_NIT has the check digit ${digit}; that of ${number} is ${checkDigit(number)}.`
  }
  return undefined
}

/**
 * The settings of live mode, which are all there or not at all: without them live documents are refused. Fails with one line
 * that says what to do.
 */
export const authoritySettings = (raw: {
  readonly url: string
  readonly id: string
  readonly pin: Redacted.Redacted<string>
  readonly nit: string
}): Result.Result<AuthoritySettings | undefined, string> => {
  const pin = Redacted.value(raw.pin)
  const all = { AUTHORITY_URL: raw.url, SOFTWARE_ID: raw.id, SOFTWARE_PIN: pin, SOFTWARE_NIT: raw.nit }
  const missing = Object.entries(all).flatMap(([name, value]) => (value === "" ? [name] : []))
  if (missing.length === Object.keys(all).length) return Result.succeed(undefined)
  if (missing.length > 0) {
    return Result.fail(
      `${Object.keys(all).join(", ")} go together: set ${missing.join(", ")} as well, or none of them.`
    )
  }
  const fault = urlFault(raw.url) ?? softwareFault({ id: raw.id, nit: raw.nit, pin })
  if (fault !== undefined) return Result.fail(fault)
  const [number = ""] = raw.nit.split("-")
  return Result.succeed({
    url: raw.url,
    software: { provider: { number, check_digit: checkDigit(number) }, id: raw.id, pin: raw.pin }
  })
}
