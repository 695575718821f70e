import { Context, Effect, Layer, type Scope } from "effect"
import type { AccountMode } from "../../../schemas/Account.ts"
import { accountAddress } from "../../runtime/Address.ts"
import type { EndpointKey } from "./WebhookEndpoints.ts"

/** A delivery that its event's statement has taken for the first attempt. */
export interface TakenDelivery {
  readonly id: string
  readonly event_id: string
  readonly event_type: string
  readonly body: string
  readonly url: string
  /** The encrypted signing secret. */
  readonly secret: string
}

/** A reserved place for one attempt of an endpoint, until the attempt begins or the place is released. */
export interface ReadyPlace {
  readonly endpoint_id: string
  /** The number of the endpoint's other attempts that are in progress or have a place. */
  readonly inFlight: number
  readonly begin: (delivery: TakenDelivery) => Effect.Effect<void>
  readonly release: () => void
}

/**
 * The endpoints whose actors in this process can begin an attempt immediately. The statement that stores an event takes
 * the event's deliveries for these endpoints, so that no further statement searches for due deliveries.
 */
export class ReadyEndpoints extends Context.Reference<{
  /** Offers an endpoint's places until the scope closes. `reserve` returns undefined while no place is free. */
  readonly offer: (key: EndpointKey, reserve: () => ReadyPlace | undefined) => Effect.Effect<void, never, Scope.Scope>
  /** Reserves one place of each endpoint of the account with a free place. */
  readonly reserve: (account: AccountMode) => ReadonlyArray<ReadyPlace>
}>("folio/webhooks/store/ReadyEndpoints", {
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
              // A later actor of the endpoint may have replaced the offer.
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
