import { checkDigit, isNit } from "./CheckDigit.ts"

/** The registration of the program that makes the documents, by which the authority identifies the program. */
export interface Software {
  /** The NIT of the software's provider. */
  readonly provider: { readonly number: string; readonly check_digit: string }
  readonly id: string
  /** A secret of the provider and the authority, hashed into each CUDE and into the security code of each document. */
  readonly pin: string
}

/** What an account lacks that has no software of its own, where the service has none either. */
export const softwareLack =
  "the account has no registered software (send its id and PIN to PUT /v1/account/software, or the service's operator sets SOFTWARE_ID, SOFTWARE_PIN and SOFTWARE_NIT)"

type ProviderNumber =
  | { readonly number: string }
  | { readonly fault: string; readonly code: "parameter_invalid" | "invalid_check_digit" }

/** The number of a NIT that is written with or without its check digit, or what is wrong with the NIT, named `name`. */
export const numberOfNit = (nit: string, name: string): ProviderNumber => {
  const [number = "", digit, ...rest] = nit.split("-")
  if (!isNit(number) || rest.length > 0) {
    return {
      fault: `${name} must be the NIT of who provides the software, such as 900373115-3.`,
      code: "parameter_invalid"
    }
  }
  if (digit === undefined || digit === checkDigit(number)) return { number }
  return {
    fault: `${name} has the check digit ${digit}; that of ${number} is ${checkDigit(number)}.`,
    code: "invalid_check_digit"
  }
}

/** The provider of a software by the number of its NIT. */
export const providerOf = (number: string): Software["provider"] => ({ number, check_digit: checkDigit(number) })
