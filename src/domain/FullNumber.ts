/** A document's number as it is printed: prefix and number without a separator, such as `SETP990000001`. */
export const fullNumber = (prefix: string, number: number | bigint): string => `${prefix}${number}`
