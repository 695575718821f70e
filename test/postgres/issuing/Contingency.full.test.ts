import { assert } from "@effect/vitest"
import { Array, Effect } from "effect"
import { customerBody, endpointBody, invoiceBody } from "../../support/apps/Invoices.ts"
import { receiver } from "../../support/receiver/Receiver.ts"
import { serviceProcess } from "../../support/processes/ServiceProcess.ts"
import { until } from "../../support/apps/Until.ts"
import { it } from "../../support/Tests.ts"

const count = 60

interface Row {
  readonly state: string
  readonly of_type_04: boolean
  readonly count: number
}

it.live("An outage of the authority with a kill -9 loses, duplicates and forgets nothing", function* () {
  const hooks = yield* receiver
  const service = yield* serviceProcess({
    webhookAllow: `127.0.0.1:${hooks.port}`,
    env: { CONTINGENCY_AFTER: "3" }
  })
  yield* service.start()
  const client = service.client()
  yield* client.post("/v1/webhook-endpoints", endpointBody(hooks.url("/hooks")))
  const { json: customer } = yield* client.post("/v1/customers", customerBody(), { key: "customer" })
  const issue = (name: string) =>
    Effect.forEach(
      Array.range(1, count),
      (index) => client.post("/v1/invoices", invoiceBody(customer.id), { key: `${name} ${index}` }),
      { concurrency: 10 }
    )
  const states = service.rows<Row>(`
    select state, of_type_04, count(*)::int as count from invoices group by state, of_type_04 order by of_type_04, state`)
  const bytes = service.rows<{ id: string; digest: string }>(`
    select invoice_id as id, encode(sha256(signed), 'hex') as digest from invoice_documents order by 1`)

  assert.strictEqual((yield* client.post("/v1/test-helpers/authority", { mode: "down" })).status, 200)
  yield* issue("before it is known")
  yield* until(states, ([row, ...more]) => more.length === 0 && row?.state === "accepted_contingency")
  const before = yield* bytes
  assert.lengthOf(before, count)

  // The outage is known, so these documents do not wait. The process dies during their work.
  yield* issue("while it is away")
  yield* service.signal("SIGKILL")
  yield* service.ended
  yield* service.start()
  const waiting = yield* until(states, (rows) => rows.every(({ state }) => state === "accepted_contingency"))
  assert.deepStrictEqual(waiting, [{ state: "accepted_contingency", of_type_04: true, count: 2 * count }])
  const [circuit] = yield* service.rows<{ open: boolean }>(
    "select opened_at is not null as open from authority_circuits"
  )
  assert.isTrue(circuit?.open, "the restart did not close the circuit")
  // A count that a busy machine has not finished in time appears as unknown.
  const metrics = yield* until(
    Effect.promise(async () => (await fetch(`${service.url}/metrics`)).text()),
    (text) => !/^folio_documents_in_contingency NaN$/mu.test(text)
  )
  assert.match(metrics, /^folio_authority_circuits\{environment="test",state="open"\} 1$/mu)
  assert.match(metrics, new RegExp(`^folio_documents_in_contingency ${2 * count}$`, "mu"))
  assert.match(metrics, /^folio_oldest_contingency_age_seconds [1-9]/mu)

  yield* client.post("/v1/test-helpers/authority", { mode: "up" })
  // Repeated, because a call that began during the outage may end later and postpone the next one.
  yield* until(
    Effect.andThen(client.post("/v1/test-helpers/advance", { seconds: 30 }), states),
    (rows) => rows.every(({ state }) => state === "accepted_by_authority"),
    "180 seconds",
    "500 millis"
  )
  const after = new Map((yield* bytes).map(({ digest, id }) => [id, digest]))
  for (const { digest, id } of before) assert.strictEqual(after.get(id), digest)

  const told = yield* until(
    Effect.sync(() => Map.groupBy(hooks.received, ({ event }) => event.data.object.id)),
    (events) =>
      events.size === 2 * count &&
      [...events.values()].every((list) => list.some(({ event }) => event.type === "invoice.accepted_by_authority"))
  )
  for (const list of told.values()) {
    // The kill may have cost a webhook response, and then the webhook was sent twice.
    const types = [...new Map(list.map(({ event }) => [event.id, event.type])).values()]
    assert.deepStrictEqual(types, ["invoice.accepted_contingency", "invoice.accepted_by_authority"])
  }
  const commands = yield* service.rows<{ commands: string; count: number }>(`
    select commands, count(*)::int as count from (
      select string_agg(command, ' ' order by version) filter (where command not in ('Create', 'Number')) as commands
      from transitions group by invoice_id
    ) t group by commands order by commands`)
  assert.strictEqual(
    commands.reduce((sum, row) => sum + row.count, 0),
    2 * count
  )
  for (const row of commands) assert.match(row.commands, /^(Sign (Submit Return )*)?EnterContingency Accept$/u)
  const [deadline] = yield* service.rows<{ hours: number }>(`
    select min(extract(epoch from transmit_before - contingency_since) / 3600)::float8 as hours from invoices
    where transmit_before is not null`)
  assert.isAtLeast(deadline?.hours ?? 0, 48)
  const [numbers] = yield* service.rows("select (max(number) - min(number) + 1)::int as span from invoices")
  assert.deepStrictEqual(numbers, { span: 2 * count })
})
