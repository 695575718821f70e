/**
 * Exact money: decimals with two fraction digits travel as strings ("100.25") and are computed as whole hundredths in a
 * bigint (10025n). Products are rounded half-even, the authority's rule (NTC 3711).
 */

/** The largest amount a decimal of the interface can hold: 15 digits before the point, in hundredths. */
const centsMax = 10n ** 17n - 1n

/** "100.25" → 10025n. Throws when the text is no decimal of exactly two fraction digits. */
export const cents = (text: string): bigint => {
  if (!/^-?\d+\.\d\d$/.test(text)) throw new RangeError(`not a decimal of two fraction digits: ${JSON.stringify(text)}`)
  return BigInt(text.slice(0, -3) + text.slice(-2))
}

/** 10025n → "100.25". */
export const decimal = (amount: bigint): string => {
  const digits = (amount < 0n ? -amount : amount).toString().padStart(3, "0")
  return `${amount < 0n ? "-" : ""}${digits.slice(0, -2)}.${digits.slice(-2)}`
}

/** Whether an amount in hundredths can be written as a decimal of the interface: no sign, 15 digits before the point. */
export const fits = (amount: bigint): boolean => amount >= 0n && amount <= centsMax

const divideHalfEven = (dividend: bigint, divisor: bigint): bigint => {
  const quotient = dividend / divisor
  const remainder = dividend % divisor
  const twice = 2n * (remainder < 0n ? -remainder : remainder)
  const awayFromZero = twice > divisor || (twice === divisor && quotient % 2n !== 0n)
  return awayFromZero ? quotient + (dividend < 0n ? -1n : 1n) : quotient
}

/** The product of two numbers in hundredths, such as quantity × unit price, in hundredths and rounded half-even. */
export const multiply = (a: bigint, b: bigint): bigint => divideHalfEven(a * b, 100n)

/** `rate` percent of `base`, all three in hundredths: 100000.00 at 19.00 is 19000.00. */
export const percentage = (base: bigint, rate: bigint): bigint => divideHalfEven(base * rate, 10_000n)

/** An amount of any number of fraction digits cut to two, never rounded: "12037.046" → "12037.04". */
export const truncated = (amount: string): string => {
  const match = /^(-?\d+)(?:\.(\d+))?$/.exec(amount)
  if (match === null) throw new RangeError(`not a decimal: ${JSON.stringify(amount)}`)
  return `${match[1]}.${(match[2] ?? "").slice(0, 2).padEnd(2, "0")}`
}
