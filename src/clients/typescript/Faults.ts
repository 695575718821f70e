/* The mistakes that receivers make when they verify a webhook, with messages for the receiver. */

/** The faults of a diagnosis: what is wrong, and what to do. */
export const faults = {
  secret_missing: ["There is no secret.", "Pass the endpoint's secret, whsec_…, from the response to its creation."],
  secret_no_prefix: [
    "The secret lacks its beginning, whsec_.",
    "Pass the secret with its whsec_: the key of Svc-Signature is the whole text."
  ],
  secret_white_space: [
    "The secret has white space in it or around it.",
    "Trim the secret: files and variables often end with a newline."
  ],
  secret_quoted: ["The secret has quotes around it.", "Remove the quotes: some readers of .env files keep them."],
  secret_cut: [
    "The secret is cut short: after whsec_ there must be 44 characters.",
    "Copy the whole secret, with the = at its end."
  ],
  body_empty: ["The body is empty.", "Read the body before anything else does, and keep its bytes."],
  body_parsed: [
    "The body is the text [object …]: JavaScript converted an object that was already parsed.",
    "Verify the raw body, before the framework parses it as JSON."
  ],
  body_final_newline: [
    "The body ends with a line break that was not sent.",
    "Keep the bytes as received: echo and editors add a line break."
  ],
  body_byte_order_mark: [
    "The body begins with a byte order mark that was not sent.",
    "Keep the bytes as received, not as a text file with a mark."
  ],
  body_base64: ["The body is in base64.", "Decode the body first: some gateways forward bodies in base64."],
  body_reserialized: [
    "The body was parsed and written again as JSON: its white space, escapes or order of keys are not those that were sent.",
    "Verify the raw bytes of the request, before anything parses them."
  ],
  body_encoding: [
    "The body was decoded with an encoding other than UTF-8.",
    "Keep the bytes, or decode them as UTF-8."
  ],
  body_changed: [
    "The body is not complete JSON: it was cut or changed on its way.",
    "Look for a limit on the size of bodies, and for a proxy or middleware that rewrites them."
  ],
  header_missing: [
    "There is no signature header: neither Svc-Signature nor webhook-signature.",
    "Check whether a proxy removes the header, and which name the framework gives it."
  ],
  header_incomplete: [
    "webhook-id or webhook-timestamp is missing: webhook-signature needs both.",
    "Pass all three, or Svc-Signature alone."
  ],
  header_name: [
    "The signature is in a header with another name.",
    "The names are Svc-Signature, and webhook-signature with webhook-id and webhook-timestamp; case does not matter."
  ],
  header_scheme: [
    "The header holds a signature of the other scheme.",
    "Svc-Signature has t=…,v1=… in hexadecimal digits; webhook-signature has v1,… in base64."
  ],
  header_quoted: [
    "The value of the header has quotes around it, or the name of the header in it.",
    "Pass the value alone, as received."
  ],
  time_missing: ["The header has no time, t=….", "Pass the whole value of the header: t=…,v1=…"],
  time_malformed: [
    "The time of the signature is not a number of seconds.",
    "Pass the value as received: Unix seconds."
  ],
  time_milliseconds: [
    "The time of the signature is in milliseconds.",
    "Folio signs the time in seconds: pass the value as received."
  ],
  signature_missing: ["The header has no signature, v1=… or v1,….", "Pass the whole value of the header."],
  signature_length: [
    "The signature is cut short: v1=… has 64 hexadecimal digits, v1,… has 44 characters of base64.",
    "Pass the whole value: some logs cut long values."
  ],
  signature_not_hexadecimal: [
    "The signature in v1=… has characters that are not hexadecimal digits.",
    "Pass the value as received."
  ],
  signature_not_base64: [
    "The signature in v1,… is not base64, or is base64 for URLs.",
    "Pass the value as received, with + and / and =."
  ],
  signature_upper_case: ["The signature's hexadecimal digits are in upper case.", "Pass the value as received."],
  webhook_id: [
    "webhook-id is not the signed id, which is the id of the event.",
    "Pass the header webhook-id as received."
  ],
  too_old: [
    "The signature is right, but too old.",
    "Check this machine's clock. To verify an old webhook, verify it as of its time. Each attempt has a new signature."
  ],
  in_the_future: ["The signature is right, but from the future.", "Check this machine's clock: it is behind."],
  not_an_event: [
    "The signature is right, but the body is not an event of Folio.",
    "Something other than Folio signed the body with this secret."
  ],
  mismatch: [
    "This secret did not sign this body.",
    "Check that the secret is the current one of this endpoint, in this mode, and that the body is the raw body of the request that had this header."
  ]
} as const satisfies Readonly<Record<string, readonly [what: string, advice: string]>>

export type Fault = keyof typeof faults
