import { Clock, Effect, Layer } from "effect"
import { Entity, ShardingConfig } from "effect/cluster"
import { workLayer } from "../../src/App.ts"
import * as Account from "../../src/entities/Account.ts"
import * as Invoice from "../../src/entities/Invoice.ts"
import { Workload } from "../../src/entities/Workload.ts"
import * as WebhookEndpoint from "../../src/entities/WebhookEndpoint.ts"
import { AccountEntity } from "../../src/protocol/AccountEntity.ts"
import { accountAddress, memberAddress } from "../../src/protocol/Address.ts"
import { InvoiceEntity } from "../../src/protocol/InvoiceEntity.ts"
import { WebhookEndpointEntity } from "../../src/protocol/WebhookEndpointEntity.ts"
import type { InvoiceKey } from "../../src/store/Invoices.ts"
import type { EndpointKey } from "../../src/store/WebhookEndpoints.ts"
import { Told } from "./Fakes.ts"
import { testMode, world } from "./MemoryApp.ts"
import { MemoryTables } from "./MemoryTables.ts"

/*
 * One kind of actor alone: what it tells others is noted in `Told` and goes nowhere. Each owner that is made is another
 * process's: two of them are one actor living twice, and an owner made later is the actor started again.
 */

export const alone = Layer.mergeAll(Told.layer, ShardingConfig.layer(), Workload.layer).pipe(Layer.provideMerge(world))

export const accountOwner = Effect.flatMap(
  Entity.makeTestClient(AccountEntity, Account.layer.pipe(Layer.provide(workLayer))),
  (client) => client(accountAddress(testMode))
)

const invoiceClient = Entity.makeTestClient(InvoiceEntity, Invoice.layer.pipe(Layer.provide(workLayer)))

export const invoiceOwner = Effect.map(
  invoiceClient,
  (client) => (key: InvoiceKey) => Effect.flatMap(client(memberAddress(key)), (actor) => actor.Proceed())
)

/** An owner that is told to mail. */
export const mailOwner = Effect.map(
  invoiceClient,
  (client) => (key: InvoiceKey) => Effect.flatMap(client(memberAddress(key)), (actor) => actor.Mail())
)

export const endpointOwner = Effect.map(
  Entity.makeTestClient(WebhookEndpointEntity, WebhookEndpoint.layer),
  (client) => (key: EndpointKey) => Effect.flatMap(client(memberAddress(key)), (actor) => actor.Deliver())
)

/** Tells an owner to deliver, and waits until it has nothing more to send at this moment. */
export const deliverAll = Effect.fnUntraced(function* (
  deliver: (key: EndpointKey) => Effect.Effect<void>,
  key: EndpointKey
) {
  const { count, until } = yield* MemoryTables
  const now = yield* Clock.currentTimeMillis
  const [rests, takes] = [count("Deliveries.rest"), count("Deliveries.take")]
  yield* deliver(key)
  // It has looked in vain, or nothing is left to look for.
  yield* until(({ deliveries }) => {
    if (count("Deliveries.rest") > rests) return true
    const pending = [...deliveries.values()].filter(
      ({ endpoint_id, status }) => endpoint_id === key.id && status === "pending"
    )
    const isBusy = pending.some(({ isUnderWay, next_attempt_at }) => isUnderWay || next_attempt_at <= now)
    return count("Deliveries.take") > takes && !isBusy
  })
})

export const invoiceOf = Effect.fnUntraced(function* (key: InvoiceKey) {
  const { tables } = yield* MemoryTables
  const row = tables.invoices.get(key.id)
  return row ?? (yield* Effect.die(`no invoice ${key.id}`))
})

export const deliveryOf = Effect.fnUntraced(function* (id: string) {
  const { tables } = yield* MemoryTables
  const row = tables.deliveries.get(id)
  return row ?? (yield* Effect.die(`no delivery ${id}`))
})
