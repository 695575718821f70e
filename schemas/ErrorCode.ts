import { Schema } from "effect"

/**
 * Every error code of the interface: its HTTP status, its class, and what to do about it. The server, the OpenAPI document
 * and the pages under `/docs/errors/` all read this one table.
 */
export const errorCodes = {
  malformed_json: {
    status: 400,
    type: "invalid_request_error",
    help: "The body is not one JSON value in UTF-8, repeats a member name, nests deeper than 32 levels, has more than 1,000 members in one object or more than 8,000 objects, or uses a reserved name. Send valid JSON."
  },
  parameter_missing: {
    status: 400,
    type: "invalid_request_error",
    help: "A required field is absent. Add the field that `param` names."
  },
  parameter_unknown: {
    status: 400,
    type: "invalid_request_error",
    help: "A field or query parameter is not part of this request. Check its spelling, or remove it: nothing is ignored in silence."
  },
  parameter_invalid: {
    status: 400,
    type: "invalid_request_error",
    help: "A value has the wrong type or form. The message says which form is right."
  },
  parameter_invalid_empty: {
    status: 400,
    type: "invalid_request_error",
    help: "A value is empty where something is needed. Give a value, or leave an optional field out."
  },
  parameter_too_long: {
    status: 400,
    type: "invalid_request_error",
    help: "A text or list is longer than its limit. The message names the limit."
  },
  parameter_conflict: {
    status: 400,
    type: "invalid_request_error",
    help: "Two parameters exclude each other. Send only one of them."
  },
  invalid_cursor: {
    status: 400,
    type: "invalid_request_error",
    help: "`starting_after`, `ending_before` or `after` names no object of this list. Use an id from a page of the same list."
  },
  invalid_check_digit: {
    status: 400,
    type: "invalid_request_error",
    help: "The check digit of a NIT (type 31) is missing or does not fit its number, or another type carries one. Correct it, or leave it out for other types."
  },
  unknown_catalog_code: {
    status: 400,
    type: "invalid_request_error",
    help: "A code is not in its table. Read the valid codes at GET /v1/catalogs/…."
  },
  amount_mismatch: {
    status: 400,
    type: "invalid_request_error",
    help: "A line's amount is not quantity × unit price. Compute it with exact decimals and two fraction digits."
  },
  tax_mismatch: {
    status: 400,
    type: "invalid_request_error",
    help: "A tax is not base × rate / 100, repeats a code within a line, or its base is not the line's amount. Correct the tax entry."
  },
  due_date_required: {
    status: 400,
    type: "invalid_request_error",
    help: "A sale on credit (payment type 2) needs `due_date`. Add it as YYYY-MM-DD, or send type 1."
  },
  unknown_event_type: {
    status: 400,
    type: "invalid_request_error",
    help: "A name in `subscribed_events`, `type` or `types[]` is none of the 21 event types. Check its spelling: the message lists them all."
  },
  url_invalid: {
    status: 400,
    type: "invalid_request_error",
    help: "The URL cannot be read, or holds a user name, password or fragment. Send a whole https URL without those."
  },
  url_not_https: {
    status: 400,
    type: "invalid_request_error",
    help: "Webhooks are delivered over https only. For tests on your own machine start Folio with WEBHOOK_ALLOW=127.0.0.1:PORT."
  },
  url_not_allowed: {
    status: 400,
    type: "invalid_request_error",
    help: "The URL points to a host or port that webhooks may not reach: internal, loopback or reserved. Use a public host on port 443 or 8443."
  },
  unsupported_version: {
    status: 400,
    type: "invalid_request_error",
    help: "The header Svc-Version names no version of this interface. Use a known date, or leave the header out."
  },
  idempotency_key_missing: {
    status: 400,
    type: "idempotency_error",
    help: "This request needs the header Idempotency-Key: any string of at most 128 characters, made once for each operation and repeated on every retry."
  },
  idempotency_key_too_long: {
    status: 400,
    type: "idempotency_error",
    help: "The Idempotency-Key is longer than 128 characters. Use a shorter one, such as a UUID."
  },
  idempotency_key_invalid: {
    status: 400,
    type: "idempotency_error",
    help: "The Idempotency-Key holds characters other than printable ASCII. Use letters and digits, such as a UUID."
  },
  invalid_api_key: {
    status: 401,
    type: "authentication_error",
    help: "The key is missing, mistyped, revoked or expired. Send `Authorization: Bearer sk_test_…` with a key of this account."
  },
  link_invalid: {
    status: 403,
    type: "permission_error",
    help: "The signature of a link to a document is missing or does not fit. Take `pdf_url` or `xml_url` from the object again, whole."
  },
  link_expired: {
    status: 403,
    type: "permission_error",
    help: "The link to a document has expired. Retrieve the object again: it carries a new one."
  },
  account_not_live: {
    status: 403,
    type: "permission_error",
    help: "The request is for the other mode, or the account cannot issue live documents yet. Use a key of the right mode, or supply what the message says is missing."
  },
  resource_missing: {
    status: 404,
    type: "invalid_request_error",
    help: "There is no such object for this key. An id of another account, or of the other mode, looks the same."
  },
  route_not_found: {
    status: 404,
    type: "invalid_request_error",
    help: "There is nothing at this path. The paths are listed at /docs."
  },
  method_not_allowed: {
    status: 405,
    type: "invalid_request_error",
    help: "This path does not know the method. The header Allow lists those it knows."
  },
  request_timeout: {
    status: 408,
    type: "invalid_request_error",
    help: "The request did not arrive within 30 seconds. Send it again."
  },
  request_too_large: {
    status: 413,
    type: "invalid_request_error",
    help: "The body is larger than 256 KiB. Split the request."
  },
  uri_too_long: {
    status: 414,
    type: "invalid_request_error",
    help: "The URL is longer than 8 KiB. Leave out what the request does not need."
  },
  unsupported_media_type: {
    status: 415,
    type: "invalid_request_error",
    help: "The body must be sent with Content-Type: application/json, and without Content-Encoding. Set that header, and send the JSON uncompressed."
  },
  headers_too_large: {
    status: 431,
    type: "invalid_request_error",
    help: "The headers are larger than 16 KiB together. Send fewer, or shorter, headers; cookies are not needed."
  },
  idempotency_conflict: {
    status: 409,
    type: "idempotency_error",
    help: "This Idempotency-Key was used for another request. Do not retry: use a new key for a new operation, and the same body for a retry."
  },
  invoice_not_cancelable: {
    status: 409,
    type: "invalid_request_error",
    help: "The invoice has its number, or is settled, and can no longer be canceled. Correct an accepted one with a credit note."
  },
  invoice_not_retryable: {
    status: 409,
    type: "invalid_request_error",
    help: "Only a failed invoice can be tried again. Retrieve it and look at its `status`."
  },
  invoice_not_correctable: {
    status: 409,
    type: "invalid_request_error",
    help: "Notes correct, and e-mails carry, what was accepted, by the authority or in contingency. Wait for the outcome of this one, or issue it again."
  },
  credit_exceeds_invoice: {
    status: 409,
    type: "invalid_request_error",
    help: "The credit notes of the invoice would come to more than the invoice. Credit at most what is left of it."
  },
  resolution_overlap: {
    status: 409,
    type: "invalid_request_error",
    help: "The range could give a full number, prefix and number together, that another one gives: as `Q` with 123 and `Q1` with 23, which both print Q123. Check `prefix`, `from_number` and `to_number`, or put the other range aside if none of it was used."
  },
  resolution_limit_reached: {
    status: 409,
    type: "invalid_request_error",
    help: "The account has as many numbering ranges in this mode as it may have. They are kept for their documents; ask the authority for larger ones."
  },
  customer_limit_reached: {
    status: 409,
    type: "invalid_request_error",
    help: "The account has as many customers in this mode as it may have. Delete those that are no longer used: what was issued to them stays."
  },
  endpoint_limit_reached: {
    status: 409,
    type: "invalid_request_error",
    help: "The account has as many webhook endpoints in this mode as it may have. Delete one that is no longer used."
  },
  email_limit_reached: {
    status: 409,
    type: "invalid_request_error",
    help: "The document was e-mailed as often as it may be. Send its files yourself: GET …/pdf and GET …/xml give them."
  },
  endpoint_not_sending: {
    status: 409,
    type: "invalid_request_error",
    help: "The webhook endpoint is inactive, or as many deliveries wait for it as may: a sample would not be sent. Activate it, or wait until what waits has been delivered."
  },
  rate_limited: {
    status: 429,
    type: "rate_limit_error",
    help: "More requests than the limit of this API key, or of this address where there was no valid key. Wait for the seconds in Retry-After; RateLimit tells what is left."
  },
  api_key_limit_reached: {
    status: 409,
    type: "invalid_request_error",
    help: "The account has as many working API keys in this mode as it may have. Revoke one that is no longer used."
  },
  api_key_inactive: {
    status: 409,
    type: "invalid_request_error",
    help: "The API key was revoked or has expired and cannot be rolled. Make a new one."
  },
  last_api_key: {
    status: 409,
    type: "invalid_request_error",
    help: "The last API key of a mode that does not expire cannot be revoked: nobody could reach the account any more. Roll it, or make another one first."
  },
  internal_error: {
    status: 500,
    type: "api_error",
    help: "Something failed inside the service. Retry with the same Idempotency-Key; if it stays, report the request_id."
  },
  service_unavailable: {
    status: 503,
    type: "api_error",
    help: "The service cannot reach its database, has too much to do, or is starting or stopping; the message says which. Retry with the same Idempotency-Key after the time in Retry-After."
  }
} as const satisfies Record<string, { readonly status: number; readonly type: ErrorType; readonly help: string }>

type ErrorType =
  | "invalid_request_error"
  | "idempotency_error"
  | "authentication_error"
  | "permission_error"
  | "rate_limit_error"
  | "api_error"

export type ErrorCode = keyof typeof errorCodes
export const ErrorCode = Schema.Literals(Object.keys(errorCodes) as [ErrorCode, ...Array<ErrorCode>])
