/** A country's form of a full number: prefix, separator, and the number with leading zeros up to a count of digits. */
export interface NumberForm {
  /** Separates prefix and number; omitted if the prefix is empty. */
  readonly separator: string
  /**
   * The minimum digits of a number, 0 to 18; 0 or 1 for numbers without leading zeros. A longer number is never
   * truncated.
   */
  readonly digits: number
}

/** The part of a full number before the digits of the number. */
export const headOf = (prefix: string, { separator }: NumberForm): string => (prefix === "" ? "" : prefix + separator)

/** A full number in the form of documents: "FE123", or "FE-00000123" with the separator "-" and 8 digits. */
export const fullNumber = (prefix: string, number: bigint, form: NumberForm): string =>
  headOf(prefix, form) + number.toString().padStart(form.digits, "0")
