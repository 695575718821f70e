/**
 * Why the service refuses what no rule of the authority refuses: what the interface says of a field (`interface`), or what no document
 * can be (`limit`). A refusal names one of these grounds or the authority's rule. What has neither is a warning.
 */
export const grounds = {
  aiu_contract: { of: "interface", says: "aiu_contract stands on one line of an invoice of operation 09." },
  amount_digits: { of: "limit", says: "An amount has at most 15 digits before the point." },
  calendar: {
    of: "limit",
    says: "A period ends on its first day or later, and no document is corrected before its issue date."
  },
  catalog: { of: "interface", says: "A code is one of the catalogs." },
  check_digit: { of: "interface", says: "check_digit goes with a NIT (type 31), and with no other identification." },
  city_of_department: { of: "limit", says: "The first two digits of a municipality's code are its department." },
  debit_note_line: { of: "limit", says: "The line of a debit note has no period in UBL 2.1." },
  discount_code: { of: "interface", says: "code names the kind of a discount; a charge has none." },
  exchange_rate: { of: "interface", says: "exchange_rate goes with a currency other than COP." },
  identification_number: { of: "interface", says: "The form of a number is that of its identification type." },
  incoterm: { of: "interface", says: "incoterm goes with an export (operation 11)." },
  issuer: { of: "interface", says: "An issuer has a NIT and is in Colombia." },
  item_code: { of: "interface", says: "The form of item.code is that of its scheme." },
  no_sign: { of: "limit", says: "An amount of the interface has no sign." },
  note_of_invoice: {
    of: "interface",
    says: "A note takes customer, currency and payment from the invoice of invoice_id."
  },
  numbering_range: { of: "limit", says: "A document has a number of an active range of the account." },
  principal: { of: "limit", says: "A document has one operation type: mandate or AIU." },
  range: {
    of: "limit",
    says: "A range ends with its first number and day or later, and its next number is one of its numbers."
  },
  range_of_notes: { of: "interface", says: "A range of notes has no grant of the authority." },
  reference_price: { of: "interface", says: "reference_price goes with a unit_price of zero." },
  special_base: { of: "interface", says: "A base other than the line's amount needs special_base." },
  tax_form: { of: "interface", says: "A tax is by percentage or per unit, as its code says." },
  withholding_rate: { of: "interface", says: "A document has one withholding for each rate of a tax." }
} as const satisfies Readonly<Record<string, { readonly of: "interface" | "limit"; readonly says: string }>>

export type Ground = keyof typeof grounds

/** A rule of the authority, by the number of the rule. */
export type AuthorityRule = `${"F" | "C" | "D"}${string}` | "VLR01"

/** Where a refusal comes from. */
export type Source = AuthorityRule | Ground
