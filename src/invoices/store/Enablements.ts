import { Context, Effect, Layer, Option, Schema, SchemaGetter } from "effect"
import { SqlClient } from "effect/sql"
import type { AccountMode } from "../../../schemas/Account.ts"
import { ApiError } from "../../../schemas/ApiError.ts"
import { EnablementStatus, TestRange } from "../../../schemas/Enablement.ts"
import { Failure } from "../../../schemas/FiscalDocument.ts"
import { AccountId } from "../../../schemas/Id.ts"
import * as AccountView from "../../database/AccountView.ts"
import { columnsOf, type Key, ofAccount } from "../../database/Keys.ts"
import * as Query from "../../database/Query.ts"
import { Secrets } from "../../database/Secrets.ts"
import { Workers } from "../../database/Workers.ts"
import * as TestDocuments from "./TestDocuments.ts"

/** The reason why Folio sends no documents of the test set at the moment. */
export const Waiting = Schema.Struct({ code: Schema.String, message: Schema.String, since: Schema.String })
export type Waiting = typeof Waiting.Type

const Row = Schema.Struct({
  account_id: AccountId,
  id: Schema.String,
  status: EnablementStatus,
  run: Schema.Int,
  wanted: Schema.Struct({ invoice: Schema.Int, credit_note: Schema.Int, debit_note: Schema.Int }),
  range: TestRange,
  waiting: Schema.NullOr(Waiting),
  failure: Schema.NullOr(Failure),
  message: Schema.NullOr(Schema.String),
  troubles: Schema.Int,
  started_at: Schema.Date,
  resumed_at: Schema.Date,
  answering_since: Schema.Date,
  finished_at: Schema.NullOr(Schema.Date)
})
/** A test set of an account. */
export type StoredEnablement = typeof Row.Type

const { technical_key: _key, ...granted } = TestRange.fields
const Stored = Schema.Struct({
  ...Row.fields,
  range: Schema.Struct(granted),
  technical_key_sealed: Schema.String
})

export type EnablementKey = Pick<StoredEnablement, "account_id" | "id">

/** A requested test set: its id, its range and the number of documents of each kind. */
export type NewEnablement = Pick<StoredEnablement, "id" | "wanted" | "range">

/** A new test set as stored: the range without its technical key, and the encrypted key. */
interface SealedEnablement extends Pick<NewEnablement, "id" | "wanted"> {
  readonly range: Schema.Struct.Type<typeof granted>
  readonly sealed: string
}

/** The status of a test set after a round of work. An omitted field is null or 0. */
export interface NextStatus {
  readonly status: EnablementStatus
  readonly waiting?: Waiting | null
  readonly failure?: Failure
  readonly message?: string | null
  /**
   * Consecutive calls without a response. When the count returns to 0, the time limit of unanswered documents restarts.
   */
  readonly troubles?: number
  /** Milliseconds until the next round of a test set that is still running. */
  readonly nextMs?: number
  /** Whether this process continues to work on the test set. */
  readonly isHeld?: boolean
}

/** The maximum number of starts of one test set. */
export const runsMax = 100
/** The maximum number of test sets of an account. */
export const setsMax = 100

export const anotherRuns = (id: string) =>
  new ApiError({
    code: "enablement_running",
    message: `The test set ${id} is running, and an account can run only one at a time. Wait until it has ended (GET /v1/account/enablement), then retry this request.`
  })

export const tooMany = (what: string) =>
  new ApiError({
    code: "enablement_limit_reached",
    message: `${what}: contact the operator before you continue.`
  })

/** The place that the technical key of a test set's range is encrypted for. */
export const testRangeContext = ({ account_id, id }: Pick<Key, "account_id" | "id">) =>
  `enablements|${account_id}|${id}`

const jsonOf = (value: object | null) => (value === null ? null : JSON.stringify(value))

/** The outcome of a request for a test set. `before` is the same test set from an earlier request. */
export const outcomeOf = (
  request: NewEnablement,
  before: StoredEnablement | undefined,
  others: { readonly running: string | undefined; readonly count: number }
): "as it is" | "starts" | ApiError => {
  if (before !== undefined && before.status !== "failed") return "as it is"
  if (others.running !== undefined) return anotherRuns(others.running)
  if (before === undefined) {
    return others.count >= setsMax ? tooMany(`The account has had ${setsMax} test sets`) : "starts"
  }
  return before.run >= runsMax ? tooMany(`The test set ${request.id} was started ${runsMax} times`) : "starts"
}

const live = (account_id: AccountId): AccountMode => ({ account_id, livemode: true })

/** The test sets of accounts, with their documents. A test set belongs to the live mode of its account. */
export class Enablements extends Context.Service<Enablements>()("folio/invoices/store/Enablements", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const secrets = yield* Secrets
    const workers = yield* Workers
    const columns = columnsOf(sql, Stored)
    const Opened = Stored.pipe(
      Schema.decodeTo(Schema.toType(Row), {
        decode: SchemaGetter.transformEffect(({ range, technical_key_sealed: sealed, ...row }) =>
          Effect.map(secrets.open(sealed, testRangeContext(row)), (technical_key) => ({
            ...row,
            range: { ...range, technical_key }
          }))
        ),
        encode: SchemaGetter.forbidden(() => "a test set is written by its statements")
      })
    )
    const where = ({ account_id, id }: EnablementKey) => sql`${ofAccount(sql, live(account_id))} and id = ${id}`

    const newest = Query.first(
      Opened,
      (account: AccountId) => sql`
        select ${columns} from enablements where ${ofAccount(sql, live(account))} order by resumed_at desc, id limit 1`
    )
    const find = Query.first(
      Opened,
      (key: EnablementKey) => sql`select ${columns} from enablements where ${where(key)}`
    )
    const others = Query.one(
      Schema.Struct({ running: Schema.NullOr(Schema.String), count: Schema.Int }),
      (account: AccountId) => sql`
        select max(id) filter (where status = 'running') as running, count(*)::int as count
        from enablements where ${ofAccount(sql, live(account))}`
    )
    const start = Query.one(
      Opened,
      (account_id: AccountId, { id, range, sealed, wanted }: SealedEnablement) => sql`
        insert into enablements as e (account_id, livemode, id, status, run, wanted, range, technical_key_sealed,
          started_at, resumed_at, answering_since, next_action_at)
        values (${account_id}, true, ${id}, 'running', 1, ${JSON.stringify(wanted)}::jsonb, ${JSON.stringify(range)}::jsonb, ${sealed},
          now(), now(), now(), now())
        on conflict (account_id, livemode, id) do update set status = 'running', run = e.run + 1, wanted = excluded.wanted,
          range = excluded.range, technical_key_sealed = excluded.technical_key_sealed, failure = null, message = null, troubles = 0,
          resumed_at = now(), answering_since = now(), finished_at = null, next_action_at = now(), worker = null
        where e.status = 'failed'
        returning ${columnsOf(sql, Stored, "e")}`
    )

    // A process that loses the database keeps its test sets for at most `leaseSeconds`.
    const take = Query.all(
      Opened,
      (limit: number, leaseSeconds: number) => sql`
        with due as (
          select account_id, livemode, id from enablements
          where status = 'running' and next_action_at <= now()
          order by next_action_at limit ${limit} for update skip locked
        )
        update enablements e set worker = ${workers.id}, next_action_at = now() + ${leaseSeconds} * interval '1 second'
        from due where e.account_id = due.account_id and e.livemode = due.livemode and e.id = due.id
        returning ${columnsOf(sql, Stored, "e")}`
    )

    return {
      documents: yield* TestDocuments.make,
      /** The test set that the account requested last. */
      newest: Effect.fn("Enablements.newest")((account: AccountId) =>
        AccountView.within(sql, live(account))(newest(account))
      ),
      find,
      /**
       * Starts a test set, or restarts a failed test set, in the caller's transaction. A running or passed test set
       * does not change.
       */
      begin: Effect.fn("Enablements.begin")(function* (account: AccountId, request: NewEnablement) {
        yield* AccountView.lock(sql, { account_id: account })
        const key = { account_id: account, id: request.id }
        const { count, running } = yield* others(account)
        const before = yield* find(key)
        const outcome = outcomeOf(request, Option.getOrUndefined(before), { count, running: running ?? undefined })
        if (outcome instanceof ApiError) return yield* outcome
        if (Option.isSome(before) && outcome === "as it is") return { outcome, row: before.value }
        const { technical_key, ...range } = request.range
        const sealed = yield* secrets.seal(technical_key, testRangeContext(key))
        return { outcome, row: yield* start(account, { ...request, range, sealed }) }
      }),
      /**
       * Takes due test sets for this process, the longest due first. This process holds them for `leaseSeconds`, or
       * until it dies.
       */
      take: Effect.fn("Enablements.take")(take),
      /** Releases a test set, so that another process may take it immediately. */
      release: Effect.fn("Enablements.release")((key: EnablementKey) =>
        sql`
          update enablements set next_action_at = now(), worker = null
          where ${where(key)} and status = 'running' and worker = ${workers.id}`.pipe(Effect.orDie, Effect.asVoid)
      ),
      /** Stores the status of a test set unless another process works on it. Returns whether it stored the status. */
      setStatus: Effect.fn("Enablements.setStatus")(function* (key: EnablementKey, next: NextStatus) {
        const {
          failure = null,
          isHeld = false,
          message = null,
          nextMs = null,
          status,
          troubles = 0,
          waiting = null
        } = next
        return yield* Query.isAny(sql`
          update enablements set status = ${status}, waiting = ${jsonOf(waiting)}::jsonb,
            failure = ${jsonOf(failure)}::jsonb, message = ${message}, troubles = ${troubles},
            answering_since = case when ${troubles} = 0 and troubles > 0 then now() else answering_since end,
            finished_at = case when ${status} <> 'running' then now() end,
            next_action_at = now() + ${nextMs}::float8 * interval '1 millisecond', worker = case when ${isHeld} then worker end
          where ${where(key)} and status = 'running' and worker = ${workers.id}
          returning id`)
      })
    }
  })
}) {
  static readonly layer = Layer.effect(Enablements, Enablements.make)
}
