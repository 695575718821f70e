import { Context, Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { AttemptTrigger } from "../../../schemas/Delivery.ts"
import { DeliveryId, type EventId } from "../../../schemas/Id.ts"
import { DeliveryLog } from "../../../src/webhooks/store/DeliveryLog.ts"
import { Idempotency } from "../../../src/accounts/store/Idempotency.ts"
import { Redelivery } from "../../../src/webhooks/store/Redelivery.ts"
import { deliveryOwners } from "./DeliveryOwners.ts"

export interface Row {
  readonly id: string
  readonly status: string
  readonly attempts: number
  readonly trigger: AttemptTrigger
  readonly unscheduled: number
  readonly prior_status: string | null
  readonly is_due: boolean
}

/** The deliveries in event order. */
export const rows = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<Row>`
    select id, status, attempts, trigger, unscheduled, prior_status, next_attempt_at <= now() as is_due
    from deliveries order by seq`
})

export const answer = { status: 202, location: null, body: "" }

/**
 * An endpoint with `count` deliveries of documents with two events each, and the commands of an account, in its view.
 */
export const world = Effect.fnUntraced(function* (count: number) {
  const owners = yield* deliveryOwners(count)
  const { account, key, services } = owners
  const keys = Context.get(services, Idempotency)
  const redelivery = Context.get(services, Redelivery)
  /** Runs an account's command in its view. `before` runs between the statements and the commit. */
  const inView = <A>(asked: Effect.Effect<A, unknown>, before: Effect.Effect<void> = Effect.void) =>
    Effect.gen(function* () {
      let result: A | undefined
      const done = Effect.tap(asked, (a) => Effect.sync(() => (result = a)))
      yield* keys.once(key, null, done.pipe(Effect.orDie, Effect.andThen(before), Effect.as(answer)))
      return result as A
    }).pipe(Effect.orDie)
  return {
    ...owners,
    log: Context.get(services, DeliveryLog),
    redeliver: (id: string, before?: Effect.Effect<void>) =>
      inView(redelivery.redeliver({ ...account, id: DeliveryId.make(id) }), before),
    recover: (since: Date, before?: Effect.Effect<void>) => inView(redelivery.recover(key, since), before),
    test: (event: EventId) =>
      inView(
        redelivery.test(key, ([type = "invoice.failed"]) => ({
          id: event,
          type,
          object_id: "inv_sample",
          body: "{}",
          created_at: new Date()
        }))
      )
  }
})

type World = Effect.Success<ReturnType<typeof world>>

export const takeOne = ({ first, key }: World, id: string) =>
  Effect.map(first.take(key, 0), (due) => {
    const found = due.find((delivery) => delivery.id === id)
    if (found === undefined) throw new Error(`${id} was not taken`)
    return found
  })
