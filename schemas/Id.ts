import { Schema } from "effect"

/**
 * An id: a type prefix, `_`, and a 26-character lower-case ULID, so that ids sort by creation time. Paths accept any
 * string as an id, because a malformed id matches no object.
 */
const id = (prefix: string) =>
  Schema.String.check(
    Schema.isPattern(new RegExp(`^${prefix}_[0-9a-hjkmnp-tv-z]{26}$`, "u"), {
      message: `must be an id that starts with ${prefix}_`
    })
  ).annotate({
    description: `Identifier: ${prefix}_ and 26 characters. Identifiers sort by creation time.`,
    examples: [`${prefix}_01k9z3v8c2m4n6p8q0r2s4t6v8`]
  })

export const AccountId = id("ten").pipe(Schema.brand("AccountId"))
export type AccountId = typeof AccountId.Type

/** The id of a platform: the id of the platform's own account with another prefix. */
export const PlatformId = id("plat").pipe(Schema.brand("PlatformId"))
export type PlatformId = typeof PlatformId.Type

export const platformIdOf = (account: AccountId): PlatformId => PlatformId.make(`plat${account.slice(3)}`)
export const accountOfPlatform = (platform: PlatformId): AccountId => AccountId.make(`ten${platform.slice(4)}`)

export const CustomerId = id("cust").pipe(Schema.brand("CustomerId"))
export type CustomerId = typeof CustomerId.Type

export const InvoiceId = id("inv").pipe(Schema.brand("InvoiceId"))
export type InvoiceId = typeof InvoiceId.Type

export const NoteId = Schema.String.check(
  Schema.isPattern(/^(cn|dn)_[0-9a-hjkmnp-tv-z]{26}$/u, { message: "must be an id that starts with cn_ or dn_" })
)
  .annotate({
    description: "Identifier of a note: cn_ or dn_ and 26 characters. Identifiers sort by creation time.",
    examples: ["cn_01k9z3v8c2m4n6p8q0r2s4t6v8"]
  })
  .pipe(Schema.brand("NoteId"))
export type NoteId = typeof NoteId.Type

/** The id of a fiscal document. Its prefix determines the document type. */
export const DocumentId = Schema.Union([InvoiceId, NoteId])
export type DocumentId = typeof DocumentId.Type

export const ResolutionId = id("res").pipe(Schema.brand("ResolutionId"))
export type ResolutionId = typeof ResolutionId.Type

export const WebhookEndpointId = id("we").pipe(Schema.brand("WebhookEndpointId"))
export type WebhookEndpointId = typeof WebhookEndpointId.Type

export const EmailId = id("em").pipe(Schema.brand("EmailId"))
export type EmailId = typeof EmailId.Type

export const IncidentId = id("inc").pipe(Schema.brand("IncidentId"))
export type IncidentId = typeof IncidentId.Type

export const NoticeId = id("ntc").pipe(Schema.brand("NoticeId"))
export type NoticeId = typeof NoticeId.Type

export const EventId = id("evt").pipe(Schema.brand("EventId"))
export type EventId = typeof EventId.Type

export const DeliveryId = id("whd").pipe(Schema.brand("DeliveryId"))
export type DeliveryId = typeof DeliveryId.Type

export const AttemptId = Schema.String.check(
  Schema.isPattern(/^whd_[0-9a-hjkmnp-tv-z]{26}_\d{1,9}$/u, { message: "must be the id of a delivery, _ and a number" })
)
  .annotate({
    description: "Identifier of an attempt: the id of its delivery, _ and the number of the attempt.",
    examples: ["whd_01k9z3v8c2m4n6p8q0r2s4t6v8_1"]
  })
  .pipe(Schema.brand("AttemptId"))
export type AttemptId = typeof AttemptId.Type

export const RequestId = id("req").pipe(Schema.brand("RequestId"))
export type RequestId = typeof RequestId.Type

export const ApiKeyId = id("key").pipe(Schema.brand("ApiKeyId"))
export type ApiKeyId = typeof ApiKeyId.Type

export const PortalSessionId = id("ps").pipe(Schema.brand("PortalSessionId"))
export type PortalSessionId = typeof PortalSessionId.Type

export const SoftwareId = id("soft").pipe(Schema.brand("SoftwareId"))
export type SoftwareId = typeof SoftwareId.Type

export const AuditEntryId = id("aud").pipe(Schema.brand("AuditEntryId"))
export type AuditEntryId = typeof AuditEntryId.Type

export const CertificateId = id("cert").pipe(Schema.brand("CertificateId"))
export type CertificateId = typeof CertificateId.Type

/** The ids that Folio generates, by type of object, each with its prefix. Other ids derive from these. */
export const madeIds = {
  account: ["ten", AccountId],
  apiKey: ["key", ApiKeyId],
  certificate: ["cert", CertificateId],
  creditNote: ["cn", NoteId],
  customer: ["cust", CustomerId],
  debitNote: ["dn", NoteId],
  email: ["em", EmailId],
  event: ["evt", EventId],
  incident: ["inc", IncidentId],
  invoice: ["inv", InvoiceId],
  notice: ["ntc", NoticeId],
  portalSession: ["ps", PortalSessionId],
  request: ["req", RequestId],
  resolution: ["res", ResolutionId],
  software: ["soft", SoftwareId],
  webhookEndpoint: ["we", WebhookEndpointId]
} as const
