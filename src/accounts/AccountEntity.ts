import { Clock, Context, Duration, Effect, Layer, Schema, type Scope, Struct } from "effect"
import { Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"
import { AccountRequest, AccountStatus, AccountUpdate } from "../../schemas/Account.ts"
import { ApiError } from "../../schemas/ApiError.ts"
import { ApiKeyRequest, ApiKeyRollRequest, KeyCapability } from "../../schemas/ApiKey.ts"
import { CertificateRequest } from "../../schemas/Certificate.ts"
import { CustomerRequest, CustomerUpdate } from "../../schemas/Customer.ts"
import { EmailNoticeType, EmailRequest } from "../../schemas/Email.ts"
import { RecoverRequest, WebhookTestRequest } from "../../schemas/Delivery.ts"
import {
  ApiKeyId,
  CustomerId,
  DeliveryId,
  PortalSessionId,
  RequestId,
  ResolutionId,
  WebhookEndpointId
} from "../../schemas/Id.ts"
import { EnablementRequest } from "../../schemas/Enablement.ts"
import { InvoiceRequest } from "../../schemas/Invoice.ts"
import { AnnulRequest, NoteRequest } from "../../schemas/Note.ts"
import { PortalSessionRequest } from "../../schemas/PortalSession.ts"
import { Identification } from "../../schemas/Party.ts"
import { ResolutionRequest, ResolutionUpdate } from "../../schemas/Resolution.ts"
import { SoftwareRequest } from "../../schemas/Software.ts"
import { AdvanceRequest, AuthorityModeRequest } from "../../schemas/TestHelper.ts"
import { Version } from "../../schemas/Version.ts"
import { WebhookEndpointRequest, WebhookEndpointUpdate } from "../../schemas/WebhookEndpoint.ts"

/**
 * The parts of a request other than its body: the API key or portal session that sent it, the idempotency key and the
 * API version.
 */
export class RequestContext extends Schema.Opaque<RequestContext>()(
  Schema.Struct({
    api_key_id: ApiKeyId,
    /**
     * The rights of the request, which limit the rights of a key that it makes. Omitted for a request with all rights.
     */
    capabilities: Schema.optionalKey(Schema.Array(KeyCapability)),
    /** The portal session that acts with some of the key's rights, for the audit log. */
    portal_session_id: Schema.optionalKey(PortalSessionId),
    /** The id of the HTTP request and the client's IP address (`ip`), only for log lines, spans and the audit log. */
    request_id: Schema.optionalKey(RequestId),
    ip: Schema.optionalKey(Schema.String),
    version: Version,
    idempotency: Schema.NullOr(Schema.Struct({ key: Schema.String, fingerprint: Schema.String }))
  })
) {}

/**
 * A 2xx response with its bytes. `in_progress`: another request with the same idempotency key is still running.
 * `document_bytes`: the size of the document that the command worked on, if the response is not that document.
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

/** The commands that clients send to an account. */
const commands = [
  command("CreateCustomer", { request: CustomerRequest }),
  command("PutCustomer", { request: CustomerRequest }),
  command("UpdateCustomer", { id: CustomerId, patch: CustomerUpdate }),
  command("DeleteCustomer", { id: CustomerId }),
  command("CreateInvoice", { request: InvoiceRequest }),
  command("CreateNote", { kind: Schema.Literals(["credit_note", "debit_note"]), request: NoteRequest }),
  command("AnnulInvoice", { id: Schema.String, request: AnnulRequest }),
  /** `CancelInvoice` and `RetryInvoice` apply to invoices and notes. */
  command("CancelInvoice", { id: Schema.String }),
  command("RetryInvoice", { id: Schema.String }),
  command("CorrectInvoice", { id: Schema.String, request: InvoiceRequest }),
  command("CorrectNote", { id: Schema.String, request: NoteRequest }),
  command("SendEmail", { id: Schema.String, request: EmailRequest }),
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
  command("CreatePortalSession", { request: PortalSessionRequest }),
  command("EndPortalSession", { id: PortalSessionId }),
  command("UpdateAccount", { patch: AccountUpdate }),
  /** A platform creates an account; only for the own account of a platform. */
  command("CreateAccount", { request: AccountRequest }),
  command("SetAccountStatus", { status: AccountStatus, reason: Schema.NullOr(Schema.String) }),
  command("FindAcquirer", { identification: Schema.Struct(Struct.pick(Identification.fields, ["type", "number"])) }),
  command("PutLogo", { bytes: Schema.Uint8ArrayFromBase64 }),
  command("DeleteLogo", {}),
  command("SetSandboxAuthority", { request: AuthorityModeRequest }),
  command("AdvanceClock", { request: AdvanceRequest }),
  command("UploadCertificate", { request: CertificateRequest }),
  command("StartEnablement", { request: EnablementRequest }),
  command("PutSoftware", { request: SoftwareRequest }),
  command("DeleteSoftware", {}),
  command("ImportResolutions", {})
] as const

/** The actor of each account and mode. It keeps the account's requests idempotent and its numbers in order. */
export const AccountEntity = Entity.make("Account", [
  ...commands,
  /** A notice of the mail provider about an email. Returns whether the notice changed the email's status. */
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
  /** A message without a reply: the account has drafts without a number that the actor may have missed. */
  Rpc.make("NumberDrafts")
])

type Commands = (typeof commands)[number]
export type CommandTag = Commands["_tag"]
export type Payload<Tag extends CommandTag> = Rpc.Payload<Rpc.ExtractTag<Commands, Tag>>

/** The commands of one account's actor. */
export type AccountCommands = {
  readonly [Tag in CommandTag]: (payload: Payload<Tag>) => Effect.Effect<Answered, ApiError>
}

// An actor without messages ends after a minute. Direct calls are not messages, so the actor of a busy account also
// needs a message.
const messageEveryMs = Duration.toMillis("20 seconds")

interface Local {
  readonly commands: AccountCommands
  messageAt: number
}

/**
 * The account actors of this process. A request calls the commands of these actors directly: a message would be
 * validated again and pass through the client, the mailbox and the server of the cluster. By default every command is a
 * message.
 */
export class LocalAccounts extends Context.Reference<{
  /** Registers the actor's commands until the scope closes. */
  readonly offer: (address: string, commands: AccountCommands) => Effect.Effect<void, never, Scope.Scope>
  /**
   * The commands of the account's actor. Undefined if the caller must send a message: every 20 s, or if the actor is
   * not here.
   */
  readonly find: (address: string) => Effect.Effect<AccountCommands | undefined>
}>("folio/accounts/AccountEntity/LocalAccounts", {
  defaultValue: () => ({ offer: () => Effect.void, find: () => Effect.undefined })
}) {
  static readonly layer = Layer.sync(LocalAccounts, () => {
    const all = new Map<string, Local>()
    return {
      offer: (address, own) =>
        Clock.clockWith((clock) => {
          const local = { commands: own, messageAt: clock.currentTimeMillisUnsafe() }
          return Effect.acquireRelease(
            Effect.sync(() => void all.set(address, local)),
            // A later actor of the account may already be registered.
            () => Effect.sync(() => all.get(address) === local && all.delete(address))
          )
        }),
      find: (address) =>
        Clock.clockWith((clock) => {
          const local = all.get(address)
          if (local === undefined) return Effect.undefined
          const now = clock.currentTimeMillisUnsafe()
          if (now - local.messageAt < messageEveryMs) return Effect.succeed(local.commands)
          local.messageAt = now
          return Effect.undefined
        })
    }
  })
}
