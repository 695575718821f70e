import { Schema } from "effect"

// XML 1.0 has no place for these characters, and every text here may end up in a document.
const printable = Schema.isPattern(/^[^\u0000-\u001f\u007f-\u009f\ufffe\uffff]*$/u, {
  message: "must hold no control characters: the tax authority's documents cannot carry them"
})

const wellFormed = Schema.makeFilter((text: string) => text.isWellFormed(), {
  message: "must be well-formed Unicode, without lone surrogates"
})

const notBlank = Schema.isMinCodePoints(1, { message: "must not be empty", errorCode: "parameter_invalid_empty" })

/** Text of a document: 1 to `max` characters, no control characters. */
export const text = (max: number) =>
  Schema.String.check(
    notBlank,
    Schema.isMaxLength(max, { message: `must be at most ${max} characters long`, errorCode: "parameter_too_long" }),
    printable,
    wellFormed,
    Schema.makeFilter((value) => value.trim() !== "", {
      message: "must not be blank",
      errorCode: "parameter_invalid_empty"
    })
  )

const metadataEntries = 50

/** Free key/value pairs of the client: at most 50, keys of 1 to 40 and values of at most 500 characters. */
export const Metadata = Schema.Record(
  Schema.String.check(
    Schema.isMinLength(1, { message: "a metadata key must not be empty", errorCode: "parameter_invalid_empty" }),
    Schema.isMaxLength(40, {
      message: "a metadata key must be at most 40 characters long",
      errorCode: "parameter_too_long"
    }),
    printable,
    wellFormed
  ),
  Schema.String.check(
    Schema.isMaxLength(500, {
      message: "a metadata value must be at most 500 characters long",
      errorCode: "parameter_too_long"
    }),
    // Postgres cannot store U+0000; other control characters are the client's business.
    Schema.isPattern(/^[^\u0000]*$/u, { message: "a metadata value must not hold the character U+0000" }),
    wellFormed
  )
)
  .check(
    Schema.isMaxProperties(metadataEntries, {
      message: `must have at most ${metadataEntries} keys`,
      errorCode: "parameter_too_long"
    })
  )
  .annotate({
    identifier: "Metadata",
    description:
      "Key/value pairs of your own, such as an order's reference: at most 50, keys of up to 40 characters, values of up to 500.",
    examples: [{ order: "1001" }]
  })
