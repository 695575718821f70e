import { Schema } from "effect"
import { Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"
import { AccountUpdate } from "../../schemas/Account.ts"
import { ApiError } from "../../schemas/ApiError.ts"
import { ApiKeyRequest, ApiKeyRollRequest } from "../../schemas/ApiKey.ts"
import { CertificateRequest } from "../../schemas/Certificate.ts"
import { CustomerRequest, CustomerUpdate } from "../../schemas/Customer.ts"
import { EmailNoticeType, EmailRequest } from "../../schemas/Email.ts"
import { RecoverRequest, WebhookTestRequest } from "../../schemas/Delivery.ts"
import { ApiKeyId, CustomerId, DeliveryId, RequestId, ResolutionId, WebhookEndpointId } from "../../schemas/Id.ts"
import { InvoiceRequest } from "../../schemas/Invoice.ts"
import { AnnulRequest, NoteRequest } from "../../schemas/Note.ts"
import { ResolutionRequest, ResolutionUpdate } from "../../schemas/Resolution.ts"
import { AdvanceRequest, AuthorityModeRequest } from "../../schemas/TestHelper.ts"
import { Version } from "../../schemas/Version.ts"
import { WebhookEndpointRequest, WebhookEndpointUpdate } from "../../schemas/WebhookEndpoint.ts"

/** What a request carries beside its body: who sent it, under which idempotency key, for which version. */
export class RequestContext extends Schema.Opaque<RequestContext>()(
  Schema.Struct({
    api_key_id: ApiKeyId,
    /** Of the request that asks, for log lines, spans and the audit log alone, as is its address. */
    request_id: Schema.optionalKey(RequestId),
    ip: Schema.optionalKey(Schema.String),
    version: Version,
    idempotency: Schema.NullOr(Schema.Struct({ key: Schema.String, fingerprint: Schema.String }))
  })
) {}

/**
 * A 2xx answer with its bytes. `in_progress`: another request with this key is still being executed. `document_bytes`: how large the
 * document is that was worked on, if it is not the answer.
 */
export class Answered extends Schema.Opaque<Answered>()(
  Schema.Struct({
    kind: Schema.Literals(["first", "replayed", "in_progress"]),
    status: Schema.Int,
    location: Schema.NullOr(Schema.String),
    body: Schema.String,
    document_bytes: Schema.optionalKey(Schema.Int)
  })
) {}

const command = <const Tag extends string, const Fields extends Schema.Struct.Fields>(tag: Tag, fields: Fields) =>
  Rpc.make(tag, { payload: { context: RequestContext, ...fields }, success: Answered, error: ApiError })

/** One actor for each account and mode: idempotency of its requests and the order of its numbers. */
export const AccountEntity = Entity.make("Account", [
  command("CreateCustomer", { request: CustomerRequest }),
  command("UpdateCustomer", { id: CustomerId, patch: CustomerUpdate }),
  command("DeleteCustomer", { id: CustomerId }),
  command("CreateInvoice", { request: InvoiceRequest }),
  command("CreateNote", { kind: Schema.Literals(["credit_note", "debit_note"]), request: NoteRequest }),
  command("AnnulInvoice", { id: Schema.String, request: AnnulRequest }),
  /** Of any document, as is the retry. */
  command("CancelInvoice", { id: Schema.String }),
  command("RetryInvoice", { id: Schema.String }),
  command("SendEmail", { id: Schema.String, request: EmailRequest }),
  /** What the mail provider says of a message; answers whether that is news. */
  Rpc.make("NoteEmail", {
    payload: {
      invoice_id: Schema.String,
      id: Schema.String,
      type: EmailNoticeType,
      at: Schema.Date,
      reason: Schema.NullOr(Schema.String)
    },
    success: Schema.Boolean
  }),
  command("CreateWebhookEndpoint", { request: WebhookEndpointRequest }),
  command("UpdateWebhookEndpoint", { id: WebhookEndpointId, patch: WebhookEndpointUpdate }),
  command("DeleteWebhookEndpoint", { id: WebhookEndpointId }),
  command("RotateWebhookSecret", { id: WebhookEndpointId }),
  command("RedeliverWebhook", { id: DeliveryId }),
  command("RecoverWebhookEndpoint", { id: WebhookEndpointId, request: RecoverRequest }),
  command("TestWebhookEndpoint", { id: WebhookEndpointId, request: WebhookTestRequest }),
  command("CreateResolution", { request: ResolutionRequest }),
  command("UpdateResolution", { id: ResolutionId, patch: ResolutionUpdate }),
  command("CreateApiKey", { request: ApiKeyRequest }),
  command("RollApiKey", { id: ApiKeyId, request: ApiKeyRollRequest }),
  command("RevokeApiKey", { id: ApiKeyId }),
  command("UpdateAccount", { patch: AccountUpdate }),
  command("SetSandboxAuthority", { request: AuthorityModeRequest }),
  command("AdvanceClock", { request: AdvanceRequest }),
  command("UploadCertificate", { request: CertificateRequest }),
  command("ImportResolutions", {}),
  /** A tell: there are drafts that this actor may not know of. */
  Rpc.make("NumberDrafts")
])
