import { assert } from "@effect/vitest"
import { Context, Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { InvoiceId } from "../../../schemas/Id.ts"
import { Ids } from "../../../src/store/sql/Ids.ts"
import { Workers } from "../../../src/store/sql/Workers.ts"
import { type Step, Transitions } from "../../../src/store/documents/Transitions.ts"
import { Deliveries } from "../../../src/store/webhooks/Deliveries.ts"
import type { StoredWebhookEndpoint } from "../../../src/store/webhooks/WebhookEndpoints.ts"
import { completed, secret } from "../../support/receiver/DeliveryOwners.ts"
import { restingAt, seedEndpoint } from "../../support/database/Owners.ts"
import { TestDatabase } from "../../support/database/Postgres.ts"
import { describeLive } from "../../support/Tests.ts"
import { twoOwners } from "../../support/database/TwoOwners.ts"

/** An endpoint, three signed documents, and steps with events, whose deliveries the step may take. */
const set = Effect.fnUntraced(function* (change: Partial<StoredWebhookEndpoint> = {}) {
  const { account, first, second, seed, sql } = yield* twoOwners
  yield* sql`truncate deliveries, attempts`
  yield* sql`delete from webhook_endpoints`
  const id = yield* seedEndpoint(account, { max_in_flight: 2, ...change }, secret).pipe(Effect.provideContext(first))
  const documents = yield* seed(3, "signed")
  const transitions = Context.get(first, Transitions)
  const newEvent = Effect.map(Context.get(first, Ids).event, (event) => ({
    id: event,
    type: "invoice.accepted_contingency" as const,
    body: `body of ${event}`,
    created_at: new Date()
  }))
  const move = (document: InvoiceId, rest: Pick<Step, "version" | "from" | "command" | "to" | "places">) =>
    Effect.flatMap(newEvent, (event) =>
      Effect.map(
        transitions.move({ key: { ...account, id: document }, ...restingAt(rest.to), ...rest, event }),
        (moved) => ({ ...moved, event })
      )
    )
  return {
    endpoint: { ...account, id },
    documents,
    first: Context.get(first, Deliveries),
    second: Context.get(second, Deliveries),
    worker: Context.get(first, Workers).id,
    /** The first event of a document, with a place of the endpoint beside so many attempts, or without a place. */
    enter: (document: InvoiceId, inFlight: number | null, endpoint_id: string = id) =>
      move(document, {
        version: 1,
        from: "signed",
        command: "EnterContingency",
        to: "accepted_contingency",
        ...(inFlight === null ? {} : { places: [{ endpoint_id, inFlight }] })
      }),
    /** The second event of a document, with a place. */
    accept: (document: InvoiceId) =>
      move(document, {
        version: 2,
        from: "accepted_contingency",
        command: "Accept",
        to: "accepted_by_authority",
        places: [{ endpoint_id: id, inFlight: 0 }]
      })
  }
})

const deliveries = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<{ readonly status: string; readonly worker: string | null; readonly leased: boolean }>`
    select status, worker, next_attempt_at > now() + interval '15 seconds' as leased from deliveries order by seq`
})

describeLive(TestDatabase.layer)("The statement of an event", (it) => {
  it.effect("takes the delivery of an endpoint that has a place, under a lease", function* () {
    const { documents, endpoint, enter, first, second, worker } = yield* set()
    const { endpoints, event, taken } = yield* enter(documents[0]!, 0)
    assert.deepStrictEqual(endpoints, [])
    assert.lengthOf(taken ?? [], 1)
    assert.deepStrictEqual(yield* deliveries, [{ status: "pending", worker, leased: true }])
    assert.deepStrictEqual(yield* second.take(endpoint, 0), [])
    const delivery = yield* first.dueOf(endpoint, {
      ...taken![0]!,
      event_id: event.id,
      event_type: event.type,
      body: event.body
    })
    assert.deepInclude(delivery, {
      secret,
      url: "https://example.com/hooks",
      body: event.body,
      attempts: 0,
      trigger: "auto"
    })
    yield* first.record(completed(delivery, true))
    assert.strictEqual((yield* deliveries)[0]?.status, "succeeded")
  })

  it.effect("takes what an owner would take just so", function* () {
    const { documents, endpoint, enter, first } = yield* set()
    const { event, taken } = yield* enter(documents[0]!, 0)
    const at_once = yield* first.dueOf(endpoint, {
      ...taken![0]!,
      event_id: event.id,
      event_type: event.type,
      body: event.body
    })
    const sql = yield* SqlClient.SqlClient
    yield* sql`update deliveries set next_attempt_at = now(), worker = null`
    const [asked] = yield* first.take(endpoint, 0)
    const { endpoint_id, ...rest } = { endpoint_id: endpoint.id, ...at_once }
    assert.strictEqual(endpoint_id, endpoint.id)
    assert.deepInclude({ ...asked }, { ...rest })
  })

  it.effect(
    "takes none beyond max_in_flight, none without a place, and none for another endpoint's place",
    function* () {
      const { documents, endpoint, enter } = yield* set()
      for (const [index, [inFlight, place]] of (
        [
          [2, endpoint.id],
          [null, endpoint.id],
          [0, "we_other"]
        ] as const
      ).entries()) {
        const { endpoints, taken } = yield* enter(documents[index]!, inFlight, place)
        assert.deepStrictEqual([endpoints, taken], [[endpoint.id], null])
        const sql = yield* SqlClient.SqlClient
        assert.deepInclude((yield* deliveries)[0], { status: "pending", worker: null, leased: false })
        yield* sql`truncate deliveries, attempts`
      }
    }
  )

  it.effect("takes none before one that is due already", function* () {
    const { documents, endpoint, enter, first } = yield* set()
    yield* enter(documents[0]!, null)
    const { endpoints, taken } = yield* enter(documents[1]!, 0)
    assert.deepStrictEqual([endpoints, taken], [[endpoint.id], null])
    assert.lengthOf(yield* first.take(endpoint, 0), 2)
    // What is under way elsewhere is not due.
    assert.lengthOf((yield* enter(documents[2]!, 0)).taken ?? [], 1)
  })

  it.effect(
    "takes no later event of a document of which an earlier one waits for its retry or its answer",
    function* () {
      const { accept, documents, endpoint, enter, first } = yield* set()
      const { event, taken } = yield* enter(documents[0]!, 0)
      const next = yield* accept(documents[0]!)
      assert.deepStrictEqual([next.endpoints, next.taken], [[endpoint.id], null])
      const delivery = yield* first.dueOf(endpoint, {
        ...taken![0]!,
        event_id: event.id,
        event_type: event.type,
        body: event.body
      })
      yield* first.record(completed(delivery, false))
      const sql = yield* SqlClient.SqlClient
      yield* sql`delete from deliveries where event_id = ${next.event.id}`
      // The retry is planned for later, so that nothing of the endpoint is due; another document's event goes out meanwhile.
      assert.lengthOf((yield* enter(documents[1]!, 0)).taken ?? [], 1)
      assert.lengthOf((yield* enter(documents[2]!, 1)).taken ?? [], 1)
    }
  )

  it.effect("takes none of a full endpoint, whose delivery is stored as failed", function* () {
    const { documents, enter } = yield* set({ full_since: new Date() })
    const { endpoints, taken } = yield* enter(documents[0]!, 0)
    assert.deepStrictEqual([endpoints, taken], [[], null])
    assert.deepInclude((yield* deliveries)[0], { status: "failed", worker: null })
  })
})
