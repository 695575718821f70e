/**
 * What the request log may keep of a field.
 *
 * - `id`: an id that the service gave; kept if it has that form, because clients put identification numbers in its place.
 * - `open`: a word of a closed form, such as a status, a date or an amount; kept.
 * - `holder`: an object or a list, whose fields are judged by their own names; a text where the object or list belongs is masked.
 * - `personal`: names, addresses, identification numbers and all free text; masked unless the account's `request_log` is `full`.
 * - `secret`: never kept.
 * - `url`: kept up to its host, because the rest may hold a token.
 * - `message`, `param`: what an error says, and the field it is about; kept if the text quotes nothing that is masked.
 *
 * A name that is not here is not kept, and neither is its value.
 */
export type Privacy = "id" | "open" | "holder" | "personal" | "secret" | "url" | "message" | "param"

const names: Readonly<Record<Privacy, string>> = {
  id: `
    after api_key_id customer_id document_id email_id ending_before event_id id invoice_id object_id of request_id resolution_id starting_after
    webhook_delivery_id webhook_endpoint_id`,
  open: `
    accept account api_version at attempts_count authority_environment base catalog code command content correction_code created
    created[gte] created[lte] created_at cude cufe currency default_version delay deleted deliveries doc_url document_type due_date
    duration_ms error_code event_type exchange_rate expires expires_at expires_in fail failing_since from from_number full_number full_since
    has_more has_more_errors ip is_active is_current issue_date key_mode last_four last_success_at last_used_at limit line_extension_amount
    livemode lose max_in_flight method mode next_attempt_at next_number not_after object operation_type organization_type payable_amount
    prefix quantity rate recorded reject remaining remote_ip request_bytes request_log response_bytes response_status retryable revoked_at
    rule seconds severity since size stage started_at status subscribed_events tax_amount tax_responsibilities to_number transmit_before
    trigger type types[] typical_rates unit_code unit_price updated_at valid valid_from valid_to value verdict version wait`,
  holder: `
    api_key archive attachments attempts authority_errors authority_notifications certificate contingency data error errors events
    failure health idempotency identification lines next objects payment_means skipped taxes totals warnings`,
  personal: `
    address authority_name check_digit city_code country_code department_code description email hint idempotency_key legal_name
    message_id metadata name name_en number path qr_url query reason subject text to`,
  secret: `
    key password pdf_url pkcs12 request_body response_body response_headers secret signature technical_key xml_url`,
  url: "url",
  message: "detail message title",
  param: "param"
}

const privacies = new Map<string, Privacy>(
  Object.entries(names).flatMap(([privacy, list]) =>
    list
      .trim()
      .split(/\s+/)
      .map((name) => [name, privacy as Privacy] as const)
  )
)

/** What may be kept of the field of this name; undefined for a name that the interface does not know. */
export const privacyOf = (name: string): Privacy | undefined => privacies.get(name)
