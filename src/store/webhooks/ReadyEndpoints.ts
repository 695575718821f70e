import { Context, Effect, Layer, type Scope } from "effect"
import type { AccountMode } from "../../../schemas/Account.ts"
import { accountAddress } from "../../protocol/Address.ts"
import type { EndpointKey } from "./WebhookEndpoints.ts"

/** A delivery that the statement of its event has taken, before its first attempt. */
export interface TakenDelivery {
  readonly id: string
  readonly event_id: string
  readonly event_type: string
  readonly body: string
  readonly url: string
  /** The sealed signing secret. */
  readonly secret: string
}

/** A place for one attempt of an endpoint, kept free until the attempt begins or the place is released. */
export interface ReadyPlace {
  readonly endpoint_id: string
  /** How many other attempts of the endpoint are under way or have a place. */
  readonly inFlight: number
  readonly begin: (delivery: TakenDelivery) => Effect.Effect<void>
  readonly release: () => void
}

/**
 * The endpoints whose actors in this process can begin an attempt immediately. The statement that stores an event takes
 * the event's deliveries for them, so that no further statement has to look for what is due.
 */
export class ReadyEndpoints extends Context.Reference<{
  /** Offers places of an endpoint until the scope closes; `reserve` gives undefined while there is none. */
  readonly offer: (key: EndpointKey, reserve: () => ReadyPlace | undefined) => Effect.Effect<void, never, Scope.Scope>
  /** Reserves one place of each endpoint of the account that has one. */
  readonly reserve: (account: AccountMode) => ReadonlyArray<ReadyPlace>
}>("folio/store/ReadyEndpoints", {
  defaultValue: () => ({ offer: () => Effect.void, reserve: () => [] })
}) {
  static readonly layer = Layer.sync(ReadyEndpoints, () => {
    const all = new Map<string, Map<string, () => ReadyPlace | undefined>>()
    return {
      offer: (key, reserve) =>
        Effect.acquireRelease(
          Effect.sync(() => {
            const own = all.get(accountAddress(key)) ?? new Map<string, () => ReadyPlace | undefined>()
            all.set(accountAddress(key), own.set(key.id, reserve))
          }),
          () =>
            Effect.sync(() => {
              const own = all.get(accountAddress(key))
              // A later actor of the endpoint may have taken over.
              if (own?.get(key.id) === reserve) own.delete(key.id)
              if (own?.size === 0) all.delete(accountAddress(key))
            })
        ),
      reserve: (account) => {
        const own = all.get(accountAddress(account))
        return own === undefined ? [] : [...own.values()].flatMap((reserve) => reserve() ?? [])
      }
    }
  })
}
