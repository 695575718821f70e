import { assert } from "@effect/vitest"
import { Array, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { seedDrafts } from "../../support/database/Owners.ts"
import * as TestApp from "../../support/apps/TestApp.ts"
import { until } from "../../support/apps/Until.ts"
import { describeLive } from "../../support/Tests.ts"

const failure = JSON.stringify({ code: "internal_error", message: "It broke.", retryable: true })

describeLive(TestApp.layer())("The document commands of clients", (it) => {
  it.effect("cancel a draft or come too late: a canceled draft has no number, and no number is lost", function* () {
    const sql = yield* SqlClient.SqlClient
    const { accountId, client } = yield* TestApp.TestApp
    const drafts = yield* seedDrafts(accountId, 80)
    const [oldest = "", ...later] = drafts
    const youngest = later.toReversed()
    const cancel = (id: string) =>
      Effect.map(client.post(`/v1/invoices/${id}/cancel`, undefined), ({ status }) => [id, status] as const)
    // The first draft is canceled before its processing, and the last has its number. For the others, either may come
    // first.
    const early = yield* cancel(youngest.shift() ?? "")
    // The sweeper finds the drafts while the client cancels them.
    yield* sql`update invoices set next_action_at = now() where id = any(${drafts}) and state = 'queued'`
    const raced = yield* Effect.forEach(youngest, cancel, { concurrency: 4 })
    yield* until(sql`select from invoices where id = ${oldest} and state <> 'queued'`, (rows) => rows.length === 1)
    const answers = [early, ...raced, yield* cancel(oldest)]
    assert.deepStrictEqual(new Set(answers.map(([, status]) => status)), new Set([200, 409]))
    const rows = yield* until(
      sql<{ id: string; state: string; number: bigint | null }>`
        select id, state, number from invoices where id = any(${drafts}) order by number`,
      (all) => all.every(({ state }) => state === "canceled" || state === "accepted_by_authority")
    )
    const canceled = answers.filter(([, status]) => status === 200).map(([id]) => id)
    assert.sameMembers(
      rows.filter(({ state }) => state === "canceled").map(({ id }) => id),
      canceled
    )
    const numbers = rows.filter(({ number }) => number !== null).map(({ number }) => Number(number))
    assert.lengthOf(numbers, drafts.length - canceled.length)
    assert.deepStrictEqual(
      numbers,
      Array.makeBy(numbers.length, (index) => (numbers[0] ?? 0) + index)
    )
  })

  it.effect("retry a failed document once despite repeated requests, and sign its bytes again", function* () {
    const sql = yield* SqlClient.SqlClient
    const { accountId, client } = yield* TestApp.TestApp
    const [id] = yield* seedDrafts(accountId, 1, "failed")
    yield* sql`update invoices set failure = ${failure}::jsonb where id = ${id!}`
    const [{ full_number }] = (yield* sql`select full_number from invoices where id = ${id!}`) as [
      { full_number: string }
    ]
    yield* sql`
      insert into invoice_documents (account_id, livemode, invoice_id, signed, created_at)
      values (${accountId}, false, ${id!}, 'signed before it failed', now())`
    const answers = yield* Effect.forEach(
      Array.range(1, 8),
      (index) => client.post(`/v1/invoices/${id}/retry`, undefined, { key: `again ${index}` }),
      { concurrency: "unbounded" }
    )
    assert.deepStrictEqual(
      answers.map(({ status }) => status).toSorted((a, b) => a - b),
      [202, ...Array.makeBy(7, () => 409)]
    )
    yield* until(client.get(`/v1/invoices/${id}`), ({ json }) => json.status === "accepted_by_authority")
    const [row] = yield* sql`
      select i.full_number, octet_length(d.signed) > 100 as signed_anew,
        (select count(*)::integer from events e where e.object_id = i.id) as events,
        (select array_agg(command order by version) from transitions t where t.invoice_id = i.id) as commands
      from invoices i join invoice_documents d on d.invoice_id = i.id where i.id = ${id!}`
    assert.deepStrictEqual(row, {
      full_number,
      signed_anew: true,
      events: 1,
      commands: ["Retry", "Sign", "Submit", "Accept"]
    })
    const timeline = yield* client.get(`/v1/invoices/${id}/timeline`)
    assert.deepStrictEqual(
      timeline.json.data.map(({ command, event_type }: Record<string, string>) => command ?? event_type),
      ["create", "retry", "sign", "submit", "accept", "invoice.accepted_by_authority"]
    )
  })
})
