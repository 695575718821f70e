import { Schema } from "effect"
import { field } from "./Field.ts"
import { atMost, notEmpty } from "./Limits.ts"

// Every text here may be part of a document, and XML 1.0 forbids or discourages most of these characters.
const printable = Schema.isPattern(/^[^\u0000-\u001f\u007f-\u009f\ufffe\uffff]*$/u, {
  message: "must hold no control characters: the tax authority's documents cannot carry them"
})

const wellFormed = Schema.makeFilter((text: string) => text.isWellFormed(), {
  message: "must be well-formed Unicode, without lone surrogates"
})

const notBlank = Schema.isMinCodePoints(1, { message: "must not be empty", errorCode: "parameter_invalid_empty" })

/** A text in a document: 1 to `max` characters, not blank, no control characters. */
export const text = (max: number) =>
  Schema.String.check(
    notBlank,
    atMost(max),
    printable,
    wellFormed,
    Schema.makeFilter((value) => value.trim() !== "", {
      message: "must not be blank",
      errorCode: "parameter_invalid_empty"
    })
  )

/** At most `count` texts of 1 to `max` characters. */
export const texts = (count: number, max: number, message: string) =>
  Schema.Array(lines(max)).check(atMost(count, message))

/** A text of one or more lines in a document: 1 to `max` characters, not blank, no control character except `\n`. */
export const lines = (max: number) =>
  Schema.String.check(
    notBlank,
    atMost(max),
    Schema.isPattern(/^[^\u0000-\u0009\u000b-\u001f\u007f-\u009f\ufffe\uffff]*$/u, {
      message: 'must hold no control characters except line ends ("\\n"): send "\\r\\n" as "\\n", and a tab as a space'
    }),
    wellFormed,
    Schema.makeFilter((value) => value.trim() !== "", {
      message: "must not be blank",
      errorCode: "parameter_invalid_empty"
    })
  )

/** The client's own reference of an object. */
export const ExternalId = text(128)

// Without an example, because a second request with the same example would be rejected.
/** The field of a request that creates an object with an external id. */
export const newExternalId = (noun: string) =>
  field(
    Schema.optionalKey(ExternalId),
    `Your own reference of the ${noun}, such as its id in your system: 1 to 128 characters. A second ${noun} with the same reference is rejected, at any time and in each mode separately. You cannot change it later.`
  )

/** The field of an object with the external id of its creation. */
export const shownExternalId = (noun: string) =>
  field(Schema.NullOr(Schema.String), `Your own reference of the ${noun}. Null if you sent none.`, null)

/** The query parameter that filters a list by external id. */
export const externalIdQuery = (noun: string) => ({
  external_id: field(
    Schema.optionalKey(ExternalId),
    `Filter by your own reference of the ${noun}: the list has at most one object.`,
    "order-1001"
  )
})

const metadataEntries = 50

const metadataKey = Schema.String.check(
  notEmpty("a metadata key must not be empty"),
  atMost(40, "a metadata key must be at most 40 characters long"),
  printable,
  wellFormed,
  // JSON escapes these two, and JSON.parse of Node 24 may mistake an escaped name for a name of an earlier object.
  Schema.isPattern(/^[^"\\]*$/u, {
    message: 'a metadata key must hold neither a quotation mark (") nor a backslash (\\)'
  })
)

const metadataValue = Schema.String.check(
  atMost(500, "a metadata value must be at most 500 characters long"),
  // PostgreSQL cannot store U+0000. The client may use other control characters in metadata values.
  Schema.isPattern(/^[^\u0000]*$/u, { message: "a metadata value must not hold the character U+0000" }),
  wellFormed
)

const metadataConditions = 5

/** The query parameter that filters a list by metadata: `metadata[order]=1001`. */
export const metadataQuery = {
  metadata: Schema.optionalKey(
    Schema.Record(metadataKey, metadataValue).check(
      Schema.isMaxProperties(metadataConditions, {
        message: `must name at most ${metadataConditions} keys`,
        errorCode: "parameter_too_long"
      })
    )
  ).annotateKey({
    description: "Filter by metadata, such as `metadata[order]=1001`. With several keys, at most 5, all must match.",
    examples: [{ order: "1001" }]
  })
}

/** The client's own key/value pairs: at most 50, keys of 1 to 40 and values of at most 500 characters. */
export const Metadata = Schema.Record(metadataKey, metadataValue)
  .check(
    Schema.isMaxProperties(metadataEntries, {
      message: `must have at most ${metadataEntries} keys`,
      errorCode: "parameter_too_long"
    })
  )
  .annotate({
    identifier: "Metadata",
    description:
      "Your own key/value pairs, such as an order reference: at most 50 pairs, keys of up to 40 characters, values of up to 500 characters.",
    examples: [{ order: "1001" }]
  })
