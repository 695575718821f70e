import { Context, Duration, Effect, Layer } from "effect"
import type { AccountMode } from "../../schemas/Account.ts"
import { accountAddress, memberAddress, type MemberKey } from "../runtime/Address.ts"
import { InvoiceEntity } from "../invoices/InvoiceEntity.ts"
import { WebhookEndpointEntity } from "../webhooks/WebhookEndpointEntity.ts"
import { AccountEntity } from "./AccountEntity.ts"

// Ends messages to the shards of a dead process. Otherwise they would repeat until the shards have moved.
const timeout = Duration.seconds(2)

/** Sends a message in parallel to its caller, for 2 s at most. */
const guarded = (call: () => Effect.Effect<void>) =>
  Effect.suspend(call).pipe(
    Effect.timeout(timeout),
    Effect.catchCause((cause) => Effect.logError("A message to an actor was lost; the sweeper will repeat it", cause)),
    Effect.forkDetach({ startImmediately: true }),
    Effect.asVoid
  )

/**
 * Notifies actors about work, after the sender's commit and without waiting for a reply. A lost message (full mailbox,
 * moving shard) only delays the work by seconds, because the database row stores the due work and the sweeper finds the
 * row.
 */
export class Notify extends Context.Service<Notify>()("@folio-einvoicing/service/Notify", {
  make: Effect.gen(function* () {
    const accountActor = yield* AccountEntity.client
    const documentActor = yield* InvoiceEntity.client
    const endpointActor = yield* WebhookEndpointEntity.client
    const scope = yield* Effect.scope
    const discard = { discard: true } as const

    // When `send` returns, a message within this process has arrived. A message to another process or a moving shard is
    // in transit.
    const send = (message: Effect.Effect<unknown, unknown>) =>
      message.pipe(
        Effect.timeoutOption(timeout),
        Effect.ignore,
        Effect.forkIn(scope, { startImmediately: true }),
        Effect.asVoid
      )
    return {
      numberDrafts: (account: AccountMode) =>
        send(accountActor(accountAddress(account)).NumberDrafts(undefined, discard)),
      proceed: (key: MemberKey) => send(documentActor(memberAddress(key)).Proceed(undefined, discard)),
      mail: (key: MemberKey) => send(documentActor(memberAddress(key)).Mail(undefined, discard)),
      deliver: (key: MemberKey) => send(endpointActor(memberAddress(key)).Deliver(undefined, discard))
    }
  })
}) {
  /** Notifies the actors that `Sharding` runs, in this process or another one. */
  static readonly layer = Layer.effect(Notify, Notify.make)

  /**
   * A guard around `Notify`, which a team may replace. Each message runs in parallel, so that a failure never stops its
   * caller.
   */
  static readonly layerGuarded = Layer.effect(
    Notify,
    Effect.map(Notify, (port): Notify["Service"] => {
      return {
        numberDrafts: (account) => guarded(() => port.numberDrafts(account)),
        proceed: (key) => guarded(() => port.proceed(key)),
        mail: (key) => guarded(() => port.mail(key)),
        deliver: (key) => guarded(() => port.deliver(key))
      }
    })
  )
}
