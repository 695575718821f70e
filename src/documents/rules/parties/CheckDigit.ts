import type { Identification } from "../../../../schemas/Party.ts"

// The weights of a NIT's digits, from the last digit to the first. The authority defines no weight beyond the fifteenth
// digit.
const weights = [3, 7, 13, 17, 19, 23, 29, 37, 41, 43, 47, 53, 59, 67, 71] as const

/** Whether a text is a NIT: 1 to 15 digits, as many as the check digit has weights. */
export const isNit = (number: string): boolean => /^\d{1,15}$/.test(number)

/** The check digit of a NIT, "0" to "9": a weighted sum modulo 11. Throws a RangeError if `number` is not a NIT. */
export const checkDigit = (number: string): string => {
  if (!isNit(number)) throw new RangeError(`not a NIT of 1 to 15 digits: ${JSON.stringify(number)}`)
  let sum = 0
  for (const [index, weight] of weights.slice(0, number.length).entries()) {
    sum += Number(number.at(-1 - index)) * weight
  }
  const remainder = sum % 11
  return String(remainder < 2 ? remainder : 11 - remainder)
}

/**
 * The identification whose invoices the sandbox always accepts. Its check digit is arithmetically wrong (2 is right),
 * so test mode exempts exactly this type, number and check digit from the check.
 */
export const sandboxIdentification = { type: "31", number: "900000001", check_digit: "1" } as const

export const isSandboxIdentification = (identification: Identification): boolean =>
  identification.type === sandboxIdentification.type &&
  identification.number === sandboxIdentification.number &&
  identification.check_digit === sandboxIdentification.check_digit
