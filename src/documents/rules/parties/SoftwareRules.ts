import { checkDigit, isNit } from "./CheckDigit.ts"

/** The id with which the authority has registered the program that makes the documents. */
export interface Software {
  /** The NIT of the software's provider. */
  readonly provider: { readonly number: string; readonly check_digit: string }
  readonly id: string
  /** A secret of the provider and the authority, hashed into each CUDE and into the security code of each document. */
  readonly pin: string
}

/** The missing requirement of an account without its own software, if Folio has no software either. */
export const softwareLack =
  "the account has no registered software (send its id and PIN to PUT /v1/account/software, or the operator sets SOFTWARE_ID, SOFTWARE_PIN and SOFTWARE_NIT)"

type ProviderNumber =
  | { readonly number: string }
  | { readonly fault: string; readonly code: "parameter_invalid" | "invalid_check_digit" }

/** The number of a NIT with or without its check digit, or the fault of the NIT, which the message calls `name`. */
export const numberOfNit = (nit: string, name: string): ProviderNumber => {
  const [number = "", digit, ...rest] = nit.split("-")
  if (!isNit(number) || rest.length > 0) {
    return {
      fault: `${name} must be the NIT of the software's provider, such as 900373115-3.`,
      code: "parameter_invalid"
    }
  }
  if (digit === undefined || digit === checkDigit(number)) return { number }
  return {
    fault: `${name} has the check digit ${digit}; the check digit of ${number} is ${checkDigit(number)}.`,
    code: "invalid_check_digit"
  }
}

/** The provider of a software by the number of its NIT. */
export const providerOf = (number: string): Software["provider"] => ({ number, check_digit: checkDigit(number) })
