import { linesPerInvoice } from "../../../schemas/Invoice.ts"
import { customerBody, endpointBody, invoiceBody } from "../../support/apps/Invoices.ts"
import { keys } from "../../support/apps/Accounts.ts"
import { customer, patch, post, refused } from "./Refused.ts"
import { bearer } from "../../support/apps/Requests.ts"

const customerWith = (fields: object) => customer({ ...customerBody(), ...fields })

const invoice = (fields: object) => post("/v1/invoices", { ...invoiceBody("cust_1"), ...fields })

const [goodLine] = invoiceBody("").lines
const [goodTax] = goodLine?.taxes ?? []
const line = (fields: object) => invoice({ lines: [{ ...goodLine, ...fields }] })
const tax = (fields: object) => line({ taxes: [{ ...goodTax, ...fields }] })

const endpoint = (fields: object) =>
  post("/v1/webhook-endpoints", { ...endpointBody("https://hooks.example.com/folio"), ...fields })

const account = (body: unknown) => patch("/v1/account", body)
const authority = (body: object) => post("/v1/test-helpers/authority", body)
const script = (entry: unknown) => authority({ next: [{ fail: true }, entry] })
const roll = (body: unknown) => post("/v1/api-keys/key_1/roll", body)

const zeros: ReadonlyArray<readonly [name: string, fields: object, param: string]> = [
  ["zero as an amount", { unit_price: "00.00" }, "lines[0].unit_price"],
  ["zeros before a quantity", { quantity: "01.000000" }, "lines[0].quantity"],
  ["zeros before an amount", { line_extension_amount: "00100000.00" }, "lines[0].line_extension_amount"],
  ["zeros before a rate", { taxes: [{ ...goodTax, rate: "019.00" }] }, "lines[0].taxes[0].rate"],
  ["zeros before a value", { taxes: [{ ...goodTax, value: "019000.00" }] }, "lines[0].taxes[0].value"]
]

/** The fields of an invoice that hold a date, each with this date. */
const dated = (date: string): ReadonlyArray<readonly [param: string, fields: object]> => [
  ["payment_means.due_date", { payment_means: { code: "10", type: "2", due_date: date } }],
  ["period.start_date", { period: { start_date: date, end_date: "2199-12-31" } }],
  ["period.end_date", { period: { start_date: "1900-01-01", end_date: date } }],
  ["prepayments[0].received_date", { prepayments: [{ amount: "1.00", received_date: date }] }],
  ["order_reference.issue_date", { order_reference: { id: "1", issue_date: date } }],
  ["delivery.date", { delivery: { date } }]
]

/** Bodies that are JSON and break a rule of their request. */
export const badBodies = [
  ...refused("parameter_missing", [
    ["a foreign currency without its rate", invoice({ currency: "USD" }), /required with currency/, "exchange_rate"],
    ["an empty body", customer(undefined), /required/, "body"],
    [
      "an empty body called a form",
      customer(undefined, { "content-type": "application/x-www-form-urlencoded" }),
      /required/,
      "body"
    ],
    ["no name", customerWith({ legal_name: undefined }), /legal_name is required/, "legal_name"],
    ["a change of the account without a body", account(undefined), /required/, "body"],
    ["a roll without a time", roll({}), /expires_in is required/, "expires_in"],
    ["a jump without a length", post("/v1/test-helpers/advance", {}), /seconds is required/, "seconds"],
    ["an empty invoice", post("/v1/invoices", {}), /required/, "customer_id"]
  ]),
  ...refused("parameter_unknown", [
    ["an unknown field", customerWith({ legal_nmae: "x" }), /legal_nmae is not known/, "legal_nmae"],
    [
      "a change of an external id",
      patch("/v1/customers/cust_1", { external_id: "crm-2" }),
      /^external_id must be omitted: it cannot be changed\.$/,
      "external_id"
    ],
    [
      "an unknown field inside",
      customerWith({ identification: { ...customerBody().identification, dv: "1" } }),
      /not known/,
      "identification.dv"
    ],
    ["an unknown outcome of the sandbox", script({ explode: true }), /not known/, "next[1].explode"],
    ["a chosen key", post("/v1/api-keys", { key: "sk_test_x" }), /not known/, "key"],
    ["a mode of an account", account({ key_mode: "live" }), /not known/, "key_mode"],
    ["a certificate of an account", account({ certificate: null }), /not known/, "certificate"],
    ["a chosen secret", endpoint({ secret: "whsec_x" }), /not known/, "secret"],
    ["is_active at creation", endpoint({ is_active: false }), /not known/, "is_active"],
    [
      "a body for a request without one",
      post("/v1/webhook-endpoints/we_1/rotate-secret", { secret: "x" }),
      /takes no body/,
      "body"
    ]
  ]),
  ...refused("parameter_invalid", [
    [
      "a customer's id with U+0000",
      invoice({ customer_id: "\0" }),
      /customer_id must not hold .* U\+0000/,
      "customer_id"
    ],
    ["an address with U+0000", endpoint({ url: "https://hooks.example.com/\0" }), /url must not hold/, "url"]
  ]),
  ...refused(
    "parameter_invalid",
    ["[]", "null", '"x"', "5", "true"].map((body) => [`a body ${body}`, customer(body), /must be an object/, "body"])
  ),
  ...refused("parameter_invalid", [
    ["a number for a text", customerWith({ legal_name: 5 }), /must be a string/, "legal_name"],
    ["a key without end", roll({ expires_in: 604_801 }), /seven days/, "expires_in"],
    ["a key that ended yesterday", roll({ expires_in: -1 }), /from 0/, "expires_in"],
    ["half a second", roll({ expires_in: 0.5 }), /whole number/, "expires_in"],
    ["an issuer without an email", account({ email: null }), /must be a string/, "email"],
    [
      "an issuer without a NIT",
      account({ identification: { type: "13", number: "1020304050" } }),
      /known by its NIT/,
      "identification.type"
    ],
    ["another city's department", account({ city_code: "05001" }), /must be "05"/, "department_code"],
    ["a responsibility twice", account({ tax_responsibilities: ["O-13", "O-13"] }), /once/, "tax_responsibilities"],
    ["null for a text", customerWith({ email: null }), /must be a string/, "email"],
    ["a list for an object", customerWith({ identification: [] }), /must be an object/, "identification"],
    ["a malformed email", customerWith({ email: "x" }), /one email address/, "email"],
    ["two addresses to send to", post("/v1/invoices/inv_1/email", { to: "a@b.co, c@d.co" }), /one email/, "to"],
    ["an address with a header", post("/v1/invoices/inv_1/email", { to: "a@b.co\r\nBcc:c@d.co" }), /one email/, "to"],
    ["a name with a line break", customerWith({ legal_name: "a\nb" }), /control characters/, "legal_name"],
    ["an external id with a line break", customerWith({ external_id: "a\nb" }), /control characters/, "external_id"],
    ["a number for an external id", invoice({ external_id: 1001 }), /must be a string/, "external_id"],
    [
      "a metadata value that is a number",
      customerWith({ metadata: { order: 5 } }),
      /must be a string/,
      "metadata.order"
    ],
    ["an exchange rate of nothing", invoice({ currency: "USD", exchange_rate: "0.00" }), /more than/, "exchange_rate"],
    ["a number for an amount", line({ unit_price: 50000 }), /must be a string with a decimal/, "lines[0].unit_price"],
    [
      "a kind of discount in another language",
      line({ allowance_charges: [{ type: "descuento", reason: "Promoción", base: "1.00", amount: "1.00" }] }),
      /must be "discount" or "charge"/,
      "lines[0].allowance_charges[0].type"
    ],
    [
      "a rounding to coins of more than 500",
      invoice({ cash_rounding_amount: "-500.01" }),
      /from "-500.00" to "500.00"/,
      "cash_rounding_amount"
    ],
    ["a note with ends of lines of Windows", invoice({ notes: ["a\r\nb"] }), /send "\\r\\n" as "\\n"/, "notes[0]"],
    ["an amount of one decimal", line({ unit_price: "50000.0" }), /two to six fraction digits/, "lines[0].unit_price"],
    ["an amount below zero", line({ quantity: "-1.00" }), /no sign/, "lines[0].quantity"],
    ["an amount of 16 digits", line({ unit_price: `${"9".repeat(16)}.00` }), /decimal/, "lines[0].unit_price"],
    [
      "a malformed due date",
      invoice({ payment_means: { code: "10", type: "2", due_date: "tomorrow" } }),
      /form YYYY-MM-DD/,
      "payment_means.due_date"
    ],
    [
      "a due date that does not exist",
      invoice({ payment_means: { code: "10", type: "2", due_date: "2027-02-30" } }),
      /exists in the calendar/,
      "payment_means.due_date"
    ],
    [
      "an event twice",
      endpoint({ subscribed_events: ["invoice.failed", "invoice.failed"] }),
      /once/,
      "subscribed_events"
    ],
    [
      "all events beside one of them",
      endpoint({ subscribed_events: ["*", "invoice.failed"] }),
      /\["\*"\] alone/,
      "subscribed_events"
    ],
    ["65 in flight", endpoint({ max_in_flight: 65 }), /1 to 64/, "max_in_flight"],
    ["a log of everything", account({ request_log: "all" }), /one of off, masked, full/, "request_log"],
    ["a simulated authority without a change", authority({}), /mode, next or both/, "body"],
    ["an empty outcome", script({}), /one of accept, reject,/, "next[1]"],
    ["a script of two outcomes", script({ lose: true, fail: true, delay: 5 }), /only one/, "next[1]"],
    ["a rule in a wrong form", script({ reject: ["FAD06", "fad6"] }), /code of a rule/, "next[1].reject[1]"],
    ["a failure set to false", script({ fail: false }), /must be true/, "next[1].fail"],
    ["a delay beyond a minute", script({ delay: 61 }), /1 to 60/, "next[1].delay"],
    ["half a delivery in flight", endpoint({ max_in_flight: 1.5 }), /whole number/, "max_in_flight"],
    ["a text for is_active", patch("/v1/webhook-endpoints/we_1", { is_active: "false" }), /true or false/, "is_active"]
  ]),
  ...refused(
    "parameter_invalid",
    zeros.map(([name, fields, param]) => [name, line(fields), /no zero before its first digit: send "0.00"/, param])
  ),
  ...refused(
    "parameter_invalid",
    ["0000-01-01", "1899-12-31", "2200-01-01"].flatMap((date) =>
      dated(date).map(([param, fields]) => [`${param} ${date}`, invoice(fields), /from 1900 to 2199/, param] as const)
    )
  ),
  ...refused(
    "parameter_invalid",
    ["900.373.115", "900 373 115", "900/373115"].map((number) => [
      `the NIT ${number}`,
      customerWith({ identification: { type: "31", number, check_digit: "3" } }),
      /leave out dots, spaces and slashes/,
      "identification.number"
    ])
  ),
  ...refused("parameter_invalid", [
    [
      "a NIT with its hyphen",
      customerWith({ identification: { type: "31", number: "900373115-3", check_digit: "3" } }),
      /leave out dots, hyphens and the check digit/,
      "identification.number"
    ]
  ]),
  ...refused("parameter_invalid", [
    [
      "a metadata key with a quotation mark",
      customerWith({ metadata: { 'talla 5"': "x" } }),
      /neither a quotation mark/,
      String.raw`metadata["talla 5\""]`
    ],
    [
      "a metadata key with a backslash",
      customerWith({ metadata: { "talla 5\\": "x" } }),
      /nor a backslash/,
      String.raw`metadata["talla 5\\"]`
    ]
  ]),
  ...refused("parameter_invalid_empty", [
    ["an empty name", customerWith({ legal_name: "" }), /must not be empty/, "legal_name"],
    ["an empty external id", customerWith({ external_id: "" }), /must not be empty/, "external_id"],
    ["a blank external id", invoice({ external_id: " " }), /must not be blank/, "external_id"],
    ["a blank name", customerWith({ legal_name: " \u00a0" }), /must not be blank/, "legal_name"],
    ["an empty metadata key", customerWith({ metadata: { "": "" } }), /must not be empty/, 'metadata[""]'],
    ["no lines", invoice({ lines: [] }), /at least one line/, "lines"],
    ["a line without taxes", line({ taxes: [] }), /"ZZ"/, "lines[0].taxes"],
    ["a rejection without a rule", script({ reject: [] }), /at least one rule/, "next[1].reject"],
    ["no events", endpoint({ subscribed_events: [] }), /at least one/, "subscribed_events"],
    ["an empty URL", endpoint({ url: "" }), /must not be empty/, "url"]
  ]),
  ...refused("parameter_too_long", [
    ["an external id of 129 characters", customerWith({ external_id: "x".repeat(129) }), /at most 128/, "external_id"],
    ["a name of 451 characters", customerWith({ legal_name: "x".repeat(451) }), /at most 450/, "legal_name"],
    [
      "51 metadata keys",
      customerWith({ metadata: Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`k${index}`, ""])) }),
      /at most 50 keys/,
      "metadata"
    ],
    [
      "a metadata key of 41 characters",
      customerWith({ metadata: { ["k".repeat(41)]: "" } }),
      /at most 40/,
      `metadata.${"k".repeat(41)}`
    ],
    [
      "a metadata value of 501 characters",
      customerWith({ metadata: { order: "x".repeat(501) } }),
      /at most 500/,
      "metadata.order"
    ],
    [
      "101 scripts",
      authority({ next: Array.from({ length: 101 }, () => ({ fail: true })) }),
      /at most 100 scripts/,
      "next"
    ],
    [
      "a rejection by 11 rules",
      script({ reject: Array.from({ length: 11 }, () => "FAD06") }),
      /at most 10 rules/,
      "next[1].reject"
    ],
    [
      "501 lines",
      invoice({ lines: Array.from({ length: linesPerInvoice + 1 }, () => goodLine) }),
      /at most 500 lines/,
      "lines"
    ]
  ]),
  ...refused("invalid_check_digit", [
    [
      "a wrong check digit",
      customerWith({ identification: { type: "31", number: "900373115", check_digit: "4" } }),
      /it is "3"/,
      "identification.check_digit"
    ],
    [
      "a missing check digit",
      customerWith({ identification: { type: "31", number: "900373115" } }),
      /required/,
      "identification.check_digit"
    ],
    [
      "a check digit of a person",
      customerWith({ identification: { type: "13", number: "1020304050", check_digit: "1" } }),
      /omit it/,
      "identification.check_digit"
    ],
    [
      "the sandbox identification in live mode",
      customer(customerBody(), bearer(keys.live)),
      /it is "2"/,
      "identification.check_digit"
    ]
  ]),
  ...refused("unknown_catalog_code", [
    [
      "an identification of an unknown type",
      customerWith({ identification: { type: "99", number: "1" } }),
      /tipo-identificacion/,
      "identification.type"
    ],
    ["an unknown country", customerWith({ country_code: "XX" }), /"XX" is none/, "country_code"],
    ["a tax with an unknown code", tax({ code: "99" }), /"01"/, "lines[0].taxes[0].code"],
    ["a unit with an unknown code", line({ unit_code: "XX" }), /unidad-medida/, "lines[0].unit_code"],
    [
      "a payment with an unknown code",
      invoice({ payment_means: { code: "99", type: "1" } }),
      /medios-pago/,
      "payment_means.code"
    ],
    ["an operation with an unknown code", invoice({ operation_type: "99" }), /tipo-operacion/, "operation_type"],
    ["a currency that the list lacks", invoice({ currency: "ZZZ" }), /"ZZZ"/, "currency"]
  ]),
  ...refused("amount_mismatch", [
    [
      "a wrong line amount",
      line({ line_extension_amount: "100002.01" }),
      /must be "100000.00"/,
      "lines[0].line_extension_amount"
    ]
  ]),
  ...refused("tax_mismatch", [
    ["a wrong tax", tax({ value: "19002.01" }), /must be "19000.00"/, "lines[0].taxes[0].value"],
    ["a tax twice", line({ taxes: [goodTax, goodTax] }), /occurs twice/, "lines[0].taxes[1].code"]
  ]),
  ...refused("due_date_required", [
    [
      "credit without a due date",
      invoice({ payment_means: { code: "10", type: "2" } }),
      /required/,
      "payment_means.due_date"
    ]
  ]),
  ...refused("unknown_event_type", [
    [
      "an event of an unknown type",
      endpoint({ subscribed_events: ["invoice.accepted_by_authority", "invoice.paid"] }),
      /invoice.failed/,
      "subscribed_events[1]"
    ]
  ]),
  ...refused("url_invalid", [
    ["a malformed URL", endpoint({ url: "hooks" }), /not valid/, "url"],
    ["a URL with a password", endpoint({ url: "https://a:b@example.com" }), /password/, "url"]
  ]),
  ...refused("url_not_https", [["a URL without TLS", endpoint({ url: "http://hooks.example.com" }), /https/, "url"]]),
  ...refused("url_not_allowed", [
    ["a URL of the service's own machine", endpoint({ url: "https://127.0.0.1/" }), /public internet/, "url"],
    ["a URL of the metadata service", endpoint({ url: "https://169.254.169.254/" }), /public internet/, "url"]
  ])
]
