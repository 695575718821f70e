import { Context, Duration, Effect, Layer } from "effect"
import { Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"
import type { AccountMode } from "../../schemas/Account.ts"
import { accountAddress, memberAddress, type MemberKey } from "./Address.ts"
import { AccountEntity } from "./AccountEntity.ts"

/** One actor for each fiscal document, which takes the document from its number to the authority's verdict. */
export const InvoiceEntity = Entity.make("Invoice", [
  /** A tell: carry out the next step, as the document's row says. */
  Rpc.make("Proceed"),
  /** A tell: send the document's e-mails that are due. */
  Rpc.make("Mail")
])

/** One actor for each webhook endpoint, which makes the endpoint's deliveries in order. */
export const WebhookEndpointEntity = Entity.make("WebhookEndpoint", [
  /** A tell: send the deliveries that are due. */
  Rpc.make("Deliver")
])

// Ends the tells to the shards of a dead process, which would be sent again and again until the shards have moved.
const timeout = Duration.seconds(2)

/**
 * Tells actors about work, after the sender's commit and without waiting for an answer. A lost tell (full mailbox, moving shard)
 * costs seconds and loses no work: the row says what is due, and the sweeper tells the actor again.
 */
export class Notify extends Context.Service<Notify>()("folio/protocol/Notify", {
  make: Effect.gen(function* () {
    const accountActor = yield* AccountEntity.client
    const documentActor = yield* InvoiceEntity.client
    const endpointActor = yield* WebhookEndpointEntity.client
    const scope = yield* Effect.scope
    const discard = { discard: true } as const

    // When `tell` ends, a message within this process has arrived; a message to another process or a moving shard is in transit.
    const tell = (message: Effect.Effect<unknown, unknown>) =>
      message.pipe(
        Effect.timeoutOption(timeout),
        Effect.ignore,
        Effect.forkIn(scope, { startImmediately: true }),
        Effect.asVoid
      )
    return {
      numberDrafts: (account: AccountMode) =>
        tell(accountActor(accountAddress(account)).NumberDrafts(undefined, discard)),
      proceed: (key: MemberKey) => tell(documentActor(memberAddress(key)).Proceed(undefined, discard)),
      mail: (key: MemberKey) => tell(documentActor(memberAddress(key)).Mail(undefined, discard)),
      deliver: (key: MemberKey) => tell(endpointActor(memberAddress(key)).Deliver(undefined, discard))
    }
  })
}) {
  static readonly layer = Layer.effect(Notify, Notify.make)
}
