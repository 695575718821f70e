import { Schema, type SchemaAST } from "effect"

/**
 * A check of client input only. A stored value passed the checks of its time, so the decoder of a row and the encoder
 * of a response skip this check.
 */
const whenSent = (check: SchemaAST.Filter<string>): SchemaAST.Filter<string> =>
  Schema.makeFilter(
    (value, ast, options) => (options.onExcessProperty === "error" ? check.run(value, ast, options) : undefined),
    check.annotations
  )

const unsigned = Schema.makeFilter((amount: string) => !/^-\d/.test(amount), {
  message: "must have no sign: no figure in a document may be negative",
  rule: "VLR01"
})

// The document contains the text of the request: another notation of the same number would make another document.
const isMinimal = Schema.makeFilter((figure: string) => !/^0\d+\.\d/.test(figure), {
  message: 'must have no zero before its first digit: send "0.00" for zero, and "1.50" in place of "01.50"'
})

/** An amount of money: a decimal string, never a float, with exactly two fraction and at most 15 integer digits. */
export const Decimal = Schema.String.check(
  unsigned,
  whenSent(isMinimal),
  whenSent(
    Schema.isPattern(/^(0|[1-9]\d{0,14})\.\d{2}$/u, {
      message: 'must be a string with a decimal of exactly two fraction digits and no sign, such as "100000.00"'
    })
  )
).annotate({
  identifier: "Decimal",
  description: "Amount as a string with exactly two fraction digits.",
  examples: ["100000.00"]
})

/** A quantity or a unit price: a decimal string with two to six fraction digits. */
export const Figure = Schema.String.check(
  unsigned,
  whenSent(isMinimal),
  whenSent(
    Schema.isPattern(/^(0|[1-9]\d{0,14})\.\d{2,6}$/u, {
      message: 'must be a string with a decimal of two to six fraction digits and no sign, such as "0.345"'
    })
  )
).annotate({
  identifier: "Figure",
  description:
    "Quantity or unit price as a string with two to six fraction digits. Responses have at least two fraction digits, and no trailing zeros after the second.",
  examples: ["0.345"]
})

/** A rate in percent: a decimal string with two or three fraction digits. */
export const Rate = Schema.String.check(
  unsigned,
  whenSent(isMinimal),
  whenSent(
    Schema.isPattern(/^(0|[1-9]\d{0,14})\.\d{2,3}$/u, {
      message: 'must be a string with a decimal of two or three fraction digits and no sign, such as "19.00" or "0.966"'
    })
  )
).annotate({
  identifier: "Rate",
  description:
    'Rate in percent as a string with two or three fraction digits: 9.66 per thousand is "0.966". Responses omit a third digit that is zero.',
  examples: ["19.00"]
})

/** The amount that rounds a total, less than 1.00. Negative to round down. */
export const Rounding = Schema.String.check(
  Schema.isPattern(/^-?0\.\d{2}$/u, {
    message: 'must be a string with a decimal of exactly two fraction digits, more than "-1.00" and less than "1.00"'
  })
).annotate({
  identifier: "Rounding",
  description: "Amount from -0.99 to 0.99 as a string with exactly two fraction digits.",
  examples: ["-0.42"]
})

/** The amount that rounds a cash payment to coins, at most 500.00. Negative to round down. */
export const CashRounding = Schema.String.check(
  Schema.isPattern(/^-?(500\.00|(0|[1-9]\d?|[1-4]\d\d)\.\d{2})$/u, {
    message: 'must be a string with a decimal of exactly two fraction digits, from "-500.00" to "500.00"'
  })
).annotate({
  identifier: "CashRounding",
  description: "Amount from -500.00 to 500.00 as a string with exactly two fraction digits.",
  examples: ["-40.00"]
})

/**
 * A currency code in the form of ISO 4217. The schema checks only the form. `currencyCodes` lists the authority's
 * codes.
 */
export const Currency = Schema.String.check(
  Schema.isPattern(/^[A-Z]{3}$/u, {
    message: 'must be an ISO 4217 currency code of three capital letters, such as "COP"'
  })
)

// Accepts any text, because every check of a value runs even if another check has failed.
const isCalendarDate = (date: string): boolean => {
  const time = Date.parse(`${date}T00:00:00Z`)
  return !Number.isNaN(time) && new Date(time).toISOString().slice(0, 10) === date
}

/** A calendar date in the authority's time zone, `YYYY-MM-DD`, from 1900 to 2199: XML does not allow the year 0000. */
export const LocalDate = Schema.String.check(
  whenSent(
    Schema.isPattern(/^(19|20|21)\d{2}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/u, {
      message: 'must be a date of the form YYYY-MM-DD, from 1900 to 2199, such as "2026-12-31"'
    })
  ),
  Schema.makeFilter(isCalendarDate, { message: "must be a date that exists in the calendar" })
)

// The database accepts neither the year 0 nor a year of five digits.
const first = "1900-01-01"
const last = "9999-12-31"

const isKept = (time: number) => time >= Date.parse(first) && time <= Date.parse(`${last}T23:59:59.999Z`)

/** A time in ISO 8601 with milliseconds and the offset of the authority's zone: `2026-11-21T10:00:00.000-05:00`. */
export const Timestamp = Schema.String.annotate({
  format: "date-time",
  description: "Time in ISO 8601 with the offset of the tax authority's time zone.",
  examples: ["2026-11-21T10:00:00.000-05:00"]
})

/**
 * A time from a client: ISO 8601 with an offset. `Date` truncates to milliseconds, and reads a time without seconds as
 * the full minute.
 */
export const Instant = Schema.String.check(
  Schema.makeFilter((time) => !/T[\d:.]+ \d{2}:?\d{2}$/u.test(time), {
    message:
      'must have the + of its offset, which a URL writes as %2B: "2026-11-21T10:00:00%2B02:00". An unescaped + means a space'
  }),
  Schema.isPattern(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/u, {
    message: 'must be a time with its offset, such as "2026-11-21T10:00:00-05:00"'
  }),
  Schema.makeFilter((time) => isCalendarDate(time.slice(0, 10)) && !Number.isNaN(Date.parse(time)), {
    message: "must be a time that exists in the calendar"
  }),
  Schema.makeFilter((time) => Number.isNaN(Date.parse(time)) || isKept(Date.parse(time)), {
    message: `must be a time from ${first} to ${last} (UTC)`
  })
).annotate({ format: "date-time", description: "Time in ISO 8601 with an offset." })
