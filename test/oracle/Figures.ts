import { textAt, type XmlElement } from "./XmlTree.ts"

/*
 * Figures of a received document, in millionths. An amount may have any form, because the document is checked as
 * received. An amount that is no decimal counts as zero here, because another rule rejects its document.
 */

const form = /^-?\d+(\.\d{1,6})?$/

/** Whether a text is a decimal of at most six fraction digits. */
export const isFigure = (text: string): boolean => form.test(text)

/** Parses "0.345" as 345000n, and a text that is no decimal as 0n. */
export const figure = (text: string | undefined): bigint => {
  if (text === undefined || !isFigure(text)) return 0n
  const point = text.indexOf(".")
  return BigInt(point === -1 ? `${text}000000` : text.slice(0, point) + text.slice(point + 1).padEnd(6, "0"))
}

const one = 1_000_000n

/** The figure in the first element at a path; 0n if there is none. */
export const figureAt = (element: XmlElement | undefined, ...path: ReadonlyArray<string>): bigint =>
  figure(textAt(element, ...path))

export const sum = (figures: ReadonlyArray<bigint>): bigint => figures.reduce((total, next) => total + next, 0n)

/** The product of two figures, truncated to six digits, which are enough for every comparison. */
export const times = (a: bigint, b: bigint): bigint => (a * b) / one

/** The quotient of two figures, truncated like a product. The divisor is not zero. */
export const quotient = (a: bigint, b: bigint): bigint => (a * one) / b

const rounded = (amount: bigint): bigint => (amount < 0n ? -rounded(-amount) : (amount + one / 2n) / one)

/** Whether two sums differ for the authority, which compares sums rounded to whole units. */
export const differs = (a: bigint, b: bigint): boolean => rounded(a) !== rounded(b)

/** Whether a product is off by more than the authority tolerates: 2.00 up or down (annex 5.2.1.1). */
export const isOff = (given: bigint, exact: bigint): boolean => {
  const off = given - exact
  return off > 2n * one || off < -2n * one
}
