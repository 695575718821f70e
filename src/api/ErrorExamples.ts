import { type ErrorCode, errorCodes } from "../../schemas/ErrorCode.ts"

/** A request that is answered with an error, in a few words, and what the error then says. */
export interface ErrorExample {
  readonly request: string
  readonly message: string
  readonly param?: string
}

/** One example for each error code: its page shows it. */
export const errorExamples: Readonly<Record<ErrorCode, ErrorExample>> = {
  malformed_json: {
    request: `POST /v1/customers with the body {"email": "a@example.com", "email": "b@example.com"}`,
    message: `The body repeats the member name "email" within one object: send it once.`
  },
  parameter_missing: {
    request: "POST /v1/customers without legal_name",
    message: "legal_name is required.",
    param: "legal_name"
  },
  parameter_unknown: {
    request: "POST /v1/customers with legal_nmae",
    message: "legal_nmae is not known here; check its spelling or remove it.",
    param: "legal_nmae"
  },
  parameter_invalid: {
    request: "GET /v1/invoices?limit=1000",
    message: "limit must be a whole number from 1 to 100.",
    param: "limit"
  },
  parameter_invalid_empty: {
    request: `POST /v1/customers with "legal_name": ""`,
    message: "legal_name must not be empty.",
    param: "legal_name"
  },
  parameter_too_long: {
    request: "POST /v1/invoices with 501 lines",
    message: "lines must have at most 500 lines.",
    param: "lines"
  },
  parameter_conflict: {
    request: "GET /v1/invoices?starting_after=inv_…&ending_before=inv_…",
    message: "starting_after and ending_before exclude each other; send only one of them.",
    param: "ending_before"
  },
  invalid_cursor: {
    request: "GET /v1/invoices?starting_after=inv_1",
    message: `There is no object "inv_1" in this list. Use an id from one of its pages.`,
    param: "starting_after"
  },
  invalid_check_digit: {
    request: `POST /v1/customers with "identification": {"type": "31", "number": "900373115", "check_digit": "4"}`,
    message: `identification.check_digit does not fit the number; it is "3".`,
    param: "identification.check_digit"
  },
  unknown_catalog_code: {
    request: `POST /v1/invoices with "unit_code": "XX"`,
    message: "lines[0].unit_code must be a code of GET /v1/catalogs/unidad-medida.",
    param: "lines[0].unit_code"
  },
  amount_mismatch: {
    request: `POST /v1/invoices with a line of 2.00 × 50000.00 and "line_extension_amount": "100000.01"`,
    message: `lines[0].line_extension_amount must be "100000.00": quantity × unit_price.`,
    param: "lines[0].line_extension_amount"
  },
  tax_mismatch: {
    request: `POST /v1/invoices with a tax of 19.00 percent on 100000.00 and "value": "19000.01"`,
    message: `lines[0].taxes[0].value must be "19000.00": base × rate / 100.`,
    param: "lines[0].taxes[0].value"
  },
  due_date_required: {
    request: `POST /v1/invoices with "payment_means": {"code": "10", "type": "2"}`,
    message: "payment_means.due_date is required when payment_means.type is 2 (credit).",
    param: "payment_means.due_date"
  },
  unknown_event_type: {
    request: `POST /v1/webhook-endpoints with "subscribed_events": ["invoice.paid"]`,
    message: "subscribed_events[0] must be one of invoice.accepted_by_authority, invoice.failed, ….",
    param: "subscribed_events[0]"
  },
  url_invalid: {
    request: `POST /v1/webhook-endpoints with "url": "hooks"`,
    message: "The URL is not valid. Send a whole one, such as https://example.com/hooks.",
    param: "url"
  },
  url_not_https: {
    request: `POST /v1/webhook-endpoints with "url": "http://example.com/hooks"`,
    message: "The URL must begin with https://.",
    param: "url"
  },
  url_not_allowed: {
    request: `POST /v1/webhook-endpoints with "url": "https://10.0.0.1/"`,
    message: "The URL must lead to the public internet.",
    param: "url"
  },
  unsupported_version: {
    request: "Any request with Svc-Version: 2020-01-01",
    message: `Svc-Version must be one of 2026-01-01; "2020-01-01" is not. Leave the header out for the account's default, 2026-01-01.`,
    param: "Svc-Version"
  },
  idempotency_key_missing: {
    request: "POST /v1/invoices without Idempotency-Key",
    message:
      "This request needs the header Idempotency-Key: any string of at most 128 characters (a UUID is a good one), the same on every retry.",
    param: "Idempotency-Key"
  },
  idempotency_key_too_long: {
    request: "POST /v1/invoices with an Idempotency-Key of 200 characters",
    message: "Idempotency-Key must be at most 128 characters long; this one has 200.",
    param: "Idempotency-Key"
  },
  idempotency_key_invalid: {
    request: "POST /v1/invoices with Idempotency-Key: café",
    message: "Idempotency-Key must consist of printable ASCII characters.",
    param: "Idempotency-Key"
  },
  invalid_api_key: {
    request: "GET /v1/account without Authorization",
    message: "This request needs a valid API key. Send it as: Authorization: Bearer sk_test_…"
  },
  link_invalid: {
    request: "GET a pdf_url that was cut off",
    message: "The link is not whole, or was changed. Take it again from the object, as it stands there."
  },
  link_expired: {
    request: "GET a pdf_url of last week",
    message: "The link has expired. Retrieve the object again for a new one."
  },
  account_not_live: {
    request: "POST /v1/invoices with a live key, before the account has a certificate",
    message:
      "Nothing can be issued with a live key yet: the account has no signing certificate (send one to POST /v1/account/certificate)."
  },
  resource_missing: {
    request: "GET /v1/invoices/inv_1",
    message: `There is no invoice "inv_1" for this key. Check the id, and that it was made with a key of the same mode.`
  },
  route_not_found: {
    request: "GET /v1/invoice",
    message: "There is nothing at /v1/invoice. The paths are listed at /docs."
  },
  method_not_allowed: {
    request: "DELETE /v1/customers",
    message: "DELETE is not known at /v1/customers; use GET, HEAD, POST."
  },
  request_timeout: {
    request: "POST /v1/invoices of which only the headers arrive",
    message: "The request did not arrive within 30 seconds. Send it again."
  },
  request_too_large: {
    request: "POST /v1/invoices with a body of 1 MB",
    message: "The body must be at most 256 KiB. Split the request; an invoice has at most 500 lines."
  },
  uri_too_long: {
    request: "GET /v1/invoices with a query of 9,000 characters",
    message: "The URL is longer than 8 KiB. Leave out what the request does not need."
  },
  unsupported_media_type: {
    request: "POST /v1/customers with Content-Type: text/plain",
    message: "Send the body as JSON, with the header Content-Type: application/json."
  },
  headers_too_large: {
    request: "GET /v1/account with cookies of 20 KB",
    message: "The headers are larger than 16 KiB together. Send fewer, or shorter, headers; cookies are not needed."
  },
  idempotency_conflict: {
    request: "POST /v1/invoices with the Idempotency-Key of another invoice",
    message: `The Idempotency-Key "order-1001" was used for another request (another path or body). Do not retry; use a new key for a new operation.`
  },
  invoice_not_cancelable: {
    request: "POST /v1/invoices/inv_…/cancel of an accepted invoice",
    message:
      "Only a draft without a number can be canceled; this invoice is accepted_by_authority. What was accepted is annulled by a credit note."
  },
  invoice_not_retryable: {
    request: "POST /v1/invoices/inv_…/retry of an accepted invoice",
    message: "Only a failed invoice whose failure is retryable can be retried; this one is accepted_by_authority."
  },
  invoice_not_correctable: {
    request: "POST /v1/credit-notes for a rejected invoice",
    message: "Only an invoice that was accepted can be corrected; this one is rejected_by_authority.",
    param: "invoice_id"
  },
  credit_exceeds_invoice: {
    request: "POST /v1/credit-notes with more than the invoice has left",
    message:
      "The invoice has 19000.00 left to credit. Credit notes that failed, were canceled or rejected do not count.",
    param: "lines"
  },
  resolution_overlap: {
    request: "POST /v1/resolutions with numbers of a range that is there",
    message:
      'The numbers 20 to 30 of prefix "FE" overlap those of res_01k0000000000000000000000a, 10 to 20 of prefix "FE". A full number, prefix and number together, is given once.'
  },
  resolution_limit_reached: {
    request: "POST /v1/resolutions with as many ranges as there may be",
    message:
      "An account has at most 1000 numbering ranges in each mode, and they are kept. Ask the authority for larger ranges, and whoever runs the service for another account."
  },
  customer_limit_reached: {
    request: "POST /v1/customers with as many customers as there may be",
    message:
      "An account has at most 1000000 customers in each mode. Delete those that are no longer used: what was issued to them stays."
  },
  endpoint_limit_reached: {
    request: "POST /v1/webhook-endpoints with 16 endpoints there",
    message: "An account has at most 16 webhook endpoints in each mode. Delete one that is no longer used."
  },
  email_limit_reached: {
    request: "POST /v1/invoices/inv_01k0000000000000000000000a/email of an invoice that was e-mailed 100 times",
    message:
      "A document is e-mailed at most 100 times, and this one was. Send its files yourself: GET …/pdf and GET …/xml give them."
  },
  endpoint_not_sending: {
    request: "POST /v1/webhook-endpoints/we_01k0000000000000000000000a/test of an endpoint that is inactive",
    message: "The webhook endpoint is inactive. Set is_active to true, and then send it a sample."
  },
  api_key_limit_reached: {
    request: "POST /v1/api-keys with as many keys as there may be",
    message: "An account has at most 100 keys that work in each mode. Revoke one that is no longer used."
  },
  api_key_inactive: {
    request: "POST /v1/api-keys/key_01k0000000000000000000000a/roll of a key that was revoked",
    message:
      'The API key "key_01k0000000000000000000000a" was revoked or has expired, and cannot be rolled. Make a new one.'
  },
  last_api_key: {
    request: "DELETE /v1/api-keys/key_01k0000000000000000000000a of the only key",
    message:
      "This is the last key of its mode that does not expire: without it the account could no longer be reached. Roll it, or make another key first."
  },
  rate_limited: {
    request: "GET /v1/account a thousand times at once",
    message:
      "This API key has sent more than 100 requests a second, with bursts of 500. Wait 1 s, then go on more slowly."
  },
  internal_error: {
    request: "Any request, when something breaks",
    message: "Something failed inside the service. Retry with the same Idempotency-Key: nothing is done twice."
  },
  service_unavailable: {
    request: "Any request, while the database is away",
    message: "The database cannot be reached at the moment. Retry with the same Idempotency-Key: nothing is done twice."
  }
}

/** An error as a client sees it. */
export const errorExample = (code: ErrorCode, baseUrl: string) => {
  const { message, param } = errorExamples[code]
  return {
    error: {
      type: errorCodes[code].type,
      code,
      message,
      doc_url: `${baseUrl}/docs/errors/${code}`,
      request_id: "req_01k9z3v8c2m4n6p8q0r2s4t6v8",
      ...(param === undefined ? {} : { param })
    }
  }
}
