import { assert } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { Entity, ShardingConfig } from "effect/cluster"
import { TestClock } from "effect/testing"
import type { DocumentKey } from "../../../schemas/FiscalDocument.ts"
import { layerDocuments, layerWork } from "../../../src/service/Layers.ts"
import * as Account from "../../../src/accounts/AccountActor.ts"
import * as Invoice from "../../../src/invoices/InvoiceActor.ts"
import { readSignedDocument } from "../../../src/documents/signature/SignedDocument.ts"
import { invoiceView } from "../../../src/invoices/store/InvoiceViews.ts"
import { Backpressure } from "../../../src/invoices/Backpressure.ts"
import * as WebhookEndpoint from "../../../src/webhooks/WebhookEndpointActor.ts"
import { AccountEntity } from "../../../src/accounts/AccountEntity.ts"
import { accountAddress, memberAddress } from "../../../src/runtime/Address.ts"
import { InvoiceEntity } from "../../../src/invoices/InvoiceEntity.ts"
import { WebhookEndpointEntity } from "../../../src/webhooks/WebhookEndpointEntity.ts"
import type { EndpointKey } from "../../../src/webhooks/store/WebhookEndpoints.ts"
import { FakeAuthority, FakeReceiver, Told } from "./Fakes.ts"
import { testMode } from "./Accounts.ts"
import { world } from "./MemoryApp.ts"
import { addCustomer, addEndpoint, addNumbered, context, requestFor } from "./MemoryRows.ts"
import { existing, MemoryTables } from "../memory/MemoryTables.ts"

/*
 * A single kind of actor: its messages to others are recorded in `Told` and delivered to no actor. Each new owner
 * belongs to another process: two owners are one actor that runs twice, and a later owner is the restarted actor.
 */

export const aloneOn = (on: typeof world) =>
  Layer.mergeAll(Told.layer, ShardingConfig.layer(), Backpressure.layer, layerDocuments).pipe(Layer.provideMerge(on))

export const alone = aloneOn(world)

export const accountOwner = Effect.flatMap(
  Entity.makeTestClient(AccountEntity, Account.layer.pipe(Layer.provide(layerWork))),
  (client) => client(accountAddress(testMode))
)

const invoiceClient = Entity.makeTestClient(InvoiceEntity, Invoice.layer.pipe(Layer.provide(layerWork)))

export const invoiceOwner = Effect.map(
  invoiceClient,
  (client) => (key: DocumentKey) => Effect.flatMap(client(memberAddress(key)), (actor) => actor.Proceed())
)

/** Sends `Mail` to a document's actor. */
export const mailOwner = Effect.map(
  invoiceClient,
  (client) => (key: DocumentKey) => Effect.flatMap(client(memberAddress(key)), (actor) => actor.Mail())
)

export const endpointOwner = Effect.map(
  Entity.makeTestClient(WebhookEndpointEntity, WebhookEndpoint.layer),
  (client) => (key: EndpointKey) => Effect.flatMap(client(memberAddress(key)), (actor) => actor.Deliver())
)

export const invoiceOf = ({ id }: DocumentKey) =>
  Effect.map(MemoryTables, ({ tables }) => existing(tables.invoices, id))

export const deliveryOf = (id: string) => Effect.map(MemoryTables, ({ tables }) => existing(tables.deliveries, id))

/** An account's actor, and a function that creates an invoice with it. */
export const creating = Effect.gen(function* () {
  const memory = yield* MemoryTables
  const { tables, until } = memory
  const account = yield* accountOwner
  const request = requestFor(yield* addCustomer())
  const create = (key: string, fingerprint?: string) =>
    account.CreateInvoice({ context: context(key, fingerprint), request })
  return { account, create, memory, request, tables, until }
})

/** A numbered document, the actor that issues it, and the authority. */
export const issuing = Effect.gen(function* () {
  const memory = yield* MemoryTables
  const authority = yield* FakeAuthority
  const proceed = yield* invoiceOwner
  const key = yield* addNumbered(yield* addCustomer())
  return { authority, key, memory, proceed, tables: memory.tables }
})

/** An endpoint, the actor that delivers to it, and its receiver. */
export const delivering = Effect.fnUntraced(function* (options: Parameters<typeof addEndpoint>[0] = {}) {
  const receiver = yield* FakeReceiver
  const deliver = yield* endpointOwner
  const endpoint = yield* addEndpoint(options)
  const tell = deliver(endpoint)
  /** Sends `deliver`, and waits until the actor has nothing left to send at this moment. */
  const deliverAll = Effect.gen(function* () {
    const { count, until } = yield* MemoryTables
    const now = yield* Clock.currentTimeMillis
    const [rests, takes] = [count("Deliveries.rest"), count("Deliveries.take")]
    yield* tell
    // It has found nothing due, or nothing is pending.
    yield* until(({ deliveries }) => {
      if (count("Deliveries.rest") > rests) return true
      const pending = [...deliveries.values()].filter(
        ({ endpoint_id, status }) => endpoint_id === endpoint.id && status === "pending"
      )
      const isBusy = pending.some(({ isUnderWay, next_attempt_at }) => isUnderWay || next_attempt_at <= now)
      return count("Deliveries.take") > takes && !isBusy
    })
  })
  /** Advances the time to a delivery's next attempt, and makes the attempt. */
  const goOn = Effect.fnUntraced(function* (id: string) {
    yield* TestClock.setTime((yield* deliveryOf(id)).next_attempt_at)
    yield* deliverAll
  })
  return { deliverAll, endpoint, goOn, receiver, tell }
})

/** Milliseconds until the document's alarm. */
export const waitOf = Effect.fnUntraced(function* (key: DocumentKey) {
  const { next_action_at } = yield* invoiceOf(key)
  return (next_action_at ?? Infinity) - (yield* Clock.currentTimeMillis)
})

export const isAbout = (millis: number, expected: number) =>
  assert.isTrue(millis >= 0.9 * expected && millis <= 1.1 * expected, `${millis} ms is not about ${expected} ms`)

export const commandsOf = (key: DocumentKey) =>
  Effect.map(MemoryTables, ({ tables }) =>
    tables.transitions.filter(({ invoice_id }) => invoice_id === key.id).map(({ command }) => command)
  )

const noLinks = { pdf_url: null, xml_url: null, qr_url: null }

/** An invoice as the API shows it, without an email. */
export const shown = Effect.fnUntraced(function* (key: DocumentKey) {
  return invoiceView({ ...(yield* invoiceOf(key)), email: null, acceptance: null }, noLinks)
})

/** The stored bytes of a document in hexadecimal, and their content. */
export const signedBy = Effect.fnUntraced(function* (key: DocumentKey) {
  const { tables } = yield* MemoryTables
  const { signed } = tables.documents.get(key.id) ?? (yield* Effect.die(`no bytes of ${key.id}`))
  return { hex: Buffer.from(signed).toString("hex"), content: readSignedDocument(signed) }
})

/** The types of a document's events. */
export const eventsOf = (id: string) =>
  Effect.map(MemoryTables, ({ tables }) =>
    tables.events.filter(({ object_id }) => object_id === id).map(({ type }) => type)
  )
