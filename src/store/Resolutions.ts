import { Clock, Context, Effect, Layer, Option, Result, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { AccountMode } from "../../schemas/Account.ts"
import { ApiError, type Violation } from "../../schemas/ApiError.ts"
import { DocumentKind } from "../../schemas/FiscalDocument.ts"
import { ResolutionId } from "../../schemas/Id.ts"
import { LocalDate } from "../../schemas/Money.ts"
import type { PageRequest } from "../../schemas/Page.ts"
import type { Resolution, ResolutionUpdate } from "../../schemas/Resolution.ts"
import { timestamp } from "../domain/AuthorityTime.ts"
import type { NoteKind } from "../domain/DocumentKinds.ts"
import {
  type FullNumbers,
  resolutionStatus,
  resolutionWarnings,
  shareFullNumber,
  validityViolations
} from "../domain/ResolutionRules.ts"
import * as AccountView from "./AccountView.ts"
import * as Pages from "./Pages.ts"

const Row = Schema.Struct({
  ...AccountMode.fields,
  id: ResolutionId,
  number: Schema.String,
  /** Of a note: the row is its kind's own counter, and no grant of the authority. */
  document_type: DocumentKind,
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
    if (other.id === range.id || !isTaken(other) || !shareFullNumber(range, other)) continue
    return new ApiError({
      code: "resolution_overlap",
      message: `The numbers ${printed(range)} overlap those of ${nameOf(other)}, ${printed(other)}. A full number, prefix and number together, is given once.`
    })
  }
  return undefined
}

const printed = ({ from_number, prefix, to_number }: FullNumbers) =>
  `${from_number} to ${to_number} of prefix ${JSON.stringify(prefix)}`

const nameOf = ({ document_type, id }: StoredResolution) =>
  document_type === "invoice" ? id : `the account's ${document_type.replace("_", " ")}s`

/** How many ranges an account may have in each mode: those of a decade, for a hundred shops. */
export const resolutionsMax = 1_000

const limitReached = new ApiError({
  code: "resolution_limit_reached",
  message: `An account has at most ${resolutionsMax} numbering ranges in each mode, and they are kept. Ask the authority for larger ranges, and whoever runs the service for another account.`
})

/** Why `range` cannot be registered beside `others`, all ranges and counters of its account and mode. */
export const refusalOf = (range: StoredResolution, others: ReadonlyArray<StoredResolution>): ApiError | undefined =>
  others.filter(({ document_type }) => document_type === "invoice").length >= resolutionsMax
    ? limitReached
    : overlapOf(range, others)

/** A range after a change; fails when its dates would contradict each other. */
export const changed = (range: StoredResolution, patch: ResolutionUpdate) => {
  const next: StoredResolution = { ...range, ...patch }
  const [first, ...rest] = validityViolations(next.valid_from, next.valid_to)
  return first === undefined ? Result.succeed(next) : Result.fail(ApiError.fromViolations([first, ...rest]))
}

const counterPrefixes = { credit_note: "NC", debit_note: "ND" } as const
const counterMax = 9_999_999_999n

const letters = Array.from("ABCDEFGHIJKLMNOPQRSTUVWXYZ")

/**
 * The counter of an account's notes of one kind, to stand beside `others`: without an end, under the first of NC, NCA … NCZZ, or
 * ND …, with which it has no full number in common with any of them: a full number tells what it is of.
 */
export const counterBeside = (
  key: ResolutionKey & { readonly created_at: Date },
  kind: NoteKind,
  others: Iterable<StoredResolution>
): StoredResolution => {
  const ranges = [...others]
  const meets = (prefix: string) =>
    ranges.some(
      (range) => range.prefix === prefix || shareFullNumber(range, { prefix, from_number: 1n, to_number: counterMax })
    )
  const base = counterPrefixes[kind]
  const suffixes = ["", ...letters, ...letters.flatMap((one) => letters.map((other) => one + other))]
  const candidates = suffixes.map((suffix) => base + suffix)
  return {
    ...key,
    number: "",
    document_type: kind,
    prefix: candidates.find((prefix) => !meets(prefix)) ?? base,
    from_number: 1n,
    to_number: counterMax,
    valid_from: "2000-01-01",
    valid_to: "9999-12-31",
    technical_key: "",
    is_active: true,
    next_number: 1n
  }
}

/** Whose numbers are asked for: of a kind, and, where it is not null, of this prefix. */
const RangeQuery = Schema.Struct({ ...AccountMode.fields, kind: DocumentKind, prefix: Schema.NullOr(Schema.String) })
export type RangeQuery = typeof RangeQuery.Type

/** Numbering ranges that the authority granted, and the counters of notes. The counter itself is moved by `Numbering` alone. */
export class Resolutions extends Context.Service<
  Resolutions,
  {
    /** The range that new documents are numbered from on `date` (YYYY-MM-DD): active, valid, not exhausted, oldest first. */
    readonly current: (query: RangeQuery, date: string) => Effect.Effect<Option.Option<StoredResolution>>
    /** All that there are, whatever they are good for. */
    readonly all: (query: RangeQuery) => Effect.Effect<ReadonlyArray<StoredResolution>>
    /** Makes the counter of a kind of notes under this key, if the account has none yet. Part of the caller's transaction. */
    readonly ensureCounter: (key: ResolutionKey, kind: NoteKind) => Effect.Effect<void>
    readonly find: (of: AccountMode, id: string) => Effect.Effect<Option.Option<StoredResolution>>
    readonly list: (of: AccountMode, page: PageRequest) => Effect.Effect<Pages.Rows<StoredResolution>, ApiError>
    /** All ranges and counters, and nobody else registers or activates one until the commit: part of the caller's transaction. */
    readonly locked: (of: AccountMode) => Effect.Effect<ReadonlyArray<StoredResolution>>
    /** Adds a range without a look at the others. */
    readonly insert: (resolution: StoredResolution) => Effect.Effect<void>
    /** Fails with `resolution_overlap` and `resolution_limit_reached`. Part of the caller's transaction, as is `update`. */
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
        Request: Schema.Struct({ ...RangeQuery.fields, date: LocalDate }),
        Result: Row,
        execute: (request) => sql`
          select ${columns} from resolutions
          where ${fits(request)} and is_active and ${request.date}::date between valid_from and valid_to
            and next_number <= to_number
          order by id limit 1`
      })

      const decode = Schema.decodeUnknownEffect(Schema.Array(Row))
      const where = (of: AccountMode) => sql`account_id = ${of.account_id} and livemode = ${of.livemode}`
      const granted = sql`document_type = 'invoice'`
      const fits = ({ account_id, kind, livemode, prefix }: typeof RangeQuery.Encoded) =>
        sql.and([
          sql`account_id = ${account_id} and livemode = ${livemode}`,
          sql`document_type = ${kind}`,
          ...(prefix === null ? [] : [sql`prefix = ${prefix}`])
        ])
      const add = (resolution: StoredResolution) => sql`insert into resolutions ${sql.insert(resolution)}`

      const find: Resolutions["Service"]["find"] = Effect.fn("Resolutions.find")((of, id) =>
        sql`select ${columns} from resolutions where ${where(of)} and ${granted} and id = ${id}`.pipe(
          Effect.flatMap(decode),
          Effect.map((rows) => Option.fromUndefinedOr(rows[0])),
          AccountView.within(sql, of),
          Effect.orDie
        )
      )

      const ensureCounter = Effect.fn("Resolutions.ensureCounter")(function* (key: ResolutionKey, kind: NoteKind) {
        const { account_id, livemode } = key
        const has = (rows: ReadonlyArray<StoredResolution>) => rows.some(({ document_type }) => document_type === kind)
        if (has(yield* all({ account_id, livemode, kind, prefix: null }))) return
        const others = yield* locked(key)
        if (has(others)) return
        const created_at = new Date(yield* Clock.currentTimeMillis)
        yield* Effect.orDie(add(counterBeside({ ...key, created_at }, kind, others)))
      })

      const all = Effect.fn("Resolutions.all")((query: RangeQuery) =>
        sql`select ${columns} from resolutions where ${fits(query)} order by id`.pipe(
          Effect.flatMap(decode),
          Effect.orDie
        )
      )

      /** All ranges and counters, with nobody else registering or activating one until the commit: the account's row is the lock. */
      const locked = Effect.fnUntraced(function* (of: AccountMode) {
        yield* sql`select id from accounts where id = ${of.account_id} for no key update`
        return yield* sql`select ${columns} from resolutions where ${where(of)} order by id`.pipe(
          Effect.flatMap(decode)
        )
      }, Effect.orDie)

      const register: Resolutions["Service"]["register"] = Effect.fn("Resolutions.register")(function* (resolution) {
        const refusal = refusalOf(resolution, yield* locked(resolution))
        if (refusal !== undefined) return yield* refusal
        yield* Effect.orDie(add(resolution))
      })

      const update: Resolutions["Service"]["update"] = Effect.fn("Resolutions.update")(function* (key, patch) {
        const ranges = yield* locked(key)
        const range = ranges.find(({ document_type, id }) => id === key.id && document_type === "invoice")
        if (range === undefined) return yield* ApiError.missing("resolution", key.id)
        const next = yield* Effect.fromResult(changed(range, patch))
        const overlap = next.is_active && !range.is_active ? overlapOf(next, ranges) : undefined
        if (overlap !== undefined) return yield* overlap
        const [updated] = yield* sql`
          update resolutions set is_active = ${next.is_active}, valid_to = ${next.valid_to}
          where ${where(key)} and id = ${key.id} returning ${columns}`.pipe(Effect.flatMap(decode), Effect.orDie)
        return updated ?? (yield* ApiError.missing("resolution", key.id))
      })

      const page = Pages.make(sql, { table: "resolutions", columns, row: Row })

      return Resolutions.of({
        current: (query, date) => Effect.orDie(current({ ...query, date })),
        all,
        ensureCounter,
        locked,
        find,
        list: (of, request) => page(of, request, granted),
        insert: (resolution) => add(resolution).pipe(Effect.orDie, Effect.asVoid),
        register,
        update
      })
    })
  )
}

/** What is wrong with the prefix that an invoice asks for: it must be that of a range of the account. */
export const prefixViolations = Effect.fnUntraced(function* (
  resolutions: Resolutions["Service"],
  of: AccountMode,
  { prefix }: { readonly prefix?: string }
): Effect.fn.Return<ReadonlyArray<Violation>> {
  if (prefix === undefined) return []
  if ((yield* resolutions.all({ ...of, kind: "invoice", prefix })).length > 0) return []
  const message = `prefix must be that of a numbering range of the account; it has none of ${JSON.stringify(prefix)}. Register it at POST /v1/resolutions.`
  return [{ param: "prefix", code: "parameter_invalid", message }]
})

/** The range as the API shows it on `today` (YYYY-MM-DD). */
export const resolutionView = (row: StoredResolution, today: string): Resolution => ({
  id: row.id,
  object: "resolution",
  livemode: row.livemode,
  number: row.number,
  document_type: "invoice",
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
  warnings: resolutionWarnings(row, today),
  created_at: timestamp(row.created_at.getTime())
})
