/*
 * The objects and operations of the interface as plain TypeScript. Written by `npm run openapi` from the OpenAPI document: not to
 * be changed by hand.
 */
/* oxlint-disable max-lines -- nobody reads this file from its first line to its last */

/** Why the request was refused or failed, and what to do about it. */
export interface ErrorBody {
  readonly error: {
    readonly type: string
    readonly code: string
    readonly message: string
    readonly doc_url: string
    readonly request_id: string
    readonly param?: string
    readonly errors?: ReadonlyArray<Violation>
    /** `true` when the request breaks more rules than `errors` lists; `errors` lists at most 100. Absent otherwise. */
    readonly has_more_errors?: true
  }
}

/** One rule that the request breaks. */
export interface Violation {
  readonly param: string
  readonly code:
    | "malformed_json"
    | "parameter_missing"
    | "parameter_unknown"
    | "parameter_invalid"
    | "parameter_invalid_empty"
    | "parameter_too_long"
    | "parameter_conflict"
    | "invalid_cursor"
    | "invalid_check_digit"
    | "unknown_catalog_code"
    | "amount_mismatch"
    | "tax_mismatch"
    | "due_date_required"
    | "no_numbering_range"
    | "range_exhausted"
    | "range_expired"
    | "unknown_event_type"
    | "url_invalid"
    | "url_not_https"
    | "url_not_allowed"
    | "unsupported_version"
    | "idempotency_key_missing"
    | "idempotency_key_too_long"
    | "idempotency_key_invalid"
    | "invalid_api_key"
    | "link_invalid"
    | "link_expired"
    | "form_foreign"
    | "capability_missing"
    | "account_not_live"
    | "resource_missing"
    | "route_not_found"
    | "method_not_allowed"
    | "request_timeout"
    | "request_too_large"
    | "uri_too_long"
    | "unsupported_media_type"
    | "headers_too_large"
    | "idempotency_conflict"
    | "invoice_not_cancelable"
    | "invoice_not_retryable"
    | "invoice_not_correctable"
    | "invoice_not_rejected"
    | "invoice_number_processed"
    | "invoice_has_open_notes"
    | "credit_exceeds_invoice"
    | "resolution_overlap"
    | "resolution_limit_reached"
    | "customer_ambiguous"
    | "customer_limit_reached"
    | "endpoint_limit_reached"
    | "email_limit_reached"
    | "endpoint_not_sending"
    | "enablement_running"
    | "enablement_limit_reached"
    | "rate_limited"
    | "query_too_slow"
    | "portal_session_limit_reached"
    | "api_key_limit_reached"
    | "api_key_inactive"
    | "last_api_key"
    | "internal_error"
    | "service_unavailable"
  readonly message: string
  readonly rule?: string
}

/** The check passed: requests are served, also while the tax authority is in trouble. */
export interface Readiness {
  readonly status: "ok"
  readonly authority?: AuthorityHealth
}

/** The trouble that calls of the live tax authority meet. Absent while there is none. */
export interface AuthorityHealth {
  /** `unreachable`: no connection or no answer. `failing`: answers that are errors. `refusing`: calls are refused. */
  readonly status: "unreachable" | "failing" | "refusing"
  /** What keeps calls from their answer, for programs. */
  readonly trouble:
    | "connection_refused"
    | "no_answer"
    | "server_error"
    | "in_process"
    | "name_not_found"
    | "no_route"
    | "tls_failed"
    | "not_the_service"
    | "certificate_missing"
    | "certificate_refused"
    | "security_refused"
    | "clock_off"
    | "sender_refused"
    | "another_document"
    | "no_verdict"
  /** What is wrong and what happens to documents meanwhile, for people. */
  readonly message: string
  /** Since when calls of the authority meet this trouble. */
  readonly since: string
}

/** The check passed. */
export interface Health {
  readonly status: "ok"
}

/** The versions of the interface, newest first. */
export interface VersionList {
  readonly object: "list"
  /** The path at which this list is found. */
  readonly url: string
  readonly has_more: false
  /** The version of the service, with the commit that it was made from as its build. */
  readonly service_version: string
  readonly data: ReadonlyArray<VersionItem>
}

/** A dated version of the interface. */
export interface VersionItem {
  readonly object: "version"
  readonly version: Version
  readonly is_current: boolean
}

/**
 * The dated version of the interface that the request and its answer are written in, such as 2026-01-01. Without
 * this header, the default version of the account.
 */
export type Version = "2026-01-01"

/** The notice was read. `recorded` is false when it said nothing new. */
export interface EmailNotice {
  readonly object: "email_notice"
  readonly recorded: boolean
}

/** What became of one e-mail. */
export interface EmailNoticeRequest {
  /** The Message-ID of the message, with or without its angle brackets. */
  readonly message_id: string
  readonly type: "delivered" | "bounced" | "complained"
  /** The time at which it happened. */
  readonly at: string
  /** What the receiving mail server said. */
  readonly reason?: string
}

/** By how many seconds the clock of the test mode was advanced. */
export interface ClockAdvance {
  readonly object: "clock_advance"
  readonly seconds: number
}

/** By how much to advance the clock of the test mode. */
export interface AdvanceRequest {
  /** The number of seconds: from 1 to 2592000, which is 30 days. */
  readonly seconds: number
}

/** How the simulated tax authority behaves for this account from now on. */
export interface SandboxAuthority {
  readonly object: "sandbox_authority"
  readonly mode: AuthorityMode
  /** The scripts that no document has taken yet, the next one first. */
  readonly next: ReadonlyArray<AuthorityScript>
}

/**
 * What the simulated tax authority does with one document: one outcome, a `delay`, `events`, or several of them.
 * An outcome replaces the one that the customer's identification stands for.
 */
export interface AuthorityScript {
  /** The authority accepts the document. */
  readonly accept?: true
  /** The authority rejects the document by these rules. */
  readonly reject?: ReadonlyArray<string>
  /** The authority judges the document, but its first answer is lost: Folio asks for the verdict. */
  readonly lose?: true
  /**
   * The authority cannot be reached for the document until the document is issued in contingency, and accepts it
   * afterwards.
   */
  readonly contingency?: true
  /**
   * The authority refuses the document without judging it, so that the document fails. After a retry the document
   * is judged as if it had no script.
   */
  readonly fail?: true
  /** The authority answers after so many seconds, with the outcome that the script names, or else as usual. */
  readonly delay?: number
  /**
   * What is registered on the invoice when it was accepted and is on credit terms (payment form 2), in this order:
   * Folio asks for it within a day. A claim (031) has the reason 01.
   */
  readonly events?: ReadonlyArray<"030" | "031" | "032" | "033" | "034">
}

/**
 * How the simulated tax authority behaves. `up`: it answers at once. `down`: it does not answer. `slow`: it
 * answers after 10 seconds. `flaky`: its first two answers about each document fail.
 */
export type AuthorityMode = "up" | "down" | "slow" | "flaky"

/** How the simulated tax authority behaves from now on. A member that is left out stays as it is. */
export interface AuthorityModeRequest {
  readonly mode?: AuthorityMode
  /**
   * Scripts for the account's next documents: the first invoice or note that is created from now on takes the
   * first one, and so on. A document that is corrected takes the next one again. They replace the earlier scripts
   * that no document has taken yet; `[]` only removes those. While the mode is `down`, `slow` or `flaky`, the mode
   * comes before a script.
   */
  readonly next?: ReadonlyArray<AuthorityScript>
}

/** A page of a list; `has_more` tells whether more objects follow. */
export interface Catalog {
  readonly object: "list"
  /** The path at which this list is found. */
  readonly url: string
  /**
   * `true` when more objects follow this page. A page holds fewer objects than `limit` when it would be larger
   * than 1 MB.
   */
  readonly has_more: boolean
  readonly data: ReadonlyArray<CatalogItem>
}

/** One code of a catalog. */
export interface CatalogItem {
  readonly object: "catalog_item"
  /** The code, as requests carry it. */
  readonly code: string
  /** The meaning of the code, in Spanish. */
  readonly name: string
  /** The meaning of the code, in English. */
  readonly name_en: string
  /** The meaning that the tax authority gives to the code, when it is another one. */
  readonly authority_name?: string
  /** The usual rates of a tax, in percent. */
  readonly typical_rates?: ReadonlyArray<string>
}

/** The delivery of one event to one webhook endpoint, with its latest attempts. */
export interface Delivery {
  /** An id: whd_ and 26 characters, which sort by creation. */
  readonly id: string
  readonly object: "webhook_delivery"
  /** `true` for an event of the live mode. */
  readonly livemode: boolean
  /** An id: we_ and 26 characters, which sort by creation. */
  readonly webhook_endpoint_id: string
  /** An id: evt_ and 26 characters, which sort by creation. */
  readonly event_id: string
  readonly event_type: EventType
  /** The state of the delivery. */
  readonly status: DeliveryStatus
  /** The time of the next planned attempt. Null while an attempt is under way, and when none is planned. */
  readonly next_attempt_at: string | null
  /**
   * The latest attempts, oldest first: up to 10, and up to 3 in a list of deliveries. GET
   * /v1/webhook-deliveries/{id}/attempts lists all of them.
   */
  readonly attempts: ReadonlyArray<Attempt>
  /** The number of attempts that were made. */
  readonly attempts_count: number
  /** A time in ISO 8601, with the offset of the tax authority's time zone. */
  readonly created_at: string
  /** A time in ISO 8601, with the offset of the tax authority's time zone. */
  readonly updated_at: string
}

/** One attempt to deliver an event to a webhook endpoint. */
export interface Attempt {
  /** The id of an attempt: that of its delivery, _ and its number. */
  readonly id: string
  readonly object: "webhook_attempt"
  /** The place of the attempt among those of its delivery: 1 for the first. */
  readonly number: number
  /**
   * Why the attempt was made: `auto` by the retry schedule, `manual` by a redelivery, `recover` by a recovery,
   * `test` by a sample event.
   */
  readonly trigger: "auto" | "manual" | "recover" | "test"
  /** A time in ISO 8601, with the offset of the tax authority's time zone. */
  readonly started_at: string
  /** How long the attempt took, in milliseconds. */
  readonly duration_ms: number
  /** The IP address that the attempt connected to; null when it connected to none. */
  readonly remote_ip: string | null
  /** The HTTP status of the answer; null when no answer came. */
  readonly response_status: number | null
  /** The headers of the answer, up to 4 KiB together. Empty in a list of deliveries. */
  readonly response_headers: { readonly [name: string]: string }
  /** The first 4 KiB of the answer's body; its first 256 characters in a list of deliveries. */
  readonly response_body: string
  /** Why the attempt failed; null when the endpoint answered 2xx in time. */
  readonly error: {
    readonly code: string
    readonly message: string
  } | null
}

/**
 * The state of the delivery: `pending` until it succeeds or is given up, `succeeded`, `failed` when it is given
 * up, `canceled` when its endpoint was deleted.
 */
export type DeliveryStatus = "pending" | "succeeded" | "failed" | "canceled"

/** One of the 21 event types. */
export type EventType =
  | "invoice.accepted_by_authority"
  | "invoice.rejected_by_authority"
  | "invoice.accepted_contingency"
  | "invoice.failed"
  | "invoice.email.delivered"
  | "invoice.email.bounced"
  | "invoice.email.complained"
  | "credit_note.accepted_by_authority"
  | "credit_note.rejected_by_authority"
  | "credit_note.accepted_contingency"
  | "credit_note.failed"
  | "credit_note.email.delivered"
  | "credit_note.email.bounced"
  | "credit_note.email.complained"
  | "debit_note.accepted_by_authority"
  | "debit_note.rejected_by_authority"
  | "debit_note.accepted_contingency"
  | "debit_note.failed"
  | "debit_note.email.delivered"
  | "debit_note.email.bounced"
  | "debit_note.email.complained"

/** The event type of the sample. */
export interface WebhookTestRequest {
  readonly type?: EventType
}

/** What the recovery has started. */
export interface Recovery {
  readonly object: "webhook_recovery"
  /** An id: we_ and 26 characters, which sort by creation. */
  readonly webhook_endpoint_id: string
  /** A time in ISO 8601, with the offset of the tax authority's time zone. */
  readonly since: string
  /** The number of deliveries that this request has started. */
  readonly deliveries: number
  /**
   * `true` when more deliveries are to be recovered than one request starts. Send the request again with another
   * Idempotency-Key.
   */
  readonly has_more: boolean
}

/** The time from which on events are delivered again. */
export interface RecoverRequest {
  /** The time from which on events are delivered again. */
  readonly since: string
}

/** A page of a list; `has_more` tells whether more objects follow. */
export interface AttemptPage {
  readonly object: "list"
  /** The path at which this list is found. */
  readonly url: string
  /**
   * `true` when more objects follow this page. A page holds fewer objects than `limit` when it would be larger
   * than 1 MB.
   */
  readonly has_more: boolean
  readonly data: ReadonlyArray<Attempt>
}

/** A page of a list; `has_more` tells whether more objects follow. */
export interface DeliveryPage {
  readonly object: "list"
  /** The path at which this list is found. */
  readonly url: string
  /**
   * `true` when more objects follow this page. A page holds fewer objects than `limit` when it would be larger
   * than 1 MB.
   */
  readonly has_more: boolean
  readonly data: ReadonlyArray<Delivery>
}

/** The webhook endpoint with its signing secret. This answer is the only one that shows the secret. */
export interface WebhookEndpointWithSecret {
  /** An id: we_ and 26 characters, which sort by creation. */
  readonly id: string
  readonly object: "webhook_endpoint"
  /** The URL that deliveries are sent to. */
  readonly url: string
  /** A label of your own for the endpoint. */
  readonly description: string | null
  /** The event types that are delivered to the endpoint; `["*"]`: all of them, also those that later releases add. */
  readonly subscribed_events: ReadonlyArray<Subscription>
  /**
   * `false`: no deliveries are sent. Those that wait are sent once the endpoint is active again; a recovery sends
   * the events that happened meanwhile.
   */
  readonly is_active: boolean
  /** `true` for an endpoint of live documents, `false` for one of test documents. */
  readonly livemode: boolean
  /** The number of deliveries to this endpoint that may be under way at one time. */
  readonly max_in_flight: number
  readonly metadata: Metadata
  readonly api_version: Version
  readonly health: EndpointHealth
  /** A time in ISO 8601, with the offset of the tax authority's time zone. */
  readonly created_at: string
  /** A time in ISO 8601, with the offset of the tax authority's time zone. */
  readonly updated_at: string
  /** The secret that signs the deliveries to this endpoint. */
  readonly secret: string
}

/** How the deliveries to an endpoint are going. A failing endpoint is never switched off. */
export interface EndpointHealth {
  readonly status: "unknown" | "healthy" | "failing"
  readonly failing_since: string | null
  readonly last_success_at: string | null
  /**
   * The time since which the largest number of deliveries waits for this endpoint: deliveries of later events fail
   * without an attempt, and a recovery sends them. Null while more deliveries may wait.
   */
  readonly full_since: string | null
}

/**
 * Keys and values of your own, such as the reference of an order: at most 50 pairs, keys of up to 40 characters,
 * values of up to 500 characters.
 */
export type Metadata = { readonly [name: string]: string }

/** An event type, or `*` for all of them, also for those that later releases add. */
export type Subscription =
  | "invoice.accepted_by_authority"
  | "invoice.rejected_by_authority"
  | "invoice.accepted_contingency"
  | "invoice.failed"
  | "invoice.email.delivered"
  | "invoice.email.bounced"
  | "invoice.email.complained"
  | "credit_note.accepted_by_authority"
  | "credit_note.rejected_by_authority"
  | "credit_note.accepted_contingency"
  | "credit_note.failed"
  | "credit_note.email.delivered"
  | "credit_note.email.bounced"
  | "credit_note.email.complained"
  | "debit_note.accepted_by_authority"
  | "debit_note.rejected_by_authority"
  | "debit_note.accepted_contingency"
  | "debit_note.failed"
  | "debit_note.email.delivered"
  | "debit_note.email.bounced"
  | "debit_note.email.complained"
  | "*"

/** The webhook endpoint was deleted. */
export interface DeletedWebhookEndpoint {
  /** An id: we_ and 26 characters, which sort by creation. */
  readonly id: string
  readonly object: "webhook_endpoint"
  readonly deleted: true
}

/** A webhook endpoint, without its signing secret. */
export interface WebhookEndpoint {
  /** An id: we_ and 26 characters, which sort by creation. */
  readonly id: string
  readonly object: "webhook_endpoint"
  /** The URL that deliveries are sent to. */
  readonly url: string
  /** A label of your own for the endpoint. */
  readonly description: string | null
  /** The event types that are delivered to the endpoint; `["*"]`: all of them, also those that later releases add. */
  readonly subscribed_events: ReadonlyArray<Subscription>
  /**
   * `false`: no deliveries are sent. Those that wait are sent once the endpoint is active again; a recovery sends
   * the events that happened meanwhile.
   */
  readonly is_active: boolean
  /** `true` for an endpoint of live documents, `false` for one of test documents. */
  readonly livemode: boolean
  /** The number of deliveries to this endpoint that may be under way at one time. */
  readonly max_in_flight: number
  readonly metadata: Metadata
  readonly api_version: Version
  readonly health: EndpointHealth
  /** A time in ISO 8601, with the offset of the tax authority's time zone. */
  readonly created_at: string
  /** A time in ISO 8601, with the offset of the tax authority's time zone. */
  readonly updated_at: string
}

/** The fields of a webhook endpoint to change. */
export interface WebhookEndpointUpdate {
  /** A public https address, on port 443 or 8443. */
  readonly url?: string
  readonly description?: string | null
  /**
   * The event types to deliver to the endpoint, or `["*"]` for all of them, also for those that later releases
   * add.
   */
  readonly subscribed_events?: ReadonlyArray<Subscription>
  readonly is_active?: boolean
  /**
   * The number of deliveries to this endpoint that may be under way at one time; with 1, first attempts are made
   * strictly in the order of the events.
   */
  readonly max_in_flight?: number
  readonly metadata?: Metadata
}

/** A page of a list; `has_more` tells whether more objects follow. */
export interface WebhookEndpointPage {
  readonly object: "list"
  /** The path at which this list is found. */
  readonly url: string
  /**
   * `true` when more objects follow this page. A page holds fewer objects than `limit` when it would be larger
   * than 1 MB.
   */
  readonly has_more: boolean
  readonly data: ReadonlyArray<WebhookEndpoint>
}

/** A webhook endpoint to register. */
export interface WebhookEndpointRequest {
  /** A public https address, on port 443 or 8443. */
  readonly url: string
  /**
   * The event types to deliver to the endpoint, or `["*"]` for all of them, also for those that later releases
   * add.
   */
  readonly subscribed_events: ReadonlyArray<Subscription>
  readonly description?: string
  /**
   * The number of deliveries to this endpoint that may be under way at one time; with 1, first attempts are made
   * strictly in the order of the events.
   */
  readonly max_in_flight?: number
  readonly metadata?: Metadata
}

/** An event: what happened to a document. Webhooks deliver the same body. */
export interface Event {
  /** An id: evt_ and 26 characters, which sort by creation. */
  readonly id: string
  readonly object: "event"
  readonly type: EventType
  /** A time in ISO 8601, with the offset of the tax authority's time zone. */
  readonly created: string
  /** `true` for a live document, `false` for a test document. */
  readonly livemode: boolean
  /** An id: ten_ and 26 characters, which sort by creation. */
  readonly account: string
  /** The document, or the e-mail that carries it, as it was when the event happened. */
  readonly data: {
    readonly object: InvoiceSnapshot | NoteSnapshot | EmailSnapshot
  }
}

/** An e-mail that carries a document to its customer. */
export interface EmailSnapshot {
  /** An id: em_ and 26 characters, which sort by creation. */
  readonly id: string
  readonly object: "email"
  /** `true` for an e-mail of a live document. E-mails of test documents are not sent to anybody. */
  readonly livemode: boolean
  /** The id of the invoice or note that the e-mail carries. */
  readonly document_id: string
  /** The kind of the document that the e-mail carries. */
  readonly document_type: "invoice" | "credit_note" | "debit_note"
  /** The full number of the document, prefix and number together. */
  readonly full_number: string
  /** The address that the e-mail is sent to. */
  readonly to: string
  readonly status: EmailStatus
  /** The time since which the e-mail has its status. */
  readonly at: string
  /** What the mail server or the mail provider said when the e-mail was not accepted; null otherwise. */
  readonly reason: string | null
  /** The metadata of the document. */
  readonly metadata: Metadata
}

/**
 * `pending`: no mail server has accepted the e-mail yet. `delivered`: a mail server accepted it. `bounced`: the
 * address refuses it, or no server accepted it within 24 hours. `complained`: the recipient marked it as spam.
 * `failed`: the e-mail could not be composed.
 */
export type EmailStatus = "pending" | "delivered" | "bounced" | "complained" | "failed"

/** The copy of a credit or debit note that an event carries. */
export interface NoteSnapshot {
  /** The id of a note: cn_ or dn_ and 26 characters, which sort by creation. */
  readonly id: string
  readonly object: "credit_note" | "debit_note"
  /** The unique code of the document (CUFE or CUDE). */
  readonly cude: string | null
  readonly status: InvoiceStatus
  /**
   * A link to the PDF of the document, which opens it without an API key for seven days. Null unless the document
   * is accepted.
   */
  readonly pdf_url: string | null
  /** The full number of the document, prefix and number together. */
  readonly full_number: string
  /** The rules of the tax authority that the document broke; empty unless it was rejected. */
  readonly authority_errors: ReadonlyArray<AuthorityError>
  /** Rules of the tax authority that it remarks on without rejecting the document. */
  readonly authority_notifications: ReadonlyArray<AuthorityError>
  /** Why the document failed inside Folio; null unless its status is `failed`. */
  readonly failure: Failure | null
  readonly metadata: Metadata
  /**
   * Grows with every change of the document: ignore a copy whose version is lower than one that was received
   * before.
   */
  readonly version: number
}

/** Why a document failed inside Folio. The tax authority has not judged it. */
export interface Failure {
  /** The cause of the failure, for programs. */
  readonly code: string
  /** What happened, and what to do, for people. */
  readonly message: string
  /** `true` when the document can be retried once the cause is repaired. */
  readonly retryable: boolean
}

/** A rule of the authority that a document broke (`rejection`), or that it only remarks on (`notification`). */
export interface AuthorityError {
  /** The code of the rule, as the tax authority names it. */
  readonly rule: string
  readonly severity: "rejection" | "notification"
  /** The text of the rule, as the tax authority gives it. */
  readonly message: string
  /** The place in the XML document that breaks the rule, as an XPath; null when the authority names none. */
  readonly path: string | null
  /** What to change so that the document keeps the rule. */
  readonly hint: string | null
}

/** The state of the document: `draft` until there is an outcome. */
export type InvoiceStatus =
  | "draft"
  | "accepted_by_authority"
  | "rejected_by_authority"
  | "accepted_contingency"
  | "failed"
  | "canceled"

/** The copy of an invoice that an event carries. */
export interface InvoiceSnapshot {
  /** An id: inv_ and 26 characters, which sort by creation. */
  readonly id: string
  readonly object: "invoice"
  readonly status: InvoiceStatus
  /** The unique code of the document (CUFE or CUDE). */
  readonly cufe: string | null
  /**
   * A link to the PDF of the document, which opens it without an API key for seven days. Null unless the document
   * is accepted.
   */
  readonly pdf_url: string | null
  /** The full number of the document, prefix and number together. */
  readonly full_number: string
  /** The rules of the tax authority that the document broke; empty unless it was rejected. */
  readonly authority_errors: ReadonlyArray<AuthorityError>
  /** Rules of the tax authority that it remarks on without rejecting the document. */
  readonly authority_notifications: ReadonlyArray<AuthorityError>
  /** Why the document failed inside Folio; null unless its status is `failed`. */
  readonly failure: Failure | null
  readonly metadata: Metadata
  /**
   * Grows with every change of the document: ignore a copy whose version is lower than one that was received
   * before.
   */
  readonly version: number
}

/** A page of a list; `has_more` tells whether more objects follow. */
export interface EventPage {
  readonly object: "list"
  /** The path at which this list is found. */
  readonly url: string
  /**
   * `true` when more objects follow this page. A page holds fewer objects than `limit` when it would be larger
   * than 1 MB.
   */
  readonly has_more: boolean
  readonly data: ReadonlyArray<Event>
}

/** A numbering range. */
export interface Resolution {
  /** An id: res_ and 26 characters, which sort by creation. */
  readonly id: string
  readonly object: "resolution"
  /** `true` for a range of the live mode. */
  readonly livemode: boolean
  /** The number of the tax authority's resolution that grants the range. Absent for a range of notes. */
  readonly number?: string
  /** The kind of document that the range numbers. */
  readonly document_type: "invoice" | "credit_note" | "debit_note"
  /** The letters and digits that stand before each number of the range; may be empty. */
  readonly prefix: string
  /** The first number of the range. */
  readonly from_number: number
  /** The last number of the range. */
  readonly to_number: number
  /** The first day on which the range may be used, as YYYY-MM-DD. Absent for a range of notes. */
  readonly valid_from?: string
  /** The last day on which the range may be used, as YYYY-MM-DD. Absent for a range of notes. */
  readonly valid_to?: string
  /**
   * The technical key of the range, 40 hexadecimal digits that the tax authority gives; each CUFE is computed with
   * it. Absent for a range of notes.
   */
  readonly technical_key?: string
  /** `false`: no more numbers are taken from the range. */
  readonly is_active: boolean
  /** The next number that the range gives. */
  readonly next_number: number
  /** The count of numbers that the range has not given yet. */
  readonly remaining: number
  readonly status: ResolutionStatus
  /** What will soon end the use of the range; empty for an inactive range. */
  readonly warnings: ReadonlyArray<ResolutionWarning>
  /** A time in ISO 8601, with the offset of the tax authority's time zone. */
  readonly created_at: string
}

/**
 * `few_numbers_left`: a tenth of the numbers or less is left. `expires_soon`: the range can be used for 30 days
 * or less.
 */
export interface ResolutionWarning {
  readonly code: "few_numbers_left" | "expires_soon"
  /** What will happen, and what to do, for people. */
  readonly message: string
}

/** The state of the range: `active` when documents can take numbers from it today. */
export type ResolutionStatus = "active" | "exhausted" | "expired" | "inactive"

/** The fields of a numbering range to change. */
export interface ResolutionUpdate {
  readonly is_active?: boolean
  readonly valid_to?: string
}

/** A page of a list; `has_more` tells whether more objects follow. */
export interface ResolutionPage {
  readonly object: "list"
  /** The path at which this list is found. */
  readonly url: string
  /**
   * `true` when more objects follow this page. A page holds fewer objects than `limit` when it would be larger
   * than 1 MB.
   */
  readonly has_more: boolean
  readonly data: ReadonlyArray<Resolution>
}

/** The ranges of the tax authority that are registered now, and those that could not be registered. */
export interface ResolutionImport {
  readonly object: "list"
  /** The path at which this list is found. */
  readonly url: string
  /** `true` when more objects follow this page. */
  readonly has_more: boolean
  readonly data: ReadonlyArray<Resolution>
  /** Ranges of the authority that could not be registered. */
  readonly skipped: ReadonlyArray<{
    /** The number of the tax authority's resolution that grants the range. */
    readonly number: string
    /** The prefix of the range. */
    readonly prefix: string
    /** Why the range was not registered, and what to do. */
    readonly message: string
  }>
}

/**
 * A numbering range: one of invoices as the tax authority granted it, or one of notes with its prefix and its
 * next number alone.
 */
export interface ResolutionRequest {
  /**
   * The number of the tax authority's resolution that grants the range. Required for a range of invoices, and not
   * sent for one of notes.
   */
  readonly number?: string
  /** The letters and digits that stand before each number of the range; may be empty. */
  readonly prefix: string
  /** The first number of the range. Required for a range of invoices, and not sent for one of notes. */
  readonly from_number?: number
  /** The last number of the range. Required for a range of invoices, and not sent for one of notes. */
  readonly to_number?: number
  /**
   * The first day on which the range may be used, as YYYY-MM-DD. Required for a range of invoices, and not sent
   * for one of notes.
   */
  readonly valid_from?: string
  /**
   * The last day on which the range may be used, as YYYY-MM-DD. Required for a range of invoices, and not sent for
   * one of notes.
   */
  readonly valid_to?: string
  /**
   * The technical key of the range, 40 hexadecimal digits that the tax authority gives; each CUFE is computed with
   * it. Required for a range of invoices, and not sent for one of notes.
   */
  readonly technical_key?: string
  /**
   * The kind of document that the range numbers; left out, `invoice`. A range of `credit_note` or `debit_note` is
   * the account's own choice: the authority grants none, and an account that registers none has its notes numbered
   * `NC1`, `ND1` and so on.
   */
  readonly document_type?: "invoice" | "credit_note" | "debit_note"
  /**
   * The first number to give, when another system has used the numbers before it. A range of notes begins at 1
   * without it.
   */
  readonly next_number?: number
}

/** A request of the log with its bodies. */
export interface LoggedRequestWithBodies {
  /** The id of the request: the header `Request-Id` of its answer. */
  readonly id: string
  readonly object: "request"
  /** The time at which the request arrived. */
  readonly created: string
  /** `true` for a request with a live key, `false` for one with a test key. */
  readonly livemode: boolean
  /** The HTTP method. */
  readonly method: string
  /** The path without its query. Where an id belongs, anything that does not have the form of an id is masked. */
  readonly path: string
  /** The query, masked by the same rules as a body; null when there is none. */
  readonly query: string | null
  /**
   * The HTTP status of the answer; 499 when the client hung up before the answer, in which case the request may
   * have been carried out.
   */
  readonly status: number
  /** The time from the arrival of the request to its answer, in milliseconds. */
  readonly duration_ms: number
  /** The API key of the request; null for a file that was fetched by a signed link. */
  readonly api_key: {
    /** An id: key_ and 26 characters, which sort by creation. */
    readonly id: string
    /** The last four characters of the key; null when the key is no longer kept. */
    readonly last_four: string | null
  } | null
  /** The session of the portal in which a person made the request; null for a request with the API key itself. */
  readonly portal_session_id: string | null
  /** The client's IP address; null when it is not known. */
  readonly ip: string | null
  /**
   * The version of the interface in which the request was answered; null when the request was refused before its
   * version was read.
   */
  readonly version: string | null
  /**
   * What became of the idempotency key; null when there was none, and when the request was refused before its
   * idempotency key was read.
   */
  readonly idempotency: {
    /** The idempotency key of the request. */
    readonly key: string
    /**
     * `executed`: this request was executed, and was perhaps refused. `replayed`: the answer is the stored answer of
     * the first request with this key. `conflict`: the key belongs to a different request. `in_progress`: the first
     * request with this key was still being executed.
     */
    readonly verdict: "executed" | "replayed" | "conflict" | "in_progress"
    /**
     * The id of the request that was executed with this key; null for that request itself, and when that request is
     * not in the log.
     */
    readonly of: string | null
  } | null
  /** The code of the error that was answered; null when the answer is no error. */
  readonly error_code: string | null
  /** The ids of the objects that the request worked on or created; at most two. */
  readonly objects: ReadonlyArray<string>
  /** The ids of the first 20 events about these objects since the request. Events that happen later are added. */
  readonly events: ReadonlyArray<string>
  /** The size of the body that was sent, in bytes. */
  readonly request_bytes: number
  /** The size of the body of the answer, in bytes. */
  readonly response_bytes: number
  /**
   * The body that was sent: the first 16 KiB of its JSON, so that a longer body ends in the middle. Secrets are
   * always masked, and personal data unless the account's `request_log` is `full`. Null when there is no body,
   * when it is not JSON, and when the account sends more bodies than the log takes.
   */
  readonly request_body: string | null
  /**
   * The body of the answer: the first 16 KiB of its JSON, so that a longer body ends in the middle. Secrets are
   * always masked, and personal data unless the account's `request_log` is `full`. Null when there is no body,
   * when it is not JSON, and when the account sends more bodies than the log takes.
   */
  readonly response_body: string | null
}

/** A page of a list; `has_more` tells whether more objects follow. */
export interface LoggedRequestPage {
  readonly object: "list"
  /** The path at which this list is found. */
  readonly url: string
  /**
   * `true` when more objects follow this page. A page holds fewer objects than `limit` when it would be larger
   * than 1 MB.
   */
  readonly has_more: boolean
  readonly data: ReadonlyArray<LoggedRequest>
}

/** A request that was made with a key of this account and mode, and its answer. */
export interface LoggedRequest {
  /** The id of the request: the header `Request-Id` of its answer. */
  readonly id: string
  readonly object: "request"
  /** The time at which the request arrived. */
  readonly created: string
  /** `true` for a request with a live key, `false` for one with a test key. */
  readonly livemode: boolean
  /** The HTTP method. */
  readonly method: string
  /** The path without its query. Where an id belongs, anything that does not have the form of an id is masked. */
  readonly path: string
  /** The query, masked by the same rules as a body; null when there is none. */
  readonly query: string | null
  /**
   * The HTTP status of the answer; 499 when the client hung up before the answer, in which case the request may
   * have been carried out.
   */
  readonly status: number
  /** The time from the arrival of the request to its answer, in milliseconds. */
  readonly duration_ms: number
  /** The API key of the request; null for a file that was fetched by a signed link. */
  readonly api_key: {
    /** An id: key_ and 26 characters, which sort by creation. */
    readonly id: string
    /** The last four characters of the key; null when the key is no longer kept. */
    readonly last_four: string | null
  } | null
  /** The session of the portal in which a person made the request; null for a request with the API key itself. */
  readonly portal_session_id: string | null
  /** The client's IP address; null when it is not known. */
  readonly ip: string | null
  /**
   * The version of the interface in which the request was answered; null when the request was refused before its
   * version was read.
   */
  readonly version: string | null
  /**
   * What became of the idempotency key; null when there was none, and when the request was refused before its
   * idempotency key was read.
   */
  readonly idempotency: {
    /** The idempotency key of the request. */
    readonly key: string
    /**
     * `executed`: this request was executed, and was perhaps refused. `replayed`: the answer is the stored answer of
     * the first request with this key. `conflict`: the key belongs to a different request. `in_progress`: the first
     * request with this key was still being executed.
     */
    readonly verdict: "executed" | "replayed" | "conflict" | "in_progress"
    /**
     * The id of the request that was executed with this key; null for that request itself, and when that request is
     * not in the log.
     */
    readonly of: string | null
  } | null
  /** The code of the error that was answered; null when the answer is no error. */
  readonly error_code: string | null
  /** The ids of the objects that the request worked on or created; at most two. */
  readonly objects: ReadonlyArray<string>
  /** The ids of the first 20 events about these objects since the request. Events that happen later are added. */
  readonly events: ReadonlyArray<string>
  /** The size of the body that was sent, in bytes. */
  readonly request_bytes: number
  /** The size of the body of the answer, in bytes. */
  readonly response_bytes: number
}

/** A page of a list; `has_more` tells whether more objects follow. */
export interface EmailPage {
  readonly object: "list"
  /** The path at which this list is found. */
  readonly url: string
  /**
   * `true` when more objects follow this page. A page holds fewer objects than `limit` when it would be larger
   * than 1 MB.
   */
  readonly has_more: boolean
  readonly data: ReadonlyArray<Email>
}

/** An e-mail to the customer of a document, with its text and its attachment. */
export interface Email {
  /** An id: em_ and 26 characters, which sort by creation. */
  readonly id: string
  readonly object: "email"
  /** `true` for an e-mail of a live document. E-mails of test documents are not sent to anybody. */
  readonly livemode: boolean
  /** The id of the invoice or note that the e-mail carries. */
  readonly document_id: string
  /** The kind of the document that the e-mail carries. */
  readonly document_type: "invoice" | "credit_note" | "debit_note"
  /** The full number of the document, prefix and number together. */
  readonly full_number: string
  /** The address that the e-mail is sent to. */
  readonly to: string
  readonly status: EmailStatus
  /** The time since which the e-mail has its status. */
  readonly at: string
  /** What the mail server or the mail provider said when the e-mail was not accepted; null otherwise. */
  readonly reason: string | null
  /** The metadata of the document. */
  readonly metadata: Metadata
  /** The number of attempts to hand the e-mail to a mail server. */
  readonly attempts: number
  /** The time of the next planned attempt. Null while an attempt is under way, and when none is planned. */
  readonly next_attempt_at: string | null
  /** The subject, in the form that the tax authority prescribes; null when the e-mail could not be composed. */
  readonly subject: string | null
  /** The text of the e-mail. */
  readonly text: string | null
  /** The only attachment of the e-mail: a ZIP archive; null when the e-mail could not be composed. */
  readonly archive: {
    readonly name: string
    /** The size in bytes. */
    readonly size: number
    /** The content in base64; null unless the request has `content=true`. */
    readonly content: string | null
  } | null
  /** The files inside the attached ZIP archive. */
  readonly attachments: ReadonlyArray<{
    readonly name: string
    /** The size in bytes. */
    readonly size: number
  }>
  /** A time in ISO 8601, with the offset of the tax authority's time zone. */
  readonly created_at: string
}

/** The address to e-mail the document to. */
export interface EmailRequest {
  /** The address to send the e-mail to; left out, the customer's. */
  readonly to?: string
}

/** A page of a list; `has_more` tells whether more objects follow. */
export interface TimelinePage {
  readonly object: "list"
  /** The path at which this list is found. */
  readonly url: string
  /**
   * `true` when more objects follow this page. A page holds fewer objects than `limit` when it would be larger
   * than 1 MB.
   */
  readonly has_more: boolean
  readonly data: ReadonlyArray<TimelineEntry>
}

/** One thing that happened to a document. */
export type TimelineEntry =
  | {
      readonly object: "timeline_entry"
      readonly type: "transition"
      /** A time in ISO 8601, with the offset of the tax authority's time zone. */
      readonly at: string
      /** The step of the document, such as `submit` or `enter_contingency`. */
      readonly command: string
      readonly from: string | null
      readonly to: string
      readonly version: number
      /** Of the rejection of an invoice that was corrected since: the CUFE that was rejected. */
      readonly cufe?: string
      /** Of the rejection of a note that was corrected since: the CUDE that was rejected. */
      readonly cude?: string
      /** Of the rejection of a document that was corrected since: the issue date it had. */
      readonly issue_date?: string
      /** Of the rejection of a document that was corrected since: the rules of the authority that it broke. */
      readonly authority_errors?: ReadonlyArray<AuthorityError>
    }
  | {
      readonly object: "timeline_entry"
      readonly type: "email"
      /** A time in ISO 8601, with the offset of the tax authority's time zone. */
      readonly at: string
      /** An id: em_ and 26 characters, which sort by creation. */
      readonly email_id: string
      readonly to: string
      readonly status: EmailStatus
      readonly attempts: number
      readonly reason: string | null
    }
  | {
      readonly object: "timeline_entry"
      readonly type: "acceptance"
      /** A time in ISO 8601, with the offset of the tax authority's time zone. */
      readonly at: string
      /** The authority's code of the event. */
      readonly code: "030" | "031" | "032" | "033" | "034"
      /** The authority's name of the event. */
      readonly name: string
      /** The name in English. */
      readonly name_en: string
      /** Who has registered the event, as the authority names them; left out if it does not. */
      readonly by?: string
      /** Of a claim (031) whose reason the authority tells: the code of the reason. */
      readonly reason_code?: "01" | "02" | "03" | "04"
      /** The reason in the authority's words. */
      readonly reason?: string
    }
  | {
      readonly object: "timeline_entry"
      readonly type: "event"
      /** A time in ISO 8601, with the offset of the tax authority's time zone. */
      readonly at: string
      /** An id: evt_ and 26 characters, which sort by creation. */
      readonly event_id: string
      readonly event_type: EventType
    }
  | {
      readonly object: "timeline_entry"
      readonly type: "delivery_attempt"
      /** A time in ISO 8601, with the offset of the tax authority's time zone. */
      readonly at: string
      /** An id: evt_ and 26 characters, which sort by creation. */
      readonly event_id: string
      /** An id: whd_ and 26 characters, which sort by creation. */
      readonly webhook_delivery_id: string
      /** An id: we_ and 26 characters, which sort by creation. */
      readonly webhook_endpoint_id: string
      readonly number: number
      readonly trigger: "auto" | "manual" | "recover" | "test"
      readonly duration_ms: number
      readonly response_status: number | null
      readonly error: {
        readonly code: string
        readonly message: string
      } | null
    }

/** A debit note, with all that is known of it. */
export interface DebitNote {
  /** An id: cn_ of a credit note, dn_ of a debit note, and 26 characters, which sort by creation. */
  readonly id: string
  readonly object: "debit_note"
  readonly status: InvoiceStatus
  /** The full number, prefix and number together; empty until the note is numbered. */
  readonly full_number: string
  /** The unique code of the note (CUDE), 96 hexadecimal digits; null until the note is numbered. */
  readonly cude: string | null
  /** A time in ISO 8601, with the offset of the tax authority's time zone. */
  readonly created_at: string
  /**
   * The id of the invoice that the note corrects; null for a note to an invoice of another system, or to the sales
   * of a period.
   */
  readonly invoice_id: string | null
  /** The invoice of another system that the note corrects; absent for any other note. */
  readonly original?: OriginalInvoice
  /** Why the note corrects the invoice, as a code of the catalog concepto-nota-credito or concepto-nota-debito. */
  readonly correction_code: string
  /** Why the note corrects the invoice, in words. */
  readonly reason: string
  /** `true` for a document that was created with a live key. */
  readonly livemode: boolean
  /**
   * How far a draft has come: `queued`, `numbered`, `signed` or `submitted`; `done` when there is an outcome. A
   * document in contingency stays `submitted` until the tax authority has judged it.
   */
  readonly stage: "queued" | "numbered" | "signed" | "submitted" | "done"
  /** An id: cust_ and 26 characters, which sort by creation. */
  readonly customer_id: string
  /** The currency, as its ISO 4217 code. */
  readonly currency: string
  /** The price in Colombian pesos of one unit of the foreign currency; null for documents in COP. */
  readonly exchange_rate: Figure | null
  readonly payment_means: PaymentMeans
  /** The lines of the document, as the request sent them. */
  readonly lines: ReadonlyArray<Line>
  /** Discounts on the document as a whole and charges, at most 10. */
  readonly allowance_charges?: ReadonlyArray<DocumentAllowance>
  /**
   * Amount by which the total is rounded to a whole unit of the currency: up, or down with a sign. The total and
   * the rounded total must be the same whole unit for the authority, which rounds half up.
   */
  readonly payable_rounding_amount?: Rounding
  /** The buyer's order. */
  readonly order_reference?: DocumentReference
  /** The despatch advice of the goods. */
  readonly despatch_reference?: DocumentReference
  /** Notes on the document, at most 15 of up to 5,000 characters. */
  readonly notes?: ReadonlyArray<string>
  /** The period that the document is for. */
  readonly period?: Period
  /**
   * Payments that were received before, at most 10. They lower `due_amount` in the totals, and not
   * `payable_amount`.
   */
  readonly prepayments?: ReadonlyArray<Prepayment>
  /**
   * Amount by which a payment in cash is rounded to coins: up, or down with a sign; at most 500.00. It changes
   * `due_amount` in the totals, and not `payable_amount`; the printed document shows it.
   */
  readonly cash_rounding_amount?: CashRounding
  /** Taxes that the buyer withholds; they are no part of what is to be paid. At most 10. */
  readonly withholdings?: ReadonlyArray<Withholding>
  readonly delivery?: GoodsDelivery
  /** The terms of delivery of an export (Incoterm), for operation 11. */
  readonly incoterm?: "CFR" | "CIF" | "CIP" | "CPT" | "DAP" | "DAT" | "DDP" | "DPU" | "EXW" | "FAS" | "FCA" | "FOB"
  /** Further means of payment, beside `payment_means`. At most 5. */
  readonly other_payment_means?: ReadonlyArray<PaymentMeans>
  readonly totals: Totals
  /** The date of issue that the document carries, as YYYY-MM-DD; null until the document is numbered. */
  readonly issue_date: string | null
  /**
   * A link to the PDF of the document, which opens it without an API key for one hour. Null until the document is
   * accepted.
   */
  readonly pdf_url: string | null
  /**
   * A link to the signed XML of the document, which opens it without an API key for one hour. Null until the
   * document is accepted.
   */
  readonly xml_url: string | null
  /** The page of the tax authority that the QR code of the document leads to; null until the document is numbered. */
  readonly qr_url: string | null
  /** The rules of the tax authority that the document broke; empty unless it was rejected. */
  readonly authority_errors: ReadonlyArray<AuthorityError>
  /** Rules of the tax authority that it remarks on without rejecting the document. */
  readonly authority_notifications: ReadonlyArray<AuthorityError>
  /** Why the document failed inside Folio; null unless its status is `failed`. */
  readonly failure: Failure | null
  readonly waiting?: Waiting
  /**
   * Null unless the document was issued in contingency (type 04), which only a document is that never left for the
   * tax authority: the time of that, and the time until which it must be transmitted, 48 hours after the tax
   * authority is back. That time is null while the authority is away. A document that is not judged by then is
   * overdue, and Folio goes on transmitting it.
   */
  readonly contingency: {
    readonly type: "04"
    /** A time in ISO 8601, with the offset of the tax authority's time zone. */
    readonly since: string
    readonly transmit_before: string | null
  } | null
  /** What became of the latest e-mail of the document; null when none was sent. */
  readonly email: {
    readonly status: EmailStatus
    /** A time in ISO 8601, with the offset of the tax authority's time zone. */
    readonly at: string
  } | null
  /** What the buyer has answered: of an accepted invoice on credit terms (payment form 2) alone. */
  readonly acceptance?: Acceptance
  /** Grows with every change of the document. */
  readonly version: number
  readonly metadata: Metadata
  /** A time in ISO 8601, with the offset of the tax authority's time zone. */
  readonly updated_at: string
}

/**
 * What the buyer of an invoice on credit terms has answered, as it is registered with the tax authority, which
 * Folio asks once a day for 30 days.
 */
export interface Acceptance {
  readonly status: AcceptanceStatus
  /** The time of the event that the status tells of; null while the status is `pending` or `unanswered`. */
  readonly at: string | null
  /** What is registered with the tax authority, oldest first: each event once. */
  readonly events: ReadonlyArray<{
    /** The authority's code of the event. */
    readonly code: "030" | "031" | "032" | "033" | "034"
    /** The authority's name of the event. */
    readonly name: string
    /** The name in English. */
    readonly name_en: string
    /** Who has registered the event, as the authority names them; left out if it does not. */
    readonly by?: string
    /** Of a claim (031) whose reason the authority tells: the code of the reason. */
    readonly reason_code?: "01" | "02" | "03" | "04"
    /** The reason in the authority's words. */
    readonly reason?: string
    /** A time in ISO 8601, with the offset of the tax authority's time zone. */
    readonly at: string
  }>
}

/**
 * How far the acceptance of an invoice on credit terms has come. `pending`: nothing is registered yet.
 * `acknowledged`: the buyer has received the invoice. `received`: the buyer has received what it is about.
 * `claimed`: the buyer claims against it. `accepted`: the buyer has accepted it. `accepted_tacitly`: the buyer
 * did not answer in time, and the issuer has registered that. `unanswered`: nothing was registered within 30
 * days.
 */
export type AcceptanceStatus =
  | "pending"
  | "acknowledged"
  | "received"
  | "claimed"
  | "accepted"
  | "accepted_tacitly"
  | "unanswered"

/**
 * Why a document waits longer than it has to. It goes on by itself when the cause is gone. Absent while nothing
 * is wrong.
 */
export interface Waiting {
  /**
   * What keeps the document from its verdict, for programs. `numbering_held`: the service was restored from a
   * backup, and no number is given before the last one that the tax authority has is confirmed; every other code
   * is a trouble with the tax authority.
   */
  readonly code:
    | "connection_refused"
    | "no_answer"
    | "server_error"
    | "in_process"
    | "name_not_found"
    | "no_route"
    | "tls_failed"
    | "not_the_service"
    | "certificate_missing"
    | "certificate_refused"
    | "security_refused"
    | "clock_off"
    | "sender_refused"
    | "another_document"
    | "no_verdict"
    | "numbering_held"
  /** What happened, what becomes of the document, and what to do, for people. */
  readonly message: string
  /** A time in ISO 8601, with the offset of the tax authority's time zone. */
  readonly since: string
}

/** The sums over all lines of a document, with one tax entry for each code and rate. */
export interface Totals {
  /** The sum of the lines before taxes. */
  readonly line_extension_amount: Decimal
  /** The sum of the discounts of the document; absent without such a discount. */
  readonly allowance_total_amount?: Decimal
  /** The sum of the charges of the document; absent without such a charge. */
  readonly charge_total_amount?: Decimal
  /** The sum of all taxes. */
  readonly tax_amount: Decimal
  /** The amount by which the total is rounded; absent where the total is not rounded. */
  readonly payable_rounding_amount?: Rounding
  /**
   * Value of the document, which the authority checks: lines + taxes - discounts + charges + rounding. Prepayments
   * and cash rounding are not part of it.
   */
  readonly payable_amount: Decimal
  /** The sum of the prepayments; absent without a prepayment. */
  readonly prepaid_amount?: Decimal
  /** Amount by which the payment in cash is rounded to coins; absent if it is not rounded. */
  readonly cash_rounding_amount?: CashRounding
  /**
   * Amount that remains to be paid: `payable_amount` - prepayments, at least 0.00, + cash rounding. Absent without
   * prepayments and cash rounding, when `payable_amount` remains to be paid.
   */
  readonly due_amount?: Decimal
  /** The sum of what the buyer withholds, which is no part of `payable_amount`; absent without withholdings. */
  readonly withholding_total_amount?: Decimal
  /**
   * Amount that the issuer still receives: what remains to be paid less the withholdings; absent without
   * withholdings.
   */
  readonly net_amount?: Decimal
  /** One entry for each tax and rate, or for each tax, amount per unit and unit. */
  readonly taxes: ReadonlyArray<Tax>
}

/**
 * One tax: by percentage, base × rate / 100 = value, or per unit (bags, carbon, fuels, liquors, single-use
 * plastics, sugary drinks), unit_amount × units = value, and unit_amount × units / 100 for sugary drinks. Code
 * ZZ means that there is no tax, and has zeros.
 */
export interface Tax {
  /** The tax, as a code of the catalog tributos. */
  readonly code: "01" | "04" | "03" | "02" | "22" | "23" | "24" | "32" | "33" | "34" | "35" | "36" | "ZZ"
  /** The rate in percent. Required for a tax by percentage. */
  readonly rate?: Rate
  /**
   * The amount that is taxed: that of the line, unless `special_base` says why it is another one. Required for a
   * tax by percentage.
   */
  readonly base?: Decimal
  /** The tax on one unit, for a tax per unit; on 100 millilitres for sugary drinks (34). */
  readonly unit_amount?: Figure
  /**
   * Units that are taxed, for a tax per unit: millilitres for sugary drinks (34). For bags, carbon and fuels (22,
   * 23, 24) the units are the quantity of the line.
   */
  readonly units?: Figure
  /** The unit that is taxed, as a code of the catalog unidad-medida, for a tax per unit. */
  readonly unit_code?: string
  /**
   * Amount of the tax: base × rate / 100, or unit_amount × units; for sugary drinks (34) unit_amount × units /
   * 100.
   */
  readonly value: Decimal
}

/** An amount with exactly two fraction digits, as a string. */
export type Decimal = string

/**
 * A quantity or a price of one unit, with two to six fraction digits, as a string. Answers show at least two,
 * and no zero beyond the second.
 */
export type Figure = string

/**
 * A rate in percent, with two or three fraction digits, as a string: 9.66 per thousand is "0.966". Answers show
 * no third digit that is zero.
 */
export type Rate = string

/** An amount from -500.00 to 500.00 with exactly two fraction digits, as a string. */
export type CashRounding = string

/** An amount from -0.99 to 0.99 with exactly two fraction digits, as a string. */
export type Rounding = string

/** How the document is paid. A sale on credit (type 2) has a `due_date`. */
export interface PaymentMeans {
  readonly code: string
  readonly type: "1" | "2"
  readonly due_date?: string
  /** The reference of the payment, such as the number that the buyer states. */
  readonly reference?: string
}

/** When and where the goods are delivered. */
export interface GoodsDelivery {
  /** The day of the delivery, as YYYY-MM-DD. */
  readonly date?: string
  /** The street address. */
  readonly address?: string
  /** The municipality, as the five digits of its code. */
  readonly city_code?: string
  /** The department, as the two digits of its code. */
  readonly department_code?: string
  /** The country, as its two letters of ISO 3166. */
  readonly country_code?: string
}

/** A tax that the buyer withholds and pays in the seller's name. It is no part of what is to be paid. */
export interface Withholding {
  /** The tax that is withheld: `05` ReteIVA, `06` ReteRenta, `07` ReteICA. */
  readonly code: "05" | "06" | "07"
  /** The rate in percent. */
  readonly rate: Rate
  /** The amount that the rate is of: the value added tax for ReteIVA. */
  readonly base: Decimal
  /** What is withheld: base × rate / 100. */
  readonly value: Decimal
}

/** A payment that was received before the document was issued. */
export interface Prepayment {
  /** What was paid before, in the currency of the document. */
  readonly amount: Decimal
  /** The day of that payment, as YYYY-MM-DD. */
  readonly received_date: string
  /** The reference of that payment, such as the number of its receipt. */
  readonly id?: string
}

/** A period of days, the first and the last included. */
export interface Period {
  /** The first day, as YYYY-MM-DD. */
  readonly start_date: string
  /** The last day, as YYYY-MM-DD. */
  readonly end_date: string
}

/** A document of another kind, by its number and date. */
export interface DocumentReference {
  /** The number of that document. */
  readonly id: string
  /** The date of that document, as YYYY-MM-DD. */
  readonly issue_date?: string
}

/** A discount on the document as a whole, or a charge. It changes what is to be paid, and no tax base. */
export interface DocumentAllowance {
  /** `discount` takes the amount off, `charge` adds the amount. */
  readonly type: "discount" | "charge"
  /** Why there is a discount or charge, in words; the document carries this text. */
  readonly reason: string
  /** The percentage of `base` that the amount is, if the amount is a percentage. */
  readonly percent?: Rate
  /** The amount that the discount or charge is made on. */
  readonly base: Decimal
  /** The amount of the discount or charge. */
  readonly amount: Decimal
  /** The kind of discount: `00` unconditional, `01` conditional. Not sent for a charge. */
  readonly code?: "00" | "01"
}

/** One line of an invoice or a note. */
export interface Line {
  /** What is sold, in words. */
  readonly description: string
  /** The quantity, in units of `unit_code`, with two to six fraction digits. */
  readonly quantity: Figure
  /** The unit of the quantity, as a code of the catalog unidad-medida. */
  readonly unit_code: string
  /** The price of one unit before taxes, with two to six fraction digits. */
  readonly unit_price: Figure
  /** The amount of the line before taxes: quantity × unit price - discounts + charges. */
  readonly line_extension_amount: Decimal
  /** The taxes of the line, at least one; a line without tax has one entry with code ZZ and zeros. */
  readonly taxes: ReadonlyArray<Tax>
  readonly item?: Item
  /** Discounts on the line and charges, at most 10. */
  readonly allowance_charges?: ReadonlyArray<LineAllowance>
  /**
   * Why the `base` of a tax is not the amount of the line; the document carries this text in a note of the line.
   * Not needed for operation 09.
   */
  readonly special_base?: string
  /**
   * The price that the thing would have. Required with a `unit_price` of zero, and not sent otherwise; taxes on a
   * thing given away are computed on this price.
   */
  readonly reference_price?: ReferencePrice
  /** Notes on the line, at most 5 of up to 5,000 characters. */
  readonly notes?: ReadonlyArray<string>
  /** The period in which the thing was delivered or the service rendered. */
  readonly period?: Period
  /**
   * The object of the contract, on the line that is the administration of an operation 09 (AIU); 20 to 5,000
   * characters.
   */
  readonly aiu_contract?: string
  readonly principal?: Principal
}

/** The person or company on whose behalf the line is sold (a mandate). */
export interface Principal {
  readonly identification: Identification
  /** The registered name of the principal. */
  readonly legal_name: string
}

/** The identification of a person or company at the tax authority. */
export interface Identification {
  /** The kind of identification, as a code of the catalog tipo-identificacion. */
  readonly type: "31" | "13" | "22" | "21" | "41" | "12" | "11" | "50" | "42" | "47" | "48" | "91"
  /**
   * The number of the identification: digits without dots; for passports, civil registries and foreign companies
   * letters and hyphens too. A NIT (type 31) has no zero before its first digit.
   */
  readonly number: string
  /** The check digit of a NIT. Required for type 31, and not sent for any other type. */
  readonly check_digit?: string
}

/** The price that one unit of a thing given away would have. */
export interface ReferencePrice {
  /** The price of one unit. */
  readonly amount: Figure
  /** What the price stands for: `01` the commercial value, `02` the value in the inventory, `03` another value. */
  readonly type: "01" | "02" | "03"
}

/** A discount on the line, or a charge. Its amount is part of `line_extension_amount`. */
export interface LineAllowance {
  /** `discount` takes the amount off, `charge` adds the amount. */
  readonly type: "discount" | "charge"
  /** Why there is a discount or charge, in words; the document carries this text. */
  readonly reason: string
  /** The percentage of `base` that the amount is, if the amount is a percentage. */
  readonly percent?: Rate
  /** The amount that the discount or charge is made on. */
  readonly base: Decimal
  /** The amount of the discount or charge. */
  readonly amount: Decimal
}

/** The item by its code in a list of goods, with its brand and model. */
export interface Item {
  /** The code of the item. */
  readonly code: string
  /** The list that the code is from: `999` a code of your own, `001` UNSPSC, `010` GTIN, `020` tariff heading. */
  readonly scheme: "999" | "001" | "010" | "020"
  /** The brand of the item. */
  readonly brand?: string
  /** The model of the item. */
  readonly model?: string
}

/** An invoice that another system issued. */
export interface OriginalInvoice {
  /** The full number of the invoice, prefix and number together. */
  readonly full_number: string
  /** The unique code of the invoice (CUFE), 96 hexadecimal digits. */
  readonly cufe: string
  /** The date of issue of the invoice, as YYYY-MM-DD. */
  readonly issue_date: string
}

/**
 * A debit note to create: to an invoice of the account (`invoice_id`), to one of another system (`original`), or
 * to the sales of a period.
 */
export interface DebitNoteRequest {
  /**
   * The id of the accepted invoice to correct. The note takes its buyer, currency and payment from that invoice.
   * Without it, the note names an invoice of another system (`original`) or none (`period` alone).
   */
  readonly invoice_id?: string
  /** The invoice of another system that the note corrects, in place of `invoice_id`. */
  readonly original?: OriginalInvoice
  /**
   * The id of the buyer, a customer of the same mode. Required without `invoice_id`. Not sent with `invoice_id`:
   * the note takes it from the invoice.
   */
  readonly customer_id?: string
  /**
   * The currency, as its ISO 4217 code. Required without `invoice_id`. Not sent with `invoice_id`: the note takes
   * it from the invoice.
   */
  readonly currency?: string
  /**
   * The price in Colombian pesos of one unit of the foreign currency on the issue date of the note. Left out with
   * `invoice_id`, the note has the rate of its invoice, of that invoice's date.
   */
  readonly exchange_rate?: Figure
  /**
   * How the amount is paid or paid back; left out without `invoice_id`, means that are not defined (1), at once.
   * Not sent with `invoice_id`: the note takes it from the invoice.
   */
  readonly payment_means?: PaymentMeans
  /**
   * The prefix of the range to number the note from; left out, the oldest registered range of such notes that
   * gives numbers, or else the counter of the account.
   */
  readonly prefix?: string
  /** Why the invoice is corrected, in words; the document carries this text. */
  readonly reason: string
  /** The lines of the document, 1 to 500. */
  readonly lines: ReadonlyArray<Line>
  /** Discounts on the document as a whole and charges, at most 10. */
  readonly allowance_charges?: ReadonlyArray<DocumentAllowance>
  /**
   * Amount by which the total is rounded to a whole unit of the currency: up, or down with a sign. The total and
   * the rounded total must be the same whole unit for the authority, which rounds half up.
   */
  readonly payable_rounding_amount?: Rounding
  /** The buyer's order. */
  readonly order_reference?: DocumentReference
  /** The despatch advice of the goods. */
  readonly despatch_reference?: DocumentReference
  /** Notes on the document, at most 15 of up to 5,000 characters. */
  readonly notes?: ReadonlyArray<string>
  /**
   * The period that the note is for. A note without `invoice_id` and `original` names the period of the sales that
   * it corrects, within one calendar month.
   */
  readonly period?: Period
  readonly metadata?: Metadata
  /** Why the invoice is corrected, as a code of the catalog concepto-nota-debito. */
  readonly correction_code: "1" | "2" | "3" | "4"
}

/** A page of a list; `has_more` tells whether more objects follow. */
export interface DebitNotePage {
  readonly object: "list"
  /** The path at which this list is found. */
  readonly url: string
  /**
   * `true` when more objects follow this page. A page holds fewer objects than `limit` when it would be larger
   * than 1 MB.
   */
  readonly has_more: boolean
  readonly data: ReadonlyArray<DebitNote>
}

/** Whether the document would be accepted for creation, and every rule that it breaks. */
export interface Validation {
  readonly object: "validation"
  readonly valid: boolean
  readonly errors: ReadonlyArray<Violation>
  /** `true` when the request breaks more rules than `errors` lists; `errors` lists at most 100. Absent otherwise. */
  readonly has_more_errors?: true
  /**
   * Figures that are not exact and within the authority's tolerance of 2.00, past dates, and what the authority
   * would remark on without rejecting the document. Absent when there is nothing; `valid` does not depend on it.
   */
  readonly warnings?: ReadonlyArray<Violation>
}

/** The stored draft. It has no number yet. */
export interface DebitNoteCreated {
  /** An id: cn_ of a credit note, dn_ of a debit note, and 26 characters, which sort by creation. */
  readonly id: string
  readonly object: "debit_note"
  readonly status: InvoiceStatus
  /** The full number, prefix and number together; empty until the note is numbered. */
  readonly full_number: string
  /** The unique code of the note (CUDE), 96 hexadecimal digits; null until the note is numbered. */
  readonly cude: string | null
  /** A time in ISO 8601, with the offset of the tax authority's time zone. */
  readonly created_at: string
}

/** A credit note, with all that is known of it. */
export interface CreditNote {
  /** An id: cn_ of a credit note, dn_ of a debit note, and 26 characters, which sort by creation. */
  readonly id: string
  readonly object: "credit_note"
  readonly status: InvoiceStatus
  /** The full number, prefix and number together; empty until the note is numbered. */
  readonly full_number: string
  /** The unique code of the note (CUDE), 96 hexadecimal digits; null until the note is numbered. */
  readonly cude: string | null
  /** A time in ISO 8601, with the offset of the tax authority's time zone. */
  readonly created_at: string
  /**
   * The id of the invoice that the note corrects; null for a note to an invoice of another system, or to the sales
   * of a period.
   */
  readonly invoice_id: string | null
  /** The invoice of another system that the note corrects; absent for any other note. */
  readonly original?: OriginalInvoice
  /** Why the note corrects the invoice, as a code of the catalog concepto-nota-credito or concepto-nota-debito. */
  readonly correction_code: string
  /** Why the note corrects the invoice, in words. */
  readonly reason: string
  /** `true` for a document that was created with a live key. */
  readonly livemode: boolean
  /**
   * How far a draft has come: `queued`, `numbered`, `signed` or `submitted`; `done` when there is an outcome. A
   * document in contingency stays `submitted` until the tax authority has judged it.
   */
  readonly stage: "queued" | "numbered" | "signed" | "submitted" | "done"
  /** An id: cust_ and 26 characters, which sort by creation. */
  readonly customer_id: string
  /** The currency, as its ISO 4217 code. */
  readonly currency: string
  /** The price in Colombian pesos of one unit of the foreign currency; null for documents in COP. */
  readonly exchange_rate: Figure | null
  readonly payment_means: PaymentMeans
  /** The lines of the document, as the request sent them. */
  readonly lines: ReadonlyArray<Line>
  /** Discounts on the document as a whole and charges, at most 10. */
  readonly allowance_charges?: ReadonlyArray<DocumentAllowance>
  /**
   * Amount by which the total is rounded to a whole unit of the currency: up, or down with a sign. The total and
   * the rounded total must be the same whole unit for the authority, which rounds half up.
   */
  readonly payable_rounding_amount?: Rounding
  /** The buyer's order. */
  readonly order_reference?: DocumentReference
  /** The despatch advice of the goods. */
  readonly despatch_reference?: DocumentReference
  /** Notes on the document, at most 15 of up to 5,000 characters. */
  readonly notes?: ReadonlyArray<string>
  /** The period that the document is for. */
  readonly period?: Period
  /**
   * Payments that were received before, at most 10. They lower `due_amount` in the totals, and not
   * `payable_amount`.
   */
  readonly prepayments?: ReadonlyArray<Prepayment>
  /**
   * Amount by which a payment in cash is rounded to coins: up, or down with a sign; at most 500.00. It changes
   * `due_amount` in the totals, and not `payable_amount`; the printed document shows it.
   */
  readonly cash_rounding_amount?: CashRounding
  /** Taxes that the buyer withholds; they are no part of what is to be paid. At most 10. */
  readonly withholdings?: ReadonlyArray<Withholding>
  readonly delivery?: GoodsDelivery
  /** The terms of delivery of an export (Incoterm), for operation 11. */
  readonly incoterm?: "CFR" | "CIF" | "CIP" | "CPT" | "DAP" | "DAT" | "DDP" | "DPU" | "EXW" | "FAS" | "FCA" | "FOB"
  /** Further means of payment, beside `payment_means`. At most 5. */
  readonly other_payment_means?: ReadonlyArray<PaymentMeans>
  readonly totals: Totals
  /** The date of issue that the document carries, as YYYY-MM-DD; null until the document is numbered. */
  readonly issue_date: string | null
  /**
   * A link to the PDF of the document, which opens it without an API key for one hour. Null until the document is
   * accepted.
   */
  readonly pdf_url: string | null
  /**
   * A link to the signed XML of the document, which opens it without an API key for one hour. Null until the
   * document is accepted.
   */
  readonly xml_url: string | null
  /** The page of the tax authority that the QR code of the document leads to; null until the document is numbered. */
  readonly qr_url: string | null
  /** The rules of the tax authority that the document broke; empty unless it was rejected. */
  readonly authority_errors: ReadonlyArray<AuthorityError>
  /** Rules of the tax authority that it remarks on without rejecting the document. */
  readonly authority_notifications: ReadonlyArray<AuthorityError>
  /** Why the document failed inside Folio; null unless its status is `failed`. */
  readonly failure: Failure | null
  readonly waiting?: Waiting
  /**
   * Null unless the document was issued in contingency (type 04), which only a document is that never left for the
   * tax authority: the time of that, and the time until which it must be transmitted, 48 hours after the tax
   * authority is back. That time is null while the authority is away. A document that is not judged by then is
   * overdue, and Folio goes on transmitting it.
   */
  readonly contingency: {
    readonly type: "04"
    /** A time in ISO 8601, with the offset of the tax authority's time zone. */
    readonly since: string
    readonly transmit_before: string | null
  } | null
  /** What became of the latest e-mail of the document; null when none was sent. */
  readonly email: {
    readonly status: EmailStatus
    /** A time in ISO 8601, with the offset of the tax authority's time zone. */
    readonly at: string
  } | null
  /** What the buyer has answered: of an accepted invoice on credit terms (payment form 2) alone. */
  readonly acceptance?: Acceptance
  /** Grows with every change of the document. */
  readonly version: number
  readonly metadata: Metadata
  /** A time in ISO 8601, with the offset of the tax authority's time zone. */
  readonly updated_at: string
}

/**
 * A credit note to create: to an invoice of the account (`invoice_id`), to one of another system (`original`),
 * or to the sales of a period.
 */
export interface CreditNoteRequest {
  /**
   * The id of the accepted invoice to correct. The note takes its buyer, currency and payment from that invoice.
   * Without it, the note names an invoice of another system (`original`) or none (`period` alone).
   */
  readonly invoice_id?: string
  /** The invoice of another system that the note corrects, in place of `invoice_id`. */
  readonly original?: OriginalInvoice
  /**
   * The id of the buyer, a customer of the same mode. Required without `invoice_id`. Not sent with `invoice_id`:
   * the note takes it from the invoice.
   */
  readonly customer_id?: string
  /**
   * The currency, as its ISO 4217 code. Required without `invoice_id`. Not sent with `invoice_id`: the note takes
   * it from the invoice.
   */
  readonly currency?: string
  /**
   * The price in Colombian pesos of one unit of the foreign currency on the issue date of the note. Left out with
   * `invoice_id`, the note has the rate of its invoice, of that invoice's date.
   */
  readonly exchange_rate?: Figure
  /**
   * How the amount is paid or paid back; left out without `invoice_id`, means that are not defined (1), at once.
   * Not sent with `invoice_id`: the note takes it from the invoice.
   */
  readonly payment_means?: PaymentMeans
  /**
   * The prefix of the range to number the note from; left out, the oldest registered range of such notes that
   * gives numbers, or else the counter of the account.
   */
  readonly prefix?: string
  /** Why the invoice is corrected, in words; the document carries this text. */
  readonly reason: string
  /** The lines of the document, 1 to 500. */
  readonly lines: ReadonlyArray<Line>
  /** Discounts on the document as a whole and charges, at most 10. */
  readonly allowance_charges?: ReadonlyArray<DocumentAllowance>
  /**
   * Amount by which the total is rounded to a whole unit of the currency: up, or down with a sign. The total and
   * the rounded total must be the same whole unit for the authority, which rounds half up.
   */
  readonly payable_rounding_amount?: Rounding
  /** The buyer's order. */
  readonly order_reference?: DocumentReference
  /** The despatch advice of the goods. */
  readonly despatch_reference?: DocumentReference
  /** Notes on the document, at most 15 of up to 5,000 characters. */
  readonly notes?: ReadonlyArray<string>
  /**
   * The period that the note is for. A note without `invoice_id` and `original` names the period of the sales that
   * it corrects, within one calendar month.
   */
  readonly period?: Period
  readonly metadata?: Metadata
  /** Why the invoice is corrected, as a code of the catalog concepto-nota-credito. */
  readonly correction_code: "1" | "2" | "3" | "4" | "5" | "6"
}

/** A page of a list; `has_more` tells whether more objects follow. */
export interface CreditNotePage {
  readonly object: "list"
  /** The path at which this list is found. */
  readonly url: string
  /**
   * `true` when more objects follow this page. A page holds fewer objects than `limit` when it would be larger
   * than 1 MB.
   */
  readonly has_more: boolean
  readonly data: ReadonlyArray<CreditNote>
}

/** The stored draft. It has no number yet. */
export interface CreditNoteCreated {
  /** An id: cn_ of a credit note, dn_ of a debit note, and 26 characters, which sort by creation. */
  readonly id: string
  readonly object: "credit_note"
  readonly status: InvoiceStatus
  /** The full number, prefix and number together; empty until the note is numbered. */
  readonly full_number: string
  /** The unique code of the note (CUDE), 96 hexadecimal digits; null until the note is numbered. */
  readonly cude: string | null
  /** A time in ISO 8601, with the offset of the tax authority's time zone. */
  readonly created_at: string
}

/** Why the invoice is annulled, in words. */
export interface AnnulRequest {
  /** Why the invoice is corrected, in words; the document carries this text. */
  readonly reason: string
}

/** The invoice. */
export interface Invoice {
  /** An id: inv_ and 26 characters, which sort by creation. */
  readonly id: string
  readonly object: "invoice"
  readonly status: InvoiceStatus
  /** The full number, prefix and number together; empty until the invoice is numbered. */
  readonly full_number: string
  /** The unique code of the invoice (CUFE), 96 hexadecimal digits; null until the invoice is numbered. */
  readonly cufe: string | null
  /** A time in ISO 8601, with the offset of the tax authority's time zone. */
  readonly created_at: string
  /** `true` for a document that was created with a live key. */
  readonly livemode: boolean
  /**
   * How far a draft has come: `queued`, `numbered`, `signed` or `submitted`; `done` when there is an outcome. A
   * document in contingency stays `submitted` until the tax authority has judged it.
   */
  readonly stage: "queued" | "numbered" | "signed" | "submitted" | "done"
  /** An id: cust_ and 26 characters, which sort by creation. */
  readonly customer_id: string
  /** The currency, as its ISO 4217 code. */
  readonly currency: string
  /** The price in Colombian pesos of one unit of the foreign currency; null for documents in COP. */
  readonly exchange_rate: Figure | null
  readonly operation_type: "10" | "09" | "11"
  readonly payment_means: PaymentMeans
  /** The lines of the document, as the request sent them. */
  readonly lines: ReadonlyArray<Line>
  /** Discounts on the document as a whole and charges, at most 10. */
  readonly allowance_charges?: ReadonlyArray<DocumentAllowance>
  /**
   * Amount by which the total is rounded to a whole unit of the currency: up, or down with a sign. The total and
   * the rounded total must be the same whole unit for the authority, which rounds half up.
   */
  readonly payable_rounding_amount?: Rounding
  /** The buyer's order. */
  readonly order_reference?: DocumentReference
  /** The despatch advice of the goods. */
  readonly despatch_reference?: DocumentReference
  /** Notes on the document, at most 15 of up to 5,000 characters. */
  readonly notes?: ReadonlyArray<string>
  /** The period that the document is for. */
  readonly period?: Period
  /**
   * Payments that were received before, at most 10. They lower `due_amount` in the totals, and not
   * `payable_amount`.
   */
  readonly prepayments?: ReadonlyArray<Prepayment>
  /**
   * Amount by which a payment in cash is rounded to coins: up, or down with a sign; at most 500.00. It changes
   * `due_amount` in the totals, and not `payable_amount`; the printed document shows it.
   */
  readonly cash_rounding_amount?: CashRounding
  /** Taxes that the buyer withholds; they are no part of what is to be paid. At most 10. */
  readonly withholdings?: ReadonlyArray<Withholding>
  readonly delivery?: GoodsDelivery
  /** The terms of delivery of an export (Incoterm), for operation 11. */
  readonly incoterm?: "CFR" | "CIF" | "CIP" | "CPT" | "DAP" | "DAT" | "DDP" | "DPU" | "EXW" | "FAS" | "FCA" | "FOB"
  /** Further means of payment, beside `payment_means`. At most 5. */
  readonly other_payment_means?: ReadonlyArray<PaymentMeans>
  readonly totals: Totals
  /** The id of the numbering range that the number is from; null until the invoice is numbered. */
  readonly resolution_id: string | null
  /** The date of issue that the document carries, as YYYY-MM-DD; null until the document is numbered. */
  readonly issue_date: string | null
  /**
   * A link to the PDF of the document, which opens it without an API key for one hour. Null until the document is
   * accepted.
   */
  readonly pdf_url: string | null
  /**
   * A link to the signed XML of the document, which opens it without an API key for one hour. Null until the
   * document is accepted.
   */
  readonly xml_url: string | null
  /** The page of the tax authority that the QR code of the document leads to; null until the document is numbered. */
  readonly qr_url: string | null
  /** The rules of the tax authority that the document broke; empty unless it was rejected. */
  readonly authority_errors: ReadonlyArray<AuthorityError>
  /** Rules of the tax authority that it remarks on without rejecting the document. */
  readonly authority_notifications: ReadonlyArray<AuthorityError>
  /** Why the document failed inside Folio; null unless its status is `failed`. */
  readonly failure: Failure | null
  readonly waiting?: Waiting
  /**
   * Null unless the document was issued in contingency (type 04), which only a document is that never left for the
   * tax authority: the time of that, and the time until which it must be transmitted, 48 hours after the tax
   * authority is back. That time is null while the authority is away. A document that is not judged by then is
   * overdue, and Folio goes on transmitting it.
   */
  readonly contingency: {
    readonly type: "04"
    /** A time in ISO 8601, with the offset of the tax authority's time zone. */
    readonly since: string
    readonly transmit_before: string | null
  } | null
  /** What became of the latest e-mail of the document; null when none was sent. */
  readonly email: {
    readonly status: EmailStatus
    /** A time in ISO 8601, with the offset of the tax authority's time zone. */
    readonly at: string
  } | null
  /** What the buyer has answered: of an accepted invoice on credit terms (payment form 2) alone. */
  readonly acceptance?: Acceptance
  /** Grows with every change of the document. */
  readonly version: number
  readonly metadata: Metadata
  /** A time in ISO 8601, with the offset of the tax authority's time zone. */
  readonly updated_at: string
}

/** An invoice to create. */
export interface InvoiceRequest {
  /** The id of the buyer, a customer of the same mode. */
  readonly customer_id: string
  /** The currency, as its ISO 4217 code. */
  readonly currency: string
  /**
   * The price in Colombian pesos of one unit of the foreign currency on the issue date. Required for every
   * currency but COP, and not sent for COP.
   */
  readonly exchange_rate?: Figure
  /** The kind of operation, as a code of the catalog tipo-operacion. */
  readonly operation_type: "10" | "09" | "11"
  readonly payment_means: PaymentMeans
  /** The prefix of the range to number the invoice from; left out, the oldest range that can be used today. */
  readonly prefix?: string
  /** The lines of the document, 1 to 500. */
  readonly lines: ReadonlyArray<Line>
  /** Discounts on the document as a whole and charges, at most 10. */
  readonly allowance_charges?: ReadonlyArray<DocumentAllowance>
  /**
   * Amount by which the total is rounded to a whole unit of the currency: up, or down with a sign. The total and
   * the rounded total must be the same whole unit for the authority, which rounds half up.
   */
  readonly payable_rounding_amount?: Rounding
  /** The buyer's order. */
  readonly order_reference?: DocumentReference
  /** The despatch advice of the goods. */
  readonly despatch_reference?: DocumentReference
  /** Notes on the document, at most 15 of up to 5,000 characters. */
  readonly notes?: ReadonlyArray<string>
  /** The period that the document is for. */
  readonly period?: Period
  /**
   * Payments that were received before, at most 10. They lower `due_amount` in the totals, and not
   * `payable_amount`.
   */
  readonly prepayments?: ReadonlyArray<Prepayment>
  /**
   * Amount by which a payment in cash is rounded to coins: up, or down with a sign; at most 500.00. It changes
   * `due_amount` in the totals, and not `payable_amount`; the printed document shows it.
   */
  readonly cash_rounding_amount?: CashRounding
  /** Taxes that the buyer withholds; they are no part of what is to be paid. At most 10. */
  readonly withholdings?: ReadonlyArray<Withholding>
  readonly delivery?: GoodsDelivery
  /** The terms of delivery of an export (Incoterm), for operation 11. */
  readonly incoterm?: "CFR" | "CIF" | "CIP" | "CPT" | "DAP" | "DAT" | "DDP" | "DPU" | "EXW" | "FAS" | "FCA" | "FOB"
  /** Further means of payment, beside `payment_means`. At most 5. */
  readonly other_payment_means?: ReadonlyArray<PaymentMeans>
  readonly metadata?: Metadata
}

/** A page of a list; `has_more` tells whether more objects follow. */
export interface InvoicePage {
  readonly object: "list"
  /** The path at which this list is found. */
  readonly url: string
  /**
   * `true` when more objects follow this page. A page holds fewer objects than `limit` when it would be larger
   * than 1 MB.
   */
  readonly has_more: boolean
  readonly data: ReadonlyArray<Invoice>
}

/** The stored draft. It has no number yet. */
export interface InvoiceCreated {
  /** An id: inv_ and 26 characters, which sort by creation. */
  readonly id: string
  readonly object: "invoice"
  readonly status: InvoiceStatus
  /** The full number, prefix and number together; empty until the invoice is numbered. */
  readonly full_number: string
  /** The unique code of the invoice (CUFE), 96 hexadecimal digits; null until the invoice is numbered. */
  readonly cufe: string | null
  /** A time in ISO 8601, with the offset of the tax authority's time zone. */
  readonly created_at: string
}

/** A buyer as the tax authority knows it: its name, and the address at which it receives documents. */
export interface KnownAcquirer {
  readonly object: "acquirer"
  /** `true` when the tax authority's live service was asked. */
  readonly livemode: boolean
  /** The identification that was asked for, without check digit. */
  readonly identification: {
    readonly type: "31" | "13" | "22" | "21" | "41" | "12" | "11" | "50" | "42" | "47" | "48" | "91"
    readonly number: string
  }
  /** The name in the authority's records; null when these have none. */
  readonly name: string | null
  /** The address at which the acquirer receives documents; null when the authority's records have none. */
  readonly email: string | null
}

/** The customer was deleted. */
export interface DeletedCustomer {
  /** An id: cust_ and 26 characters, which sort by creation. */
  readonly id: string
  readonly object: "customer"
  readonly deleted: true
}

/**
 * A buyer. Documents carry a copy of their buyer: a later change of the customer alters no document that was
 * created before.
 */
export interface Customer {
  /** An id: cust_ and 26 characters, which sort by creation. */
  readonly id: string
  readonly object: "customer"
  /** `true` for a customer of the live mode. */
  readonly livemode: boolean
  /** The identification at the tax authority. */
  readonly identification: Identification
  /** The registered name. */
  readonly legal_name: string
  /** `1` for a legal entity, `2` for a natural person. */
  readonly organization_type: "1" | "2"
  /** The e-mail address. The documents of a customer are sent to it. */
  readonly email?: string
  /** The street address. */
  readonly address?: string
  /** The municipality, as the five digits of its code. */
  readonly city_code?: string
  /** The department, as the two digits of its code. */
  readonly department_code?: string
  /** The country, as its two letters of ISO 3166. */
  readonly country_code?: string
  /** The name under which the business is known, if it is not the legal name. */
  readonly trade_name?: string
  /** The telephone number, as people write it. */
  readonly phone?: string
  /** The postal code; in Colombia six digits of the authority's list. */
  readonly postal_code?: string
  /** The tax that the party is registered for: `01` IVA, `04` INC, `ZA` IVA and INC, `ZZ` none of these. */
  readonly tax_scheme?: "01" | "04" | "ZA" | "ZZ"
  /**
   * The tax responsibilities of the customer, as codes of the tax authority. Documents leave out what is not
   * given.
   */
  readonly tax_responsibilities?: ReadonlyArray<string>
  readonly metadata: Metadata
  /** A time in ISO 8601, with the offset of the tax authority's time zone. */
  readonly created_at: string
  /** A time in ISO 8601, with the offset of the tax authority's time zone. */
  readonly updated_at: string
}

/** The fields of a customer to change. */
export interface CustomerUpdate {
  /** The identification at the tax authority. */
  readonly identification?: Identification
  /** The registered name. */
  readonly legal_name?: string
  /** `1` for a legal entity, `2` for a natural person. */
  readonly organization_type?: "1" | "2"
  readonly email?: string | null
  readonly address?: string | null
  readonly city_code?: string | null
  readonly department_code?: string | null
  readonly country_code?: string | null
  readonly trade_name?: string | null
  readonly phone?: string | null
  readonly postal_code?: string | null
  readonly tax_scheme?: "01" | "04" | "ZA" | "ZZ" | null
  readonly tax_responsibilities?: ReadonlyArray<"O-13" | "O-15" | "O-23" | "O-47" | "R-99-PN"> | null
  readonly metadata?: Metadata
}

/** A customer to register, the buyer of invoices. */
export interface CustomerRequest {
  /** The identification at the tax authority. */
  readonly identification: Identification
  /** The registered name. */
  readonly legal_name: string
  /** `1` for a legal entity, `2` for a natural person. */
  readonly organization_type: "1" | "2"
  /** The e-mail address. The documents of a customer are sent to it. */
  readonly email?: string
  /** The street address. */
  readonly address?: string
  /** The municipality, as the five digits of its code. */
  readonly city_code?: string
  /** The department, as the two digits of its code. */
  readonly department_code?: string
  /** The country, as its two letters of ISO 3166. */
  readonly country_code?: string
  /** The name under which the business is known, if it is not the legal name. */
  readonly trade_name?: string
  /** The telephone number, as people write it. */
  readonly phone?: string
  /** The postal code; in Colombia six digits of the authority's list. */
  readonly postal_code?: string
  /** The tax that the party is registered for: `01` IVA, `04` INC, `ZA` IVA and INC, `ZZ` none of these. */
  readonly tax_scheme?: "01" | "04" | "ZA" | "ZZ"
  /**
   * The tax responsibilities of the customer, as codes of the tax authority. Documents leave out what is not
   * given.
   */
  readonly tax_responsibilities?: ReadonlyArray<"O-13" | "O-15" | "O-23" | "O-47" | "R-99-PN">
  readonly metadata?: Metadata
}

/** A page of a list; `has_more` tells whether more objects follow. */
export interface CustomerPage {
  readonly object: "list"
  /** The path at which this list is found. */
  readonly url: string
  /**
   * `true` when more objects follow this page. A page holds fewer objects than `limit` when it would be larger
   * than 1 MB.
   */
  readonly has_more: boolean
  readonly data: ReadonlyArray<Customer>
}

/** The session of the portal was ended. */
export interface DeletedPortalSession {
  /** An id: ps_ and 26 characters, which sort by creation. */
  readonly id: string
  readonly object: "portal_session"
  readonly deleted: true
}

/** A session of the portal as it is listed: what it may do and until when, without its link. */
export interface PortalSession {
  /** An id: ps_ and 26 characters, which sort by creation. */
  readonly id: string
  readonly object: "portal_session"
  /** `true` for a session that shows live data, `false` for one that shows the sandbox. */
  readonly livemode: boolean
  /** The API key that created the session. The session ends when this key does. */
  readonly api_key_id: string
  /** What the session may do. */
  readonly capabilities: ReadonlyArray<"view" | "deliver" | "endpoints" | "documents" | "keys" | "setup">
  /**
   * `waiting`: the link has not been used, and still works. `active`: a browser is in. `expired`: the link was not
   * used in time, or the session has lasted its time. `ended`: the session was ended, or its API key was revoked
   * or has expired.
   */
  readonly status: "waiting" | "active" | "expired" | "ended"
  /** A time in ISO 8601, with the offset of the tax authority's time zone. */
  readonly created_at: string
  /** The time at which the session ends by itself. */
  readonly expires_at: string
  /** The time at which a browser used the link; null when none has. */
  readonly used_at: string | null
  /** The time at which the session was ended, by itself or with its API key; null for a session that was not ended. */
  readonly ended_at: string | null
}

/** A page of a list; `has_more` tells whether more objects follow. */
export interface PortalSessionPage {
  readonly object: "list"
  /** The path at which this list is found. */
  readonly url: string
  /**
   * `true` when more objects follow this page. A page holds fewer objects than `limit` when it would be larger
   * than 1 MB.
   */
  readonly has_more: boolean
  readonly data: ReadonlyArray<PortalSession>
}

/** The new session of the portal. This answer is the only one that shows its address. */
export interface PortalSessionWithUrl {
  /** An id: ps_ and 26 characters, which sort by creation. */
  readonly id: string
  readonly object: "portal_session"
  /** `true` for a session that shows live data, `false` for one that shows the sandbox. */
  readonly livemode: boolean
  /** The API key that created the session. The session ends when this key does. */
  readonly api_key_id: string
  /** What the session may do. */
  readonly capabilities: ReadonlyArray<"view" | "deliver" | "endpoints" | "documents" | "keys" | "setup">
  /**
   * `waiting`: the link has not been used, and still works. `active`: a browser is in. `expired`: the link was not
   * used in time, or the session has lasted its time. `ended`: the session was ended, or its API key was revoked
   * or has expired.
   */
  readonly status: "waiting" | "active" | "expired" | "ended"
  /** A time in ISO 8601, with the offset of the tax authority's time zone. */
  readonly created_at: string
  /** The time at which the session ends by itself. */
  readonly expires_at: string
  /** The time at which a browser used the link; null when none has. */
  readonly used_at: string | null
  /** The time at which the session was ended, by itself or with its API key; null for a session that was not ended. */
  readonly ended_at: string | null
  /** The address that lets a browser in. It works once, and within 60 seconds. */
  readonly url: string
  /** The time until which the address works. */
  readonly url_expires_at: string
}

/** A session of the portal to create. */
export interface PortalSessionRequest {
  /** The number of seconds for which the session lasts, from its creation; 3600 when left out. */
  readonly expires_in?: number
  /**
   * What the session may do; `["view"]` when left out. `view`: read every page. `deliver`: deliver webhooks again,
   * recover an endpoint, and send test events. `endpoints`: create and change webhook endpoints, and rotate their
   * secrets. `documents`: create, correct, retry, cancel, annul and e-mail documents, and create and change
   * customers. `keys`: create, roll and revoke API keys, and end sessions. `setup`: change the account, its
   * issuer, logo, certificate, software and ranges, pass the test set, and drive the sandbox and its clock.
   */
  readonly capabilities?: ReadonlyArray<"view" | "deliver" | "endpoints" | "documents" | "keys" | "setup">
}

/** The new API key. This answer is the only one that shows it. */
export interface ApiKeyWithKey {
  /** An id: key_ and 26 characters, which sort by creation. */
  readonly id: string
  readonly object: "api_key"
  /** A name of your own for the key. */
  readonly name: string | null
  /** What the key may do: that of the portal session which made it. Null for a key that may do everything. */
  readonly capabilities: ReadonlyArray<"view" | "deliver" | "endpoints" | "documents" | "keys" | "setup"> | null
  /** `true` for a live key, `false` for a test key. */
  readonly livemode: boolean
  /** The last four characters of the key. */
  readonly last_four: string
  /** A time in ISO 8601, with the offset of the tax authority's time zone. */
  readonly created_at: string
  /** The time at which the key was last used, recorded up to five minutes late; null when it was never used. */
  readonly last_used_at: string | null
  /** The time at which the key stops working; null for a key that does not expire. */
  readonly expires_at: string | null
  /** The time at which the key was revoked; null for a key that was not revoked. */
  readonly revoked_at: string | null
  /** The API key itself, to send as `Authorization: Bearer …`. */
  readonly key: string
}

/** How long the old key still works. */
export interface ApiKeyRollRequest {
  /** The number of seconds for which the old key still works beside the new one. */
  readonly expires_in: number
}

/** The API key was revoked. */
export interface DeletedApiKey {
  /** An id: key_ and 26 characters, which sort by creation. */
  readonly id: string
  readonly object: "api_key"
  readonly deleted: true
}

/** An API key as it is listed: its name, its last four characters and its dates, without the key itself. */
export interface ApiKey {
  /** An id: key_ and 26 characters, which sort by creation. */
  readonly id: string
  readonly object: "api_key"
  /** A name of your own for the key. */
  readonly name: string | null
  /** What the key may do: that of the portal session which made it. Null for a key that may do everything. */
  readonly capabilities: ReadonlyArray<"view" | "deliver" | "endpoints" | "documents" | "keys" | "setup"> | null
  /** `true` for a live key, `false` for a test key. */
  readonly livemode: boolean
  /** The last four characters of the key. */
  readonly last_four: string
  /** A time in ISO 8601, with the offset of the tax authority's time zone. */
  readonly created_at: string
  /** The time at which the key was last used, recorded up to five minutes late; null when it was never used. */
  readonly last_used_at: string | null
  /** The time at which the key stops working; null for a key that does not expire. */
  readonly expires_at: string | null
  /** The time at which the key was revoked; null for a key that was not revoked. */
  readonly revoked_at: string | null
}

/** A page of a list; `has_more` tells whether more objects follow. */
export interface ApiKeyPage {
  readonly object: "list"
  /** The path at which this list is found. */
  readonly url: string
  /**
   * `true` when more objects follow this page. A page holds fewer objects than `limit` when it would be larger
   * than 1 MB.
   */
  readonly has_more: boolean
  readonly data: ReadonlyArray<ApiKey>
}

/** An API key to create. */
export interface ApiKeyRequest {
  /** A name of your own for the key. */
  readonly name?: string
}

/** The business account of the API key, in the mode of that key. */
export interface Account {
  /** An id: ten_ and 26 characters, which sort by creation. */
  readonly id: string
  readonly object: "account"
  /** The name of the account, of your own choice. */
  readonly name: string
  /**
   * The environment of the tax authority that the key's documents go to: `habilitacion` for a test key,
   * `produccion` for a live key.
   */
  readonly authority_environment: "habilitacion" | "produccion"
  readonly key_mode: "test" | "live"
  /** The identification of the issuer at the tax authority. Null in a live mode whose issuer nobody has sent yet. */
  readonly identification: Identification | null
  /** The registered name of the issuer. Null in a live mode whose issuer nobody has sent yet. */
  readonly legal_name: string | null
  /** `1` for a legal entity, `2` for a natural person. Null in a live mode whose issuer nobody has sent yet. */
  readonly organization_type: "1" | "2" | null
  /** The address that answers to the issuer's e-mails reach. Null in a live mode whose issuer nobody has sent yet. */
  readonly email: string | null
  /** The street address. Null in a live mode whose issuer nobody has sent yet. */
  readonly address: string | null
  /** The municipality, as the five digits of its code. Null in a live mode whose issuer nobody has sent yet. */
  readonly city_code: string | null
  /** The department, as the two digits of its code. Null in a live mode whose issuer nobody has sent yet. */
  readonly department_code: string | null
  /** The country, as its two letters of ISO 3166. Null in a live mode whose issuer nobody has sent yet. */
  readonly country_code: string | null
  /**
   * The tax responsibilities of the issuer, as codes of the tax authority. Null in a live mode whose issuer nobody
   * has sent yet.
   */
  readonly tax_responsibilities: ReadonlyArray<string> | null
  /** The name under which the business is known, if it is not the legal name. */
  readonly trade_name?: string
  /** The telephone number, as people write it. */
  readonly phone?: string
  /** The postal code; in Colombia six digits of the authority's list. */
  readonly postal_code?: string
  /** The tax that the party is registered for: `01` IVA, `04` INC, `ZA` IVA and INC, `ZZ` none of these. */
  readonly tax_scheme?: "01" | "04" | "ZA" | "ZZ"
  /**
   * Whether the issuer charges the value added tax: documents state the regime 48 for `true`, and 49 for `false`.
   * Without it nothing is issued with a live key.
   */
  readonly vat_responsible?: boolean
  /** The economic activities of the issuer, as codes of the CIIU, the principal one first. */
  readonly economic_activities?: ReadonlyArray<string>
  /** The number of the issuer's registration at the chamber of commerce (matrícula mercantil). */
  readonly merchant_registration?: string
  /** How to pay, printed on the documents: free text of one or more lines. */
  readonly payment_instructions?: string
  /** The colour of the printed documents, as `#rrggbb`. */
  readonly color?: string
  /** The logo of the issuer's printed documents; left out where there is none. */
  readonly logo?: Logo
  readonly default_version: Version
  /**
   * How much the request log keeps of the requests of this mode. `off`: nothing. `masked`: all but secrets and
   * personal data. `full`: all but secrets.
   */
  readonly request_log: "off" | "masked" | "full"
  /** The certificate that signs the documents of this mode; null when there is none. */
  readonly certificate: {
    readonly subject: string
    /** A time in ISO 8601, with the offset of the tax authority's time zone. */
    readonly not_after: string
  } | null
  /**
   * The software that the account has registered with the authority; null when live documents name that of the
   * service, and in test mode.
   */
  readonly software: AccountSoftware | null
  /** What is left to do before live documents can be issued: the same for both modes. */
  readonly live: LiveState
  /** A time in ISO 8601, with the offset of the tax authority's time zone. */
  readonly created_at: string
}

/** How far the account is on the way to live documents. */
export interface LiveState {
  /** Whether no step is left: invoices that are sent with a live key are issued. */
  readonly ready: boolean
  /** What is left to do, in this order; empty when ready. */
  readonly steps: ReadonlyArray<LiveStep>
}

/** A step that is left on the way to live documents. */
export interface LiveStep {
  /**
   * Which step: `authority` and `service` are the operator's, `numbering_range` means a range that is valid and
   * has numbers left.
   */
  readonly code:
    | "authority"
    | "service"
    | "live_key"
    | "issuer"
    | "vat_responsible"
    | "certificate"
    | "software"
    | "enablement"
    | "numbering_range"
  /** `missing`: to be done. `running`: under way. `failed`: tried, and to be done again. */
  readonly state: "missing" | "running" | "failed"
  /** What to do, for a person to read. */
  readonly message: string
  /** Where the guide describes the step. */
  readonly href: string
}

/** The software that live documents name; never its PIN. */
export interface AccountSoftware {
  /** The id that the authority gave the software. */
  readonly id: string
  /**
   * The NIT of who provides the software, with its check digit; null while the issuer provides it itself and is
   * not known yet.
   */
  readonly provider_nit: string | null
  /** When the software was set. */
  readonly set_at: string
}

/** The picture that the issuer's documents are printed with. */
export interface Logo {
  /** The format of the picture. */
  readonly media_type: "image/png" | "image/jpeg"
  /** The width of the picture, in pixels. */
  readonly width: number
  /** The height of the picture, in pixels. */
  readonly height: number
  /** The path at which the picture is found. */
  readonly url: string
}

/** The software that the issuer has registered with the authority. */
export interface SoftwareRequest {
  /** The id that the authority gave the software: 36 characters. */
  readonly id: string
  /** The PIN that was chosen when the software was registered. It is stored encrypted and never shown again. */
  readonly pin: string
  /**
   * The NIT of who provides the software, with or without its check digit. Left out, the issuer itself provides
   * it.
   */
  readonly provider_nit?: string
}

/**
 * How far the account is with the test set of the tax authority that every issuer passes before it issues
 * (habilitación).
 */
export interface Enablement {
  readonly object: "enablement"
  /** `true`: enablement belongs to the live mode. */
  readonly livemode: boolean
  /** The id of the test set. */
  readonly test_set_id: string
  /**
   * `running` until all wanted documents are accepted (`passed`) or somebody has to put something right
   * (`failed`).
   */
  readonly status: "running" | "passed" | "failed"
  readonly invoices: EnablementCount
  readonly credit_notes: EnablementCount
  readonly debit_notes: EnablementCount
  readonly range: TestRange
  /** Why nothing is sent for the moment, while the status is `running`; null while the authority answers. */
  readonly waiting: EnablementTrouble | null
  /** Why it failed and what to do; null unless the status is `failed`. */
  readonly failure: Failure | null
  /** How it stands, and what to do, for people. */
  readonly message: string
  /** The documents that were made for the test set, in the order in which they were made; the newest 1,000. */
  readonly documents: ReadonlyArray<EnablementDocument>
  /** A time in ISO 8601, with the offset of the tax authority's time zone. */
  readonly started_at: string
  /** When it passed or failed; null while it runs. */
  readonly finished_at: string | null
}

/** A test document that was made for the enablement. */
export interface EnablementDocument {
  /** The full number of the test document. */
  readonly full_number: string
  readonly kind: "invoice" | "credit_note" | "debit_note"
  /** The CUFE of the invoice or the CUDE of the note, by which the authority's portal finds it. */
  readonly cufe: string
  /**
   * `waiting`: not sent yet. `sent`: sent, without a verdict yet. `accepted`, `rejected`: the verdict.
   * `number_used`: the authority has another document of this number. `refused`: not judged, because of its
   * sender. `unanswered`: given up without a verdict. Another document takes the place of each that was not
   * accepted.
   */
  readonly status: "waiting" | "sent" | "accepted" | "rejected" | "number_used" | "refused" | "unanswered"
  /** The rules of the tax authority that the document broke. */
  readonly authority_errors: ReadonlyArray<AuthorityError>
  /** Rules of the tax authority that it remarks on without rejecting the document. */
  readonly authority_notifications: ReadonlyArray<AuthorityError>
  /** What is known besides: the authority's last words about the document. */
  readonly message: string | null
  /** A time in ISO 8601, with the offset of the tax authority's time zone. */
  readonly created_at: string
  /** When the document was sent; null before. */
  readonly sent_at: string | null
  /** When its outcome was known; null before. */
  readonly judged_at: string | null
}

/** Why nothing is sent for the moment. */
export interface EnablementTrouble {
  /**
   * What keeps documents from their verdicts, for programs: a code that `waiting` of an invoice may have too, or
   * `no_test_service`, or `internal`.
   */
  readonly code: string
  /** The trouble and what to do, for people. */
  readonly message: string
  /** A time in ISO 8601, with the offset of the tax authority's time zone. */
  readonly since: string
}

/** A numbering range of the tax authority's test environment, as its portal shows it. */
export interface TestRange {
  /** The number of the resolution that grants the test range. */
  readonly number: string
  /** The prefix of the test range. */
  readonly prefix: string
  /** The first number of the test range. */
  readonly from_number: number
  /** The last number of the test range. */
  readonly to_number: number
  /** The first day of the test range, as YYYY-MM-DD. */
  readonly valid_from: string
  /** The last day of the test range, as YYYY-MM-DD. */
  readonly valid_to: string
  /** The technical key of the test range, 40 hexadecimal digits. */
  readonly technical_key: string
}

/** The documents of one kind: how many are wanted, accepted and missing. */
export interface EnablementCount {
  /** How many the authority wants to accept. */
  readonly wanted: number
  /** How many the authority has accepted. */
  readonly accepted: number
  /** How many are still to be accepted. */
  readonly missing: number
}

/** The test set of the tax authority that the account is to pass. */
export interface EnablementRequest {
  /** The id of the test set that the tax authority's portal shows (TestSetId). */
  readonly test_set_id: string
  /** How many invoices the authority wants to accept, as its portal shows for the test set: 1 to 100. */
  readonly invoices: number
  /** How many credit notes the authority wants to accept: 0 to 100. */
  readonly credit_notes: number
  /** How many debit notes the authority wants to accept: 0 to 100. */
  readonly debit_notes: number
  /**
   * The test range of the issuer, where the portal shows another one than the range that the authority gives to
   * all issuers (SETP, 990000000 to 995000000).
   */
  readonly range?: TestRange
}

/** A signing certificate with its private key, as a PKCS#12 file. */
export interface CertificateRequest {
  /** The bytes of the PKCS#12 file (.p12 or .pfx) in base64. */
  readonly pkcs12: string
  /** The password of the PKCS#12 file. */
  readonly password: string
}

/** The fields of the account to change. */
export interface AccountUpdate {
  /** The name of the account, of your own choice. */
  readonly name?: string
  /** The identification at the tax authority. */
  readonly identification?: Identification
  /** The registered name. */
  readonly legal_name?: string
  /** `1` for a legal entity, `2` for a natural person. */
  readonly organization_type?: "1" | "2"
  /** The e-mail address. The documents of a customer are sent to it. */
  readonly email?: string
  /** The street address. */
  readonly address?: string
  /** The municipality, as the five digits of its code. */
  readonly city_code?: string
  /** The department, as the two digits of its code. */
  readonly department_code?: string
  /** The country, as its two letters of ISO 3166. */
  readonly country_code?: string
  /** The tax responsibilities of the issuer, as codes of the tax authority. */
  readonly tax_responsibilities?: ReadonlyArray<"O-13" | "O-15" | "O-23" | "O-47" | "R-99-PN">
  readonly trade_name?: string | null
  readonly phone?: string | null
  readonly postal_code?: string | null
  readonly tax_scheme?: "01" | "04" | "ZA" | "ZZ" | null
  readonly vat_responsible?: boolean | null
  readonly economic_activities?: ReadonlyArray<string> | null
  readonly merchant_registration?: string | null
  readonly payment_instructions?: string | null
  readonly color?: string | null
  readonly default_version?: Version
  /**
   * How much the request log keeps of the requests of this mode from now on. `off`: nothing. `masked`: all but
   * secrets and personal data. `full`: all but secrets.
   */
  readonly request_log?: "off" | "masked" | "full"
}

/** The headers that every operation takes. */
export interface VersionHeaders {
  /** The dated version of the interface; that of the client when left out. */
  readonly "svc-version"?: Version
}

/** The headers of an operation that changes something. */
export interface KeyHeaders extends VersionHeaders {
  /**
   * Names the operation, with at most 128 printable ASCII characters: however often it is sent, it is carried out once. The
   * client makes a key for each call that has none.
   */
  readonly "idempotency-key"?: string
}

/** The business account that issues documents. */
export interface AccountOperations {
  /**
   * Retrieve the account of the API key; also a way to check that a key works.
   *
   * Answers with the account that the API key belongs to, in the mode of that key: its issuer, its default version
   * and its certificate. `live` says, for keys of both modes, what is left to do before live documents can be
   * issued.
   */
  readonly retrieveAccount: {
    readonly request: {
      readonly headers?: VersionHeaders
    }
    readonly answer: Account
  }
  /**
   * Change the account and the issuer of documents that are numbered from now on.
   *
   * The fields in the body are changed in the mode of the API key, and all other fields stay: a test key changes
   * nothing in live mode. Documents that have their number keep the issuer as it was. The first issuer of the live
   * mode is sent with all of its fields. The issuer of a mode may be changed 100 times within 24 hours; more
   * changes are refused with 429.
   */
  readonly updateAccount: {
    readonly request: {
      readonly payload: AccountUpdate
      readonly headers?: KeyHeaders
    }
    readonly answer: Account
  }
  /**
   * Change the account: the same as PATCH.
   *
   * For clients whose HTTP library cannot send PATCH.
   */
  readonly updateAccountByPost: {
    readonly request: {
      readonly payload: AccountUpdate
      readonly headers?: KeyHeaders
    }
    readonly answer: Account
  }
  /**
   * Upload the certificate that signs the live documents of the account.
   *
   * Only with a live key. The private key in the file is stored encrypted and never shown again. Live documents
   * that are signed from now on are signed with this certificate.
   */
  readonly uploadCertificate: {
    readonly request: {
      readonly payload: CertificateRequest
      readonly headers?: KeyHeaders
    }
    readonly answer: Account
  }
  /**
   * Pass the test set of the tax authority that every issuer passes before it issues (habilitación).
   *
   * Only with a live key. Folio makes the documents from the test range, signs them with the certificate and the
   * software of the account, sends them to the authority's environment for enablement and asks for their verdicts;
   * GET shows how it stands. Documents that the authority rejects, or never answers, are replaced. No number of
   * the account's own ranges is used, and nothing is mailed. The same request while the test set runs, or after it
   * was passed, answers with how it stands; after it failed, the test set goes on with what is missing.
   */
  readonly startEnablement: {
    readonly request: {
      readonly payload: EnablementRequest
      readonly headers?: KeyHeaders
    }
    readonly answer: Enablement
  }
  /**
   * See how far the test set of the tax authority is.
   *
   * The test set that was asked for last, with each document, its verdict, and the rules it broke with hints. 404
   * before the first one.
   */
  readonly retrieveEnablement: {
    readonly request: {
      readonly headers?: VersionHeaders
    }
    readonly answer: Enablement
  }
  /**
   * Set the software that the account has registered with the authority.
   *
   * Only with a live key. Live documents that are numbered from now on name this software in place of the one of
   * the service; those before keep what they had. The PIN is stored encrypted and never shown again. May be sent
   * before the issuer. Issuer and software may be changed 100 times within 24 hours.
   */
  readonly putSoftware: {
    readonly request: {
      readonly payload: SoftwareRequest
      readonly headers?: KeyHeaders
    }
    readonly answer: Account
  }
  /**
   * Go back to the software of the service.
   *
   * Only with a live key. Live documents that are numbered from now on name the software of the service. The same
   * when the account had none of its own.
   */
  readonly deleteSoftware: {
    readonly request: {
      readonly headers?: VersionHeaders
    }
    readonly answer: Account
  }
  /**
   * Set the logo of the printed documents.
   *
   * Send the bytes of a PNG or JPEG as the body, with `Content-Type: image/png` or `image/jpeg`; the bytes
   * themselves say which: at most 200 kB, 10,000 pixels a side and 1,000,000 pixels in all, neither animated nor
   * interlaced. Documents that are numbered from now on are printed with the picture; those before keep what they
   * had.
   */
  readonly putLogo: {
    readonly request: {
      readonly payload: Uint8Array
      readonly headers?: KeyHeaders
    }
    readonly answer: Account
  }
  /**
   * Download the logo.
   *
   * The bytes as they were sent, PNG or JPEG. The answer has an ETag; a request with `If-None-Match` is answered
   * with 304 when the client's copy is current. 404 without a logo.
   */
  readonly retrieveLogo: {
    readonly request: {
      readonly headers?: VersionHeaders
    }
    readonly answer: Uint8Array
  }
  /**
   * Remove the logo.
   *
   * Documents that are numbered from now on are printed without a logo. The same when there was none.
   */
  readonly deleteLogo: {
    readonly request: {
      readonly headers?: VersionHeaders
    }
    readonly answer: Account
  }
}

/** The API keys of the account, in the mode of the key that asks. */
export interface ApiKeysOperations {
  /**
   * Create an API key in the mode of the key that asks.
   *
   * The answer shows the API key once. Folio stores a hash of it and cannot show it again.
   */
  readonly createApiKey: {
    readonly request: {
      readonly payload: ApiKeyRequest
      readonly headers?: KeyHeaders
    }
    readonly answer: ApiKeyWithKey
  }
  /**
   * List the API keys of this mode, newest first, expired and revoked ones included.
   *
   * Each API key is listed with its name, its last four characters and the time of its last use; the key itself is
   * never listed.
   */
  readonly listApiKeys: {
    readonly request: {
      readonly query?: {
        /** The largest number of objects on a page: 1 to 100, 10 when left out. */
        readonly limit?: number
        /**
         * The id of the last object of a page: the answer is the page that follows it, also when the object was deleted
         * meanwhile.
         */
        readonly starting_after?: string
        /** The id of the first object of a page: the answer is the page that comes before it. */
        readonly ending_before?: string
      }
      readonly headers?: VersionHeaders
    }
    readonly answer: ApiKeyPage
  }
  /**
   * List the API keys of this mode, newest first, expired and revoked ones included.
   *
   * Gives the objects of all pages. A page is read when its first object is asked for.
   */
  readonly allApiKeys: {
    readonly request: {
      readonly query?: {
        /** The largest number of objects on a page: 1 to 100, 10 when left out. */
        readonly limit?: number
        /**
         * The id of the last object of a page: the answer is the page that follows it, also when the object was deleted
         * meanwhile.
         */
        readonly starting_after?: string
      }
      readonly headers?: VersionHeaders
    }
    readonly item: ApiKey
  }
  /**
   * Retrieve an API key, without the key itself.
   *
   * The API key is shown with its name, its last four characters and the time of its last use; the key itself is
   * never shown again.
   */
  readonly retrieveApiKey: {
    readonly request: {
      readonly params: {
        /** The id of the object that the request is about. */
        readonly id: string
      }
      readonly headers?: VersionHeaders
    }
    readonly answer: ApiKey
  }
  /**
   * Revoke an API key within one second; the last key without an expiry date cannot be revoked.
   *
   * Requests with the revoked API key are refused with 401. A revocation cannot be undone.
   */
  readonly revokeApiKey: {
    readonly request: {
      readonly params: {
        /** The id of the object that the request is about. */
        readonly id: string
      }
      readonly headers?: VersionHeaders
    }
    readonly answer: DeletedApiKey
  }
  /**
   * Replace an API key by a new one; the old key works for expires_in more seconds.
   *
   * The answer shows the new API key once. With `expires_in` 0 the old key stops working at once.
   */
  readonly rollApiKey: {
    readonly request: {
      readonly params: {
        /** The id of the object that the request is about. */
        readonly id: string
      }
      readonly payload: ApiKeyRollRequest
      readonly headers?: KeyHeaders
    }
    readonly answer: ApiKeyWithKey
  }
}

/**
 * Sessions of the portal, Folio's pages at `/portal`: each lets one browser in, for some time and with some of
 * the rights of the key that created it.
 */
export interface PortalSessionsOperations {
  /**
   * Create a session of the portal, with an address that lets a browser in.
   *
   * The answer shows the address once. The address works once, within 60 seconds, and becomes a cookie: send the
   * person there at once, from your own back office by a redirect. The session shows the account in the mode of
   * the key that asks, and ends with that key.
   */
  readonly createPortalSession: {
    readonly request: {
      readonly payload: PortalSessionRequest
      readonly headers?: KeyHeaders
    }
    readonly answer: PortalSessionWithUrl
  }
  /**
   * List the sessions of this mode, newest first, those that ended in the last seven days included.
   *
   * Each session is listed with what it may do and whether it still works; its address is never listed.
   */
  readonly listPortalSessions: {
    readonly request: {
      readonly query?: {
        /** The largest number of objects on a page: 1 to 100, 10 when left out. */
        readonly limit?: number
        /**
         * The id of the last object of a page: the answer is the page that follows it, also when the object was deleted
         * meanwhile.
         */
        readonly starting_after?: string
        /** The id of the first object of a page: the answer is the page that comes before it. */
        readonly ending_before?: string
      }
      readonly headers?: VersionHeaders
    }
    readonly answer: PortalSessionPage
  }
  /**
   * List the sessions of this mode, newest first, those that ended in the last seven days included.
   *
   * Gives the objects of all pages. A page is read when its first object is asked for.
   */
  readonly allPortalSessions: {
    readonly request: {
      readonly query?: {
        /** The largest number of objects on a page: 1 to 100, 10 when left out. */
        readonly limit?: number
        /**
         * The id of the last object of a page: the answer is the page that follows it, also when the object was deleted
         * meanwhile.
         */
        readonly starting_after?: string
      }
      readonly headers?: VersionHeaders
    }
    readonly item: PortalSession
  }
  /**
   * Retrieve a session of the portal, without its address.
   *
   * The session is shown with what it may do and whether it still works; its address is never shown again.
   */
  readonly retrievePortalSession: {
    readonly request: {
      readonly params: {
        /** The id of the object that the request is about. */
        readonly id: string
      }
      readonly headers?: VersionHeaders
    }
    readonly answer: PortalSession
  }
  /**
   * End a session of the portal at once.
   *
   * Neither the address nor the browser's cookie works any more. To end a session that has already ended changes
   * nothing.
   */
  readonly endPortalSession: {
    readonly request: {
      readonly params: {
        /** The id of the object that the request is about. */
        readonly id: string
      }
      readonly headers?: VersionHeaders
    }
    readonly answer: DeletedPortalSession
  }
}

/** The buyers of invoices, whom the tax authority calls acquirers. */
export interface CustomersOperations {
  /**
   * Register a customer, the buyer of invoices.
   *
   * Send the id of the customer as `customer_id` of its invoices. In the sandbox, invoices to a customer whose
   * identification is type 31, number 900000001, check digit 1 are always accepted.
   */
  readonly createCustomer: {
    readonly request: {
      readonly payload: CustomerRequest
      readonly headers?: KeyHeaders
    }
    readonly answer: Customer
  }
  /**
   * List customers, newest first, or find some.
   *
   * With a parameter besides those of pages, the customers that fit all of them. While `has_more` is true, send
   * the id of the last object as `starting_after` to get the next page.
   */
  readonly listCustomers: {
    readonly request: {
      readonly query?: {
        /** The largest number of objects on a page: 1 to 100, 10 when left out. */
        readonly limit?: number
        /**
         * The id of the last object of a page: the answer is the page that follows it, also when the object was deleted
         * meanwhile.
         */
        readonly starting_after?: string
        /** The id of the first object of a page: the answer is the page that comes before it. */
        readonly ending_before?: string
        /** Only customers with this kind of identification; goes with `identification[number]`. */
        readonly "identification[type]"?:
          | "31"
          | "13"
          | "22"
          | "21"
          | "41"
          | "12"
          | "11"
          | "50"
          | "42"
          | "47"
          | "48"
          | "91"
        /** Only customers with this number; goes with `identification[type]`. */
        readonly "identification[number]"?: string
        /** Only customers with this e-mail address, in capital or small letters. */
        readonly email?: string
        /**
         * Only customers with this text in their legal name or trade name: at least 3 characters, without regard to
         * accents and capital letters.
         */
        readonly name?: string
        /**
         * Only objects whose metadata has this value under this key, such as `metadata[order]=1001`; at most 5 keys, all
         * of which must fit.
         */
        readonly metadata?: { readonly [name: string]: string }
      }
      readonly headers?: VersionHeaders
    }
    readonly answer: CustomerPage
  }
  /**
   * List customers, newest first, or find some.
   *
   * Gives the objects of all pages. A page is read when its first object is asked for.
   */
  readonly allCustomers: {
    readonly request: {
      readonly query?: {
        /** The largest number of objects on a page: 1 to 100, 10 when left out. */
        readonly limit?: number
        /**
         * The id of the last object of a page: the answer is the page that follows it, also when the object was deleted
         * meanwhile.
         */
        readonly starting_after?: string
        /** Only customers with this kind of identification; goes with `identification[number]`. */
        readonly "identification[type]"?:
          | "31"
          | "13"
          | "22"
          | "21"
          | "41"
          | "12"
          | "11"
          | "50"
          | "42"
          | "47"
          | "48"
          | "91"
        /** Only customers with this number; goes with `identification[type]`. */
        readonly "identification[number]"?: string
        /** Only customers with this e-mail address, in capital or small letters. */
        readonly email?: string
        /**
         * Only customers with this text in their legal name or trade name: at least 3 characters, without regard to
         * accents and capital letters.
         */
        readonly name?: string
        /**
         * Only objects whose metadata has this value under this key, such as `metadata[order]=1001`; at most 5 keys, all
         * of which must fit.
         */
        readonly metadata?: { readonly [name: string]: string }
      }
      readonly headers?: VersionHeaders
    }
    readonly item: Customer
  }
  /**
   * Check a customer without creating it.
   *
   * The body is that of a customer to register, and is checked against the same rules. Nothing is stored. `errors`
   * is empty when `valid` is true.
   */
  readonly validateCustomer: {
    readonly request: {
      readonly payload: CustomerRequest
      readonly headers?: VersionHeaders
    }
    readonly answer: Validation
  }
  /**
   * Register or replace the customer with an identification.
   *
   * Answers 201 for a new customer, and 200 for one that is replaced: it keeps its id, and what the body leaves
   * out is removed. `identification` in the body must be the one of the path. Two customers with this
   * identification are answered with 409, which names both.
   */
  readonly putCustomer: {
    readonly request: {
      readonly params: {
        /** The type and the number of the identification, with a hyphen between them and without check digit. */
        readonly id: string
      }
      readonly payload: CustomerRequest
      readonly headers?: KeyHeaders
    }
    readonly answer: Customer
  }
  /**
   * Retrieve a customer.
   *
   * A customer of the other mode or of another account is answered with 404.
   */
  readonly retrieveCustomer: {
    readonly request: {
      readonly params: {
        /** The id of the object that the request is about. */
        readonly id: string
      }
      readonly headers?: VersionHeaders
    }
    readonly answer: Customer
  }
  /**
   * Change a customer.
   *
   * The fields in the body are changed, and all other fields stay. Documents that were created before keep their
   * copy of the customer.
   */
  readonly updateCustomer: {
    readonly request: {
      readonly params: {
        /** The id of the object that the request is about. */
        readonly id: string
      }
      readonly payload: CustomerUpdate
      readonly headers?: KeyHeaders
    }
    readonly answer: Customer
  }
  /**
   * Change a customer: the same as PATCH.
   *
   * For clients whose HTTP library cannot send PATCH.
   */
  readonly updateCustomerByPost: {
    readonly request: {
      readonly params: {
        /** The id of the object that the request is about. */
        readonly id: string
      }
      readonly payload: CustomerUpdate
      readonly headers?: KeyHeaders
    }
    readonly answer: Customer
  }
  /**
   * Delete a customer; its documents stay.
   *
   * A deletion cannot be undone. Documents keep their own copy of the customer.
   */
  readonly deleteCustomer: {
    readonly request: {
      readonly params: {
        /** The id of the object that the request is about. */
        readonly id: string
      }
      readonly headers?: VersionHeaders
    }
    readonly answer: DeletedCustomer
  }
}

/** Buyers as the tax authority knows them. */
export interface AcquirersOperations {
  /**
   * Ask the tax authority for a buyer's name and e-mail address.
   *
   * The authority's answer is kept for a day. With a live key the account needs its issuer and its certificate. In
   * the sandbox the authority knows the sandbox's own identifications, 31-900000001 to 31-900000008. Whom the
   * authority does not know is answered with 404. An account may ask 60 times a minute for buyers whose answer is
   * not kept.
   */
  readonly retrieveAcquirer: {
    readonly request: {
      readonly params: {
        /** The type and the number of the identification, with a hyphen between them and without check digit. */
        readonly id: string
      }
      readonly headers?: VersionHeaders
    }
    readonly answer: KnownAcquirer
  }
}

/** Electronic invoices: created, listed, canceled, retried, annulled and e-mailed. */
export interface InvoicesOperations {
  /**
   * Create an invoice; it is issued after the answer, and an event tells the outcome.
   *
   * The invoice is stored and answered as a draft. Folio then numbers it, signs it and submits it to the tax
   * authority; an event tells the outcome.
   */
  readonly createInvoice: {
    readonly request: {
      readonly payload: InvoiceRequest
      readonly headers?: KeyHeaders
    }
    readonly answer: InvoiceCreated
  }
  /**
   * List invoices, newest first.
   *
   * While `has_more` is true, send the id of the last object as `starting_after` to get the next page.
   */
  readonly listInvoices: {
    readonly request: {
      readonly query?: {
        /** The largest number of objects on a page: 1 to 100, 10 when left out. */
        readonly limit?: number
        /**
         * The id of the last object of a page: the answer is the page that follows it, also when the object was deleted
         * meanwhile.
         */
        readonly starting_after?: string
        /** The id of the first object of a page: the answer is the page that comes before it. */
        readonly ending_before?: string
        /** Only invoices with this status. */
        readonly status?:
          | "draft"
          | "accepted_by_authority"
          | "rejected_by_authority"
          | "accepted_contingency"
          | "failed"
          | "canceled"
        /** Only invoices to the customer with this id. */
        readonly customer_id?: string
        /** Only the invoice with this full number, prefix and number together. */
        readonly full_number?: string
        /**
         * Only objects whose metadata has this value under this key, such as `metadata[order]=1001`; at most 5 keys, all
         * of which must fit.
         */
        readonly metadata?: { readonly [name: string]: string }
        /** Only objects created at this time or later. */
        readonly "created[gte]"?: string
        /** Only objects created at this time or earlier. */
        readonly "created[lte]"?: string
      }
      readonly headers?: VersionHeaders
    }
    readonly answer: InvoicePage
  }
  /**
   * List invoices, newest first.
   *
   * Gives the objects of all pages. A page is read when its first object is asked for.
   */
  readonly allInvoices: {
    readonly request: {
      readonly query?: {
        /** The largest number of objects on a page: 1 to 100, 10 when left out. */
        readonly limit?: number
        /**
         * The id of the last object of a page: the answer is the page that follows it, also when the object was deleted
         * meanwhile.
         */
        readonly starting_after?: string
        /** Only invoices with this status. */
        readonly status?:
          | "draft"
          | "accepted_by_authority"
          | "rejected_by_authority"
          | "accepted_contingency"
          | "failed"
          | "canceled"
        /** Only invoices to the customer with this id. */
        readonly customer_id?: string
        /** Only the invoice with this full number, prefix and number together. */
        readonly full_number?: string
        /**
         * Only objects whose metadata has this value under this key, such as `metadata[order]=1001`; at most 5 keys, all
         * of which must fit.
         */
        readonly metadata?: { readonly [name: string]: string }
        /** Only objects created at this time or later. */
        readonly "created[gte]"?: string
        /** Only objects created at this time or earlier. */
        readonly "created[lte]"?: string
      }
      readonly headers?: VersionHeaders
    }
    readonly item: Invoice
  }
  /**
   * Check an invoice without creating it.
   *
   * The body is that of an invoice to create, and is checked against the same rules. Nothing is stored and no
   * number is used. `errors` is empty when `valid` is true. `warnings` says what the authority would remark on
   * without rejecting the invoice.
   */
  readonly validateInvoice: {
    readonly request: {
      readonly payload: InvoiceRequest
      readonly headers?: VersionHeaders
    }
    readonly answer: Validation
  }
  /**
   * Retrieve an invoice.
   *
   * The full number and the CUFE are shown once the invoice is numbered. `authority_errors` says why it was
   * rejected, and `failure` why it failed.
   */
  readonly retrieveInvoice: {
    readonly request: {
      readonly params: {
        /** The id of the object that the request is about. */
        readonly id: string
      }
      readonly headers?: VersionHeaders
    }
    readonly answer: Invoice
  }
  /**
   * Cancel a draft that has no number yet.
   *
   * Only a draft that has no number can be canceled. An invoice that was accepted is corrected by a credit note.
   */
  readonly cancelInvoice: {
    readonly request: {
      readonly params: {
        /** The id of the object that the request is about. */
        readonly id: string
      }
      readonly headers?: KeyHeaders
    }
    readonly answer: Invoice
  }
  /**
   * Retry a failed invoice.
   *
   * For an invoice whose `status` is `failed` and whose `failure.retryable` is true, once the cause is repaired.
   * The invoice keeps its number, if it has one.
   */
  readonly retryInvoice: {
    readonly request: {
      readonly params: {
        /** The id of the object that the request is about. */
        readonly id: string
      }
      readonly headers?: KeyHeaders
    }
    readonly answer: Invoice
  }
  /**
   * Correct an invoice that the authority rejected; it keeps its number.
   *
   * For an invoice whose `status` is `rejected_by_authority`. The body is the whole corrected invoice, as if it
   * were created: what is left out is gone. The invoice keeps its id and its number, and gets a new issue date,
   * CUFE, signed document and e-mail; its timeline keeps the rejection. A `prefix`, if it is sent, is that of the
   * number. An invoice that broke rule 90 ("Documento procesado anteriormente") cannot be corrected: the authority
   * has a document of its number.
   */
  readonly correctInvoice: {
    readonly request: {
      readonly params: {
        /** The id of the object that the request is about. */
        readonly id: string
      }
      readonly payload: InvoiceRequest
      readonly headers?: KeyHeaders
    }
    readonly answer: Invoice
  }
  /**
   * Annul an accepted invoice by a credit note over all of its lines.
   *
   * Creates a credit note over all lines of the invoice, with correction code 2, and answers with it. The invoice
   * keeps its status. An invoice of which a part was credited before cannot be annulled.
   */
  readonly annulInvoice: {
    readonly request: {
      readonly params: {
        /** The id of the object that the request is about. */
        readonly id: string
      }
      readonly payload: AnnulRequest
      readonly headers?: KeyHeaders
    }
    readonly answer: CreditNoteCreated
  }
  /**
   * List everything that happened to an invoice, oldest first.
   *
   * The entries are changes of state, calls to the tax authority, events, and the deliveries of these events.
   */
  readonly retrieveInvoiceTimeline: {
    readonly request: {
      readonly params: {
        /** The id of the object that the request is about. */
        readonly id: string
      }
      readonly headers?: VersionHeaders
    }
    readonly answer: TimelinePage
  }
  /**
   * E-mail an invoice again, to the customer or to another address.
   *
   * Folio e-mails each accepted document to the customer's address without being asked. This request sends it once
   * more. An event tells what became of each e-mail. A document can be e-mailed 100 times.
   */
  readonly sendInvoiceEmail: {
    readonly request: {
      readonly params: {
        /** The id of the object that the request is about. */
        readonly id: string
      }
      readonly payload: EmailRequest
      readonly headers?: KeyHeaders
    }
    readonly answer: EmailSnapshot
  }
  /**
   * List the e-mails of an invoice with their text and attachments, newest first.
   *
   * With `content=true` the answer holds the attachments, in base64. The sandbox sends no e-mail to anybody: read
   * its e-mails here.
   */
  readonly listInvoiceEmails: {
    readonly request: {
      readonly params: {
        /** The id of the object that the request is about. */
        readonly id: string
      }
      readonly query?: {
        /** The largest number of objects on a page: 1 to 100, 10 when left out. */
        readonly limit?: number
        /**
         * The id of the last object of a page: the answer is the page that follows it, also when the object was deleted
         * meanwhile.
         */
        readonly starting_after?: string
        /** The id of the first object of a page: the answer is the page that comes before it. */
        readonly ending_before?: string
        /** `true`: the answer holds the content of the attachments, in base64. */
        readonly content?: boolean
      }
      readonly headers?: VersionHeaders
    }
    readonly answer: EmailPage
  }
  /**
   * List the e-mails of an invoice with their text and attachments, newest first.
   *
   * Gives the objects of all pages. A page is read when its first object is asked for.
   */
  readonly allInvoiceEmails: {
    readonly request: {
      readonly params: {
        /** The id of the object that the request is about. */
        readonly id: string
      }
      readonly query?: {
        /** The largest number of objects on a page: 1 to 100, 10 when left out. */
        readonly limit?: number
        /**
         * The id of the last object of a page: the answer is the page that follows it, also when the object was deleted
         * meanwhile.
         */
        readonly starting_after?: string
        /** `true`: the answer holds the content of the attachments, in base64. */
        readonly content?: boolean
      }
      readonly headers?: VersionHeaders
    }
    readonly item: Email
  }
}

/** The PDF and the signed XML of documents. */
export interface FilesOperations {
  /**
   * Download the PDF of an invoice; it exists once the invoice is signed.
   *
   * Send an API key, or use the signed link that the object carries as `pdf_url` or `xml_url`. The link ignores
   * tracking parameters: `utm_…`, `_gl`, `_hsenc`, `_hsmi`, `dclid`, `fbclid`, `gbraid`, `gclid`, `gclsrc`,
   * `igshid`, `li_fat_id`, `mc_cid`, `mc_eid`, `mkt_tok`, `msclkid`, `ttclid`, `twclid`, `wbraid` and `yclid`. The
   * answer has an ETag; a request with `If-None-Match` is answered with 304 when the client's copy is current.
   */
  readonly retrieveInvoicePdf: {
    readonly request: {
      readonly params: {
        /** The id of the object that the request is about. */
        readonly id: string
      }
      readonly query?: {
        /** Part of a signed link: the id of the account that owns the document. */
        readonly account?: string
        /** Part of a signed link: the mode of the document, `test` or `live`. */
        readonly mode?: string
        /** Part of a signed link: the time at which the link expires, in Unix seconds. */
        readonly expires?: string
        /** Part of a signed link: the signature of its path and its other parameters. */
        readonly signature?: string
      }
      readonly headers?: VersionHeaders
    }
    readonly answer: Uint8Array
  }
  /**
   * Download the signed XML of an invoice, byte for byte as submitted to the authority.
   *
   * Send an API key, or use the signed link that the object carries as `pdf_url` or `xml_url`. The link ignores
   * tracking parameters: `utm_…`, `_gl`, `_hsenc`, `_hsmi`, `dclid`, `fbclid`, `gbraid`, `gclid`, `gclsrc`,
   * `igshid`, `li_fat_id`, `mc_cid`, `mc_eid`, `mkt_tok`, `msclkid`, `ttclid`, `twclid`, `wbraid` and `yclid`. The
   * answer has an ETag; a request with `If-None-Match` is answered with 304 when the client's copy is current.
   */
  readonly retrieveInvoiceXml: {
    readonly request: {
      readonly params: {
        /** The id of the object that the request is about. */
        readonly id: string
      }
      readonly query?: {
        /** Part of a signed link: the id of the account that owns the document. */
        readonly account?: string
        /** Part of a signed link: the mode of the document, `test` or `live`. */
        readonly mode?: string
        /** Part of a signed link: the time at which the link expires, in Unix seconds. */
        readonly expires?: string
        /** Part of a signed link: the signature of its path and its other parameters. */
        readonly signature?: string
      }
      readonly headers?: VersionHeaders
    }
    readonly answer: Uint8Array
  }
  /**
   * Download the PDF of a credit note; it exists once the credit note is signed.
   *
   * Send an API key, or use the signed link that the object carries as `pdf_url` or `xml_url`. The link ignores
   * tracking parameters: `utm_…`, `_gl`, `_hsenc`, `_hsmi`, `dclid`, `fbclid`, `gbraid`, `gclid`, `gclsrc`,
   * `igshid`, `li_fat_id`, `mc_cid`, `mc_eid`, `mkt_tok`, `msclkid`, `ttclid`, `twclid`, `wbraid` and `yclid`. The
   * answer has an ETag; a request with `If-None-Match` is answered with 304 when the client's copy is current.
   */
  readonly retrieveCreditNotePdf: {
    readonly request: {
      readonly params: {
        /** The id of the object that the request is about. */
        readonly id: string
      }
      readonly query?: {
        /** Part of a signed link: the id of the account that owns the document. */
        readonly account?: string
        /** Part of a signed link: the mode of the document, `test` or `live`. */
        readonly mode?: string
        /** Part of a signed link: the time at which the link expires, in Unix seconds. */
        readonly expires?: string
        /** Part of a signed link: the signature of its path and its other parameters. */
        readonly signature?: string
      }
      readonly headers?: VersionHeaders
    }
    readonly answer: Uint8Array
  }
  /**
   * Download the signed XML of a credit note, byte for byte as submitted to the authority.
   *
   * Send an API key, or use the signed link that the object carries as `pdf_url` or `xml_url`. The link ignores
   * tracking parameters: `utm_…`, `_gl`, `_hsenc`, `_hsmi`, `dclid`, `fbclid`, `gbraid`, `gclid`, `gclsrc`,
   * `igshid`, `li_fat_id`, `mc_cid`, `mc_eid`, `mkt_tok`, `msclkid`, `ttclid`, `twclid`, `wbraid` and `yclid`. The
   * answer has an ETag; a request with `If-None-Match` is answered with 304 when the client's copy is current.
   */
  readonly retrieveCreditNoteXml: {
    readonly request: {
      readonly params: {
        /** The id of the object that the request is about. */
        readonly id: string
      }
      readonly query?: {
        /** Part of a signed link: the id of the account that owns the document. */
        readonly account?: string
        /** Part of a signed link: the mode of the document, `test` or `live`. */
        readonly mode?: string
        /** Part of a signed link: the time at which the link expires, in Unix seconds. */
        readonly expires?: string
        /** Part of a signed link: the signature of its path and its other parameters. */
        readonly signature?: string
      }
      readonly headers?: VersionHeaders
    }
    readonly answer: Uint8Array
  }
  /**
   * Download the PDF of a debit note; it exists once the debit note is signed.
   *
   * Send an API key, or use the signed link that the object carries as `pdf_url` or `xml_url`. The link ignores
   * tracking parameters: `utm_…`, `_gl`, `_hsenc`, `_hsmi`, `dclid`, `fbclid`, `gbraid`, `gclid`, `gclsrc`,
   * `igshid`, `li_fat_id`, `mc_cid`, `mc_eid`, `mkt_tok`, `msclkid`, `ttclid`, `twclid`, `wbraid` and `yclid`. The
   * answer has an ETag; a request with `If-None-Match` is answered with 304 when the client's copy is current.
   */
  readonly retrieveDebitNotePdf: {
    readonly request: {
      readonly params: {
        /** The id of the object that the request is about. */
        readonly id: string
      }
      readonly query?: {
        /** Part of a signed link: the id of the account that owns the document. */
        readonly account?: string
        /** Part of a signed link: the mode of the document, `test` or `live`. */
        readonly mode?: string
        /** Part of a signed link: the time at which the link expires, in Unix seconds. */
        readonly expires?: string
        /** Part of a signed link: the signature of its path and its other parameters. */
        readonly signature?: string
      }
      readonly headers?: VersionHeaders
    }
    readonly answer: Uint8Array
  }
  /**
   * Download the signed XML of a debit note, byte for byte as submitted to the authority.
   *
   * Send an API key, or use the signed link that the object carries as `pdf_url` or `xml_url`. The link ignores
   * tracking parameters: `utm_…`, `_gl`, `_hsenc`, `_hsmi`, `dclid`, `fbclid`, `gbraid`, `gclid`, `gclsrc`,
   * `igshid`, `li_fat_id`, `mc_cid`, `mc_eid`, `mkt_tok`, `msclkid`, `ttclid`, `twclid`, `wbraid` and `yclid`. The
   * answer has an ETag; a request with `If-None-Match` is answered with 304 when the client's copy is current.
   */
  readonly retrieveDebitNoteXml: {
    readonly request: {
      readonly params: {
        /** The id of the object that the request is about. */
        readonly id: string
      }
      readonly query?: {
        /** Part of a signed link: the id of the account that owns the document. */
        readonly account?: string
        /** Part of a signed link: the mode of the document, `test` or `live`. */
        readonly mode?: string
        /** Part of a signed link: the time at which the link expires, in Unix seconds. */
        readonly expires?: string
        /** Part of a signed link: the signature of its path and its other parameters. */
        readonly signature?: string
      }
      readonly headers?: VersionHeaders
    }
    readonly answer: Uint8Array
  }
}

/** Credit notes, which take back a part of an invoice or all of it. */
export interface CreditNotesOperations {
  /**
   * Issue a credit note to an invoice that was accepted.
   *
   * The credit note is stored and answered as a draft. Then it is numbered, signed and sent to the authority; its
   * outcome is an event. The body names an accepted invoice of the account (`invoice_id`), or else a buyer and a
   * currency with an invoice of another system (`original`) or a `period` within one calendar month.
   */
  readonly createCreditNote: {
    readonly request: {
      readonly payload: CreditNoteRequest
      readonly headers?: KeyHeaders
    }
    readonly answer: CreditNoteCreated
  }
  /**
   * List credit notes, newest first.
   *
   * While `has_more` is true, send the id of the last object as `starting_after` to get the next page.
   */
  readonly listCreditNotes: {
    readonly request: {
      readonly query?: {
        /** The largest number of objects on a page: 1 to 100, 10 when left out. */
        readonly limit?: number
        /**
         * The id of the last object of a page: the answer is the page that follows it, also when the object was deleted
         * meanwhile.
         */
        readonly starting_after?: string
        /** The id of the first object of a page: the answer is the page that comes before it. */
        readonly ending_before?: string
        /** Only notes with this status. */
        readonly status?:
          | "draft"
          | "accepted_by_authority"
          | "rejected_by_authority"
          | "accepted_contingency"
          | "failed"
          | "canceled"
        /** Only notes that correct the invoice with this id. */
        readonly invoice_id?: string
        /** Only the note with this full number, prefix and number together. */
        readonly full_number?: string
        /**
         * Only objects whose metadata has this value under this key, such as `metadata[order]=1001`; at most 5 keys, all
         * of which must fit.
         */
        readonly metadata?: { readonly [name: string]: string }
        /** Only objects created at this time or later. */
        readonly "created[gte]"?: string
        /** Only objects created at this time or earlier. */
        readonly "created[lte]"?: string
      }
      readonly headers?: VersionHeaders
    }
    readonly answer: CreditNotePage
  }
  /**
   * List credit notes, newest first.
   *
   * Gives the objects of all pages. A page is read when its first object is asked for.
   */
  readonly allCreditNotes: {
    readonly request: {
      readonly query?: {
        /** The largest number of objects on a page: 1 to 100, 10 when left out. */
        readonly limit?: number
        /**
         * The id of the last object of a page: the answer is the page that follows it, also when the object was deleted
         * meanwhile.
         */
        readonly starting_after?: string
        /** Only notes with this status. */
        readonly status?:
          | "draft"
          | "accepted_by_authority"
          | "rejected_by_authority"
          | "accepted_contingency"
          | "failed"
          | "canceled"
        /** Only notes that correct the invoice with this id. */
        readonly invoice_id?: string
        /** Only the note with this full number, prefix and number together. */
        readonly full_number?: string
        /**
         * Only objects whose metadata has this value under this key, such as `metadata[order]=1001`; at most 5 keys, all
         * of which must fit.
         */
        readonly metadata?: { readonly [name: string]: string }
        /** Only objects created at this time or later. */
        readonly "created[gte]"?: string
        /** Only objects created at this time or earlier. */
        readonly "created[lte]"?: string
      }
      readonly headers?: VersionHeaders
    }
    readonly item: CreditNote
  }
  /**
   * Check a credit note without creating it.
   *
   * The body is that of a credit note to create, and is checked against the same rules. Nothing is stored and no
   * number is used. `errors` is empty when `valid` is true.
   */
  readonly validateCreditNote: {
    readonly request: {
      readonly payload: CreditNoteRequest
      readonly headers?: VersionHeaders
    }
    readonly answer: Validation
  }
  /**
   * Retrieve a credit note.
   *
   * The full number and the CUDE are shown once the note is numbered. `authority_errors` says why it was rejected,
   * and `failure` why it failed.
   */
  readonly retrieveCreditNote: {
    readonly request: {
      readonly params: {
        /** The id of the object that the request is about. */
        readonly id: string
      }
      readonly headers?: VersionHeaders
    }
    readonly answer: CreditNote
  }
  /**
   * Cancel a credit note that has no number yet.
   *
   * Only a note that has no number can be canceled.
   */
  readonly cancelCreditNote: {
    readonly request: {
      readonly params: {
        /** The id of the object that the request is about. */
        readonly id: string
      }
      readonly headers?: KeyHeaders
    }
    readonly answer: CreditNote
  }
  /**
   * Try a failed credit note again; it keeps the number it has.
   *
   * For a note whose `status` is `failed` and whose `failure.retryable` is true, once the cause is repaired. The
   * note keeps its number, if it has one.
   */
  readonly retryCreditNote: {
    readonly request: {
      readonly params: {
        /** The id of the object that the request is about. */
        readonly id: string
      }
      readonly headers?: KeyHeaders
    }
    readonly answer: CreditNote
  }
  /**
   * Correct a credit note that the authority rejected; it keeps its number.
   *
   * For a note whose `status` is `rejected_by_authority`. The body is the whole corrected note, as if it were
   * created, and may name another invoice. The note keeps its id and its number, and gets a new issue date, CUDE,
   * signed document and e-mail; its timeline keeps the rejection.
   */
  readonly correctCreditNote: {
    readonly request: {
      readonly params: {
        /** The id of the object that the request is about. */
        readonly id: string
      }
      readonly payload: CreditNoteRequest
      readonly headers?: KeyHeaders
    }
    readonly answer: CreditNote
  }
  /**
   * All that has happened to a credit note, oldest first.
   *
   * The entries are changes of state, calls to the tax authority, events, and the deliveries of these events.
   */
  readonly retrieveCreditNoteTimeline: {
    readonly request: {
      readonly params: {
        /** The id of the object that the request is about. */
        readonly id: string
      }
      readonly headers?: VersionHeaders
    }
    readonly answer: TimelinePage
  }
  /**
   * E-mail a credit note again, to the customer or to another address.
   *
   * Folio e-mails each accepted document to the customer's address without being asked. This request sends it once
   * more. An event tells what became of each e-mail. A document can be e-mailed 100 times.
   */
  readonly sendCreditNoteEmail: {
    readonly request: {
      readonly params: {
        /** The id of the object that the request is about. */
        readonly id: string
      }
      readonly payload: EmailRequest
      readonly headers?: KeyHeaders
    }
    readonly answer: EmailSnapshot
  }
  /**
   * List the e-mails of a credit note with their text and attachments, newest first.
   *
   * With `content=true` the answer holds the attachments, in base64. The sandbox sends no e-mail to anybody: read
   * its e-mails here.
   */
  readonly listCreditNoteEmails: {
    readonly request: {
      readonly params: {
        /** The id of the object that the request is about. */
        readonly id: string
      }
      readonly query?: {
        /** The largest number of objects on a page: 1 to 100, 10 when left out. */
        readonly limit?: number
        /**
         * The id of the last object of a page: the answer is the page that follows it, also when the object was deleted
         * meanwhile.
         */
        readonly starting_after?: string
        /** The id of the first object of a page: the answer is the page that comes before it. */
        readonly ending_before?: string
        /** `true`: the answer holds the content of the attachments, in base64. */
        readonly content?: boolean
      }
      readonly headers?: VersionHeaders
    }
    readonly answer: EmailPage
  }
  /**
   * List the e-mails of a credit note with their text and attachments, newest first.
   *
   * Gives the objects of all pages. A page is read when its first object is asked for.
   */
  readonly allCreditNoteEmails: {
    readonly request: {
      readonly params: {
        /** The id of the object that the request is about. */
        readonly id: string
      }
      readonly query?: {
        /** The largest number of objects on a page: 1 to 100, 10 when left out. */
        readonly limit?: number
        /**
         * The id of the last object of a page: the answer is the page that follows it, also when the object was deleted
         * meanwhile.
         */
        readonly starting_after?: string
        /** `true`: the answer holds the content of the attachments, in base64. */
        readonly content?: boolean
      }
      readonly headers?: VersionHeaders
    }
    readonly item: Email
  }
}

/** Debit notes, which charge more than an invoice did. */
export interface DebitNotesOperations {
  /**
   * Issue a debit note to an invoice that was accepted.
   *
   * The debit note is stored and answered as a draft. Then it is numbered, signed and sent to the authority; its
   * outcome is an event. The body names an accepted invoice of the account (`invoice_id`), or else a buyer and a
   * currency with an invoice of another system (`original`) or a `period` within one calendar month.
   */
  readonly createDebitNote: {
    readonly request: {
      readonly payload: DebitNoteRequest
      readonly headers?: KeyHeaders
    }
    readonly answer: DebitNoteCreated
  }
  /**
   * List debit notes, newest first.
   *
   * While `has_more` is true, send the id of the last object as `starting_after` to get the next page.
   */
  readonly listDebitNotes: {
    readonly request: {
      readonly query?: {
        /** The largest number of objects on a page: 1 to 100, 10 when left out. */
        readonly limit?: number
        /**
         * The id of the last object of a page: the answer is the page that follows it, also when the object was deleted
         * meanwhile.
         */
        readonly starting_after?: string
        /** The id of the first object of a page: the answer is the page that comes before it. */
        readonly ending_before?: string
        /** Only notes with this status. */
        readonly status?:
          | "draft"
          | "accepted_by_authority"
          | "rejected_by_authority"
          | "accepted_contingency"
          | "failed"
          | "canceled"
        /** Only notes that correct the invoice with this id. */
        readonly invoice_id?: string
        /** Only the note with this full number, prefix and number together. */
        readonly full_number?: string
        /**
         * Only objects whose metadata has this value under this key, such as `metadata[order]=1001`; at most 5 keys, all
         * of which must fit.
         */
        readonly metadata?: { readonly [name: string]: string }
        /** Only objects created at this time or later. */
        readonly "created[gte]"?: string
        /** Only objects created at this time or earlier. */
        readonly "created[lte]"?: string
      }
      readonly headers?: VersionHeaders
    }
    readonly answer: DebitNotePage
  }
  /**
   * List debit notes, newest first.
   *
   * Gives the objects of all pages. A page is read when its first object is asked for.
   */
  readonly allDebitNotes: {
    readonly request: {
      readonly query?: {
        /** The largest number of objects on a page: 1 to 100, 10 when left out. */
        readonly limit?: number
        /**
         * The id of the last object of a page: the answer is the page that follows it, also when the object was deleted
         * meanwhile.
         */
        readonly starting_after?: string
        /** Only notes with this status. */
        readonly status?:
          | "draft"
          | "accepted_by_authority"
          | "rejected_by_authority"
          | "accepted_contingency"
          | "failed"
          | "canceled"
        /** Only notes that correct the invoice with this id. */
        readonly invoice_id?: string
        /** Only the note with this full number, prefix and number together. */
        readonly full_number?: string
        /**
         * Only objects whose metadata has this value under this key, such as `metadata[order]=1001`; at most 5 keys, all
         * of which must fit.
         */
        readonly metadata?: { readonly [name: string]: string }
        /** Only objects created at this time or later. */
        readonly "created[gte]"?: string
        /** Only objects created at this time or earlier. */
        readonly "created[lte]"?: string
      }
      readonly headers?: VersionHeaders
    }
    readonly item: DebitNote
  }
  /**
   * Check a debit note without creating it.
   *
   * The body is that of a debit note to create, and is checked against the same rules. Nothing is stored and no
   * number is used. `errors` is empty when `valid` is true.
   */
  readonly validateDebitNote: {
    readonly request: {
      readonly payload: DebitNoteRequest
      readonly headers?: VersionHeaders
    }
    readonly answer: Validation
  }
  /**
   * Retrieve a debit note.
   *
   * The full number and the CUDE are shown once the note is numbered. `authority_errors` says why it was rejected,
   * and `failure` why it failed.
   */
  readonly retrieveDebitNote: {
    readonly request: {
      readonly params: {
        /** The id of the object that the request is about. */
        readonly id: string
      }
      readonly headers?: VersionHeaders
    }
    readonly answer: DebitNote
  }
  /**
   * Cancel a debit note that has no number yet.
   *
   * Only a note that has no number can be canceled.
   */
  readonly cancelDebitNote: {
    readonly request: {
      readonly params: {
        /** The id of the object that the request is about. */
        readonly id: string
      }
      readonly headers?: KeyHeaders
    }
    readonly answer: DebitNote
  }
  /**
   * Try a failed debit note again; it keeps the number it has.
   *
   * For a note whose `status` is `failed` and whose `failure.retryable` is true, once the cause is repaired. The
   * note keeps its number, if it has one.
   */
  readonly retryDebitNote: {
    readonly request: {
      readonly params: {
        /** The id of the object that the request is about. */
        readonly id: string
      }
      readonly headers?: KeyHeaders
    }
    readonly answer: DebitNote
  }
  /**
   * Correct a debit note that the authority rejected; it keeps its number.
   *
   * For a note whose `status` is `rejected_by_authority`. The body is the whole corrected note, as if it were
   * created, and may name another invoice. The note keeps its id and its number, and gets a new issue date, CUDE,
   * signed document and e-mail; its timeline keeps the rejection.
   */
  readonly correctDebitNote: {
    readonly request: {
      readonly params: {
        /** The id of the object that the request is about. */
        readonly id: string
      }
      readonly payload: DebitNoteRequest
      readonly headers?: KeyHeaders
    }
    readonly answer: DebitNote
  }
  /**
   * All that has happened to a debit note, oldest first.
   *
   * The entries are changes of state, calls to the tax authority, events, and the deliveries of these events.
   */
  readonly retrieveDebitNoteTimeline: {
    readonly request: {
      readonly params: {
        /** The id of the object that the request is about. */
        readonly id: string
      }
      readonly headers?: VersionHeaders
    }
    readonly answer: TimelinePage
  }
  /**
   * E-mail a debit note again, to the customer or to another address.
   *
   * Folio e-mails each accepted document to the customer's address without being asked. This request sends it once
   * more. An event tells what became of each e-mail. A document can be e-mailed 100 times.
   */
  readonly sendDebitNoteEmail: {
    readonly request: {
      readonly params: {
        /** The id of the object that the request is about. */
        readonly id: string
      }
      readonly payload: EmailRequest
      readonly headers?: KeyHeaders
    }
    readonly answer: EmailSnapshot
  }
  /**
   * List the e-mails of a debit note with their text and attachments, newest first.
   *
   * With `content=true` the answer holds the attachments, in base64. The sandbox sends no e-mail to anybody: read
   * its e-mails here.
   */
  readonly listDebitNoteEmails: {
    readonly request: {
      readonly params: {
        /** The id of the object that the request is about. */
        readonly id: string
      }
      readonly query?: {
        /** The largest number of objects on a page: 1 to 100, 10 when left out. */
        readonly limit?: number
        /**
         * The id of the last object of a page: the answer is the page that follows it, also when the object was deleted
         * meanwhile.
         */
        readonly starting_after?: string
        /** The id of the first object of a page: the answer is the page that comes before it. */
        readonly ending_before?: string
        /** `true`: the answer holds the content of the attachments, in base64. */
        readonly content?: boolean
      }
      readonly headers?: VersionHeaders
    }
    readonly answer: EmailPage
  }
  /**
   * List the e-mails of a debit note with their text and attachments, newest first.
   *
   * Gives the objects of all pages. A page is read when its first object is asked for.
   */
  readonly allDebitNoteEmails: {
    readonly request: {
      readonly params: {
        /** The id of the object that the request is about. */
        readonly id: string
      }
      readonly query?: {
        /** The largest number of objects on a page: 1 to 100, 10 when left out. */
        readonly limit?: number
        /**
         * The id of the last object of a page: the answer is the page that follows it, also when the object was deleted
         * meanwhile.
         */
        readonly starting_after?: string
        /** `true`: the answer holds the content of the attachments, in base64. */
        readonly content?: boolean
      }
      readonly headers?: VersionHeaders
    }
    readonly item: Email
  }
}

/**
 * The request log: the requests that were made with keys of the account in this mode, and their answers. A
 * request is kept for seven days.
 */
export interface RequestsOperations {
  /**
   * List the requests of the last seven days, newest first, without their bodies.
   *
   * While `has_more` is true, send the id of the last object as `starting_after` to get the next page. A request
   * appears within a second. Requests for the log itself, requests with an unknown API key and requests for
   * unknown paths are not in the log.
   */
  readonly listRequests: {
    readonly request: {
      readonly query?: {
        /** The largest number of objects on a page: 1 to 100, 10 when left out. */
        readonly limit?: number
        /**
         * The id of the last object of a page: the answer is the page that follows it, also when the object was deleted
         * meanwhile.
         */
        readonly starting_after?: string
        /** The id of the first object of a page: the answer is the page that comes before it. */
        readonly ending_before?: string
        /**
         * Only requests that were answered with this status, such as `404`, or with a status of this class, such as
         * `4xx`.
         */
        readonly status?: string
        /** Only requests with this HTTP method. */
        readonly method?: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE"
        /** Only requests whose path begins with this. */
        readonly path?: string
        /** Only requests with this API key. */
        readonly api_key_id?: string
        /** Only requests with this idempotency key. */
        readonly idempotency_key?: string
        /** Only requests that worked on or created the object with this id. */
        readonly object_id?: string
        /** Only objects created at this time or later. */
        readonly "created[gte]"?: string
        /** Only objects created at this time or earlier. */
        readonly "created[lte]"?: string
      }
      readonly headers?: VersionHeaders
    }
    readonly answer: LoggedRequestPage
  }
  /**
   * List the requests of the last seven days, newest first, without their bodies.
   *
   * Gives the objects of all pages. A page is read when its first object is asked for.
   */
  readonly allRequests: {
    readonly request: {
      readonly query?: {
        /** The largest number of objects on a page: 1 to 100, 10 when left out. */
        readonly limit?: number
        /**
         * The id of the last object of a page: the answer is the page that follows it, also when the object was deleted
         * meanwhile.
         */
        readonly starting_after?: string
        /**
         * Only requests that were answered with this status, such as `404`, or with a status of this class, such as
         * `4xx`.
         */
        readonly status?: string
        /** Only requests with this HTTP method. */
        readonly method?: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE"
        /** Only requests whose path begins with this. */
        readonly path?: string
        /** Only requests with this API key. */
        readonly api_key_id?: string
        /** Only requests with this idempotency key. */
        readonly idempotency_key?: string
        /** Only requests that worked on or created the object with this id. */
        readonly object_id?: string
        /** Only objects created at this time or later. */
        readonly "created[gte]"?: string
        /** Only objects created at this time or earlier. */
        readonly "created[lte]"?: string
      }
      readonly headers?: VersionHeaders
    }
    readonly item: LoggedRequest
  }
  /**
   * Retrieve a request with its bodies.
   *
   * Secrets are never in the log. Personal data is masked unless the account's `request_log` is `full`. While
   * `request_log` is `off`, nothing is logged.
   */
  readonly retrieveRequest: {
    readonly request: {
      readonly params: {
        /** The id of the object that the request is about. */
        readonly id: string
      }
      readonly headers?: VersionHeaders
    }
    readonly answer: LoggedRequestWithBodies
  }
}

/** The numbering ranges of invoices, which the tax authority grants, and of notes. */
export interface ResolutionsOperations {
  /**
   * Register a numbering range that the tax authority granted, or one of notes.
   *
   * Documents take their numbers from the ranges of the account, without gaps. A range of notes is
   * `document_type`, `prefix` and, to go on where another system stopped, `next_number`. Two ranges that could
   * print the same full number, prefix and number together, are refused with 409.
   */
  readonly createResolution: {
    readonly request: {
      readonly payload: ResolutionRequest
      readonly headers?: KeyHeaders
    }
    readonly answer: Resolution
  }
  /**
   * List numbering ranges, newest first.
   *
   * With document_type, those of one kind of document. While `has_more` is true, send the id of the last object as
   * `starting_after` to get the next page.
   */
  readonly listResolutions: {
    readonly request: {
      readonly query?: {
        /** The largest number of objects on a page: 1 to 100, 10 when left out. */
        readonly limit?: number
        /**
         * The id of the last object of a page: the answer is the page that follows it, also when the object was deleted
         * meanwhile.
         */
        readonly starting_after?: string
        /** The id of the first object of a page: the answer is the page that comes before it. */
        readonly ending_before?: string
        /**
         * Only the ranges of this kind of document, for notes also the counter that the service made. Left out, all
         * ranges that were registered.
         */
        readonly document_type?: "invoice" | "credit_note" | "debit_note"
      }
      readonly headers?: VersionHeaders
    }
    readonly answer: ResolutionPage
  }
  /**
   * List numbering ranges, newest first.
   *
   * Gives the objects of all pages. A page is read when its first object is asked for.
   */
  readonly allResolutions: {
    readonly request: {
      readonly query?: {
        /** The largest number of objects on a page: 1 to 100, 10 when left out. */
        readonly limit?: number
        /**
         * The id of the last object of a page: the answer is the page that follows it, also when the object was deleted
         * meanwhile.
         */
        readonly starting_after?: string
        /**
         * Only the ranges of this kind of document, for notes also the counter that the service made. Left out, all
         * ranges that were registered.
         */
        readonly document_type?: "invoice" | "credit_note" | "debit_note"
      }
      readonly headers?: VersionHeaders
    }
    readonly item: Resolution
  }
  /**
   * Import the numbering ranges of the issuer from the tax authority.
   *
   * Only with a live key. Asks the tax authority for the ranges of the issuer and registers those that are new. A
   * range of which another system used a part has to be registered with POST /v1/resolutions and `next_number`
   * instead.
   */
  readonly importResolutions: {
    readonly request: {
      readonly headers?: KeyHeaders
    }
    readonly answer: ResolutionImport
  }
  /**
   * Retrieve a numbering range.
   *
   * `remaining` is the count of numbers that were not given yet.
   */
  readonly retrieveResolution: {
    readonly request: {
      readonly params: {
        /** The id of the object that the request is about. */
        readonly id: string
      }
      readonly headers?: VersionHeaders
    }
    readonly answer: Resolution
  }
  /**
   * Activate or deactivate a numbering range, or extend its validity.
   *
   * `is_active` and, for a range of invoices, `valid_to` can be changed. Prefix and numbers of a range never
   * change, because documents carry them.
   */
  readonly updateResolution: {
    readonly request: {
      readonly params: {
        /** The id of the object that the request is about. */
        readonly id: string
      }
      readonly payload: ResolutionUpdate
      readonly headers?: KeyHeaders
    }
    readonly answer: Resolution
  }
  /**
   * Change a range: the same as PATCH.
   *
   * For clients whose HTTP library cannot send PATCH.
   */
  readonly updateResolutionByPost: {
    readonly request: {
      readonly params: {
        /** The id of the object that the request is about. */
        readonly id: string
      }
      readonly payload: ResolutionUpdate
      readonly headers?: KeyHeaders
    }
    readonly answer: Resolution
  }
}

/** Events: what happened to documents and their e-mails. */
export interface EventsOperations {
  /**
   * List events, newest first; with after, follow them, oldest first.
   *
   * Without `after` the newest events come first. With `after`, the events that follow come, oldest first; with
   * `wait` the answer waits up to 20 seconds for the next event: a way to learn of outcomes without a webhook.
   */
  readonly listEvents: {
    readonly request: {
      readonly query?: {
        /** The largest number of objects on a page: 1 to 100, 10 when left out. */
        readonly limit?: number
        /**
         * The id of the last object of a page: the answer is the page that follows it, also when the object was deleted
         * meanwhile.
         */
        readonly starting_after?: string
        /** The id of the first object of a page: the answer is the page that comes before it. */
        readonly ending_before?: string
        /** Only events of this event type. */
        readonly type?: EventType
        /** Only events of these event types. */
        readonly "types[]"?: ReadonlyArray<EventType>
        /** Only events of the document with this id. */
        readonly object_id?: string
        /** Only objects created at this time or later. */
        readonly "created[gte]"?: string
        /** Only objects created at this time or earlier. */
        readonly "created[lte]"?: string
        /** The id of an event: the answer holds the events that follow it, oldest first. */
        readonly after?: string
        /** Goes with `after`: the number of seconds, up to 20, to wait for a new event when there is none. */
        readonly wait?: number
      }
      readonly headers?: VersionHeaders
    }
    readonly answer: EventPage
  }
  /**
   * List events, newest first; with after, follow them, oldest first.
   *
   * Gives the objects of all pages. A page is read when its first object is asked for.
   */
  readonly allEvents: {
    readonly request: {
      readonly query?: {
        /** The largest number of objects on a page: 1 to 100, 10 when left out. */
        readonly limit?: number
        /**
         * The id of the last object of a page: the answer is the page that follows it, also when the object was deleted
         * meanwhile.
         */
        readonly starting_after?: string
        /** Only events of this event type. */
        readonly type?: EventType
        /** Only events of these event types. */
        readonly "types[]"?: ReadonlyArray<EventType>
        /** Only events of the document with this id. */
        readonly object_id?: string
        /** Only objects created at this time or later. */
        readonly "created[gte]"?: string
        /** Only objects created at this time or earlier. */
        readonly "created[lte]"?: string
        /** The id of an event: the answer holds the events that follow it, oldest first. */
        readonly after?: string
        /** Goes with `after`: the number of seconds, up to 20, to wait for a new event when there is none. */
        readonly wait?: number
      }
      readonly headers?: VersionHeaders
    }
    readonly item: Event
  }
  /**
   * Retrieve an event.
   *
   * The body is byte for byte the one that each delivery of the event sends.
   */
  readonly retrieveEvent: {
    readonly request: {
      readonly params: {
        /** The id of the object that the request is about. */
        readonly id: string
      }
      readonly headers?: VersionHeaders
    }
    readonly answer: Event
  }
  /**
   * List the deliveries of an event with their latest attempts, newest first.
   *
   * There is one delivery for each webhook endpoint that was subscribed to the event's type when the event
   * happened.
   */
  readonly listEventDeliveries: {
    readonly request: {
      readonly params: {
        /** The id of the object that the request is about. */
        readonly id: string
      }
      readonly query?: {
        /** The largest number of objects on a page: 1 to 100, 10 when left out. */
        readonly limit?: number
        /**
         * The id of the last object of a page: the answer is the page that follows it, also when the object was deleted
         * meanwhile.
         */
        readonly starting_after?: string
        /** The id of the first object of a page: the answer is the page that comes before it. */
        readonly ending_before?: string
      }
      readonly headers?: VersionHeaders
    }
    readonly answer: DeliveryPage
  }
  /**
   * List the deliveries of an event with their latest attempts, newest first.
   *
   * Gives the objects of all pages. A page is read when its first object is asked for.
   */
  readonly allEventDeliveries: {
    readonly request: {
      readonly params: {
        /** The id of the object that the request is about. */
        readonly id: string
      }
      readonly query?: {
        /** The largest number of objects on a page: 1 to 100, 10 when left out. */
        readonly limit?: number
        /**
         * The id of the last object of a page: the answer is the page that follows it, also when the object was deleted
         * meanwhile.
         */
        readonly starting_after?: string
      }
      readonly headers?: VersionHeaders
    }
    readonly item: Delivery
  }
}

/** Webhook endpoints: the URLs that events are delivered to. */
export interface WebhookEndpointsOperations {
  /**
   * Register a webhook endpoint; the answer shows its signing secret.
   *
   * The answer shows the signing secret once. The endpoint receives the events of the mode of the API key that
   * registers it.
   */
  readonly createWebhookEndpoint: {
    readonly request: {
      readonly payload: WebhookEndpointRequest
      readonly headers?: KeyHeaders
    }
    readonly answer: WebhookEndpointWithSecret
  }
  /**
   * List webhook endpoints, newest first, without their signing secrets.
   *
   * While `has_more` is true, send the id of the last object as `starting_after` to get the next page.
   */
  readonly listWebhookEndpoints: {
    readonly request: {
      readonly query?: {
        /** The largest number of objects on a page: 1 to 100, 10 when left out. */
        readonly limit?: number
        /**
         * The id of the last object of a page: the answer is the page that follows it, also when the object was deleted
         * meanwhile.
         */
        readonly starting_after?: string
        /** The id of the first object of a page: the answer is the page that comes before it. */
        readonly ending_before?: string
      }
      readonly headers?: VersionHeaders
    }
    readonly answer: WebhookEndpointPage
  }
  /**
   * List webhook endpoints, newest first, without their signing secrets.
   *
   * Gives the objects of all pages. A page is read when its first object is asked for.
   */
  readonly allWebhookEndpoints: {
    readonly request: {
      readonly query?: {
        /** The largest number of objects on a page: 1 to 100, 10 when left out. */
        readonly limit?: number
        /**
         * The id of the last object of a page: the answer is the page that follows it, also when the object was deleted
         * meanwhile.
         */
        readonly starting_after?: string
      }
      readonly headers?: VersionHeaders
    }
    readonly item: WebhookEndpoint
  }
  /**
   * Retrieve a webhook endpoint, without its signing secret.
   *
   * `health` says since when deliveries fail or wait.
   */
  readonly retrieveWebhookEndpoint: {
    readonly request: {
      readonly params: {
        /** The id of the object that the request is about. */
        readonly id: string
      }
      readonly headers?: VersionHeaders
    }
    readonly answer: WebhookEndpoint
  }
  /**
   * Change a webhook endpoint.
   *
   * The fields in the body are changed, and all other fields stay. With `is_active` false no deliveries are sent;
   * those that wait are sent once `is_active` is true again.
   */
  readonly updateWebhookEndpoint: {
    readonly request: {
      readonly params: {
        /** The id of the object that the request is about. */
        readonly id: string
      }
      readonly payload: WebhookEndpointUpdate
      readonly headers?: KeyHeaders
    }
    readonly answer: WebhookEndpoint
  }
  /**
   * Change a webhook endpoint: the same as PATCH.
   *
   * For clients whose HTTP library cannot send PATCH.
   */
  readonly updateWebhookEndpointByPost: {
    readonly request: {
      readonly params: {
        /** The id of the object that the request is about. */
        readonly id: string
      }
      readonly payload: WebhookEndpointUpdate
      readonly headers?: KeyHeaders
    }
    readonly answer: WebhookEndpoint
  }
  /**
   * Delete a webhook endpoint and cancel the deliveries that wait for it.
   *
   * A deletion cannot be undone.
   */
  readonly deleteWebhookEndpoint: {
    readonly request: {
      readonly params: {
        /** The id of the object that the request is about. */
        readonly id: string
      }
      readonly headers?: VersionHeaders
    }
    readonly answer: DeletedWebhookEndpoint
  }
  /**
   * Replace the signing secret of a webhook endpoint; the answer shows the new one.
   *
   * The old signing secret is replaced at once: a delivery that was signed with it and is under way fails the
   * verification of a receiver that has the new one, and is attempted again.
   */
  readonly rotateWebhookSecret: {
    readonly request: {
      readonly params: {
        /** The id of the object that the request is about. */
        readonly id: string
      }
      readonly headers?: KeyHeaders
    }
    readonly answer: WebhookEndpointWithSecret
  }
}

/** Deliveries of events to webhook endpoints, and their attempts. */
export interface WebhookDeliveriesOperations {
  /**
   * List the deliveries of a webhook endpoint with their latest attempts, newest first.
   *
   * Use `status` to list only deliveries in one state, such as `failed` for those that were given up.
   */
  readonly listWebhookEndpointDeliveries: {
    readonly request: {
      readonly params: {
        /** The id of the object that the request is about. */
        readonly id: string
      }
      readonly query?: {
        /** The largest number of objects on a page: 1 to 100, 10 when left out. */
        readonly limit?: number
        /**
         * The id of the last object of a page: the answer is the page that follows it, also when the object was deleted
         * meanwhile.
         */
        readonly starting_after?: string
        /** The id of the first object of a page: the answer is the page that comes before it. */
        readonly ending_before?: string
        /**
         * The state of the delivery: `pending` until it succeeds or is given up, `succeeded`, `failed` when it is given
         * up, `canceled` when its endpoint was deleted.
         */
        readonly status?: DeliveryStatus
      }
      readonly headers?: VersionHeaders
    }
    readonly answer: DeliveryPage
  }
  /**
   * List the deliveries of a webhook endpoint with their latest attempts, newest first.
   *
   * Gives the objects of all pages. A page is read when its first object is asked for.
   */
  readonly allWebhookEndpointDeliveries: {
    readonly request: {
      readonly params: {
        /** The id of the object that the request is about. */
        readonly id: string
      }
      readonly query?: {
        /** The largest number of objects on a page: 1 to 100, 10 when left out. */
        readonly limit?: number
        /**
         * The id of the last object of a page: the answer is the page that follows it, also when the object was deleted
         * meanwhile.
         */
        readonly starting_after?: string
        /**
         * The state of the delivery: `pending` until it succeeds or is given up, `succeeded`, `failed` when it is given
         * up, `canceled` when its endpoint was deleted.
         */
        readonly status?: DeliveryStatus
      }
      readonly headers?: VersionHeaders
    }
    readonly item: Delivery
  }
  /**
   * Retrieve a delivery with its latest attempts.
   *
   * Each attempt shows the status, the headers and the beginning of the body that the endpoint answered with.
   */
  readonly retrieveWebhookDelivery: {
    readonly request: {
      readonly params: {
        /** The id of the object that the request is about. */
        readonly id: string
      }
      readonly headers?: VersionHeaders
    }
    readonly answer: Delivery
  }
  /**
   * List all attempts of a delivery, newest first.
   *
   * Each attempt shows the status, the headers and the beginning of the body that the endpoint answered with.
   */
  readonly listWebhookDeliveryAttempts: {
    readonly request: {
      readonly params: {
        /** The id of the object that the request is about. */
        readonly id: string
      }
      readonly query?: {
        /** The largest number of objects on a page: 1 to 100, 10 when left out. */
        readonly limit?: number
        /**
         * The id of the last object of a page: the answer is the page that follows it, also when the object was deleted
         * meanwhile.
         */
        readonly starting_after?: string
        /** The id of the first object of a page: the answer is the page that comes before it. */
        readonly ending_before?: string
      }
      readonly headers?: VersionHeaders
    }
    readonly answer: AttemptPage
  }
  /**
   * List all attempts of a delivery, newest first.
   *
   * Gives the objects of all pages. A page is read when its first object is asked for.
   */
  readonly allWebhookDeliveryAttempts: {
    readonly request: {
      readonly params: {
        /** The id of the object that the request is about. */
        readonly id: string
      }
      readonly query?: {
        /** The largest number of objects on a page: 1 to 100, 10 when left out. */
        readonly limit?: number
        /**
         * The id of the last object of a page: the answer is the page that follows it, also when the object was deleted
         * meanwhile.
         */
        readonly starting_after?: string
      }
      readonly headers?: VersionHeaders
    }
    readonly item: Attempt
  }
  /**
   * Attempt a delivery once more, out of schedule, whatever its state.
   *
   * Sends the body of the delivery once more, byte for byte, with a new signature. Planned attempts stay planned.
   */
  readonly redeliverWebhook: {
    readonly request: {
      readonly params: {
        /** The id of the object that the request is about. */
        readonly id: string
      }
      readonly headers?: KeyHeaders
    }
    readonly answer: Delivery
  }
  /**
   * Deliver again what a webhook endpoint missed since a time.
   *
   * For use after an outage of the receiving server. Delivers each event since the given time whose delivery to
   * this endpoint failed, and each one of a subscribed type that was never delivered to it.
   */
  readonly recoverWebhookEndpoint: {
    readonly request: {
      readonly params: {
        /** The id of the object that the request is about. */
        readonly id: string
      }
      readonly payload: RecoverRequest
      readonly headers?: KeyHeaders
    }
    readonly answer: Recovery
  }
  /**
   * Send a sample event to one webhook endpoint.
   *
   * The sample event is marked as a test and is about a document that does not exist. An inactive endpoint is
   * refused with 409.
   */
  readonly testWebhookEndpoint: {
    readonly request: {
      readonly params: {
        /** The id of the object that the request is about. */
        readonly id: string
      }
      readonly payload: WebhookTestRequest
      readonly headers?: KeyHeaders
    }
    readonly answer: Delivery
  }
}

/** Catalogs of the codes that requests carry. */
export interface CatalogsOperations {
  /**
   * Retrieve a catalog of codes.
   *
   * The codes of the tax authority that requests carry. The answer may be cached for 24 hours; a request with
   * `If-None-Match` is answered with 304 when the client's copy is current.
   */
  readonly retrieveCatalog: {
    readonly request: {
      readonly params: {
        /**
         * The name of the catalog: medios-pago, tipo-identificacion, unidad-medida, tributos, tipo-operacion,
         * concepto-nota-credito, concepto-nota-debito, retenciones, estandar-item, precio-referencia, tipo-descuento,
         * incoterms, responsabilidad-fiscal.
         */
        readonly catalog: string
      }
      readonly headers?: VersionHeaders
    }
    readonly answer: Catalog
  }
}

/** For tests: how the simulated tax authority behaves, and how time passes in the test mode. */
export interface TestHelpersOperations {
  /**
   * Set how the simulated tax authority behaves, in general or for the next documents.
   *
   * Only with a test key. Applies to the test mode of this account and to no other account. While the simulated
   * authority is `down`, documents are issued in contingency, as in an outage of the real authority. `next`
   * scripts the account's next documents one by one, in the order of their creation; a document keeps the script
   * that it took.
   */
  readonly setSandboxAuthority: {
    readonly request: {
      readonly payload: AuthorityModeRequest
      readonly headers?: KeyHeaders
    }
    readonly answer: SandboxAuthority
  }
  /**
   * Advance the clock of the test mode: planned attempts come sooner.
   *
   * Only with a test key. Planned attempts of documents, e-mails and webhook deliveries of this account's test
   * mode come sooner, and an outage of its simulated authority counts as longer. Dates that stand in documents do
   * not change.
   */
  readonly advanceClock: {
    readonly request: {
      readonly payload: AdvanceRequest
      readonly headers?: KeyHeaders
    }
    readonly answer: ClockAdvance
  }
}

/** Dated versions of the interface. */
export interface VersionsOperations {
  /**
   * List the dated versions of the interface, newest first; no API key needed.
   *
   * A request chooses a version with the header Svc-Version. Without this header it uses the default version of
   * the account.
   */
  readonly listVersions: {
    readonly request: {}
    readonly answer: VersionList
  }
}

/** Checks for load balancers and monitors; no API key needed. */
export interface HealthOperations {
  /**
   * Check that the process runs.
   *
   * Answers 200 while the process runs, also when its database cannot be reached.
   */
  readonly live: {
    readonly request: {}
    readonly answer: Health
  }
  /**
   * Check that the process can serve: its database takes changes, and its actors run.
   *
   * For load balancers: any answer but 200 means that requests should go to another process for now. While calls
   * of the live tax authority fail, the answer is still 200, because documents are taken all the same, and
   * `authority` says what is wrong.
   */
  readonly ready: {
    readonly request: {}
    readonly answer: Readiness
  }
}

/** What each operation takes and answers, by group; of a list that is read to its end, what it gives. */
export interface Operations {
  /** The business account that issues documents. */
  readonly account: AccountOperations
  /** The API keys of the account, in the mode of the key that asks. */
  readonly apiKeys: ApiKeysOperations
  /**
   * Sessions of the portal, Folio's pages at `/portal`: each lets one browser in, for some time and with some of
   * the rights of the key that created it.
   */
  readonly portalSessions: PortalSessionsOperations
  /** The buyers of invoices, whom the tax authority calls acquirers. */
  readonly customers: CustomersOperations
  /** Buyers as the tax authority knows them. */
  readonly acquirers: AcquirersOperations
  /** Electronic invoices: created, listed, canceled, retried, annulled and e-mailed. */
  readonly invoices: InvoicesOperations
  /** The PDF and the signed XML of documents. */
  readonly files: FilesOperations
  /** Credit notes, which take back a part of an invoice or all of it. */
  readonly creditNotes: CreditNotesOperations
  /** Debit notes, which charge more than an invoice did. */
  readonly debitNotes: DebitNotesOperations
  /**
   * The request log: the requests that were made with keys of the account in this mode, and their answers. A
   * request is kept for seven days.
   */
  readonly requests: RequestsOperations
  /** The numbering ranges of invoices, which the tax authority grants, and of notes. */
  readonly resolutions: ResolutionsOperations
  /** Events: what happened to documents and their e-mails. */
  readonly events: EventsOperations
  /** Webhook endpoints: the URLs that events are delivered to. */
  readonly webhookEndpoints: WebhookEndpointsOperations
  /** Deliveries of events to webhook endpoints, and their attempts. */
  readonly webhookDeliveries: WebhookDeliveriesOperations
  /** Catalogs of the codes that requests carry. */
  readonly catalogs: CatalogsOperations
  /** For tests: how the simulated tax authority behaves, and how time passes in the test mode. */
  readonly testHelpers: TestHelpersOperations
  /** Dated versions of the interface. */
  readonly versions: VersionsOperations
  /** Checks for load balancers and monitors; no API key needed. */
  readonly health: HealthOperations
}

/** The method and path of each operation. @internal */
export const routes: { readonly [Group in keyof Operations]: { readonly [Name in keyof Operations[Group]]: string } } =
  {
    account: {
      retrieveAccount: "GET /v1/account",
      updateAccount: "PATCH /v1/account",
      updateAccountByPost: "POST /v1/account",
      uploadCertificate: "POST /v1/account/certificate",
      startEnablement: "POST /v1/account/enablement",
      retrieveEnablement: "GET /v1/account/enablement",
      putSoftware: "PUT /v1/account/software",
      deleteSoftware: "DELETE /v1/account/software",
      putLogo: "PUT /v1/account/logo",
      retrieveLogo: "GET /v1/account/logo",
      deleteLogo: "DELETE /v1/account/logo"
    },
    apiKeys: {
      createApiKey: "POST /v1/api-keys",
      listApiKeys: "GET /v1/api-keys",
      allApiKeys: "GET /v1/api-keys",
      retrieveApiKey: "GET /v1/api-keys/{id}",
      revokeApiKey: "DELETE /v1/api-keys/{id}",
      rollApiKey: "POST /v1/api-keys/{id}/roll"
    },
    portalSessions: {
      createPortalSession: "POST /v1/portal-sessions",
      listPortalSessions: "GET /v1/portal-sessions",
      allPortalSessions: "GET /v1/portal-sessions",
      retrievePortalSession: "GET /v1/portal-sessions/{id}",
      endPortalSession: "DELETE /v1/portal-sessions/{id}"
    },
    customers: {
      createCustomer: "POST /v1/customers",
      listCustomers: "GET /v1/customers",
      allCustomers: "GET /v1/customers",
      validateCustomer: "POST /v1/customers/validate",
      putCustomer: "PUT /v1/customers/{id}",
      retrieveCustomer: "GET /v1/customers/{id}",
      updateCustomer: "PATCH /v1/customers/{id}",
      updateCustomerByPost: "POST /v1/customers/{id}",
      deleteCustomer: "DELETE /v1/customers/{id}"
    },
    acquirers: { retrieveAcquirer: "GET /v1/acquirers/{id}" },
    invoices: {
      createInvoice: "POST /v1/invoices",
      listInvoices: "GET /v1/invoices",
      allInvoices: "GET /v1/invoices",
      validateInvoice: "POST /v1/invoices/validate",
      retrieveInvoice: "GET /v1/invoices/{id}",
      cancelInvoice: "POST /v1/invoices/{id}/cancel",
      retryInvoice: "POST /v1/invoices/{id}/retry",
      correctInvoice: "POST /v1/invoices/{id}/correct",
      annulInvoice: "POST /v1/invoices/{id}/annul",
      retrieveInvoiceTimeline: "GET /v1/invoices/{id}/timeline",
      sendInvoiceEmail: "POST /v1/invoices/{id}/email",
      listInvoiceEmails: "GET /v1/invoices/{id}/emails",
      allInvoiceEmails: "GET /v1/invoices/{id}/emails"
    },
    files: {
      retrieveInvoicePdf: "GET /v1/invoices/{id}/pdf",
      retrieveInvoiceXml: "GET /v1/invoices/{id}/xml",
      retrieveCreditNotePdf: "GET /v1/credit-notes/{id}/pdf",
      retrieveCreditNoteXml: "GET /v1/credit-notes/{id}/xml",
      retrieveDebitNotePdf: "GET /v1/debit-notes/{id}/pdf",
      retrieveDebitNoteXml: "GET /v1/debit-notes/{id}/xml"
    },
    creditNotes: {
      createCreditNote: "POST /v1/credit-notes",
      listCreditNotes: "GET /v1/credit-notes",
      allCreditNotes: "GET /v1/credit-notes",
      validateCreditNote: "POST /v1/credit-notes/validate",
      retrieveCreditNote: "GET /v1/credit-notes/{id}",
      cancelCreditNote: "POST /v1/credit-notes/{id}/cancel",
      retryCreditNote: "POST /v1/credit-notes/{id}/retry",
      correctCreditNote: "POST /v1/credit-notes/{id}/correct",
      retrieveCreditNoteTimeline: "GET /v1/credit-notes/{id}/timeline",
      sendCreditNoteEmail: "POST /v1/credit-notes/{id}/email",
      listCreditNoteEmails: "GET /v1/credit-notes/{id}/emails",
      allCreditNoteEmails: "GET /v1/credit-notes/{id}/emails"
    },
    debitNotes: {
      createDebitNote: "POST /v1/debit-notes",
      listDebitNotes: "GET /v1/debit-notes",
      allDebitNotes: "GET /v1/debit-notes",
      validateDebitNote: "POST /v1/debit-notes/validate",
      retrieveDebitNote: "GET /v1/debit-notes/{id}",
      cancelDebitNote: "POST /v1/debit-notes/{id}/cancel",
      retryDebitNote: "POST /v1/debit-notes/{id}/retry",
      correctDebitNote: "POST /v1/debit-notes/{id}/correct",
      retrieveDebitNoteTimeline: "GET /v1/debit-notes/{id}/timeline",
      sendDebitNoteEmail: "POST /v1/debit-notes/{id}/email",
      listDebitNoteEmails: "GET /v1/debit-notes/{id}/emails",
      allDebitNoteEmails: "GET /v1/debit-notes/{id}/emails"
    },
    requests: {
      listRequests: "GET /v1/requests",
      allRequests: "GET /v1/requests",
      retrieveRequest: "GET /v1/requests/{id}"
    },
    resolutions: {
      createResolution: "POST /v1/resolutions",
      listResolutions: "GET /v1/resolutions",
      allResolutions: "GET /v1/resolutions",
      importResolutions: "POST /v1/resolutions/import",
      retrieveResolution: "GET /v1/resolutions/{id}",
      updateResolution: "PATCH /v1/resolutions/{id}",
      updateResolutionByPost: "POST /v1/resolutions/{id}"
    },
    events: {
      listEvents: "GET /v1/events",
      allEvents: "GET /v1/events",
      retrieveEvent: "GET /v1/events/{id}",
      listEventDeliveries: "GET /v1/events/{id}/deliveries",
      allEventDeliveries: "GET /v1/events/{id}/deliveries"
    },
    webhookEndpoints: {
      createWebhookEndpoint: "POST /v1/webhook-endpoints",
      listWebhookEndpoints: "GET /v1/webhook-endpoints",
      allWebhookEndpoints: "GET /v1/webhook-endpoints",
      retrieveWebhookEndpoint: "GET /v1/webhook-endpoints/{id}",
      updateWebhookEndpoint: "PATCH /v1/webhook-endpoints/{id}",
      updateWebhookEndpointByPost: "POST /v1/webhook-endpoints/{id}",
      deleteWebhookEndpoint: "DELETE /v1/webhook-endpoints/{id}",
      rotateWebhookSecret: "POST /v1/webhook-endpoints/{id}/rotate-secret"
    },
    webhookDeliveries: {
      listWebhookEndpointDeliveries: "GET /v1/webhook-endpoints/{id}/deliveries",
      allWebhookEndpointDeliveries: "GET /v1/webhook-endpoints/{id}/deliveries",
      retrieveWebhookDelivery: "GET /v1/webhook-deliveries/{id}",
      listWebhookDeliveryAttempts: "GET /v1/webhook-deliveries/{id}/attempts",
      allWebhookDeliveryAttempts: "GET /v1/webhook-deliveries/{id}/attempts",
      redeliverWebhook: "POST /v1/webhook-deliveries/{id}/redeliver",
      recoverWebhookEndpoint: "POST /v1/webhook-endpoints/{id}/recover",
      testWebhookEndpoint: "POST /v1/webhook-endpoints/{id}/test"
    },
    catalogs: { retrieveCatalog: "GET /v1/catalogs/{catalog}" },
    testHelpers: {
      setSandboxAuthority: "POST /v1/test-helpers/authority",
      advanceClock: "POST /v1/test-helpers/advance"
    },
    versions: { listVersions: "GET /v1/versions" },
    health: { live: "GET /health/live", ready: "GET /health/ready" }
  }
