import { assert } from "@effect/vitest"
import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { DocumentKey } from "../../schemas/FiscalDocument.ts"
import { DeliveryId, InvoiceId, WebhookEndpointId } from "../../schemas/Id.ts"
import { Idempotency } from "../../src/accounts/store/Idempotency.ts"
import { Notify } from "../../src/accounts/Notify.ts"
import { Ids } from "../../src/database/Ids.ts"
import { Transitions } from "../../src/invoices/store/Transitions.ts"
import { DeliveryLog } from "../../src/webhooks/store/DeliveryLog.ts"
import { Redelivery } from "../../src/webhooks/store/Redelivery.ts"
import { account, testMode } from "../support/apps/Accounts.ts"
import { answered, FakeReceiver } from "../support/apps/Fakes.ts"
import { layer as app } from "../support/apps/PostgresApp.ts"
import { addEndpoint } from "../support/apps/PostgresRows.ts"
import { post } from "../support/apps/Requests.ts"
import { until } from "../support/apps/Until.ts"
import { restingAt, seedDrafts } from "../support/database/Owners.ts"
import { passTime } from "../support/receiver/Webhooks.ts"
import { itOn } from "../support/Tests.ts"

const it = itOn(app)

/** The first or second event of a document, with this body. No actor is notified of it. */
const happens = Effect.fnUntraced(function* (id: InvoiceId, body: string, version: 1 | 2 = 1) {
  const key: DocumentKey = { ...testMode, id }
  const event = { id: yield* (yield* Ids).event, type: "invoice.failed", body, created_at: new Date() } as const
  const step =
    version === 1
      ? ({ from: "signed", command: "EnterContingency", to: "accepted_contingency" } as const)
      : ({ from: "accepted_contingency", command: "Accept", to: "accepted_by_authority" } as const)
  yield* (yield* Transitions).move({ key, version, ...step, ...restingAt(step.to), event })
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ id: string }>`select id from deliveries where event_id = ${event.id}`
  return DeliveryId.make(row?.id ?? "")
})

/** An endpoint whose receiver fails each delivery, and documents without events. */
const delivering = Effect.gen(function* () {
  const receiver = yield* FakeReceiver
  const notify = yield* Notify
  const log = yield* DeliveryLog
  const { once } = yield* Idempotency
  const { recover, redeliver } = yield* Redelivery
  receiver.onSend = () => Effect.succeed(answered(500))
  const endpoint = { ...testMode, id: WebhookEndpointId.make(yield* addEndpoint()) }
  const drafts = yield* seedDrafts(account, 6, "signed")
  const others = drafts.splice(2)
  const shown = (id: string) => Effect.map(log.find(testMode, DeliveryId.make(id)), Option.getOrThrow)
  const ordered = <A, E>(command: Effect.Effect<A, E>) =>
    once(testMode, null, Effect.as(Effect.orDie(command), { status: 202, location: null, body: "" }))
  /** Waits until the delivery has this many attempts. */
  const reaches = (id: string, attempts: number) =>
    until(shown(id), ({ attempts_count, planned_at, status }) => {
      return attempts_count === attempts && (status !== "pending" || planned_at !== null)
    })
  /** Makes the attempts that are due, and then delivers the event of another document. */
  const deliverAll = Effect.gen(function* () {
    const id = others.pop() ?? assert.fail("too few documents")
    const last = yield* happens(id, "other")
    yield* notify.deliver(endpoint)
    yield* reaches(last, 1)
    const sql = yield* SqlClient.SqlClient
    yield* sql`update deliveries set status = 'failed' where id = ${last}`
  })
  return {
    first: InvoiceId.make(drafts[0] ?? ""),
    endpoint,
    shown,
    reaches,
    deliverAll,
    /** Lets the time until the next attempt pass, and makes this attempt. */
    retry: Effect.fnUntraced(function* (id: string, attempts: number) {
      yield* passTime
      yield* notify.deliver(endpoint)
      return yield* reaches(id, attempts)
    }),
    deliver: notify.deliver(endpoint),
    /** Orders an attempt. No actor is notified of it. */
    redeliver: (id: DeliveryId) => ordered(redeliver({ ...testMode, id })),
    recover: (since: Date) => ordered(recover(endpoint, since)),
    triggers: (id: string) =>
      Effect.map(shown(id), ({ attempts }) =>
        attempts.toSorted((a, b) => a.number - b.number).map(({ trigger }) => trigger)
      ),
    bodies: () => receiver.requests.map(({ body }) => body).filter((body) => body !== "other"),
    receiver
  }
})

it.live("tries a redelivery once, and leaves the schedule unchanged", function* () {
  const { bodies, deliver, deliverAll, first, reaches, redeliver, retry, shown, triggers } = yield* delivering
  const id = yield* happens(first, "first")
  yield* deliver
  const { planned_at } = yield* reaches(id, 1)
  yield* redeliver(id)
  yield* deliver
  assert.deepInclude(yield* reaches(id, 2), { status: "pending", planned_at })
  for (const attempts of [3, 4, 5]) yield* retry(id, attempts)
  assert.deepInclude(yield* shown(id), { status: "failed", attempts_count: 5 })
  yield* redeliver(id)
  yield* deliver
  assert.deepInclude(yield* reaches(id, 6), { status: "failed" })
  yield* passTime
  yield* deliverAll
  assert.deepStrictEqual(yield* triggers(id), ["auto", "manual", "auto", "auto", "auto", "manual"])
  assert.deepStrictEqual(new Set(bodies()), new Set(["first"]))
})

it.live(
  "keeps the order of its resource: a redelivery waits for earlier events, and later events wait for it",
  function* () {
    const { bodies, deliver, deliverAll, first: key, reaches, receiver, redeliver } = yield* delivering
    const first = yield* happens(key, "first", 1)
    const second = yield* happens(key, "second", 2)
    yield* deliver
    yield* reaches(first, 1)
    yield* redeliver(second)
    yield* deliverAll
    assert.deepStrictEqual(bodies(), ["first"])
    receiver.onSend = () => Effect.succeed(answered(200))
    yield* passTime
    yield* deliver
    yield* reaches(second, 1)
    assert.deepStrictEqual(bodies(), ["first", "first", "second"])
    yield* redeliver(second)
    yield* redeliver(first)
    yield* deliver
    yield* reaches(second, 2)
    assert.deepStrictEqual(bodies().slice(3), ["first", "second"])
  }
)

it.live("starts the schedule again for a recovery", function* () {
  const { first, recover, retry, shown, triggers } = yield* delivering
  const since = new Date(Date.now() - 60_000)
  const id = yield* happens(first, "first")
  for (const attempts of [1, 2, 3, 4]) yield* retry(id, attempts)
  assert.strictEqual((yield* shown(id)).status, "failed")
  yield* recover(since)
  for (const attempts of [5, 6, 7, 8]) {
    assert.strictEqual((yield* shown(id)).status, "pending")
    yield* retry(id, attempts)
  }
  assert.deepInclude(yield* shown(id), { status: "failed", attempts_count: 8 })
  const again = ["recover", "auto", "auto", "auto"]
  assert.deepStrictEqual(yield* triggers(id), ["auto", "auto", "auto", "auto", ...again])
})

it.live("sends a sample once, whatever the response", function* () {
  const { bodies, deliverAll, endpoint, reaches, triggers } = yield* delivering
  const { json, text } = yield* post(`/v1/webhook-endpoints/${endpoint.id}/test`)
  assert.isString(json.id, text)
  assert.deepInclude(yield* reaches(json.id, 1), { status: "failed" })
  yield* passTime
  yield* deliverAll
  assert.deepStrictEqual(
    bodies().map((body) => JSON.parse(String(body)).id),
    [json.event_id]
  )
  assert.deepStrictEqual(yield* triggers(json.id), ["test"])
})
