import { assert } from "@effect/vitest"
import { Array, Context, Effect, Exit, Fiber } from "effect"
import { AccountId, type InvoiceId } from "../../../schemas/Id.ts"
import { localDate } from "../../../src/runtime/AuthorityTime.ts"
import { Platforms } from "../../../src/accounts/store/Platforms.ts"
import { InvoiceCommands } from "../../../src/invoices/store/InvoiceCommands.ts"
import { Retention } from "../../../src/operations/store/Retention.ts"
import * as AccountView from "../../../src/database/AccountView.ts"
import { type Step, Transitions } from "../../../src/invoices/store/Transitions.ts"
import { until } from "../../support/apps/Until.ts"
import { blocked, copyAccount, restingAt, seedDrafts, withRepeats } from "../../support/database/Owners.ts"
import { refusal, refusedIn } from "../../support/database/Refusals.ts"
import { lockRows, onPostgres, oneOwner, twoOwners } from "../../support/database/TwoOwners.ts"

const today = localDate(Date.now())

const endings = {
  accepted_by_authority: { command: "Accept", from: "submitted" },
  rejected_by_authority: { command: "Reject", from: "submitted" },
  failed: { command: "Fail", from: "submitted" }
} as const
type Ending = keyof typeof endings

const step = (account_id: string, id: InvoiceId, to: Ending): Step => ({
  key: { account_id: AccountId.make(account_id), livemode: false, id },
  version: 1,
  to,
  ...endings[to],
  ...restingAt(to)
})

onPostgres("counts each document once when two owners end the same documents at the same time", function* () {
  const { account, first, second, seed, sql } = yield* twoOwners
  const ids = yield* seed(90, "submitted")
  const steps = ids.map((id, index) => step(account.account_id, id, Object.keys(endings)[index % 3] as Ending))
  const moved = yield* Effect.forEach([first, second], (owner) => Context.get(owner, Transitions).moveAll(steps), {
    concurrency: "unbounded"
  })
  const wins = moved.flat().filter((exit) => Exit.isSuccess(exit) && exit.value.moved)
  assert.lengthOf(wins, 90)
  assert.deepStrictEqual(
    yield* Context.get(first, Platforms).usage(account, today, today),
    (["accepted_by_authority", "failed", "rejected_by_authority"] as const).map((outcome) => ({
      date: today,
      kind: "invoice" as const,
      outcome,
      documents: 30
    }))
  )
  assert.deepStrictEqual(yield* sql`select sum(documents)::integer as sum from daily_usage`, [{ sum: 90 }])
})

onPostgres("counts only the documents of a batch that end", function* () {
  const { account, first, seed, sql } = yield* oneOwner
  const [ending = "" as InvoiceId, returning = "" as InvoiceId] = yield* seed(2, "submitted")
  const accept = step(account.account_id, ending, "accepted_by_authority")
  const key = { ...accept.key, id: returning }
  const back: Step = { key, version: 1, from: "submitted", command: "Return", to: "signed", ...restingAt("signed") }
  // A count of a state that is no outcome would fail the statement, and its repetition item by item would hide that.
  const move = Context.get(first, Transitions).moveAll([accept, back])
  const { repeats, result: moved } = yield* withRepeats("Transitions.move", move)
  assert.strictEqual(repeats, 0)
  assert.isTrue(moved.every((exit) => Exit.isSuccess(exit) && exit.value.moved))
  assert.deepStrictEqual(yield* sql`select outcome, documents from daily_usage`, [
    { outcome: "accepted_by_authority", documents: 1 }
  ])
})

const others = Array.range(10, 21).map((n) => `ten_${"0".repeat(24)}${n}`)

onPostgres("holds no count while it waits for an earlier one, so that two statements cannot deadlock", function* () {
  const { account, first, service, sql } = yield* oneOwner
  for (const other of others) {
    yield* copyAccount(account.account_id, other)
    yield* sql`
      insert into resolutions
      select (jsonb_populate_record(r, jsonb_build_object('account_id', ${other}::text))).* from resolutions r
      where account_id = ${account.account_id}`
  }
  const end = Effect.gen(function* () {
    const steps = yield* Effect.forEach(others.toReversed(), (id) =>
      Effect.map(seedDrafts(AccountId.make(id), 1, "submitted"), ([one]) => step(id, one, "accepted_by_authority"))
    )
    return yield* (yield* Transitions).moveAll(steps)
  }).pipe(Effect.provideContext(first))
  yield* end
  const held = yield* lockRows(sql`daily_usage where account_id = ${others[0] ?? ""}`)
  const waiting = yield* Effect.forkScoped(end)
  yield* until(blocked("update invoices i set state"), (sessions) => sessions.length === 1)
  assert.lengthOf(yield* service`select from daily_usage for update skip locked`, others.length - 1)
  yield* held.release
  assert.isTrue((yield* Fiber.join(waiting)).every(Exit.isSuccess))
  assert.deepStrictEqual(yield* sql`select distinct documents from daily_usage`, [{ documents: 2 }])
})

onPostgres("keeps its counts when all other data of their documents is past its retention", function* () {
  const { account, first, seed, sql } = yield* oneOwner
  const [id = "" as InvoiceId] = yield* seed(1, "submitted")
  yield* Context.get(first, Transitions).moveAll([step(account.account_id, id, "accepted_by_authority")])
  const at = new Date(Date.now() - 2_000 * 86_400_000)
  const old = localDate(at.getTime())
  const ended = { kind: "invoice", outcome: "accepted_by_authority", documents: 1 } as const
  yield* sql`insert into daily_usage ${sql.insert({ ...account, day: old, ...ended })}`
  const event = { type: "invoice.accepted_by_authority", object_id: id, object_version: 1, body: "{}", created_at: at }
  yield* sql`insert into events ${sql.insert({ ...account, id: `evt_${"0".repeat(26)}`, ...event })}`
  const purges = Object.entries(Context.get(first, Retention))
  const purged = yield* Effect.forEach(purges, ([table, purge]) => Effect.map(purge, (rows) => [table, rows] as const))
  assert.include(Object.fromEntries(purged), { events: 1 })
  assert.deepStrictEqual(yield* Context.get(first, Platforms).usage(account, old, today), [
    { date: old, ...ended },
    { date: today, ...ended }
  ])
})

onPostgres("lets a request count only canceled documents, and no role reduce a count", function* () {
  const { account, first, seed, service } = yield* oneOwner
  const [id = ""] = yield* seed(1)
  const commands = Context.get(first, InvoiceCommands)
  const inView = AccountView.within(service, account)
  const key = { ...account, id }
  const cancel = Effect.flatMap(Effect.flatMap(commands.lock(key), Effect.fromOption), (from) =>
    commands.move(key, from, "Cancel", "canceled")
  )
  yield* inView(Effect.orDie(cancel))
  const count = (outcome: string) => service`
    insert into daily_usage ${service.insert({ ...account, day: today, kind: "invoice", outcome, documents: 1 })}`
  assert.include(yield* refusedIn(inView, count("failed")), "row-level security")
  yield* count("failed")
  const byRequest = service`update daily_usage set documents = documents + 1 where outcome = 'failed' returning 1`
  assert.deepStrictEqual(yield* inView(byRequest), [])
  assert.deepStrictEqual(
    yield* inView(service`update daily_usage set documents = documents + 1 returning outcome, documents`),
    [{ outcome: "canceled", documents: 2 }]
  )
  assert.include(yield* refusal(service`update daily_usage set documents = 1`), "usage only grows")
  assert.include(yield* refusal(service`delete from daily_usage`), "permission denied")
})
