/**
 * Exact money. Decimals with two fraction digits travel as strings ("100.25") and are computed as whole hundredths in a
 * bigint (10025n). Products are exact. A single figure is rounded half-even, by the authority's rule (NTC 3711).
 */

/** The largest amount of a decimal in the API: 15 digits before the point, in hundredths. */
const centsMax = 10n ** 17n - 1n

/** "100.25" → 10025n. Throws unless the text is a decimal of exactly two fraction digits. */
export const cents = (text: string): bigint => {
  if (!/^-?\d+\.\d\d$/.test(text)) throw new RangeError(`not a decimal of two fraction digits: ${JSON.stringify(text)}`)
  return BigInt(text.slice(0, -3) + text.slice(-2))
}

/** 10025n → "100.25". */
export const decimal = (amount: bigint): string => {
  const digits = (amount < 0n ? -amount : amount).toString().padStart(3, "0")
  return `${amount < 0n ? "-" : ""}${digits.slice(0, -2)}.${digits.slice(-2)}`
}

/** Whether an amount in hundredths can be written as a decimal of the API: no sign, 15 digits before the point. */
export const fits = (amount: bigint): boolean => amount >= 0n && amount <= centsMax

const divideHalfEven = (dividend: bigint, divisor: bigint): bigint => {
  const quotient = dividend / divisor
  const remainder = dividend % divisor
  const twice = 2n * (remainder < 0n ? -remainder : remainder)
  const awayFromZero = twice > divisor || (twice === divisor && quotient % 2n !== 0n)
  return awayFromZero ? quotient + (dividend < 0n ? -1n : 1n) : quotient
}

/** "0.345" → 345000n: a decimal of up to six fraction digits in millionths. Throws for any other text. */
export const millionths = (text: string): bigint => {
  const match = /^(-?\d+)\.(\d{1,6})$/.exec(text)
  if (match === null) throw new RangeError(`not a decimal of up to six fraction digits: ${JSON.stringify(text)}`)
  return BigInt(`${match[1]}${(match[2] ?? "").padEnd(6, "0")}`)
}

/*
 * Products are exact in trillionths (10^-12). A quantity and a price have six fraction digits each. An amount of two
 * digits times a rate of three, divided by 100, has seven.
 */
const trillionthsOfCent = 10n ** 10n

/** Hundredths → trillionths. */
export const trillionths = (amount: bigint): bigint => amount * trillionthsOfCent

/** The exact product of two decimals of up to six fraction digits, such as quantity × unit price, in trillionths. */
export const product = (a: string, b: string): bigint => millionths(a) * millionths(b)

/** `rate` percent of `base`, exact and in trillionths; `base` is in hundredths. 1.05 at "19.00" is 0.1995. */
export const percentage = (base: bigint, rate: string): bigint => base * millionths(rate) * 100n

/**
 * The percentage of an amount in a base, rounded half-even to two fraction digits: 14070.42 of 1213420.42 is "1.16".
 */
export const percentageOf = (amount: string, base: string): string =>
  decimal(divideHalfEven(cents(amount) * 10_000n, cents(base)))

/** An exact value in trillionths, rounded half-even to hundredths. */
export const rounded = (exact: bigint): bigint => divideHalfEven(exact, trillionthsOfCent)

/** Whether an amount in hundredths is a rounding to the cent of an exact value in trillionths, or the value itself. */
export const isRounding = (given: bigint, exact: bigint): boolean => {
  const off = trillionths(given) - exact
  return off < trillionthsOfCent && off > -trillionthsOfCent
}

/** An exact value in trillionths as a decimal with the fraction digits that it needs, at least two: 0.1995. */
export const exactly = (exact: bigint): string => {
  const digits = (exact < 0n ? -exact : exact).toString().padStart(13, "0")
  return `${exact < 0n ? "-" : ""}${digits.slice(0, -12)}.${digits.slice(-12).replace(/0{1,10}$/, "")}`
}

/** A decimal without zeros beyond its second fraction digit: "0.345000" → "0.345", "2.5000" → "2.50". */
export const shortened = (text: string): string => (text.at(-3) === "." ? text : text.replace(/(\.\d\d\d*?)0+$/, "$1"))

/** An amount with any number of fraction digits truncated to two, never rounded: "12037.046" → "12037.04". */
export const truncated = (amount: string): string => {
  const match = /^(-?\d+)(?:\.(\d+))?$/.exec(amount)
  if (match === null) throw new RangeError(`not a decimal: ${JSON.stringify(amount)}`)
  return `${match[1]}.${(match[2] ?? "").slice(0, 2).padEnd(2, "0")}`
}
