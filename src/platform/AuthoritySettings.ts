import { Redacted, Result } from "effect"
import { checkDigit, isNit } from "../domain/accounts/CheckDigit.ts"

const loopback = ["127.0.0.1", "[::1]", "localhost"]

const faultOf = (url: URL | null, id: string, pin: string, number: string, digit: string | undefined) => {
  if (url?.protocol !== "https:" && !(url?.protocol === "http:" && loopback.includes(url.hostname)))
    return "AUTHORITY_URL must be the https address of the authority's service (http is for this machine alone)."
  if (url.username !== "" || url.hash !== "")
    return "AUTHORITY_URL must be the address of the service alone, without user name and fragment."
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id))
    return "SOFTWARE_ID must be the id that the authority gave the software: 36 characters, such as f0110000-0000-4000-8000-000000000000."
  if (!/^[!-~]{1,64}$/.test(pin))
    return "SOFTWARE_PIN must be the PIN of the software: 1 to 64 characters without spaces."
  if (!isNit(number)) return "SOFTWARE_NIT must be the NIT of who provides the software, such as 900373115-3."
  if (digit !== undefined && digit !== checkDigit(number))
    return `SOFTWARE_NIT has the check digit ${digit}; that of ${number} is ${checkDigit(number)}.`
  return undefined
}

/**
 * The authority's service that receives live documents, and the software (provider, id, PIN) that live documents name; undefined
 * when none of the four settings is set: live documents are refused then. Fails with one line that says what to do when only some
 * are set or one is invalid.
 */
export const authoritySettings = (raw: {
  readonly url: string
  readonly id: string
  readonly pin: Redacted.Redacted<string>
  readonly nit: string
}) => {
  const { id, nit, url } = raw
  const pin = Redacted.value(raw.pin)
  const all = { AUTHORITY_URL: url, SOFTWARE_ID: id, SOFTWARE_PIN: pin, SOFTWARE_NIT: nit }
  const missing = Object.entries(all).flatMap(([name, value]) => (value === "" ? [name] : []))
  if (missing.length === Object.keys(all).length) return Result.succeed(undefined)
  if (missing.length > 0) {
    return Result.fail(
      `${Object.keys(all).join(", ")} go together: set ${missing.join(", ")} as well, or none of them.`
    )
  }
  const [number = "", digit] = nit.split("-")
  const fault = faultOf(URL.parse(url), id, pin, number, digit)
  if (fault !== undefined) return Result.fail(fault)
  return Result.succeed({ url, software: { provider: { number, check_digit: checkDigit(number) }, id, pin: raw.pin } })
}
