import { Context, Effect, Layer, Option, Result, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { AccountMode } from "../../schemas/Account.ts"
import { ApiError } from "../../schemas/ApiError.ts"
import { ResolutionId } from "../../schemas/Id.ts"
import { LocalDate } from "../../schemas/Money.ts"
import type { PageRequest } from "../../schemas/Page.ts"
import type { Resolution, ResolutionUpdate } from "../../schemas/Resolution.ts"
import { timestamp } from "../domain/AuthorityTime.ts"
import { resolutionStatus, validityViolations } from "../domain/ResolutionRules.ts"
import * as AccountView from "./AccountView.ts"
import * as Pages from "./Pages.ts"

const Row = Schema.Struct({
  ...AccountMode.fields,
  id: ResolutionId,
  number: Schema.String,
  document_type: Schema.Literal("invoice"),
  prefix: Schema.String,
  from_number: Schema.BigInt,
  to_number: Schema.BigInt,
  valid_from: LocalDate,
  valid_to: LocalDate,
  technical_key: Schema.String,
  is_active: Schema.Boolean,
  next_number: Schema.BigInt,
  created_at: Schema.Date
})
export type StoredResolution = typeof Row.Type

export interface ResolutionKey extends AccountMode {
  readonly id: ResolutionId
}

/** Whether the numbers of a range are taken: they may be given, or some have been. */
export const isTaken = ({ from_number, is_active, next_number }: StoredResolution) =>
  is_active || next_number > from_number

/** The range that `range` must not stand beside, if there is one among `others` of its account and mode. */
export const overlapOf = (range: StoredResolution, others: Iterable<StoredResolution>): ApiError | undefined => {
  for (const other of others) {
    if (other.id === range.id || other.prefix !== range.prefix || !isTaken(other)) continue
    if (other.from_number > range.to_number || other.to_number < range.from_number) continue
    return new ApiError({
      code: "resolution_overlap",
      message: `The numbers ${range.from_number} to ${range.to_number} of prefix ${JSON.stringify(range.prefix)} overlap those of ${other.id}, ${other.from_number} to ${other.to_number}. A number is given once.`
    })
  }
  return undefined
}

/** A range after a change; fails when its dates would contradict each other. */
export const changed = (range: StoredResolution, patch: ResolutionUpdate) => {
  const next: StoredResolution = { ...range, ...patch }
  const [first, ...rest] = validityViolations(next.valid_from, next.valid_to)
  return first === undefined ? Result.succeed(next) : Result.fail(ApiError.fromViolations([first, ...rest]))
}

/** Numbering ranges that the authority granted. The counter itself is moved by `Numbering` alone. */
export class Resolutions extends Context.Service<
  Resolutions,
  {
    /** The range that new invoices are numbered from on `date` (YYYY-MM-DD): active, valid, not exhausted, oldest first. */
    readonly current: (of: AccountMode, date: string) => Effect.Effect<Option.Option<StoredResolution>>
    readonly find: (of: AccountMode, id: string) => Effect.Effect<Option.Option<StoredResolution>>
    readonly list: (of: AccountMode, page: PageRequest) => Effect.Effect<Pages.Rows<StoredResolution>, ApiError>
    /** All ranges, and nobody else registers or activates one until the commit: part of the caller's transaction. */
    readonly all: (of: AccountMode) => Effect.Effect<ReadonlyArray<StoredResolution>>
    /** Adds a range without a look at the others. */
    readonly insert: (resolution: StoredResolution) => Effect.Effect<void>
    /** Fails with `resolution_overlap`. Part of the caller's transaction, as is `update`. */
    readonly register: (resolution: StoredResolution) => Effect.Effect<void, ApiError>
    /** Fails with `resource_missing`, `parameter_invalid` and, when a range becomes active, `resolution_overlap`. */
    readonly update: (key: ResolutionKey, patch: ResolutionUpdate) => Effect.Effect<StoredResolution, ApiError>
  }
>()("folio/store/Resolutions") {
  static readonly layer = Layer.effect(
    Resolutions,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const columns = sql.literal(Object.keys(Row.fields).join(", "))

      const current = SqlSchema.findOneOption({
        Request: Schema.Struct({ ...AccountMode.fields, date: LocalDate }),
        Result: Row,
        execute: (request) => sql`
          select ${columns} from resolutions
          where account_id = ${request.account_id} and livemode = ${request.livemode} and is_active
            and document_type = 'invoice' and ${request.date}::date between valid_from and valid_to
            and next_number <= to_number
          order by id limit 1`
      })

      const decode = Schema.decodeUnknownEffect(Schema.Array(Row))
      const where = (of: AccountMode) => sql`account_id = ${of.account_id} and livemode = ${of.livemode}`
      const add = (resolution: StoredResolution) => sql`insert into resolutions ${sql.insert(resolution)}`

      const find: Resolutions["Service"]["find"] = Effect.fn("Resolutions.find")((of, id) =>
        sql`select ${columns} from resolutions where ${where(of)} and id = ${id}`.pipe(
          Effect.flatMap(decode),
          Effect.map((rows) => Option.fromUndefinedOr(rows[0])),
          AccountView.within(sql, of),
          Effect.orDie
        )
      )

      // The account's row is the lock.
      const all = Effect.fnUntraced(function* (of: AccountMode) {
        yield* sql`select id from accounts where id = ${of.account_id} for no key update`
        return yield* sql`select ${columns} from resolutions where ${where(of)} order by id`.pipe(
          Effect.flatMap(decode)
        )
      }, Effect.orDie)

      const register: Resolutions["Service"]["register"] = Effect.fn("Resolutions.register")(function* (resolution) {
        const overlap = overlapOf(resolution, yield* all(resolution))
        if (overlap !== undefined) return yield* overlap
        yield* Effect.orDie(add(resolution))
      })

      const update: Resolutions["Service"]["update"] = Effect.fn("Resolutions.update")(function* (key, patch) {
        const ranges = yield* all(key)
        const range = ranges.find(({ id }) => id === key.id)
        if (range === undefined) return yield* ApiError.missing("resolution", key.id)
        const next = yield* Effect.fromResult(changed(range, patch))
        const overlap = next.is_active && !isTaken(range) ? overlapOf(next, ranges) : undefined
        if (overlap !== undefined) return yield* overlap
        const [updated] = yield* sql`
          update resolutions set is_active = ${next.is_active}, valid_to = ${next.valid_to}
          where ${where(key)} and id = ${key.id} returning ${columns}`.pipe(Effect.flatMap(decode), Effect.orDie)
        return updated ?? (yield* ApiError.missing("resolution", key.id))
      })

      return Resolutions.of({
        all,
        current: (of, date) => Effect.orDie(current({ ...of, date })),
        find,
        list: Pages.make(sql, { table: "resolutions", columns, row: Row }),
        insert: (resolution) => add(resolution).pipe(Effect.orDie, Effect.asVoid),
        register,
        update
      })
    })
  )
}

/** The range as the API shows it on `today` (YYYY-MM-DD). */
export const resolutionView = (row: StoredResolution, today: string): Resolution => ({
  id: row.id,
  object: "resolution",
  livemode: row.livemode,
  number: row.number,
  document_type: row.document_type,
  prefix: row.prefix,
  from_number: Number(row.from_number),
  to_number: Number(row.to_number),
  valid_from: row.valid_from,
  valid_to: row.valid_to,
  technical_key: row.technical_key,
  is_active: row.is_active,
  next_number: Number(row.next_number),
  remaining: Number(row.to_number - row.next_number) + 1,
  status: resolutionStatus(row, today),
  created_at: timestamp(row.created_at.getTime())
})
