import { Clock, Context, Effect, Layer, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import type { AccountMode } from "../../schemas/Account.ts"
import { ApiError, type Violation } from "../../schemas/ApiError.ts"
import type { CustomerRequest } from "../../schemas/Customer.ts"
import type { DocumentKind } from "../../schemas/FiscalDocument.ts"
import type { DocumentId } from "../../schemas/Id.ts"
import type { InvoiceCreated, InvoiceRequest } from "../../schemas/Invoice.ts"
import type { Totals } from "../../schemas/Line.ts"
import type { WebhookEndpointRequest, WebhookEndpointUpdate } from "../../schemas/WebhookEndpoint.ts"
import { makeWebhookSecret } from "../domain/ApiKeyFormat.ts"
import { localDate, timestamp } from "../domain/AuthorityTime.ts"
import { invoiceViolations } from "../domain/LocalRules.ts"
import { customerViolations } from "../domain/PartyRules.ts"
import { totalsOf } from "../domain/Totals.ts"
import { EgressGuard } from "../outbound/EgressGuard.ts"
import type { RequestContext } from "../protocol/AccountEntity.ts"
import { Fault } from "../protocol/Fault.ts"
import { AuditLog } from "../store/AuditLog.ts"
import { Customers, customerView, type StoredCustomer } from "../store/Customers.ts"
import { type Claim, IdempotencyKeys, type Outcome } from "../store/IdempotencyKeys.ts"
import { Ids } from "../store/Ids.ts"
import { InvoiceCreation } from "../store/InvoiceCreation.ts"
import { prefixViolations, Resolutions } from "../store/Resolutions.ts"
import {
  type EndpointKey,
  endpointView,
  type StoredWebhookEndpoint,
  WebhookEndpoints
} from "../store/WebhookEndpoints.ts"

/** A draft that was made just now and has no number yet. */
export interface NewDraft {
  readonly id: DocumentId
  readonly kind: DocumentKind
  /** Of the range that it asks for; null for any. */
  readonly prefix: string | null
  readonly totals: Totals
  readonly acquirer_number: string
}

const maxInFlightDefault = 8

/** What an account's actor does for a request, apart from the actor. Writes are committed when an effect here ends. */
export class AccountWork extends Context.Service<
  AccountWork,
  {
    readonly createCustomer: (
      of: AccountMode,
      context: RequestContext,
      request: CustomerRequest
    ) => Effect.Effect<Outcome, ApiError>
    readonly createInvoice: (
      of: AccountMode,
      context: RequestContext,
      request: InvoiceRequest
    ) => Effect.Effect<{ readonly outcome: Outcome; readonly draft: Option.Option<NewDraft> }, ApiError>
    readonly createEndpoint: (
      of: AccountMode,
      context: RequestContext,
      request: WebhookEndpointRequest
    ) => Effect.Effect<Outcome, ApiError>
    readonly updateEndpoint: (
      key: EndpointKey,
      context: RequestContext,
      patch: WebhookEndpointUpdate
    ) => Effect.Effect<Outcome, ApiError>
    readonly deleteEndpoint: (key: EndpointKey, context: RequestContext) => Effect.Effect<Outcome, ApiError>
    readonly rotateSecret: (key: EndpointKey, context: RequestContext) => Effect.Effect<Outcome, ApiError>
  }
>()("folio/entities/AccountWork") {
  static readonly layer = Layer.effect(
    AccountWork,
    Effect.gen(function* () {
      const audit = yield* AuditLog
      const creation = yield* InvoiceCreation
      const customers = yield* Customers
      const endpoints = yield* WebhookEndpoints
      const guard = yield* EgressGuard
      const ids = yield* Ids
      const keys = yield* IdempotencyKeys
      const resolutions = yield* Resolutions
      const random = yield* SecureRandom.SecureRandom
      const now = Effect.map(Clock.currentTimeMillis, (millis) => new Date(millis))

      /** A replay comes before the rules: what was accepted once is answered again, whatever the rules say today. */
      const check = Effect.fnUntraced(function* (claim: Claim, violations: ReadonlyArray<Violation>) {
        const [first, ...rest] = violations
        if (first === undefined) return Option.none<Outcome>()
        const stored = yield* keys.lookup(claim)
        if (Option.isNone(stored)) return yield* ApiError.fromViolations([first, ...rest])
        return Option.some({ answer: stored.value, replayed: true })
      })

      const createCustomer: AccountWork["Service"]["createCustomer"] = Effect.fn("AccountWork.createCustomer")(
        function* (of, context, request) {
          const claim = yield* claimOf(context)
          const replay = yield* check(claim, customerViolations(request, of.livemode ? "live" : "test"))
          if (Option.isSome(replay)) return replay.value
          const { metadata = {}, ...acquirer } = request
          const at = yield* now
          const id = yield* ids.customer
          const customer: StoredCustomer = { ...of, id, acquirer, metadata, created_at: at, updated_at: at }
          return yield* customers.create({
            customer,
            claim,
            answer: created(`/v1/customers/${id}`, customerView(customer))
          })
        }
      )

      const createInvoice: AccountWork["Service"]["createInvoice"] = Effect.fn("AccountWork.createInvoice")(
        function* (of, context, request) {
          const claim = yield* claimOf(context)
          const at = yield* now
          const replay = yield* check(claim, [
            ...invoiceViolations(request, localDate(at.getTime())),
            ...(yield* prefixViolations(resolutions, of, request))
          ])
          if (Option.isSome(replay)) return { outcome: replay.value, draft: Option.none() }
          const id = yield* ids.invoice
          const totals = totalsOf(request.lines)
          const body: InvoiceCreated = {
            id,
            object: "invoice",
            status: "draft",
            full_number: "",
            cufe: null,
            created_at: timestamp(at.getTime())
          }
          const answer = { status: 202, location: `/v1/invoices/${id}`, body: JSON.stringify(body) }
          yield* Fault.at("before-create")
          const { acquirer, outcome } = yield* creation.create({
            of,
            claim,
            id,
            request,
            totals,
            answer,
            created_at: at
          })
          yield* Fault.at("after-create")
          return {
            outcome,
            draft: Option.map(acquirer, ({ identification }) => ({
              id,
              kind: "invoice",
              prefix: request.prefix ?? null,
              totals,
              acquirer_number: identification.number
            }))
          }
        }
      )

      const checkUrl = Effect.fnUntraced(function* (url: string) {
        const verdict = guard.checkUrl(url)
        if (verdict._tag === "Allowed") return verdict.href
        return yield* ApiError.fromViolations([{ param: "url", code: verdict.code, message: verdict.message }])
      })

      const createEndpoint: AccountWork["Service"]["createEndpoint"] = Effect.fn("AccountWork.createEndpoint")(
        function* (of, context, request) {
          const create = Effect.gen(function* () {
            const url = yield* checkUrl(request.url)
            const at = yield* now
            const id = yield* ids.webhookEndpoint
            const secret = makeWebhookSecret(yield* random.randomBytes(32))
            const endpoint: StoredWebhookEndpoint = {
              ...of,
              id,
              url,
              description: request.description ?? null,
              subscribed_events: request.subscribed_events,
              is_active: true,
              max_in_flight: request.max_in_flight ?? maxInFlightDefault,
              metadata: request.metadata ?? {},
              api_version: context.version,
              failing_since: null,
              last_success_at: null,
              full_since: null,
              created_at: at,
              updated_at: at
            }
            yield* endpoints.insert(endpoint, secret)
            yield* audit.record(of, context, "webhook_endpoint.created", id)
            return created(`/v1/webhook-endpoints/${id}`, { ...endpointView(endpoint), secret })
          })
          return yield* keys.once(of, optionalClaim(context), create, { secret: true })
        }
      )

      const updateEndpoint: AccountWork["Service"]["updateEndpoint"] = Effect.fn("AccountWork.updateEndpoint")(
        function* (key, context, patch) {
          const update = Effect.gen(function* () {
            const url = patch.url === undefined ? {} : { url: yield* checkUrl(patch.url) }
            const row = yield* found(yield* endpoints.update(key, { ...patch, ...url }, yield* now), key.id)
            yield* audit.record(key, context, "webhook_endpoint.updated", key.id, { changed: Object.keys(patch) })
            return { status: 200, location: null, body: JSON.stringify(endpointView(row)) }
          })
          return yield* keys.once(key, optionalClaim(context), update)
        }
      )

      const deleteEndpoint: AccountWork["Service"]["deleteEndpoint"] = Effect.fn("AccountWork.deleteEndpoint")(
        function* (key, context) {
          const remove = Effect.gen(function* () {
            if (!(yield* endpoints.remove(key))) return yield* ApiError.missing("webhook endpoint", key.id)
            yield* audit.record(key, context, "webhook_endpoint.deleted", key.id)
            const body = JSON.stringify({ id: key.id, object: "webhook_endpoint", deleted: true })
            return { status: 200, location: null, body }
          })
          return yield* keys.once(key, null, remove)
        }
      )

      const rotateSecret: AccountWork["Service"]["rotateSecret"] = Effect.fn("AccountWork.rotateSecret")(
        function* (key, context) {
          const rotate = Effect.gen(function* () {
            const secret = makeWebhookSecret(yield* random.randomBytes(32))
            const row = yield* found(yield* endpoints.replaceSecret(key, secret, yield* now), key.id)
            yield* audit.record(key, context, "webhook_endpoint.secret_rotated", key.id)
            return created(`/v1/webhook-endpoints/${key.id}`, { ...endpointView(row), secret })
          })
          return yield* keys.once(key, optionalClaim(context), rotate, { secret: true })
        }
      )

      return AccountWork.of({
        createCustomer,
        createInvoice,
        createEndpoint,
        updateEndpoint,
        deleteEndpoint,
        rotateSecret
      })
    })
  )
}

const found = (row: Option.Option<StoredWebhookEndpoint>, id: string) =>
  Effect.mapError(Effect.fromOption(row), () => ApiError.missing("webhook endpoint", id))

export const created = (location: string, body: object) => ({ status: 201, location, body: JSON.stringify(body) })

export const optionalClaim = ({ api_key_id, idempotency }: RequestContext): Claim | null =>
  idempotency === null ? null : { api_key_id, value: idempotency.key, fingerprint: idempotency.fingerprint }

export const claimOf = (context: RequestContext): Effect.Effect<Claim, ApiError> => {
  const claim = optionalClaim(context)
  return claim === null
    ? Effect.fail(new ApiError({ code: "idempotency_key_missing", message: "Send the header Idempotency-Key." }))
    : Effect.succeed(claim)
}
