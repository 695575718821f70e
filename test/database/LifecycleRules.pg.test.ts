import { assert } from "@effect/vitest"
import { Effect, Result } from "effect"
import { SqlClient } from "effect/sql"
import {
  commands,
  isIssued,
  isOpen,
  type InvoiceState,
  states,
  transition
} from "../../src/invoices/rules/InvoiceLifecycle.ts"
import { TestDatabase } from "../support/database/Postgres.ts"
import { refusal } from "../support/database/Refusals.ts"
import { describeLive } from "../support/Tests.ts"
import { oneOwner } from "../support/database/TwoOwners.ts"

const both = [false, true]

/** Every combination of this many booleans. */
const combinations = (count: number): ReadonlyArray<ReadonlyArray<boolean>> =>
  count === 0 ? [[]] : combinations(count - 1).flatMap((rest) => both.map((one) => [one, ...rest]))

/** The facts of a document that its history has produced. */
interface Facts {
  readonly state: InvoiceState
  readonly hasNumber: boolean
  readonly isSubmitted: boolean
  readonly inContingency: boolean
}

const key = ({ hasNumber, inContingency, isSubmitted, state }: Facts) =>
  [state, hasNumber && "number", isSubmitted && "submitted", inContingency && "contingency"].filter(Boolean).join(" ")

/**
 * All documents that commands can produce from a creation. Documents in contingency are submitted without a command.
 */
const reachable = () => {
  const found = new Map<string, Facts>()
  const waiting: Array<Facts> = [{ state: "queued", hasNumber: false, isSubmitted: false, inContingency: false }]
  for (let facts = waiting.pop(); facts !== undefined; facts = waiting.pop()) {
    if (found.has(key(facts))) continue
    found.set(key(facts), facts)
    if (facts.state === "accepted_contingency") waiting.push({ ...facts, isSubmitted: true })
    for (const command of commands) {
      const { hasNumber, inContingency, isSubmitted } = facts
      const next = transition(facts.state, command, { hasNumber, isIssued: isSubmitted || inContingency })
      if (Result.isFailure(next)) continue
      waiting.push({
        state: next.success,
        hasNumber: hasNumber || command === "Number",
        isSubmitted: command !== "Correct" && command !== "Return" && (isSubmitted || command === "Submit"),
        inContingency: command !== "Correct" && (inContingency || command === "EnterContingency")
      })
    }
  }
  return new Set(found.keys())
}

describeLive(TestDatabase.layer)("The database's lifecycle", (it) => {
  it.effect("has the same commands and targets as the pure lifecycle", function* () {
    const sql = yield* SqlClient.SqlClient
    const triples = commands.flatMap((command) => states.flatMap((from) => states.map((to) => ({ command, from, to }))))
    const leads = ({ command, from, to }: (typeof triples)[number]) =>
      both.some((hasNumber) =>
        both.some((issued) => Result.getOrUndefined(transition(from, command, { hasNumber, isIssued: issued })) === to)
      )
    const rows = yield* sql<{ readonly by_command: boolean; readonly by_any: boolean }>`
      select is_transition(n.command, n.from_state, n.to_state) as by_command, leads_to(n.from_state, n.to_state) as by_any
      from unnest(
        ${triples.map(({ command }) => command)}::text[],
        ${triples.map(({ from }) => from)}::text[],
        ${triples.map(({ to }) => to)}::text[]
      ) with ordinality as n (command, from_state, to_state, ord) order by n.ord`
    assert.lengthOf(rows, triples.length)
    for (const [index, triple] of triples.entries()) {
      const { from, to } = triple
      assert.strictEqual(rows[index]?.by_command, leads(triple), `${triple.command} from ${from} to ${to}`)
      const isSentAtOnce = from === "numbered" && to === "submitted"
      const byAny = isSentAtOnce || (from !== to && commands.some((command) => leads({ command, from, to })))
      assert.strictEqual(rows[index]?.by_any, byAny, `from ${from} to ${to}`)
    }
  })

  it.effect("accepts exactly the rows that a document can reach", function* () {
    const { seed, sql } = yield* oneOwner
    const [[draft], [numbered]] = [yield* seed(1), yield* seed(1, "numbered")]
    const lawful = reachable()
    const at = new Date().toISOString()
    for (const state of [...states, "zombie" as InvoiceState]) {
      for (const [hasNumber = false, isSubmitted = false, inContingency = false, hasAlarm, hasFailure] of combinations(
        5
      )) {
        const facts = { state, hasNumber, isSubmitted, inContingency }
        const row = JSON.stringify({
          id: "inv_00000000000000000000000000",
          ...(hasNumber ? { number: 1, full_number: "A1", cufe: "c" } : {}),
          state,
          submitted_at: isSubmitted ? at : null,
          contingency_since: inContingency ? at : null,
          next_action_at: hasAlarm ? at : null,
          failure: hasFailure ? {} : null
        })
        const insert = sql`
          insert into invoices select c.* from invoices i, jsonb_populate_record(i, ${row}::jsonb) c
          where i.id = ${(hasNumber ? numbered : draft)!}`
        const taken = yield* Effect.result(sql.withTransaction(Effect.andThen(insert, Effect.fail("taken back"))))
        const isLawful = lawful.has(key(facts)) && hasAlarm === isOpen(state) && hasFailure === (state === "failed")
        assert.strictEqual(
          Result.isFailure(taken) && taken.failure === "taken back",
          isLawful,
          `${key(facts)}${hasAlarm ? " alarm" : ""}${hasFailure ? " failure" : ""}`
        )
      }
    }
  })

  it.effect("logs only steps that a command makes", function* () {
    const sql = yield* SqlClient.SqlClient
    const log = (command: string, from: string, to: string) =>
      refusal(sql`
        insert into transitions (account_id, livemode, invoice_id, version, command, from_state, to_state, at)
        values ('ten_1', false, ${command}, 2, ${command}, ${from}, ${to}, now())`)
    assert.strictEqual(yield* log("Number", "queued", "numbered"), "not refused")
    assert.include(yield* log("Submit", "rejected_by_authority", "submitted"), "of_the_lifecycle")
    assert.include(yield* log("Resend", "signed", "submitted"), "of_the_lifecycle")
  })

  it.effect("counts the same documents as issued as the pure lifecycle", function* () {
    const sql = yield* SqlClient.SqlClient
    for (const [isSubmitted, inContingency] of combinations(2)) {
      const [submitted_at, contingency_since] = [isSubmitted, inContingency].map((is) => (is ? new Date(0) : null))
      const row = { submitted_at: submitted_at!, contingency_since: contingency_since! }
      assert.deepStrictEqual(
        yield* sql`select is_issued(jsonb_populate_record(null::invoices, ${JSON.stringify(row)}::jsonb))`,
        [{ is_issued: isIssued(row) }]
      )
    }
  })
})
