/**
 * The rule of the request log for a field.
 *
 * - `id`: an id that Folio gave. Kept if it has that form, because clients may send identification numbers instead.
 * - `open`: a value of a closed form, such as a status, a date or an amount. Kept.
 * - `holder`: an object or a list. Its fields follow the rules of their own names; a text instead of the object or list
 *   is masked.
 * - `personal`: names, addresses, identification numbers and all free text. Masked unless the account's `request_log`
 *   is `full`.
 * - `secret`: never kept.
 * - `url`: kept up to its host, because the rest may hold a token.
 * - `message`, `param`: the text of an error and its field. Kept if the text quotes nothing that is masked.
 *
 * An unknown name is not kept, and neither is its value.
 */
export type Privacy = "id" | "open" | "holder" | "personal" | "secret" | "url" | "message" | "param"

const names: Readonly<Record<Privacy, string>> = {
  id: `
    after api_key_id customer_id document_id email_id ending_before event_id id invoice_id object_id of portal_session_id request_id resolution_id starting_after
    webhook_delivery_id webhook_endpoint_id`,
  open: `
    accept accepted account allowance_total_amount allowed_ips action amount api_version at attempts_count authority_environment base capabilities catalog charge_total_amount code
    color command content correction_code created created[gte] created[lte] created_at cude cufe currency date default_version delay
    deleted deliveries doc_url document_type due_date duration_ms economic_activities emailed_at end_date ended_at error_code event_type exchange_rate expires
    expires_at expires_in fail failing_since finished_at from from_number full_number full_since has_more has_more_errors height href identification[type]
    incoterm ip is_active is_current issue_date judged_at key_mode kind last_four last_success_at last_used_at limit line_extension_amount live_ready livemode lose
    max_in_flight media_type method mode missing net_amount next_attempt_at next_number not_after object object_type opened_at operation_type organization_type outcome
    payable_amount payable_rounding_amount percent prefix cash_rounding_amount due_amount prepaid_amount quantity rate ready reason_code received_date recorded reject remaining remote_ip
    request_bytes request_log response_bytes response_status retryable revoked_at rule scheme seconds sent_at service_version set_at severity since size stage start_date
    started_at state status subscribed_events tax_amount tax_responsibilities tax_scheme test_set_id to_number transmit_before trigger trouble type types[]
    typical_rates unit_amount unit_code unit_price units updated_at url_expires_at used_at valid valid_from valid_to value vat_responsible verdict version wait
    wanted width withholding_total_amount`,
  holder: `
    acceptance actor allowance_charges api_key archive attachments attempts authority authority_errors authority_notifications certificate contingency credit_notes data days debit_notes delivery
    despatch_reference details documents error errors events failure health idempotency identification invoices item lines live logo next objects order_reference original
    other_payment_means payment_means period prepayments principal range reference_price skipped software steps taxes totals waiting warnings withholdings`,
  personal: `
    address aiu_contract authority_name brand by check_digit city_code country_code department_code description email external_id hint idempotency_key
    identification[number] legal_name merchant_registration message_id metadata model name name_en notes number path payment_instructions
    phone postal_code provider_nit qr_url query reason reference special_base status_reason subject text to trade_name`,
  secret: `
    key password pdf_url pin pkcs12 request_body response_body response_headers secret signature technical_key xml_url`,
  url: "url return_url",
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

/** The rule for the field with this name; undefined for a name that the API does not have. */
export const privacyOf = (name: string): Privacy | undefined => privacies.get(name)
