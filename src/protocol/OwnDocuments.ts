import { Context, Effect, Layer } from "effect"
import { EntityId, Sharding } from "effect/cluster"
import { memberAddress, type MemberKey } from "./Address.ts"
import { InvoiceEntity } from "./Notify.ts"

/** Whether the actor of a document is one of this process: what it would be told, this process can as well begin at once. */
export class OwnDocuments extends Context.Reference<(key: MemberKey) => boolean>("folio/protocol/OwnDocuments", {
  defaultValue: () => () => false
}) {
  /** The documents whose shards this process has now. */
  static readonly layer = Layer.effect(
    OwnDocuments,
    Effect.map(Sharding.Sharding, (sharding) => (key: MemberKey) => {
      const id = EntityId.make(memberAddress(key))
      return sharding.hasShardId(sharding.getShardId(id, InvoiceEntity.getShardGroup(id)))
    })
  )
}
