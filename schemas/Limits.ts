import { Schema } from "effect"

/** At least one character or entry. */
export const notEmpty = (message = "must not be empty") =>
  Schema.isMinLength(1, { message, errorCode: "parameter_invalid_empty" })

/** At most `max` characters or entries. */
export const atMost = (max: number, message = `must be at most ${max} characters long`) =>
  Schema.isMaxLength(max, { message, errorCode: "parameter_too_long" })

/** A whole number from `minimum` to `maximum`. The message is the same for a fraction and for a number out of range. */
export const wholeNumber = (
  minimum: number,
  maximum: number,
  message = `must be a whole number from ${minimum} to ${maximum}`
) => Schema.Number.check(Schema.isInt({ message }), Schema.isBetween({ minimum, maximum }, { message }))
