/*
 * Exact fractions of whole numbers, for computing the expected figures of a document. They use no code of the project,
 * so that a comparison finds an error in either.
 */

export interface Fraction {
  readonly over: bigint
  readonly under: bigint
}

export const whole = (over: bigint): Fraction => ({ over, under: 1n })
export const zero = whole(0n)

/** The fraction of a decimal: "0.345" is 345/1000. */
export const fraction = (text: string): Fraction => {
  const { digits = "", rest = "", sign = "" } = /^(?<sign>-?)(?<digits>\d+)\.(?<rest>\d+)$/.exec(text)?.groups ?? {}
  if (digits === "") throw new Error(`not a decimal: ${text}`)
  return { over: BigInt(`${sign}${digits}${rest}`), under: 10n ** BigInt(rest.length) }
}

export const plus = (a: Fraction, b: Fraction): Fraction => ({
  over: a.over * b.under + b.over * a.under,
  under: a.under * b.under
})
export const times = (a: Fraction, b: Fraction): Fraction => ({ over: a.over * b.over, under: a.under * b.under })
export const minus = (a: Fraction, b: Fraction): Fraction => plus(a, times(whole(-1n), b))
export const percent = (a: Fraction, rate: Fraction): Fraction => times(times(a, rate), { over: 1n, under: 100n })
export const isNegative = ({ over }: Fraction): boolean => over < 0n
export const compare = (a: Fraction, b: Fraction): number => {
  const { over } = minus(a, b)
  return over < 0n ? -1 : over > 0n ? 1 : 0
}

/** How a client may round to the cent. */
export const ways = ["half-even", "half-up", "down", "up"] as const
export type Way = (typeof ways)[number]

/** Hundredths of a value that is not negative, rounded in this way. */
export const hundredths = ({ over, under }: Fraction, way: Way): bigint => {
  const quotient = (over * 100n) / under
  const twice = 2n * ((over * 100n) % under)
  if (twice === 0n || way === "down") return quotient
  if (way === "up" || twice > under) return quotient + 1n
  return twice === under && (way === "half-up" || quotient % 2n === 1n) ? quotient + 1n : quotient
}

/** 12345n → "123.45" */
export const money = (cents: bigint): string => {
  const digits = String(cents < 0n ? -cents : cents).padStart(3, "0")
  return `${cents < 0n ? "-" : ""}${digits.slice(0, -2)}.${digits.slice(-2)}`
}

/** The value as money, rounded in this way. */
export const rounded = (value: Fraction, way: Way): string => money(hundredths(value, way))

/** An exact value that needs at most six fraction digits, with at least two, and no zero beyond the second. */
export const figure = ({ over, under }: Fraction): string => {
  const digits = String((over * 1_000_000n) / under).padStart(7, "0")
  return `${digits.slice(0, -6)}.${digits.slice(-6, -4)}${digits.slice(-4).replace(/0+$/, "")}`
}
