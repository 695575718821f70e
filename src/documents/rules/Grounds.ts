/**
 * The grounds on which Folio rejects a request that breaks no rule of the authority: a statement of the API about a
 * field (`interface`), or a limit of every document (`limit`). A rejection names a ground or a rule of the authority. A
 * finding with neither is a warning.
 */
export const grounds = {
  account_object: { of: "limit", says: "A document names objects that the account has." },
  aiu_contract: { of: "interface", says: "aiu_contract belongs on one line of an invoice of operation 09." },
  amount_digits: { of: "limit", says: "An amount has at most 15 digits before the point." },
  buyer_email: { of: "limit", says: "An email goes to an address." },
  calendar: {
    of: "limit",
    says: "A period ends on its first day or later, and no document is corrected before its issue date."
  },
  catalog: { of: "interface", says: "A code is one of the catalogs." },
  certificate: {
    of: "limit",
    says: "A document is signed with an RSA key of 2048 to 4096 bits and the valid certificate of that key."
  },
  check_digit: { of: "interface", says: "check_digit goes with a NIT (type 31), and with no other identification." },
  city_of_department: { of: "limit", says: "The first two digits of a municipality's code are its department." },
  correctable: {
    of: "limit",
    says: "A note corrects an accepted invoice, and credits no more than is left to credit of the invoice."
  },
  debit_note_line: { of: "limit", says: "The line of a debit note has no period in UBL 2.1." },
  discount_code: { of: "interface", says: "code names the kind of a discount; a charge has none." },
  exchange_rate: { of: "interface", says: "exchange_rate goes with a currency other than COP." },
  exclusive: { of: "interface", says: "Two parameters that exclude each other are not sent together." },
  identification_filter: { of: "interface", says: "A list of customers is filtered by type and number together." },
  identification_number: { of: "interface", says: "The form of a number is that of its identification type." },
  incoterm: { of: "interface", says: "incoterm goes with an export (operation 11)." },
  issuer: { of: "interface", says: "An issuer has a NIT and is in Colombia." },
  issuer_whole: { of: "limit", says: "A document names all data of its issuer." },
  item_code: { of: "interface", says: "The form of item.code is that of its scheme." },
  kept_external_id: { of: "interface", says: "An object keeps the external_id of its creation." },
  kept_number: { of: "interface", says: "A corrected document keeps its number." },
  logo: { of: "interface", says: "A logo is a whole PNG or JPEG picture within the limits of its size." },
  makers_rights: { of: "interface", says: "A key has at most the rights of the key or session that makes it." },
  no_sign: { of: "limit", says: "An amount of the interface has no sign." },
  note_of_invoice: {
    of: "interface",
    says: "A note takes customer, currency and payment from the invoice of invoice_id."
  },
  numbering_range: { of: "limit", says: "A document has a number of an active range of the account." },
  passed_time: { of: "limit", says: "No event is in the future." },
  own_accounts: { of: "interface", says: "An operation of a platform on its accounts takes no header Svc-Account." },
  path: { of: "interface", says: "A body names the object of its path." },
  principal: { of: "limit", says: "A document has one operation type: mandate or AIU." },
  range: {
    of: "limit",
    says: "A range ends with its first number and day or later, and its next number is one of its numbers."
  },
  range_of_notes: { of: "interface", says: "A range of notes has no grant of the authority." },
  reference_price: { of: "interface", says: "reference_price goes with a unit_price of zero." },
  return_host: { of: "interface", says: "The portal returns to a registered host of the platform." },
  schema: { of: "interface", says: "A body, a query and a path have the form of their schemas." },
  single_header: { of: "interface", says: "A header has one value." },
  special_base: { of: "interface", says: "A base other than the line's amount needs special_base." },
  storable_text: { of: "limit", says: "PostgreSQL stores no text with U+0000." },
  tax_form: { of: "interface", says: "A tax is by percentage or per unit, as its code requires." },
  webhook_url: { of: "interface", says: "Events are sent to public HTTPS URLs." },
  withholding_rate: { of: "interface", says: "A document has one withholding for each rate of a tax." }
} as const satisfies Readonly<Record<string, { readonly of: "interface" | "limit"; readonly says: string }>>

export type Ground = keyof typeof grounds

/** A rule of the authority, by the number of the rule. */
export type AuthorityRule = `${"F" | "C" | "D"}${string}` | "VLR01"

/** The origin of a rejection. */
export type Source = AuthorityRule | Ground
