import { assert } from "@effect/vitest"
import { Array, Effect, Option } from "effect"
import type { AccountMode } from "../../schemas/Account.ts"
import type { DocumentKey } from "../../schemas/FiscalDocument.ts"
import { DeliveryId } from "../../schemas/Id.ts"
import { ApiKeys } from "../../src/accounts/store/ApiKeys.ts"
import { Deliveries, type DueDelivery, waitingMax } from "../../src/webhooks/store/Deliveries.ts"
import { DeliveryLog } from "../../src/webhooks/store/DeliveryLog.ts"
import { beginning, type EventFilter, Events, type Position } from "../../src/webhooks/store/Events.ts"
import { Redelivery } from "../../src/webhooks/store/Redelivery.ts"
import { type StoredWebhookEndpoint, WebhookEndpoints } from "../../src/webhooks/store/WebhookEndpoints.ts"
import { answered } from "../support/database/Refusals.ts"
import { completed, secret } from "../support/receiver/DeliveryOwners.ts"
import { Contract, type Promises, world } from "./World.ts"

/** An endpoint, and invoices with two deliveries each, made in this order. */
const receiver = Effect.fnUntraced(function* (documents: number, change: Partial<StoredWebhookEndpoint> = {}) {
  const it = yield* world
  const store = yield* Deliveries
  const log = yield* DeliveryLog
  const { redeliver } = yield* Redelivery
  const endpoint = yield* it.endpoint(change)
  const keys = yield* Effect.replicateEffect(it.signed, documents)
  const moves = [
    ...(yield* Effect.forEach(keys, (key, index) => it.enter(key, { secondsAgo: 50 - index }))),
    ...(yield* Effect.forEach(keys, (key, index) => it.accept(key, { secondsAgo: 25 - index })))
  ]
  const take = store.take(endpoint, 0)
  return {
    ...it,
    ...store,
    endpoint,
    keys,
    events: moves.map(({ event }) => event.id),
    times: moves.map(({ event }) => event.created_at),
    take,
    takeOne: Effect.map(take, (due) => due[0]!),
    succeed: (delivery: DueDelivery) => store.record(completed(delivery, true)),
    fail: (delivery: DueDelivery) => store.record(completed(delivery, false)),
    failForGood: (delivery: DueDelivery) => store.record({ ...completed(delivery, false), retryInMs: null }),
    redeliver: ({ id }: Pick<DueDelivery, "id">) => it.asked(redeliver({ ...it.account, id: DeliveryId.make(id) })),
    shown: ({ id }: Pick<DueDelivery, "id">) => Effect.map(log.find(it.account, id), Option.getOrThrow),
    statuses: Effect.map(log.listOfEndpoint(it.account, endpoint.id, null, { limit: 100, cursor: null }), ({ rows }) =>
      rows.map(({ attempts_count, status }) => `${status} ${attempts_count}`).toSorted()
    )
  }
})

const eventsOf = (due: ReadonlyArray<DueDelivery>) => due.map(({ event_id }) => event_id)

export const deliveries: Promises = (test) => {
  test.effect("gives the deliveries of a document in the order of its events, one after the other", function* () {
    const it = yield* receiver(2)
    const first = yield* it.take
    assert.deepStrictEqual(eventsOf(first), it.events.slice(0, 2))
    assert.deepStrictEqual(yield* it.take, [], "the later events wait for those under way")
    yield* it.fail(first[0]!)
    assert.isTrue(yield* it.succeed(first[1]!))
    assert.deepStrictEqual(eventsOf(yield* it.take), it.events.slice(3), "and for a retry")
    assert.deepStrictEqual(yield* it.statuses, ["pending 0", "pending 0", "pending 1", "succeeded 1"])
  })

  test.effect("gives a retry when it is due, and then the delivery that waited behind it", function* () {
    const it = yield* receiver(1)
    const { pass } = yield* Contract
    const taken = yield* it.takeOne
    assert.deepInclude(taken, { attempts: 0, scheduled: 0, trigger: "auto", secret, url: "https://example.com/hooks" })
    assert.isNull((yield* it.shown(taken)).planned_at)
    yield* it.fail(taken)
    assert.isNotNull((yield* it.shown(taken)).planned_at)
    assert.deepStrictEqual(yield* it.take, [])
    yield* pass(29)
    assert.deepStrictEqual(yield* it.take, [])
    yield* pass(2)
    const [retry, ...others] = yield* it.take
    assert.deepStrictEqual(others, [])
    assert.deepInclude(retry, { event_id: taken.event_id, attempts: 1, scheduled: 1 })
    yield* it.failForGood(retry!)
    assert.deepInclude(yield* it.shown(taken), { status: "failed", planned_at: null, attempts_count: 2 })
    assert.deepStrictEqual(eventsOf(yield* it.take), it.events.slice(1))
  })

  test.effect("leaves room for deliveries in flight, and gives at most the requested number", function* () {
    const it = yield* receiver(12)
    const { take } = yield* Deliveries
    assert.lengthOf(yield* take(it.endpoint, 7), 3)
    assert.lengthOf(yield* take(it.endpoint, 10), 0)
    assert.lengthOf(yield* take(it.endpoint, 12), 0)
    assert.lengthOf(yield* take(it.endpoint, 0, 2), 2)
  })

  test.effect("gives a delivery again after its lease, and records one attempt of it", function* () {
    const it = yield* receiver(1)
    const { pass } = yield* Contract
    const lost = yield* it.takeOne
    yield* pass(25)
    const again = yield* it.takeOne
    assert.deepStrictEqual(again, lost)
    yield* answered(Effect.forEach([again, again, again], it.succeed, { concurrency: "unbounded" }))
    yield* answered(it.fail(lost))
    const shown = yield* it.shown(lost)
    assert.deepInclude(shown, { status: "succeeded", attempts_count: 1 })
    assert.deepStrictEqual(
      shown.attempts.map(({ number, response_status, trigger }) => ({ number, response_status, trigger })),
      [{ number: 1, response_status: 200, trigger: "auto" }]
    )
  })

  test.effect("opens the secret that is valid when a delivery is taken", function* () {
    const it = yield* receiver(1)
    const { pass } = yield* Contract
    assert.strictEqual((yield* it.takeOne).secret, secret)
    yield* (yield* WebhookEndpoints).replaceSecret(it.endpoint, "whsec_bmV3", new Date())
    yield* pass(25)
    assert.strictEqual((yield* it.takeOne).secret, "whsec_bmV3")
  })

  test.effect(
    "suspends due deliveries of an inactive endpoint until its activation, and cancels them on its deletion",
    function* () {
      const it = yield* receiver(2)
      const endpoints = yield* WebhookEndpoints
      const due = Effect.map(it.dueEndpoints(1_000), (keys) => keys.filter(({ id }) => id === it.endpoint.id))
      yield* endpoints.update(it.endpoint, { is_active: false }, new Date())
      assert.deepStrictEqual(yield* it.take, [])
      yield* it.rest(it.endpoint)
      assert.deepStrictEqual(yield* due, [])
      yield* endpoints.update(it.endpoint, { is_active: true }, new Date())
      assert.deepStrictEqual(yield* due, [it.endpoint])
      assert.lengthOf(yield* it.take, 2)
      yield* endpoints.remove(it.endpoint)
      assert.deepStrictEqual(yield* it.take, [])
      assert.deepStrictEqual(yield* it.statuses, Array.replicate("canceled 0", 4))
    }
  )

  test.effect(
    "marks an endpoint as full once, fails its later deliveries unsent, and removes the mark again",
    function* () {
      const it = yield* receiver(2)
      const { find } = yield* WebhookEndpoints
      const fullSince = Effect.map(find(it.account, it.endpoint.id), (row) => Option.getOrThrow(row).full_since)
      assert.notInclude(yield* it.markFull(5), it.endpoint.id)
      assert.include(yield* it.markFull(4), it.endpoint.id)
      assert.notInclude(yield* it.markFull(4), it.endpoint.id)
      assert.isNotNull(yield* fullSince)
      assert.deepStrictEqual((yield* it.enter(yield* it.signed)).endpoints, [])
      assert.deepStrictEqual(yield* it.statuses, ["failed 0", ...Array.replicate("pending 0", 4)])
      yield* Effect.forEach(yield* it.take, it.succeed)
      yield* it.markFull(waitingMax)
      assert.isNull(yield* fullSince)
    }
  )
}

/** The result of a delivery's first attempt, and the delivery's status after a requested attempt. */
const asked = [
  { was: "succeeded", succeeds: true, is: "succeeded" },
  { was: "succeeded", succeeds: false, is: "succeeded" },
  { was: "failed", succeeds: true, is: "succeeded" },
  { was: "failed", succeeds: false, is: "failed" },
  { was: "pending", succeeds: true, is: "succeeded" },
  { was: "pending", succeeds: false, is: "pending" }
] as const

export const redeliveries: Promises = (test) => {
  test.effect.each(asked)(
    "leaves a delivery $is that was $was when a requested attempt succeeds: $succeeds",
    function* ({ is, succeeds, was }) {
      const it = yield* receiver(1)
      const { pass } = yield* Contract
      const first = yield* it.takeOne
      yield* it[was === "succeeded" ? "succeed" : was === "failed" ? "failForGood" : "fail"](first)
      const before = yield* it.shown(first)
      // The delivery behind it comes first, unless the schedule of the first has not ended.
      if (was !== "pending") yield* Effect.forEach(yield* it.take, it.succeed)

      assert.deepStrictEqual(yield* it.redeliver(first), it.endpoint)
      yield* it.redeliver(first)
      assert.strictEqual((yield* it.shown(first)).status, "pending")
      const again = yield* it.takeOne
      const { body, event_id, id } = first
      assert.deepInclude(again, { id, body, event_id, trigger: "manual", attempts: 1 })
      yield* it[succeeds ? "succeed" : "failForGood"](again)
      const after = yield* it.shown(first)
      assert.deepInclude(after, { status: is, attempts_count: 2 })
      assert.deepStrictEqual(
        after.attempts.map(({ trigger }) => trigger),
        ["auto", "manual"]
      )
      if (is !== "pending") return
      assert.closeTo(after.planned_at!.getTime(), before.planned_at!.getTime(), 1, "the schedule continues")
      yield* pass(31)
      assert.deepInclude(yield* it.takeOne, { id, trigger: "auto", attempts: 2, scheduled: 1 })
    }
  )

  test.effect("lets one requested attempt follow the attempt under way, before the next event", function* () {
    const it = yield* receiver(1)
    const first = yield* it.takeOne
    yield* Effect.replicateEffect(it.redeliver(first), 3)
    assert.deepStrictEqual(yield* it.take, [])
    yield* it.succeed(first)
    const due = yield* it.take
    assert.deepStrictEqual(
      due.map(({ id, trigger }) => ({ id, trigger })),
      [{ id: first.id, trigger: "manual" }]
    )
    yield* it.failForGood(due[0]!)
    assert.deepInclude(yield* it.shown(first), { status: "succeeded", attempts_count: 2 })
    assert.deepStrictEqual(eventsOf(yield* it.take), it.events.slice(1))
  })

  test.effect("sends the deliveries behind a planned one after a successful requested attempt", function* () {
    const it = yield* receiver(1)
    const head = yield* it.takeOne
    yield* it.fail(head)
    assert.deepStrictEqual(yield* it.take, [])
    yield* it.redeliver(head)
    yield* it.failForGood(yield* it.takeOne)
    assert.deepStrictEqual(yield* it.take, [], "planned as before")
    yield* it.redeliver(head)
    assert.isTrue(yield* it.succeed(yield* it.takeOne))
    assert.deepStrictEqual(eventsOf(yield* it.take), it.events.slice(1))
  })

  test.effect("tries suspended deliveries when the endpoint is active again", function* () {
    const it = yield* receiver(1)
    const endpoints = yield* WebhookEndpoints
    const log = yield* DeliveryLog
    const made = yield* log.listOfEvent(it.account, it.events[0]!, { limit: 1, cursor: null })
    const { id } = made.rows[0]!
    yield* endpoints.update(it.endpoint, { is_active: false }, new Date())
    yield* it.rest(it.endpoint)
    yield* it.redeliver({ id })
    assert.deepStrictEqual(yield* it.take, [])
    yield* it.rest(it.endpoint)
    yield* endpoints.update(it.endpoint, { is_active: true }, new Date())
    const delivery = yield* it.takeOne
    assert.deepInclude(delivery, { id, trigger: "manual" })
    yield* it.failForGood(delivery)
    assert.deepInclude(yield* it.takeOne, { id, trigger: "auto", attempts: 1, scheduled: 0 })
  })
}

/** Steps that may take the delivery of their event, for an endpoint with two places. */
const places = Effect.fnUntraced(function* (change: Partial<StoredWebhookEndpoint> = {}) {
  const it = yield* receiver(0, { max_in_flight: 2, ...change })
  return {
    ...it,
    /** The first event of a document, with a place next to this many attempts. */
    enterWith: (key: DocumentKey, inFlight: number, endpoint_id: string = it.endpoint.id) =>
      it.enter(key, { places: [{ endpoint_id, inFlight }] }),
    acceptWith: (key: DocumentKey) => it.accept(key, { places: [{ endpoint_id: it.endpoint.id, inFlight: 0 }] }),
    due: ({ event: { body, id, type }, taken }: Effect.Success<ReturnType<typeof it.enter>>) =>
      it.dueOf(it.endpoint, { ...taken![0]!, event_id: id, event_type: type, body })
  }
})

export const takenWithTheEvent: Promises = (test) => {
  test.effect(
    "takes the delivery of an endpoint with a free place under a lease, as an owner would take it",
    function* () {
      const it = yield* places()
      const { pass } = yield* Contract
      const moved = yield* it.enterWith(yield* it.signed, 0)
      assert.deepStrictEqual(moved.endpoints, [])
      assert.lengthOf(moved.taken ?? [], 1)
      assert.deepStrictEqual(yield* it.take, [])
      const delivery = yield* it.due(moved)
      assert.deepInclude(yield* it.shown(delivery), { status: "pending", planned_at: null })
      yield* pass(25)
      const asOwner = yield* it.takeOne
      const { attempts, body, event_id, id, scheduled, secret: opened, trigger, url } = delivery
      assert.deepInclude(asOwner, { attempts, body, event_id, id, scheduled, secret: opened, trigger, url })
      yield* it.succeed(asOwner)
      assert.deepStrictEqual(yield* it.statuses, ["succeeded 1"])
    }
  )

  test.effect("takes none beyond max_in_flight, without a place or for another endpoint's place", function* () {
    const it = yield* places()
    const ways = [
      it.enterWith(yield* it.signed, 2),
      it.enter(yield* it.signed),
      it.enterWith(yield* it.signed, 0, "we_other")
    ]
    for (const way of ways) {
      const { endpoints, taken } = yield* way
      assert.deepStrictEqual([endpoints, taken], [[it.endpoint.id], null])
      yield* Effect.forEach(yield* it.take, it.succeed)
    }
    assert.deepStrictEqual(yield* it.statuses, Array.replicate("succeeded 1", 3))
  })

  test.effect("takes none before a delivery that is already due, and one next to those under way", function* () {
    const it = yield* places()
    yield* it.enter(yield* it.signed)
    const { endpoints, taken } = yield* it.enterWith(yield* it.signed, 0)
    assert.deepStrictEqual([endpoints, taken], [[it.endpoint.id], null])
    assert.lengthOf(yield* it.take, 2)
    assert.lengthOf((yield* it.enterWith(yield* it.signed, 0)).taken ?? [], 1)
  })

  test.effect("takes no later event of a document whose earlier one is under way or waits for its retry", function* () {
    const it = yield* places()
    const key = yield* it.signed
    const first = yield* it.enterWith(key, 0)
    const second = yield* it.acceptWith(key)
    assert.deepStrictEqual([second.endpoints, second.taken], [[it.endpoint.id], null])
    yield* it.fail(yield* it.due(first))
    // The deliveries behind the retry are planned with it, so the endpoint has nothing due.
    assert.deepStrictEqual(yield* it.take, [])
    assert.lengthOf((yield* it.enterWith(yield* it.signed, 0)).taken ?? [], 1)
    assert.lengthOf((yield* it.enterWith(yield* it.signed, 1)).taken ?? [], 1)
  })

  test.effect("takes none of a full endpoint, whose delivery is stored as failed", function* () {
    const it = yield* places({ full_since: new Date() })
    const { endpoints, taken } = yield* it.enterWith(yield* it.signed, 0)
    assert.deepStrictEqual([endpoints, taken], [[], null])
    assert.deepStrictEqual(yield* it.statuses, ["failed 0"])
  })
}

const everything: EventFilter = { types: null, object_id: null, from: null, to: null }

export const events: Promises = (test) => {
  test.effect("lists and follows events by type, object and time, from a position on", function* () {
    const it = yield* receiver(2)
    const { shows } = yield* Contract
    const store = yield* Events
    const list = (filter: EventFilter) =>
      Effect.map(store.list(it.account, { limit: 10, cursor: null }, filter), ({ rows }) => rows.map(({ id }) => id))
    const follow = (filter: EventFilter, from: Position = beginning, limit = 10) =>
      Effect.map(store.after(it.account, from, filter, limit), ({ rows }) => rows.map(({ id }) => id))
    const hour = 3_600_000
    const object_id = it.keys[1]!.id
    const cases: ReadonlyArray<readonly [Partial<EventFilter>, ReadonlyArray<number>]> = [
      [{}, [0, 1, 2, 3]],
      [{ types: ["invoice.accepted_contingency"] }, [0, 1]],
      [{ types: ["invoice.accepted_by_authority", "invoice.failed"] }, [2, 3]],
      [{ types: [] }, []],
      [{ object_id }, [1, 3]],
      [{ object_id, types: ["invoice.accepted_by_authority"] }, [3]],
      [{ from: it.times[1]! }, [1, 2, 3]],
      [{ to: it.times[1]! }, [0, 1]],
      [{ from: it.times[1]!, to: it.times[2]! }, [1, 2]],
      [{ object_id, from: it.times[2]! }, [3]],
      [{ from: new Date(+it.times[3]! + hour) }, []],
      [{ to: new Date(+it.times[0]! - hour) }, []]
    ]
    for (const [change, expected] of cases) {
      const filter = { ...everything, ...change }
      const found = expected.map((index) => it.events[index]!)
      yield* shows(follow(filter), found)
      yield* shows(list(filter), found.toReversed())
    }
    yield* shows(follow(everything, beginning, 2), it.events.slice(0, 2))
    const position = yield* store.position(it.account, it.events[1]!)
    yield* shows(follow(everything, position), it.events.slice(2))
  })

  test.effect("hides the events of other accounts and modes", function* () {
    const it = yield* receiver(1)
    const { shows } = yield* Contract
    const store = yield* Events
    const other = yield* world
    const follow = (account: AccountMode) =>
      Effect.map(store.after(account, beginning, everything, 10), ({ rows }) => rows.map(({ id }) => id))
    yield* shows(follow(it.account), it.events)
    for (const account of [other.account, { ...it.account, livemode: true }]) {
      assert.isTrue(Option.isNone(yield* store.find(account, it.events[0]!)))
      const refused = yield* Effect.flip(store.position(account, it.events[0]!))
      assert.deepInclude(refused, { code: "invalid_cursor", param: "after" })
      assert.deepStrictEqual(yield* follow(account), [])
    }
    assert.isTrue(Option.isSome(yield* store.find(it.account, it.events[0]!)))
  })

  test.effect("notifies waiting requests of events that match their filter, and of the end of their key", function* () {
    const it = yield* receiver(1)
    const { shows } = yield* Contract
    const { news } = yield* Events
    const waiter = { account: { ...it.account, api_key_id: it.api_key_id }, position: beginning }
    const filters: ReadonlyArray<Partial<EventFilter>> = [
      {},
      { types: ["invoice.accepted_contingency"], object_id: it.keys[0]!.id },
      { types: ["invoice.failed"] },
      { object_id: "inv_other" }
    ]
    const look = (filter: Partial<EventFilter> = {}) => ({ ...waiter, filter: { ...everything, ...filter } })
    const looks = Effect.map(news(filters.map(look)), (all) => all.map((one) => one.news))
    yield* shows(looks, ["arrived", "arrived", null, null])
    const { revoke } = yield* ApiKeys
    yield* it.asked(revoke({ ...it.account, id: it.api_key_id }, { evenTheLast: true }))
    yield* shows(looks, Array.replicate("key_ended" as const, 4))
  })
}
