import { Context, Effect, Layer } from "effect"
import type { AccountMode } from "../../schemas/Account.ts"
import { accountAddress, memberAddress } from "../protocol/Address.ts"
import { AccountEntity } from "../protocol/AccountEntity.ts"
import { InvoiceEntity } from "../protocol/InvoiceEntity.ts"
import { WebhookEndpointEntity } from "../protocol/WebhookEndpointEntity.ts"

/**
 * Actors tell, after their commit, and never wait. A tell that is lost (a full mailbox, a shard on the move) costs seconds and
 * no work: the row says what is due, and the sweeper tells again.
 */
export class Telling extends Context.Service<
  Telling,
  {
    readonly numberDrafts: (of: AccountMode) => Effect.Effect<void>
    readonly proceed: (key: AccountMode & { readonly id: string }) => Effect.Effect<void>
    readonly deliver: (key: AccountMode & { readonly id: string }) => Effect.Effect<void>
  }
>()("folio/entities/Telling") {
  static readonly layer = Layer.effect(
    Telling,
    Effect.gen(function* () {
      const account = yield* AccountEntity.client
      const invoice = yield* InvoiceEntity.client
      const endpoint = yield* WebhookEndpointEntity.client
      const discard = { discard: true } as const
      return Telling.of({
        numberDrafts: (of) => Effect.ignore(account(accountAddress(of)).NumberDrafts(undefined, discard)),
        proceed: (key) => Effect.ignore(invoice(memberAddress(key)).Proceed(undefined, discard)),
        deliver: (key) => Effect.ignore(endpoint(memberAddress(key)).Deliver(undefined, discard))
      })
    })
  )
}
