import { assert, describe } from "@effect/vitest"
import { Arbitrary, Effect, Layer, Option, Schema } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import {
  check,
  describe as tell,
  type MemoryWorldOptions,
  memoryWorld,
  type OwnCommands,
  ownCommands,
  type Sequence,
  type Stage
} from "./Testing.ts"
import type { DocumentKey } from "../../schemas/FiscalDocument.ts"
import { ApiKeyId } from "../../schemas/Id.ts"
import type { Invoice } from "../../schemas/Invoice.ts"
import { Authority, AuthorityRefusal } from "../../src/invoices/authority/Authority.ts"
import { AccountEntity, RequestContext } from "../../src/accounts/AccountEntity.ts"
import { accountAddress } from "../../src/runtime/Address.ts"
import { InvoiceCommands } from "../../src/invoices/store/InvoiceCommands.ts"
import { Numbering } from "../../src/invoices/store/Numbering.ts"
import { Invoices } from "../../src/invoices/store/Invoices.ts"
import { it } from "../support/Tests.ts"

const context = RequestContext.make({
  api_key_id: ApiKeyId.make(`key_${"a".repeat(26)}`),
  version: "2026-01-01",
  idempotency: null
})

/**
 * A team's own route: it cancels a voided order if that is still possible.
 *
 * @param asks whether it asks the account's actor, as it must, or writes to the store directly
 */
const voidOrder = (asks: boolean) =>
  HttpRouter.use((router) =>
    Effect.gen(function* () {
      const clientOf = yield* AccountEntity.client
      const store = yield* InvoiceCommands
      const past = Effect.fnUntraced(function* (key: DocumentKey) {
        const standing = yield* store.lock(key)
        if (Option.isSome(standing)) yield* store.move(key, standing.value, "Cancel", "canceled")
      })
      const handler = Effect.gen(function* () {
        const key = (yield* Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ json }) => json)) as DocumentKey
        const cancel = asks ? clientOf(accountAddress(key)).CancelInvoice({ id: key.id, context }) : past(key)
        const isDone = yield* Effect.isSuccess(cancel)
        return HttpServerResponse.jsonUnsafe({ voided: isDone })
      })
      yield* router.add("POST", "/internal/void-order", Effect.orDie(handler))
    })
  )

/** Delays the numbering: otherwise an order is hardly ever voided in time. */
const slowNumbers = Layer.effect(
  Numbering,
  Effect.map(Numbering, (store) =>
    Numbering.of({
      ...store,
      numberAll: (drafts) => Effect.andThen(Effect.repeat(Effect.yieldNow, { times: 300 }), store.numberAll(drafts))
    })
  )
)

const place = Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 3 })))

const order = (customer_id: string, quantity: number) => ({
  customer_id,
  currency: "COP",
  operation_type: "10",
  payment_means: { code: "10", type: "1" },
  lines: [
    {
      description: "Pedido",
      quantity: `${quantity}.00`,
      unit_code: "94",
      unit_price: "1000.00",
      line_extension_amount: `${quantity * 1000}.00`,
      taxes: [{ code: "ZZ", rate: "0.00", base: "0.00", value: "0.00" }]
    }
  ]
})

const read = ({ ask }: Stage, id: string) =>
  Effect.map(ask({ method: "GET", path: `/v1/invoices/${id}` }), (reply): Invoice | null =>
    reply?.status === 200 ? JSON.parse(reply.text) : null
  )

const shop = (counts = { orders: 0, voids: 0 }) =>
  ownCommands({
    begin: () => ({ voided: new Set<string>() }),
    commands: {
      "place order": {
        input: place,
        run: (quantity, _, { create, known }) =>
          Effect.gen(function* () {
            const customer = known("customers").find(({ book }) => book === 0)?.id
            if (customer === undefined) return
            const reply = yield* create("invoices", { body: order(customer, quantity + 1), key: `order ${quantity}` })
            if (reply?.status === 202) counts.orders += 1
          })
      },
      "void order": {
        input: place,
        often: 3,
        run: (at, state, { ask, isRough, known, mayBe, world, wrong }) =>
          Effect.gen(function* () {
            const { id } =
              known("invoices")
                .filter(({ book }) => book === 0)
                .at(-1 - at) ?? {}
            if (id === undefined) return
            mayBe(id, "canceled")
            const { account_id, livemode } = world.books[0]!
            const body = { account_id, livemode, id }
            const reply = yield* ask({ method: "POST", path: "/internal/void-order", body })
            if (reply === null || reply.status !== 200) return isRough ? undefined : wrong("the route failed")
            if (JSON.parse(reply.text).voided !== true) return
            state.voided.add(id)
            counts.voids += 1
          })
      }
    },
    end: ({ voided }, stage) =>
      Effect.forEach(voided, (id) =>
        Effect.map(read(stage, id), (invoice) => {
          if (invoice?.status !== "canceled") stage.wrong(`${id} was voided, and is ${invoice?.status}`)
        })
      )
  })

/** Retries the failed documents at night. */
const nightly = (counts = { retried: 0 }) =>
  ownCommands({
    begin: () => null,
    commands: {
      "nightly retries": {
        input: Arbitrary.schema(Schema.Literals([1, 10])),
        often: 1,
        run: (most, _, stage) =>
          Effect.gen(function* () {
            for (const { book, id } of stage.known("invoices").slice(-most)) {
              stage.mayBe(id, "retried")
              const path = `/v1/invoices/${id}/retry`
              const reply = yield* stage.ask({ method: "POST", path, book, key: `retry ${id} ${counts.retried}` })
              if (reply?.status === 202) counts.retried += 1
            }
          })
      }
    }
  })

/** Rejects one submission in three. */
const refusing = Layer.effect(
  Authority,
  Effect.map(Authority, (sandbox) => {
    let calls = 0
    const refusal = Effect.fail(new AuthorityRefusal({ message: "not authorized" }))
    return Authority.of({ ...sandbox, submit: (one) => (++calls % 3 === 0 ? refusal : sandbox.submit(one)) })
  })
)

const checkOwn = Effect.fnUntraced(function* (
  own: OwnCommands,
  options: MemoryWorldOptions,
  how: Parameters<typeof check>[1]
) {
  const world = yield* memoryWorld(options)
  return yield* check(({ seed }: Sequence) => Effect.as(world.reset(seed), world), { ...how, own })
})

const isFew = (at: number) => Effect.sync(() => assert.isBelow(at, 3))

describe("commands of a team's own", () => {
  it.live("pass the check if they are right, among all other steps", () =>
    Effect.gen(function* () {
      const counts = { orders: 0, voids: 0 }
      const { failure } = yield* checkOwn(
        shop(counts),
        { routes: voidOrder(true), store: slowNumbers },
        { runs: 36, seed: "shop" }
      )
      if (failure !== null) assert.fail(tell(failure))
      assert.isAbove(counts.orders, 30)
      assert.isAbove(counts.voids, 3)
    })
  )

  it.live("fail the check if they are wrong, with the shortest sequence, which can be replayed", () =>
    Effect.gen(function* () {
      const options = { routes: voidOrder(false) }
      const { failure } = yield* checkOwn(shop(), options, { runs: 200, seed: "shop" })
      if (failure === null) return assert.fail("was not found")
      assert.isAtMost(failure.shortest.steps.length, 3, tell(failure))
      assert.isAbove(failure.firstLength, 3)
      assert.include(tell(failure), '{"do":"own","name":"void order","input":0}')
      const again = yield* checkOwn(shop(), options, { replay: failure.replay })
      assert.deepStrictEqual(again.failure?.shortest, failure.shortest)
      assert.deepStrictEqual(again.failure?.findings, failure.findings)
    })
  )

  it.live("can retry failed documents", () =>
    Effect.gen(function* () {
      const counts = { retried: 0 }
      const { failure } = yield* checkOwn(nightly(counts), { authority: refusing }, { runs: 20, seed: "nightly" })
      if (failure !== null) assert.fail(tell(failure))
      assert.isAbove(counts.retried, 2)
    })
  )

  it.live("report their findings and their own failures", () =>
    Effect.gen(function* () {
      const own = ownCommands({ begin: () => null, commands: { count: { input: place, run: isFew } } })
      const { failure } = yield* checkOwn(own, {}, { runs: 25, seed: "count" })
      assert.deepStrictEqual(failure?.shortest.steps, [{ do: "own", name: "count", input: 3 }])
      assert.include(failure?.findings.join(), "the command count: AssertionError: expected 3 to be below 3")
    })
  )

  it.live("can run jobs next to the service, with its store and its clock", () =>
    Effect.gen(function* () {
      const world = yield* memoryWorld()
      const own = ownCommands({
        begin: () => null,
        commands: {
          "slow job": {
            input: place,
            run: (minutes, _, { known, wrong }) =>
              Effect.gen(function* () {
                const thing = known("invoices").at(-1)
                if (thing === undefined) return
                const { account_id, livemode } = world.books[thing.book]!
                const began = world.now()
                const found = yield* world.run(
                  Effect.gen(function* () {
                    yield* Effect.sleep(`${minutes} minutes`)
                    return yield* (yield* Invoices).find({ account_id, livemode }, thing.id as Invoice["id"])
                  })
                )
                if (Option.isNone(found)) wrong(`${thing.id} is lost`)
                if (world.now() - began < minutes * 60_000) wrong("the job took no time")
              })
          }
        }
      })
      const fresh = ({ seed }: Sequence) => Effect.as(world.reset(seed), world)
      const { failure } = yield* check(fresh, { runs: 8, seed: "jobs", own })
      if (failure !== null) assert.fail(tell(failure))
    })
  )
})
