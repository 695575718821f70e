import { Context, Duration, Effect, Layer } from "effect"
import { Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"
import type { AccountMode } from "../../schemas/Account.ts"
import { accountAddress, memberAddress, type MemberKey } from "./Address.ts"
import { AccountEntity } from "./AccountEntity.ts"

/**
 * One actor for each fiscal document, which takes the document from its number to the authority's verdict.
 *
 * @internal
 */
export const InvoiceEntity = Entity.make("Invoice", [
  /** A tell: carry out the next step, as the document's row says. */
  Rpc.make("Proceed"),
  /** A tell: send the document's e-mails that are due. */
  Rpc.make("Mail")
])

/**
 * One actor for each webhook endpoint, which makes the endpoint's deliveries in order.
 *
 * @internal
 */
export const WebhookEndpointEntity = Entity.make("WebhookEndpoint", [
  /** A tell: send the deliveries that are due. */
  Rpc.make("Deliver")
])

// Ends the tells to the shards of a dead process, which would be sent again and again until the shards have moved.
const timeout = Duration.seconds(2)

/** Carries out a tell beside its caller, for 2 s at most. */
const told = (call: () => Effect.Effect<void>) =>
  Effect.suspend(call).pipe(
    Effect.timeout(timeout),
    Effect.catchCause((cause) => Effect.logError("A tell was lost; the sweeper will repeat it", cause)),
    Effect.forkDetach({ startImmediately: true }),
    Effect.asVoid
  )

/**
 * Tells actors about work, after the sender's commit and without waiting for an answer. A message that is lost (full mailbox,
 * moving shard) delays the work by seconds and loses none of it: the row in the database says what is due, and a regular look at
 * the rows finds it.
 */
export class Notify extends Context.Service<Notify>()("@folio-einvoicing/service/Notify", {
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
  /** Tells the actors that `Sharding` runs, in this process or another one. */
  static readonly layer = Layer.effect(Notify, Notify.make)

  /** `Notify`, which a team may replace, held to its type: a tell runs beside its caller, who goes on however the tell breaks. */
  static readonly layerGuarded = Layer.effect(
    Notify,
    Effect.map(Notify, (port): Notify["Service"] => {
      return {
        numberDrafts: (account) => told(() => port.numberDrafts(account)),
        proceed: (key) => told(() => port.proceed(key)),
        mail: (key) => told(() => port.mail(key)),
        deliver: (key) => told(() => port.deliver(key))
      }
    })
  )
}
