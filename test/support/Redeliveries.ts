import { Context, Effect } from "effect"
import { it } from "@effect/vitest"
import { SqlClient } from "effect/sql"
import type { AttemptTrigger } from "../../schemas/Delivery.ts"
import { DeliveryId, type EventId } from "../../schemas/Id.ts"
import { DeliveryLog } from "../../src/store/DeliveryLog.ts"
import { IdempotencyKeys } from "../../src/store/IdempotencyKeys.ts"
import { Redelivery } from "../../src/store/Redelivery.ts"
import { twoOwners } from "./DeliveryOwners.ts"
import { TestDatabase } from "./Postgres.ts"

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

/** An endpoint with `count` deliveries of documents with two events each, and what an account may ask for, in its view. */
export const world = Effect.fnUntraced(function* (count: number) {
  const owners = yield* twoOwners(count)
  const { key, services } = owners
  const keys = Context.get(services, IdempotencyKeys)
  const redelivery = Context.get(services, Redelivery)
  const inView = <A>(effect: Effect.Effect<A, never>) =>
    Effect.gen(function* () {
      let result: A | undefined
      yield* Effect.orDie(
        keys.once(
          key,
          null,
          Effect.as(
            Effect.tap(effect, (a) => Effect.sync(() => (result = a))),
            answer
          )
        )
      )
      return result as A
    })
  return {
    ...owners,
    log: Context.get(services, DeliveryLog),
    /** `before`: what goes on between the statements and the commit. */
    redeliver: (id: string, before: Effect.Effect<void> = Effect.void) =>
      inView(
        Effect.orDie(
          Effect.tap(
            redelivery.redeliver({ account_id: key.account_id, livemode: false, id: DeliveryId.make(id) }),
            () => before
          )
        )
      ),
    recover: (since: Date) => inView(Effect.orDie(redelivery.recover(key, since))),
    test: (event: EventId) =>
      inView(
        Effect.orDie(
          redelivery.test(key, ([type = "invoice.failed"]) => ({
            id: event,
            type,
            object_id: "inv_sample",
            body: "{}",
            created_at: new Date()
          }))
        )
      )
  }
})

type World = Effect.Success<ReturnType<typeof world>>

/** A test with a database of its own. */
export const onPostgres = (
  name: string,
  test: Effect.Effect<void, unknown, Effect.Services<ReturnType<typeof world>>>
) => it.live(name, () => test.pipe(Effect.provide(TestDatabase.layer)))

export const takeOne = ({ first, key }: World, id: string) =>
  Effect.map(first.take(key, 0), (due) => {
    const found = due.find((delivery) => delivery.id === id)
    if (found === undefined) throw new Error(`${id} was not taken`)
    return found
  })
