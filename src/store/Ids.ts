import { Context, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import {
  AccountId,
  ApiKeyId,
  CustomerId,
  EventId,
  InvoiceId,
  RequestId,
  ResolutionId,
  WebhookEndpointId
} from "../../schemas/Id.ts"

/** New ids. Within a process each sorts after the one before, even within one millisecond. */
export class Ids extends Context.Service<
  Ids,
  {
    readonly account: Effect.Effect<AccountId>
    readonly apiKey: Effect.Effect<ApiKeyId>
    readonly customer: Effect.Effect<CustomerId>
    readonly event: Effect.Effect<EventId>
    readonly invoice: Effect.Effect<InvoiceId>
    readonly request: Effect.Effect<RequestId>
    readonly resolution: Effect.Effect<ResolutionId>
    readonly webhookEndpoint: Effect.Effect<WebhookEndpointId>
  }
>()("folio/store/Ids") {
  static readonly layer = Layer.effect(
    Ids,
    Effect.map(SecureRandom.SecureRandom, (random) => {
      const id = <A>(prefix: string, make: (id: string) => A) =>
        Effect.map(random.ulid, (ulid) => make(`${prefix}_${ulid.toLowerCase()}`))
      return Ids.of({
        account: id("ten", AccountId.make),
        apiKey: id("key", ApiKeyId.make),
        customer: id("cust", CustomerId.make),
        event: id("evt", EventId.make),
        invoice: id("inv", InvoiceId.make),
        request: id("req", RequestId.make),
        resolution: id("res", ResolutionId.make),
        webhookEndpoint: id("we", WebhookEndpointId.make)
      })
    })
  )
}
