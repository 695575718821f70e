import { Context, Duration, Effect, Layer } from "effect"
import type { AccountMode } from "../../schemas/Account.ts"
import { accountAddress, memberAddress } from "../protocol/Address.ts"
import { AccountEntity } from "../protocol/AccountEntity.ts"
import { InvoiceEntity } from "../protocol/InvoiceEntity.ts"
import { WebhookEndpointEntity } from "../protocol/WebhookEndpointEntity.ts"

// While the shards of a dead process move, what is told to them would be sent again and again.
const patience = Duration.seconds(2)

/**
 * Actors tell, after their commit, and never wait. A tell that is lost (a full mailbox, a shard on the move) costs seconds and
 * no work: the row says what is due, and the sweeper tells again.
 */
export class Telling extends Context.Service<
  Telling,
  {
    readonly numberDrafts: (of: AccountMode) => Effect.Effect<void>
    readonly proceed: (key: AccountMode & { readonly id: string }) => Effect.Effect<void>
    readonly mail: (key: AccountMode & { readonly id: string }) => Effect.Effect<void>
    readonly deliver: (key: AccountMode & { readonly id: string }) => Effect.Effect<void>
  }
>()("folio/entities/Telling") {
  static readonly layer = Layer.effect(
    Telling,
    Effect.gen(function* () {
      const account = yield* AccountEntity.client
      const invoice = yield* InvoiceEntity.client
      const endpoint = yield* WebhookEndpointEntity.client
      const scope = yield* Effect.scope
      const discard = { discard: true } as const

      // What is told within this process has arrived when this ends; what goes to another, or has nowhere to go yet, is on its way.
      const tell = (message: Effect.Effect<unknown, unknown>) =>
        message.pipe(
          Effect.timeoutOption(patience),
          Effect.ignore,
          Effect.forkIn(scope, { startImmediately: true }),
          Effect.asVoid
        )
      return Telling.of({
        numberDrafts: (of) => tell(account(accountAddress(of)).NumberDrafts(undefined, discard)),
        proceed: (key) => tell(invoice(memberAddress(key)).Proceed(undefined, discard)),
        mail: (key) => tell(invoice(memberAddress(key)).Mail(undefined, discard)),
        deliver: (key) => tell(endpoint(memberAddress(key)).Deliver(undefined, discard))
      })
    })
  )
}
